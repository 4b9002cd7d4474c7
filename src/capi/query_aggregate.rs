//! C functions of aggregates: operators, operations, and the channel of a query that they are applied to.
#![allow(non_upper_case_globals, reason = "the names are C's own")]

use std::sync::Arc;

use super::boundary::{ConstHandle, Constant, In, InConst, OutConstHandle, OutHandle, Str, capi_return_t};
use super::call::{call, free_with_context, make};
use super::handles::{
    tiledb_channel_operation_t, tiledb_channel_operator_t, tiledb_ctx_t, tiledb_query_channel_t, tiledb_query_t,
};
use super::query_object::QueryObject;
use tiledb_cells::aggregate::operation::{Aggregate, AggregateOperator};
use tiledb_core::error::bail;

/// Returns the operation that counts cells.
///
/// It counts the cells of the result. With a query condition these are the matching cells of a sparse array; a read of a dense
/// array returns all cells of the subarray, with the fill value where the condition does not match, and counts them all. The other
/// aggregates exclude cells that do not match in both.
///
/// @param ctx The TileDB context.
/// @param operation Receives the operation, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_aggregate_count_get(
    ctx: In<tiledb_ctx_t>,
    operation: OutConstHandle<tiledb_channel_operation_t>,
) -> i32 {
    call(ctx, |_| operation.set(tiledb_aggregate_count.as_ptr()))
}

/// Frees an operation and sets the pointer to null.
///
/// @param ctx The TileDB context, to record an error; may be null.
/// @param op The operation; those that live as long as the program are not freed.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` if it is no operation.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_aggregate_free(
    ctx: In<tiledb_ctx_t>,
    op: OutHandle<tiledb_channel_operation_t>,
) -> capi_return_t {
    free_with_context(ctx, op)
}

/// Asks a query to compute an aggregate and deliver it under a name of its own: as a field of one cell, whose
/// buffers are to be set like those of any field and hold just that cell. Aggregates of a query that delivers
/// cells too are written when the last cells are.
///
/// @param ctx The TileDB context.
/// @param channel The channel of the query, before its first submit.
/// @param output_field_name The name of the result.
/// @param operation What to compute.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_channel_apply_aggregate(
    ctx: In<tiledb_ctx_t>,
    channel: In<tiledb_query_channel_t>,
    output_field_name: Str,
    operation: InConst<tiledb_channel_operation_t>,
) -> i32 {
    call(ctx, |_| {
        let channel = channel.get()?;
        let name = output_field_name.get("output_field")?;
        channel.query.lock().apply_aggregate(name, &*operation.get()?)
    })
}

/// Returns the operator that computes the maximum of a field.
///
/// @param ctx The TileDB context.
/// @param op Receives the operator, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_channel_operator_max_get(
    ctx: In<tiledb_ctx_t>,
    op: OutConstHandle<tiledb_channel_operator_t>,
) -> i32 {
    call(ctx, |_| op.set(tiledb_channel_operator_max.as_ptr()))
}

/// Returns the operator that computes the mean of a field.
///
/// @param ctx The TileDB context.
/// @param op Receives the operator, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_channel_operator_mean_get(
    ctx: In<tiledb_ctx_t>,
    op: OutConstHandle<tiledb_channel_operator_t>,
) -> i32 {
    call(ctx, |_| op.set(tiledb_channel_operator_mean.as_ptr()))
}

/// Returns the operator that computes the minimum of a field.
///
/// @param ctx The TileDB context.
/// @param op Receives the operator, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_channel_operator_min_get(
    ctx: In<tiledb_ctx_t>,
    op: OutConstHandle<tiledb_channel_operator_t>,
) -> i32 {
    call(ctx, |_| op.set(tiledb_channel_operator_min.as_ptr()))
}

/// Returns the operator that computes the number of null cells of a field.
///
/// @param ctx The TileDB context.
/// @param op Receives the operator, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_channel_operator_null_count_get(
    ctx: In<tiledb_ctx_t>,
    op: OutConstHandle<tiledb_channel_operator_t>,
) -> i32 {
    call(ctx, |_| op.set(tiledb_channel_operator_null_count.as_ptr()))
}

/// Returns the operator that computes the sum of a field.
///
/// @param ctx The TileDB context.
/// @param op Receives the operator, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_channel_operator_sum_get(
    ctx: In<tiledb_ctx_t>,
    op: OutConstHandle<tiledb_channel_operator_t>,
) -> i32 {
    call(ctx, |_| op.set(tiledb_channel_operator_sum.as_ptr()))
}

