//! C functions of rectangles over the dimensions of a domain.

use std::ptr;
use std::sync::Arc;

use super::boundary::{In, Out, OutHandle, Str, capi_return_t};
use super::call::{call, free_checked, make};
use super::domain_object::RectangleObject;
use super::enum_text::value_of;
use super::enums::tiledb_datatype_t;
use super::handles::{tiledb_ctx_t, tiledb_domain_t, tiledb_ndrectangle_t, tiledb_string_t};
use super::string::Text;
use super::structs::tiledb_range_t;
use super::value::internal;
use tiledb_array::schema::NdRectangle;
use tiledb_core::types::CellRange;

/// Creates a rectangle without ranges over the dimensions of a domain.
///
/// @param ctx The TileDB context.
/// @param domain The domain.
/// @param ndr Receives the rectangle, to be freed with `tiledb_ndrectangle_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ndrectangle_alloc(
    ctx: In<tiledb_ctx_t>,
    domain: In<tiledb_domain_t>,
    ndr: OutHandle<tiledb_ndrectangle_t>,
) -> capi_return_t {
    make(ctx, ndr, |_| {
        let domain = domain.get()?.share();
        Ok(RectangleObject::of(NdRectangle::new(domain.snapshot()), domain))
    })
}

/// Returns a readable description of a rectangle.
///
/// @param ctx The TileDB context.
/// @param ndr The rectangle.
/// @param out Receives the text, to be freed with `tiledb_string_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ndrectangle_dump_str(
    ctx: In<tiledb_ctx_t>,
    ndr: In<tiledb_ndrectangle_t>,
    out: OutHandle<tiledb_string_t>,
) -> capi_return_t {
    make(ctx, out, |_| Ok(Text::new(ndr.get()?.snapshot().dump())))
}

/// Frees a rectangle and sets the pointer to null.
///
/// @param ndr The rectangle.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error, also for a pointer to null.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ndrectangle_free(ndr: OutHandle<tiledb_ndrectangle_t>) -> capi_return_t {
    free_checked(ndr)
}

/// Returns the number of dimensions.
///
/// @param ctx The TileDB context.
/// @param ndr The rectangle.
/// @param ndim Receives the number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ndrectangle_get_dim_num(
    ctx: In<tiledb_ctx_t>,
    ndr: In<tiledb_ndrectangle_t>,
    ndim: Out<u32>,
) -> capi_return_t {
    call(ctx, |_| ndim.set(ndr.get()?.snapshot().domain().len() as u32))
}

/// Returns the type of a dimension.
///
/// @param ctx The TileDB context.
/// @param ndr The rectangle.
/// @param idx The position of the dimension, from 0.
/// @param type Receives the type.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ndrectangle_get_dtype(
    ctx: In<tiledb_ctx_t>,
    ndr: In<tiledb_ndrectangle_t>,
    idx: u32,
    r#type: Out<tiledb_datatype_t>,
) -> capi_return_t {
    call(ctx, |_| r#type.set(value_of(ndr.get()?.snapshot().datatype(idx as usize).map_err(internal)?.number())?))
}

/// Returns the type of a dimension by its name.
///
/// @param ctx The TileDB context.
/// @param ndr The rectangle.
/// @param name The name of the dimension.
/// @param type Receives the type.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ndrectangle_get_dtype_from_name(
    ctx: In<tiledb_ctx_t>,
    ndr: In<tiledb_ndrectangle_t>,
    name: Str,
    r#type: Out<tiledb_datatype_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let rectangle = ndr.get()?.snapshot();
        let datatype = rectangle.index_of(name.get("name")?).and_then(|index| rectangle.datatype(index));
        r#type.set(value_of(datatype.map_err(internal)?.number())?)
    })
}

/// Returns the range of a dimension.
///
/// @param ctx The TileDB context.
/// @param ndr The rectangle.
/// @param idx The position of the dimension, from 0.
/// @param range Receives the range; its pointers are valid until the rectangle is changed or freed, null for a range that is not
///     set.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ndrectangle_get_range(
    ctx: In<tiledb_ctx_t>,
    ndr: In<tiledb_ndrectangle_t>,
    idx: u32,
    range: Out<tiledb_range_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let found = |rectangle: &NdRectangle| Ok(rectangle.range(idx as usize).map_err(internal)?.map(Arc::clone));
        range.set(lend(ndr.get()?.lend_part(found)?.as_deref()))
    })
}

/// Returns the range of a dimension by its name.
///
/// @param ctx The TileDB context.
/// @param ndr The rectangle.
/// @param name The name of the dimension.
/// @param range Receives the range; its pointers are valid until the rectangle is changed or freed, null for a range that is not
///     set.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ndrectangle_get_range_from_name(
    ctx: In<tiledb_ctx_t>,
    ndr: In<tiledb_ndrectangle_t>,
    name: Str,
    range: Out<tiledb_range_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let name = name.get("name")?;
        let found = |rectangle: &NdRectangle| {
            let index = rectangle.index_of(name).map_err(internal)?;
            Ok(rectangle.range(index).map_err(internal)?.map(Arc::clone))
        };
        range.set(lend(ndr.get()?.lend_part(found)?.as_deref()))
    })
}

/// Sets the range of a dimension.
///
/// @param ctx The TileDB context.
/// @param ndr The rectangle.
/// @param idx The position of the dimension, from 0.
/// @param range Receives the range; the rectangle keeps its own copy.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ndrectangle_set_range(
    ctx: In<tiledb_ctx_t>,
    ndr: In<tiledb_ndrectangle_t>,
    idx: u32,
    range: Out<tiledb_range_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let (low, high) = range.ends()?;
        ndr.get()?.change(|rectangle| rectangle.set_range(idx as usize, low, high).map_err(internal))
    })
}

/// Sets the range of a dimension by its name.
///
/// @param ctx The TileDB context.
/// @param ndr The rectangle.
/// @param name The name of the dimension.
/// @param range Receives the range; the rectangle keeps its own copy.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ndrectangle_set_range_for_name(
    ctx: In<tiledb_ctx_t>,
    ndr: In<tiledb_ndrectangle_t>,
    name: Str,
    range: Out<tiledb_range_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let name = name.get("name")?;
        let (low, high) = range.ends()?;
        ndr.get()?.change(|rectangle| {
            let set = rectangle.index_of(name).and_then(|index| rectangle.set_range(index, low, high));
            set.map_err(internal)
        })
    })
}

/// A range whose bytes C borrows; null pointers if there is none.
fn lend(range: Option<&CellRange>) -> tiledb_range_t {
    let Some(range) = range else {
        return tiledb_range_t { min: ptr::null(), min_size: 0, max: ptr::null(), max_size: 0 };
    };
    let (low, high) = (range.low(), range.high());
    tiledb_range_t {
        min: low.as_ptr().cast(),
        min_size: low.len() as u64,
        max: high.as_ptr().cast(),
        max_size: high.len() as u64,
    }
}
