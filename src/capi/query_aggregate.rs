//! C interface: query aggregate.
#![allow(non_upper_case_globals, reason = "the names are C's own")]

use super::boundary::{ConstHandle, Constant, In, InConst, OutConstHandle, OutHandle, Str, capi_return_t, pending};
use super::handles::{
    tiledb_channel_operation_t, tiledb_channel_operator_t, tiledb_ctx_t, tiledb_query_channel_t, tiledb_query_t,
};

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_aggregate_count_get(
    ctx: In<tiledb_ctx_t>,
    operation: OutConstHandle<tiledb_channel_operation_t>,
) -> i32 {
    let _ = (operation,);
    pending(ctx, "tiledb_aggregate_count_get")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_aggregate_free(
    ctx: In<tiledb_ctx_t>,
    op: OutHandle<tiledb_channel_operation_t>,
) -> capi_return_t {
    let _ = (op,);
    pending(ctx, "tiledb_aggregate_free")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_channel_apply_aggregate(
    ctx: In<tiledb_ctx_t>,
    channel: In<tiledb_query_channel_t>,
    output_field_name: Str,
    operation: InConst<tiledb_channel_operation_t>,
) -> i32 {
    let _ = (channel, output_field_name, operation);
    pending(ctx, "tiledb_channel_apply_aggregate")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_channel_operator_max_get(
    ctx: In<tiledb_ctx_t>,
    op: OutConstHandle<tiledb_channel_operator_t>,
) -> i32 {
    let _ = (op,);
    pending(ctx, "tiledb_channel_operator_max_get")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_channel_operator_mean_get(
    ctx: In<tiledb_ctx_t>,
    op: OutConstHandle<tiledb_channel_operator_t>,
) -> i32 {
    let _ = (op,);
    pending(ctx, "tiledb_channel_operator_mean_get")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_channel_operator_min_get(
    ctx: In<tiledb_ctx_t>,
    op: OutConstHandle<tiledb_channel_operator_t>,
) -> i32 {
    let _ = (op,);
    pending(ctx, "tiledb_channel_operator_min_get")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_channel_operator_null_count_get(
    ctx: In<tiledb_ctx_t>,
    op: OutConstHandle<tiledb_channel_operator_t>,
) -> i32 {
    let _ = (op,);
    pending(ctx, "tiledb_channel_operator_null_count_get")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_channel_operator_sum_get(
    ctx: In<tiledb_ctx_t>,
    op: OutConstHandle<tiledb_channel_operator_t>,
) -> i32 {
    let _ = (op,);
    pending(ctx, "tiledb_channel_operator_sum_get")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_create_unary_aggregate(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    op: InConst<tiledb_channel_operator_t>,
    input_field_name: Str,
    operation: OutHandle<tiledb_channel_operation_t>,
) -> i32 {
    let _ = (query, op, input_field_name, operation);
    pending(ctx, "tiledb_create_unary_aggregate")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_channel_free(
    ctx: In<tiledb_ctx_t>,
    channel: OutHandle<tiledb_query_channel_t>,
) -> capi_return_t {
    let _ = (channel,);
    pending(ctx, "tiledb_query_channel_free")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_default_channel(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    channel: OutHandle<tiledb_query_channel_t>,
) -> i32 {
    let _ = (query, channel);
    pending(ctx, "tiledb_query_get_default_channel")
}

/// What an aggregate computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// The sum of a numeric field.
    Sum,
    /// The least value.
    Min,
    /// The greatest value.
    Max,
    /// The mean of a numeric field.
    Mean,
    /// How many cells are null.
    NullCount,
}

/// An aggregate: an operator over a field, or the count of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// How many cells there are.
    Count,
    /// An operator over the named field.
    Unary(Operator, String),
}

/// The constants C knows by address, in the order of [`OPERATOR_ORDER`].
static OPERATORS: [Constant; 5] = [const { Constant::new(0) }; 5];
const OPERATOR_ORDER: [Operator; 5] =
    [Operator::Sum, Operator::Min, Operator::Max, Operator::Mean, Operator::NullCount];
static COUNT: Constant = Constant::new(0);

impl Operator {
    /// The operator whose constant lies at this address.
    pub(crate) fn of_constant(address: *const tiledb_channel_operator_t) -> Option<Operator> {
        let index = OPERATORS.iter().position(|constant| std::ptr::addr_eq(constant, address))?;
        OPERATOR_ORDER.get(index).copied()
    }
}

impl Operation {
    /// The operation whose constant lies at this address.
    pub(crate) fn of_constant(address: *const tiledb_channel_operation_t) -> Option<Operation> {
        std::ptr::addr_eq(&raw const COUNT, address).then_some(Operation::Count)
    }
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