/// Creates the operation that applies an aggregate operator to a field. Apply it with `tiledb_channel_apply_aggregate`, then
/// free it with `tiledb_aggregate_free`.
///
/// @param ctx The TileDB context.
/// @param query The query, before its first submit.
/// @param op The operator. Sums and means are of numbers, datetimes and times, the least and the greatest also of
///     ASCII text; nulls are counted of any field that may have them.
/// @param input_field_name The field.
/// @param operation Receives the operation.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_create_unary_aggregate(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    op: InConst<tiledb_channel_operator_t>,
    input_field_name: Str,
    operation: OutHandle<tiledb_channel_operation_t>,
) -> i32 {
    make(ctx, operation, |_| {
        if query.is_null() {
            bail!("C API: argument `query` may not be nullptr");
        }
        let (query, operator) = (query.get()?, op.get()?);
        if input_field_name.is_null() {
            bail!("C API: argument `input_field` may not be nullptr for operator {}", operator.name());
        }
        query.lock().unary_aggregate(*operator, input_field_name.get("input_field")?)
    })
}

/// Frees a channel and sets the pointer to null.
///
/// @param ctx The TileDB context, to record an error; may be null.
/// @param channel The channel.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` if it is no channel.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_channel_free(
    ctx: In<tiledb_ctx_t>,
    channel: OutHandle<tiledb_query_channel_t>,
) -> capi_return_t {
    free_with_context(ctx, channel)
}

/// Returns the default channel of a query, whose aggregates cover all of its cells.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param channel Receives the channel, to be freed with `tiledb_query_channel_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_default_channel(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    channel: OutHandle<tiledb_query_channel_t>,
) -> i32 {
    make(ctx, channel, |_| {
        if query.is_null() {
            bail!("C API: argument `query` may not be nullptr");
        }
        Ok(Channel::new(query.get()?.share()))
    })
}

/// The object of a channel handle: the query whose cells are aggregated.
pub struct Channel {
    query: Arc<QueryObject>,
}

impl Channel {
    /// The default channel of a query.
    pub(crate) fn new(query: Arc<QueryObject>) -> Channel {
        Channel { query }
    }
}

/// The constants C knows by address, in the order of [`OPERATOR_ORDER`].
static OPERATORS: [Constant; 5] = [const { Constant::new(0) }; 5];
const OPERATOR_ORDER: [AggregateOperator; 5] = [
    AggregateOperator::Sum,
    AggregateOperator::Min,
    AggregateOperator::Max,
    AggregateOperator::Mean,
    AggregateOperator::NullCount,
];
static COUNT: Constant = Constant::new(0);

/// The operator whose constant has this address.
pub(super) fn operator_at(address: *const tiledb_channel_operator_t) -> Option<AggregateOperator> {
    let index = OPERATORS.iter().position(|constant| std::ptr::addr_eq(constant, address))?;
    OPERATOR_ORDER.get(index).copied()
}

/// The operation whose constant has this address.
pub(super) fn operation_at(address: *const tiledb_channel_operation_t) -> Option<Aggregate> {
    std::ptr::addr_eq(&raw const COUNT, address).then_some(Aggregate::Count)
}

/// The sum operator.
#[unsafe(no_mangle)]
pub static tiledb_channel_operator_sum: ConstHandle<tiledb_channel_operator_t> = ConstHandle::new(&OPERATORS[0]);
/// The minimum operator.
#[unsafe(no_mangle)]
pub static tiledb_channel_operator_min: ConstHandle<tiledb_channel_operator_t> = ConstHandle::new(&OPERATORS[1]);
/// The maximum operator.
#[unsafe(no_mangle)]
pub static tiledb_channel_operator_max: ConstHandle<tiledb_channel_operator_t> = ConstHandle::new(&OPERATORS[2]);
/// The mean operator.
#[unsafe(no_mangle)]
pub static tiledb_channel_operator_mean: ConstHandle<tiledb_channel_operator_t> = ConstHandle::new(&OPERATORS[3]);
/// The null count operator.
#[unsafe(no_mangle)]
pub static tiledb_channel_operator_null_count: ConstHandle<tiledb_channel_operator_t> = ConstHandle::new(&OPERATORS[4]);
/// The operation that counts cells.
#[unsafe(no_mangle)]
pub static tiledb_aggregate_count: ConstHandle<tiledb_channel_operation_t> = ConstHandle::new(&COUNT);
