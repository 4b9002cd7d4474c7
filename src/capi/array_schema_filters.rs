//! C functions of the filters of a schema: coordinates, offsets and validity.

use super::boundary::{In, OutHandle, capi_return_t};
use super::call::{call, make};
use super::handles::{tiledb_array_schema_t, tiledb_ctx_t, tiledb_filter_list_t};
use super::value::Value;

/// Returns the filter pipeline of the coordinates of dimensions that have no filters of their own.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param filter_list Receives the filters, to be freed with `tiledb_filter_list_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_coords_filter_list(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    filter_list: OutHandle<tiledb_filter_list_t>,
) -> capi_return_t {
    make(ctx, filter_list, |_| Ok(Value::new(array_schema.get()?.snapshot().coords_filters().clone())))
}

/// Returns the filter pipeline of the offsets of variable-length cells.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param filter_list Receives the filters, to be freed with `tiledb_filter_list_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_offsets_filter_list(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    filter_list: OutHandle<tiledb_filter_list_t>,
) -> capi_return_t {
    make(ctx, filter_list, |_| Ok(Value::new(array_schema.get()?.snapshot().offsets_filters().clone())))
}

/// Returns the filter pipeline of the validity bytes of nullable attributes.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param filter_list Receives the filters, to be freed with `tiledb_filter_list_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_validity_filter_list(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    filter_list: OutHandle<tiledb_filter_list_t>,
) -> capi_return_t {
    make(ctx, filter_list, |_| Ok(Value::new(array_schema.get()?.snapshot().validity_filters().clone())))
}

/// Sets the filter pipeline of the coordinates of dimensions that have no filters of their own. The default is ZSTD.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param filter_list The filters; the schema keeps its own copy.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_set_coords_filter_list(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    filter_list: In<tiledb_filter_list_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let schema = array_schema.get()?;
        let filters = filter_list.get()?.snapshot();
        schema.change(|schema| schema.set_coords_filters((*filters).clone()))
    })
}

/// Sets the filter pipeline of the offsets of variable-length cells.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param filter_list The filters; the schema keeps its own copy.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_set_offsets_filter_list(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    filter_list: In<tiledb_filter_list_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let schema = array_schema.get()?;
        let filters = filter_list.get()?.snapshot();
        schema.change(|schema| {
            schema.set_offsets_filters((*filters).clone());
            Ok(())
        })
    })
}

/// Sets the filter pipeline of the validity bytes of nullable attributes.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param filter_list The filters; the schema keeps its own copy.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_set_validity_filter_list(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    filter_list: In<tiledb_filter_list_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let schema = array_schema.get()?;
        let filters = filter_list.get()?.snapshot();
        schema.change(|schema| {
            schema.set_validity_filters((*filters).clone());
            Ok(())
        })
    })
}
