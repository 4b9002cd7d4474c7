//! Enumerations of new arrays, and further values of existing ones.

use super::context::{Context, call, make};
use super::datatype::Datatype;
use super::error::Result;
use super::functions as sys;
use super::handle::{Handle, text};
use super::schema::VAR;

/// An enumeration to be created.
#[derive(Clone)]
pub struct NewEnumeration {
    pub name: String,
    pub datatype: Datatype,
    /// Number of values per member; [`VAR`] for texts.
    pub values: u32,
    pub is_ordered: bool,
    /// The bytes of all members.
    pub data: Vec<u8>,
    /// Where each begins, for variable lengths.
    pub offsets: Vec<u64>,
}

impl NewEnumeration {
    /// Number of members.
    pub fn members(&self) -> usize {
        match self.values {
            VAR => self.offsets.len(),
            values => self.data.len() / (self.datatype.size() * values as usize).max(1),
        }
    }

    /// Adds it to a schema, for this attribute.
    pub(super) fn add_to(
        &self,
        ctx: &Context,
        schema: &Handle<sys::tiledb_array_schema_t>,
        attribute: &Handle<sys::tiledb_attribute_t>,
    ) -> Result<()> {
        let made = self.alloc(ctx)?;
        let name = text(&self.name)?;
        call!(ctx, tiledb_array_schema_add_enumeration(schema.raw(), made.raw()))?;
        call!(ctx, tiledb_attribute_set_enumeration_name(attribute.raw(), name.as_ptr()))
    }

    pub(super) fn alloc(&self, ctx: &Context) -> Result<Handle<sys::tiledb_enumeration_t>> {
        let name = text(&self.name)?;
        let [data, offsets] = places(&self.data, &self.offsets);
        make!(
            ctx,
            tiledb_enumeration_alloc(
                name.as_ptr(),
                self.datatype.0,
                self.values,
                self.is_ordered.into(),
                data.0,
                data.1,
                offsets.0,
                offsets.1
            ),
            tiledb_enumeration_free
        )
    }
}

/// Pointers and sizes of data and offsets; null for none.
fn places(data: &[u8], offsets: &[u64]) -> [(*const std::ffi::c_void, u64); 2] {
    let place = |is_empty: bool, place: *const u8| if is_empty { std::ptr::null() } else { place.cast() };
    [
        (place(data.is_empty(), data.as_ptr()), data.len() as u64),
        (place(offsets.is_empty(), offsets.as_ptr().cast()), offsets.len() as u64 * 8),
    ]
}

/// Appends members to the enumeration of an attribute of an existing array.
pub fn extend_enumeration(ctx: &Context, uri: &str, attribute: &str, data: &[u8], offsets: &[u64]) -> Result<()> {
    let (uri, attribute) = (text(uri)?, text(attribute)?);
    let schema = make!(ctx, tiledb_array_schema_load(uri.as_ptr()), tiledb_array_schema_free)?;
    let old = make!(
        ctx,
        tiledb_array_schema_get_enumeration_from_attribute_name(schema.raw(), attribute.as_ptr()),
        tiledb_enumeration_free
    )?;
    let [data, offsets] = places(data, offsets);
    let new = make!(
        ctx,
        tiledb_enumeration_extend(old.raw(), data.0, data.1, offsets.0, offsets.1),
        tiledb_enumeration_free
    )?;
    let evolution = make!(ctx, tiledb_array_schema_evolution_alloc(), tiledb_array_schema_evolution_free)?;
    call!(ctx, tiledb_array_schema_evolution_extend_enumeration(evolution.raw(), new.raw()))?;
    call!(ctx, tiledb_array_evolve(uri.as_ptr(), evolution.raw()))
}
