//! C functions of dimensions: names, types and domains of coordinates.

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

/// Creates a dimension: a named axis of an array with a datatype, a domain and a tile extent.
///
/// Datatypes: integers, floating-point numbers, dates and times (`TILEDB_DATETIME_MS` and others), and `TILEDB_STRING_ASCII`.
/// All dimensions of a dense array must have the same integer or date/time datatype; those of a sparse array may differ.
///
/// - Fixed-size datatypes need a domain, both bounds inclusive and finite; it cannot be changed once the array exists. A domain
///   of all values of an integer datatype is rejected.
/// - The tile extent is the number of coordinates per tile. It must be positive and not larger than the domain, and the last
///   tile must end within the datatype (for integers, within its widest type): a domain that ends at the maximum of 64 bits
///   needs room for a whole tile.
/// - Strings have neither domain nor extent.
///
/// ```c
/// int64_t range[] = {0, 999999}, extent = 1000;
/// tiledb_dimension_t *time = NULL, *key = NULL;
/// tiledb_dimension_alloc(ctx, "time", TILEDB_INT64, range, &extent, &time);
/// tiledb_dimension_alloc(ctx, "key", TILEDB_STRING_ASCII, NULL, NULL, &key);
/// ```
///
/// See also `tiledb_domain_add_dimension`, `tiledb_dimension_set_filter_list`.
///
/// @param ctx The TileDB context.
/// @param name The name, unique among the dimensions, attributes and labels of the array; empty for an anonymous dimension.
/// @param type The datatype of the coordinates.
/// @param dim_domain The lower and the upper bound, two values of the datatype, which are copied; null for strings.
/// @param tile_extent One value of the datatype, which is copied. Null for strings; null otherwise makes the whole domain one
///     tile when the domain is set in a schema.
/// @param dim Receives the dimension, to be freed with `tiledb_dimension_free`; null if domain or extent are invalid.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if datatype, domain or extent are invalid.
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
        let size = datatype.size() as u64;
        let domain = dim_domain.opt("dim_domain", 2 * size)?;
        let extent = tile_extent.opt("tile_extent", size)?;
        Ok(Value::new(Dimension::new(name, datatype, domain, extent)?))
    })
}

/// Returns a readable description of a dimension.
///
/// @param ctx The TileDB context.
/// @param dimension The dimension.
/// @param out Receives the text, to be freed with `tiledb_string_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_dump_str(
    ctx: In<tiledb_ctx_t>,
    dimension: InConst<tiledb_dimension_t>,
    out: OutHandle<tiledb_string_t>,
) -> i32 {
    make(ctx, out, |_| Ok(Text::new(dimension.get()?.snapshot().dump())))
}

/// Frees a dimension handle and sets the pointer to null. Domains to which the dimension was added keep it.
///
/// @param dim The dimension; a null handle is accepted.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_free(dim: OutHandle<tiledb_dimension_t>) {
    free(dim)
}

/// Returns the number of values per coordinate: 1, or `TILEDB_VAR_NUM` for strings.
///
/// @param ctx The TileDB context.
/// @param dim The dimension.
/// @param cell_val_num Receives the number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_get_cell_val_num(
    ctx: In<tiledb_ctx_t>,
    dim: InConst<tiledb_dimension_t>,
    cell_val_num: Out<u32>,
) -> i32 {
    call(ctx, |_| cell_val_num.set(dim.get()?.snapshot().cell_val_num().number()))
}

/// Returns the domain of a dimension: its lower and upper bound, both inclusive.
///
/// @param ctx The TileDB context.
/// @param dim The dimension.
/// @param domain Receives the address of two values of the dimension's datatype, or null for strings. They belong to the handle
///     and are valid until the dimension is changed or freed; the address is aligned for the datatype.
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

/// Returns the filter pipeline of a dimension.
///
/// @param ctx The TileDB context.
/// @param dim The dimension.
/// @param filter_list Receives the filters, to be freed with `tiledb_filter_list_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_get_filter_list(
    ctx: In<tiledb_ctx_t>,
    dim: In<tiledb_dimension_t>,
    filter_list: OutHandle<tiledb_filter_list_t>,
) -> i32 {
    make(ctx, filter_list, |_| Ok(Value::new(dim.get()?.snapshot().filters().clone())))
}

/// Returns the name of a dimension.
///
/// @param ctx The TileDB context.
/// @param dim The dimension.
/// @param name Receives the name, valid until the dimension is freed.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_get_name(
    ctx: In<tiledb_ctx_t>,
    dim: InConst<tiledb_dimension_t>,
    name: OutStr,
) -> i32 {
    call(ctx, |_| name.set(dim.get()?.lend().name().as_c_str()))
}

/// Returns the tile extent of a dimension: the number of coordinates per tile.
///
/// @param ctx The TileDB context.
/// @param dim The dimension.
/// @param tile_extent Receives the address of one value of the dimension's datatype, or null if there is no extent. It belongs
///     to the handle and is valid until the dimension is changed or freed.
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

/// Returns the type of the coordinates.
///
/// @param ctx The TileDB context.
/// @param dim The dimension.
/// @param type Receives the type.
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

/// Sets the filter pipeline of the coordinates of a dimension.
///
/// Without filters of its own a dimension uses those of the schema (`tiledb_array_schema_set_coords_filter_list`). Only sparse
/// arrays store coordinates.
///
/// @param ctx The TileDB context.
/// @param dim The dimension. If it has been added to a domain, the domain and its schema change with it.
/// @param filter_list The filters, which are copied: later changes to the list have no effect.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if a filter does not accept the datatype, or the output of the filter before
///     it.
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

/// The datatype with this number; the error message states that it is for a dimension.
fn dimension_datatype(number: u32) -> Result<Datatype> {
    let asked = "TileDB internal: [Dimension::ensure_datatype_is_supported] ";
    Datatype::from_number(number).map_err(|error| internal(error).context(asked))
}
