//! C functions of dimension labels.

use std::sync::Arc;

use super::boundary::{Bytes, CEnum, In, InConst, Out, OutHandle, OutStr, Str, capi_return_t};
use super::call::{call, free, make};
use super::enum_text::value_of;
use super::enums::{tiledb_data_order_t, tiledb_datatype_t};
use super::handles::{tiledb_array_schema_t, tiledb_ctx_t, tiledb_dimension_label_t, tiledb_filter_list_t};
use super::value::internal;
use tiledb_core::error::bail;
use tiledb_core::types::{DataOrder, Datatype};

/// Adds a dimension label: an array of its own that gives the indexes of a dimension other names.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param dim_index The position of the dimension, from 0.
/// @param name The name of the label.
/// @param label_order Whether labels increase or decrease.
/// @param label_type The type of the labels.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_add_dimension_label(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    dim_index: u32,
    name: Str,
    label_order: CEnum<tiledb_data_order_t>,
    label_type: CEnum<tiledb_datatype_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let name = name.get("name")?;
        let order = DataOrder::from_number(label_order.number()).map_err(internal)?;
        let datatype = Datatype::from_number(label_type.number()).map_err(internal)?;
        array_schema.get()?.add_label(dim_index, name, order, datatype)
    })
}

/// Returns a dimension label by its position.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param dim_label_index The position, from 0.
/// @param dim_label Receives the dimension label, to be freed with `tiledb_dimension_label_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_dimension_label_from_index(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    dim_label_index: u64,
    dim_label: OutHandle<tiledb_dimension_label_t>,
) -> capi_return_t {
    make(ctx, dim_label, |_| {
        let schema = array_schema.get()?.own();
        match usize::try_from(dim_label_index).ok().and_then(|index| schema.labels().get(index)) {
            Some(label) => Ok(Arc::clone(label)),
            None => bail!(
                "ArraySchema: Unable to get dimension label; Index {dim_label_index} is out of bounds given {} labels.",
                schema.labels().len()
            ),
        }
    })
}

/// Returns a dimension label by its name.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param label_name The name.
/// @param dim_label Receives the dimension label, to be freed with `tiledb_dimension_label_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_dimension_label_from_name(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    label_name: Str,
    dim_label: OutHandle<tiledb_dimension_label_t>,
) -> capi_return_t {
    make(ctx, dim_label, |_| {
        let name = label_name.get("label_name")?;
        Ok(Arc::clone(array_schema.get()?.own().existing_label(name)?))
    })
}

/// Returns the number of dimension labels.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param dim_label_num Receives the number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_dimension_label_num(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    dim_label_num: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| dim_label_num.set(array_schema.get()?.own().labels().len() as u64))
}

/// Reports whether there is a dimension label of this name.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param name The name.
/// @param has_dim_label Receives 1 if there is, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_has_dimension_label(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    name: Str,
    has_dim_label: Out<i32>,
) -> capi_return_t {
    call(ctx, |_| {
        let schema = array_schema.get()?.own();
        has_dim_label.set(schema.label(name.get("name")?).is_some().into())
    })
}

/// Sets the filters of the values of a dimension label.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema; its array must not exist yet.
/// @param label_name The name of the label.
/// @param filter_list The filters; the schema keeps its own copy.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_set_dimension_label_filter_list(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    label_name: Str,
    filter_list: In<tiledb_filter_list_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let name = label_name.get("label_name")?;
        let filters = filter_list.get()?.snapshot();
        array_schema.get()?.change_labels(|schema| schema.set_label_filters(name, (*filters).clone()))
    })
}

