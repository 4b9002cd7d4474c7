//! Dimensions: names, types and ranges of coordinates.

use super::boundary::{Bytes, CEnum, In, InConst, Out, OutHandle, OutPtr, OutStr, Str};
use super::call::{call, free, make};
use super::enum_text::value_of;
use super::enums::tiledb_datatype_t;
use super::handles::{tiledb_ctx_t, tiledb_dimension_t, tiledb_filter_list_t, tiledb_string_t};
use super::string::Text;
use super::value::{Value, internal};
use tiledb_array::schema::Dimension;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::Datatype;

/// Creates a dimension.
///
/// @param ctx The TileDB context.
/// @param name The name; empty for an anonymous dimension.
/// @param type The type of the coordinates.
/// @param dim_domain The two ends of the domain, inclusive, as values of the type; null for strings.
/// @param tile_extent The number of cells per tile, as a value of the type; null for the whole domain, and for
///     strings.
/// @param dim The dimension, to be freed with `tiledb_dimension_free`; null if there is none of this domain and extent.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_alloc(
    ctx: In<tiledb_ctx_t>,
    name: Str,
    r#type: CEnum<tiledb_datatype_t>,
    dim_domain: Bytes,
    tile_extent: Bytes,
    dim: OutHandle<tiledb_dimension_t>,
) -> i32 {
    make(ctx, dim, |_| {
        let Some(name) = name.opt()? else { bail!("C API: Dimension name must not be NULL") };
        let datatype = dimension_datatype(r#type.number())?;
        dim.clear();
        let (domain, extent) = (dim_domain.opt(2 * datatype.size())?, tile_extent.opt(datatype.size())?);
        Ok(Value::new(Dimension::new(name, datatype, domain, extent)?))
    })
}

/// Gives a dimension as text.
///
/// @param ctx The TileDB context.
/// @param dimension The dimension.
/// @param out The text, to be freed with `tiledb_string_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_dump_str(
    ctx: In<tiledb_ctx_t>,
    dimension: InConst<tiledb_dimension_t>,
    out: OutHandle<tiledb_string_t>,
) -> i32 {
    make(ctx, out, |_| Ok(Text::new(dimension.get()?.snapshot().dump())))
}

/// Frees a dimension and sets the pointer to null.
///
/// @param dim The dimension.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_free(dim: OutHandle<tiledb_dimension_t>) {
    free(dim)
}

/// Gives the number of values per coordinate: 1, or `TILEDB_VAR_NUM` for strings.
///
/// @param ctx The TileDB context.
/// @param dim The dimension.
/// @param cell_val_num The number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_get_cell_val_num(
    ctx: In<tiledb_ctx_t>,
    dim: InConst<tiledb_dimension_t>,
    cell_val_num: Out<u32>,
) -> i32 {
    call(ctx, |_| cell_val_num.set(dim.get()?.snapshot().cell_val_num().number()))
}

/// Gives the domain of a dimension.
///
/// @param ctx The TileDB context.
/// @param dim The dimension.
/// @param domain The two ends as values of the dimension's type, valid until the dimension is changed or freed;
///     null for strings.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_get_domain(
    ctx: In<tiledb_ctx_t>,
    dim: InConst<tiledb_dimension_t>,
    domain: OutPtr,
) -> i32 {
    call(ctx, |_| match dim.get()?.lend().domain_bytes() {
        Some(bytes) => domain.set(bytes),
        None => domain.set_null(),
    })
}

/// Gives the filters of a dimension.
///
/// @param ctx The TileDB context.
/// @param dim The dimension.
/// @param filter_list The filters, to be freed with `tiledb_filter_list_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_get_filter_list(
    ctx: In<tiledb_ctx_t>,
    dim: In<tiledb_dimension_t>,
    filter_list: OutHandle<tiledb_filter_list_t>,
) -> i32 {
    make(ctx, filter_list, |_| Ok(Value::new(dim.get()?.snapshot().filters().clone())))
}

/// Gives the name of a dimension.
///
/// @param ctx The TileDB context.
/// @param dim The dimension.
/// @param name The name, valid until the dimension is freed.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_get_name(
    ctx: In<tiledb_ctx_t>,
    dim: InConst<tiledb_dimension_t>,
    name: OutStr,
) -> i32 {
    call(ctx, |_| name.set(dim.get()?.lend().name().as_c_str()))
}

/// Gives the number of cells per tile.
///
/// @param ctx The TileDB context.
/// @param dim The dimension.
/// @param tile_extent The extent as a value of the dimension's type, valid until the dimension is changed or freed;
///     null if there is none.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_get_tile_extent(
    ctx: In<tiledb_ctx_t>,
    dim: InConst<tiledb_dimension_t>,
    tile_extent: OutPtr,
) -> i32 {
    call(ctx, |_| match dim.get()?.lend().tile_extent() {
        Some(bytes) => tile_extent.set(bytes),
        None => tile_extent.set_null(),
    })
}

/// Gives the type of the coordinates.
///
/// @param ctx The TileDB context.
/// @param dim The dimension.
/// @param type The type.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_get_type(
    ctx: In<tiledb_ctx_t>,
    dim: InConst<tiledb_dimension_t>,
    r#type: Out<tiledb_datatype_t>,
) -> i32 {
    call(ctx, |_| r#type.set(value_of(dim.get()?.snapshot().datatype().number())?))
}

/// Sets the number of values per coordinate. Only the number that the type has is accepted.
///
/// @param ctx The TileDB context.
/// @param dim The dimension.
/// @param cell_val_num 1, or `TILEDB_VAR_NUM` for strings.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_set_cell_val_num(
    ctx: In<tiledb_ctx_t>,
    dim: In<tiledb_dimension_t>,
    cell_val_num: u32,
) -> i32 {
    call(ctx, |_| dim.get()?.change(|dimension| dimension.set_cell_val_num(cell_val_num)))
}

/// Sets the filters of a dimension.
///
/// @param ctx The TileDB context.
/// @param dim The dimension.
/// @param filter_list The filters; the dimension keeps its own copy.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_set_filter_list(
    ctx: In<tiledb_ctx_t>,
    dim: In<tiledb_dimension_t>,
    filter_list: In<tiledb_filter_list_t>,
) -> i32 {
    call(ctx, |_| {
        let dimension = dim.get()?;
        let filters = filter_list.get()?.snapshot();
        dimension.change(|dimension| dimension.set_filters((*filters).clone()))
    })
}

/// The datatype with this number, with the text that says that a dimension wanted it.
fn dimension_datatype(number: u32) -> Result<Datatype> {
    let asked = "TileDB internal: [Dimension::ensure_datatype_is_supported] ";
    Datatype::from_number(number).map_err(|error| internal(error).context(asked))
}
