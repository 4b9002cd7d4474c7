//! Current domains: the part of the domain of an array that cells may be in, until it is expanded.

use serde_json::Value as Json;

use super::context::{Context, ask, call};
use super::datatype::Datatype;
use super::error::{Error, Result};
use super::functions as sys;
use super::handle::{Handle, bytes, text};
use super::literal::parse_literal;
use super::schema::Dimension;

/// An object whose function that frees it returns a code.
struct Owned<T>(*mut T, unsafe extern "C" fn(*mut *mut T) -> i32);

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: the object was returned by the interface, is freed by this function, and is not freed elsewhere.
        unsafe { (self.1)(&raw mut self.0) };
    }
}

/// The low and the high end of a range as bytes.
pub(super) type RangeBytes = (Vec<u8>, Vec<u8>);

type SchemaHandle = Handle<sys::tiledb_array_schema_t>;

/// The two bounds of the current domain of a schema in each of its dimensions; nothing if it has none.
pub(super) fn current_domain(
    ctx: &Context,
    schema: &SchemaHandle,
    dimensions: &[Dimension],
) -> Result<Option<Vec<RangeBytes>>> {
    let domain = ask!(ctx, std::ptr::null_mut(), tiledb_array_schema_get_current_domain(schema.raw()))?;
    let domain = Owned(domain, sys::tiledb_current_domain_free);
    if ask!(ctx, 0, tiledb_current_domain_get_is_empty(domain.0))? != 0 {
        return Ok(None);
    }
    let rectangle = ask!(ctx, std::ptr::null_mut(), tiledb_current_domain_get_ndrectangle(domain.0))?;
    let rectangle = Owned(rectangle, sys::tiledb_ndrectangle_free);
    let bounds = dimensions.iter().map(|dimension| {
        let name = text(&dimension.name)?;
        let empty = sys::tiledb_range_t { min: std::ptr::null(), min_size: 0, max: std::ptr::null(), max_size: 0 };
        let range = ask!(ctx, empty, tiledb_ndrectangle_get_range_from_name(rectangle.0, name.as_ptr()))?;
        // SAFETY: the rectangle that lends the bounds lives.
        Ok(unsafe { (bytes(range.min.cast(), range.min_size), bytes(range.max.cast(), range.max_size)) })
    });
    bounds.collect::<Result<_>>().map(Some)
}

/// Sets the current domain of a new schema.
///
/// # Errors
/// If the description is not a list of two bounds for each dimension, or a bound is outside of the domain.
pub(super) fn set_current_domain(
    ctx: &Context,
    schema: &SchemaHandle,
    domain: &Handle<sys::tiledb_domain_t>,
    dimensions: &[(String, Datatype)],
    json: &Json,
) -> Result<()> {
    let wrong = || Error::usage("schema.current_domain is no list of two bounds for each dimension");
    let all = json.as_array().filter(|all| all.len() == dimensions.len()).ok_or_else(wrong)?;
    let rectangle = ask!(ctx, std::ptr::null_mut(), tiledb_ndrectangle_alloc(domain.raw()))?;
    let rectangle = Owned(rectangle, sys::tiledb_ndrectangle_free);
    for ((name, datatype), bounds) in dimensions.iter().zip(all) {
        let Some([low, high]) = bounds.as_array().map(Vec::as_slice) else { return Err(wrong()) };
        let (low, high) = (parse_literal(*datatype, low)?, parse_literal(*datatype, high)?);
        let is_one = |bytes: &Vec<u8>| datatype.is_text() || bytes.len() == datatype.size();
        if !is_one(&low) || !is_one(&high) {
            return Err(wrong());
        }
        let name = text(name)?;
        let mut range = sys::tiledb_range_t {
            min: low.as_ptr().cast(),
            min_size: low.len() as u64,
            max: high.as_ptr().cast(),
            max_size: high.len() as u64,
        };
        call!(ctx, tiledb_ndrectangle_set_range_for_name(rectangle.0, name.as_ptr(), &raw mut range))?;
    }
    let current = ask!(ctx, std::ptr::null_mut(), tiledb_current_domain_create())?;
    let current = Owned(current, sys::tiledb_current_domain_free);
    call!(ctx, tiledb_current_domain_set_ndrectangle(current.0, rectangle.0))?;
    call!(ctx, tiledb_array_schema_set_current_domain(schema.raw(), current.0))
}