/// Sets the tile extent of the array of a dimension label.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema; its array must not exist yet.
/// @param label_name The name of the label.
/// @param type The type of the extent, which is that of the labelled dimension.
/// @param tile_extent The tile extent; null for one tile.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_set_dimension_label_tile_extent(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    label_name: Str,
    r#type: CEnum<tiledb_datatype_t>,
    tile_extent: Bytes,
) -> capi_return_t {
    call(ctx, |_| {
        let (schema, name) = (array_schema.get()?, label_name.get("label_name")?);
        schema.change_labels(|schema| {
            let size = schema.label_dimension_type(name)?.size();
            let datatype = Datatype::from_number(r#type.number()).map_err(internal)?;
            schema.set_label_extent(name, datatype, tile_extent.opt("tile_extent", size as u64)?)
        })
    })
}

/// Frees a dimension label and sets the pointer to null.
///
/// @param dim_label The dimension label.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_label_free(dim_label: OutHandle<tiledb_dimension_label_t>) {
    free(dim_label)
}

/// Returns the position of the dimension that a label belongs to.
///
/// @param ctx The TileDB context.
/// @param dim_label The dimension label.
/// @param dim_index Receives the position, from 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_label_get_dimension_index(
    ctx: In<tiledb_ctx_t>,
    dim_label: In<tiledb_dimension_label_t>,
    dim_index: Out<u32>,
) -> capi_return_t {
    call(ctx, |_| dim_index.set(dim_label.get()?.dimension_index))
}

/// Returns the name of the attribute that holds the labels in the label's array.
///
/// @param ctx The TileDB context.
/// @param dim_label The dimension label.
/// @param label_attr_name Receives the name, valid until the dimension label is freed.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_label_get_label_attr_name(
    ctx: In<tiledb_ctx_t>,
    dim_label: In<tiledb_dimension_label_t>,
    label_attr_name: OutStr,
) -> capi_return_t {
    call(ctx, |_| label_attr_name.set(dim_label.get()?.attribute.as_c_str()))
}

/// Returns the number of values per label; `TILEDB_VAR_NUM` for any number.
///
/// @param ctx The TileDB context.
/// @param dim_label The dimension label.
/// @param label_cell_val_num Receives the number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_label_get_label_cell_val_num(
    ctx: In<tiledb_ctx_t>,
    dim_label: In<tiledb_dimension_label_t>,
    label_cell_val_num: Out<u32>,
) -> capi_return_t {
    call(ctx, |_| label_cell_val_num.set(dim_label.get()?.cell_val_num.number()))
}

/// Reports whether labels increase or decrease.
///
/// @param ctx The TileDB context.
/// @param dim_label The dimension label.
/// @param label_order Receives the order.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_label_get_label_order(
    ctx: In<tiledb_ctx_t>,
    dim_label: In<tiledb_dimension_label_t>,
    label_order: Out<tiledb_data_order_t>,
) -> capi_return_t {
    call(ctx, |_| label_order.set(value_of(dim_label.get()?.order.number())?))
}

/// Returns the type of the labels.
///
/// @param ctx The TileDB context.
/// @param dim_label The dimension label.
/// @param label_type Receives the type.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_label_get_label_type(
    ctx: In<tiledb_ctx_t>,
    dim_label: In<tiledb_dimension_label_t>,
    label_type: Out<tiledb_datatype_t>,
) -> capi_return_t {
    call(ctx, |_| label_type.set(value_of(dim_label.get()?.datatype.number())?))
}

/// Returns the name of a dimension label.
///
/// @param ctx The TileDB context.
/// @param dim_label The dimension label.
/// @param name Receives the name, valid until the dimension label is freed.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_label_get_name(
    ctx: In<tiledb_ctx_t>,
    dim_label: In<tiledb_dimension_label_t>,
    name: OutStr,
) -> capi_return_t {
    call(ctx, |_| name.set(dim_label.get()?.name.as_c_str()))
}

/// Returns the URI of the label's array.
///
/// @param ctx The TileDB context.
/// @param dim_label The dimension label.
/// @param uri Receives the URI, relative to the labelled array before that is created, valid until the dimension label is freed.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_label_get_uri(
    ctx: In<tiledb_ctx_t>,
    dim_label: In<tiledb_dimension_label_t>,
    uri: OutStr,
) -> capi_return_t {
    call(ctx, |_| uri.set(dim_label.get()?.location().as_c_str()))
}
