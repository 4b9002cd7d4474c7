//! C functions of query fields: properties of the columns that a query can read or write.

use std::sync::Arc;

use super::boundary::{In, Out, OutHandle, Str, capi_return_t};
use super::call::{call, free_with_context, make};
use super::enum_text::value_of;
use super::enums::{tiledb_datatype_t, tiledb_field_origin_t};
use super::handles::{tiledb_ctx_t, tiledb_query_channel_t, tiledb_query_field_t, tiledb_query_t};
use super::query_aggregate::Channel;
use super::query_object::QueryObject;
use tiledb_array::schema::ArraySchema;
use tiledb_cells::aggregate::operation::AggregateOutput;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{CellValNum, Datatype};

/// Returns the number of values per cell of a field; `TILEDB_VAR_NUM` for any number.
///
/// @param ctx The TileDB context.
/// @param field The field.
/// @param cell_val_num Receives the number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_field_cell_val_num(
    ctx: In<tiledb_ctx_t>,
    field: In<tiledb_query_field_t>,
    cell_val_num: Out<u32>,
) -> capi_return_t {
    call(ctx, |_| cell_val_num.set(field.get()?.cell_val_num.number()))
}

/// Returns the channel that aggregates over a field are applied to: the default one.
///
/// @param ctx The TileDB context.
/// @param field The field.
/// @param channel Receives the channel, to be freed with `tiledb_query_channel_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_field_channel(
    ctx: In<tiledb_ctx_t>,
    field: In<tiledb_query_field_t>,
    channel: OutHandle<tiledb_query_channel_t>,
) -> capi_return_t {
    make(ctx, channel, |_| Ok(Channel::new(Arc::clone(&field.get()?.query))))
}

/// Returns the type of the values of a field.
///
/// @param ctx The TileDB context.
/// @param field The field.
/// @param type Receives the type.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_field_datatype(
    ctx: In<tiledb_ctx_t>,
    field: In<tiledb_query_field_t>,
    r#type: Out<tiledb_datatype_t>,
) -> capi_return_t {
    call(ctx, |_| r#type.set(value_of(field.get()?.datatype.number())?))
}

/// Reports whether the cells of a field may be null.
///
/// @param ctx The TileDB context.
/// @param field The field.
/// @param nullable Receives 1 if they may, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_field_get_nullable(
    ctx: In<tiledb_ctx_t>,
    field: In<tiledb_query_field_t>,
    nullable: Out<u8>,
) -> capi_return_t {
    call(ctx, |_| nullable.set(field.get()?.nullable.into()))
}

/// Reports whether a field is an attribute, a dimension or an aggregate.
///
/// @param ctx The TileDB context.
/// @param field The field.
/// @param origin Receives what it is.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_field_origin(
    ctx: In<tiledb_ctx_t>,
    field: In<tiledb_query_field_t>,
    origin: Out<tiledb_field_origin_t>,
) -> capi_return_t {
    call(ctx, |_| origin.set(field.get()?.origin))
}

/// Frees a field and sets the pointer to null.
///
/// @param ctx The TileDB context, to record an error; may be null.
/// @param field The field.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` if it is no field.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_field_free(
    ctx: In<tiledb_ctx_t>,
    field: OutHandle<tiledb_query_field_t>,
) -> capi_return_t {
    free_with_context(ctx, field)
}

/// Returns a field of a query by its name.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param field_name The name of an attribute, a dimension or an aggregate that was applied.
/// @param field Receives the field, to be freed with `tiledb_query_field_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_field(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    field_name: Str,
    field: OutHandle<tiledb_query_field_t>,
) -> capi_return_t {
    make(ctx, field, |_| {
        if query.is_null() {
            bail!("C API: argument `query` may not be nullptr");
        }
        let query = query.get()?.share();
        QueryField::new(query, field_name.get("field_name")?)
    })
}

/// The object of a field handle.
pub struct QueryField {
    query: Arc<QueryObject>,
    datatype: Datatype,
    cell_val_num: CellValNum,
    nullable: bool,
    origin: tiledb_field_origin_t,
}

impl QueryField {
    fn new(query: Arc<QueryObject>, name: &str) -> Result<QueryField> {
        let (schema, output) = {
            let query = query.lock();
            (Arc::clone(query.array().schema()), query.aggregate_output(name))
        };
        let found = field_of(&schema, name).or_else(|| {
            let AggregateOutput { shape, nullable } = output?;
            Some((shape.datatype, shape.cell_val_num, nullable, tiledb_field_origin_t::TILEDB_AGGREGATE_FIELD))
        });
        let Some((datatype, cell_val_num, nullable, origin)) = found else {
            bail!("C API: There is no field {name}");
        };
        Ok(QueryField { query, datatype, cell_val_num, nullable, origin })
    }
}

/// Type, values per cell, nullability and origin of a field, also of those that every array has.
fn field_of(schema: &ArraySchema, name: &str) -> Option<(Datatype, CellValNum, bool, tiledb_field_origin_t)> {
    use tiledb_field_origin_t::{TILEDB_ATTRIBUTE_FIELD, TILEDB_DIMENSION_FIELD};
    if let Some(field) = schema.field(name) {
        let origin = if field.is_dimension { TILEDB_DIMENSION_FIELD } else { TILEDB_ATTRIBUTE_FIELD };
        return Some((field.datatype, field.cell_val_num, field.nullable, origin));
    }
    match name {
        "__timestamps" => Some((Datatype::Uint64, CellValNum::ONE, false, TILEDB_ATTRIBUTE_FIELD)),
        "__coords" => {
            let datatype = schema.domain().dimensions().first()?.datatype();
            Some((datatype, CellValNum::ONE, false, TILEDB_DIMENSION_FIELD))
        }
        _ => None,
    }
}
