//! C interface: query condition.

use std::ffi::c_int;

use super::boundary::{Bytes, CEnum, In, InConst, OutHandle, Str, capi_return_t, free, pending};
use super::enums::{tiledb_query_condition_combination_op_t, tiledb_query_condition_op_t};
use super::handles::{tiledb_ctx_t, tiledb_query_condition_t};

/// Creates a condition to be initialised, to be freed with `tiledb_query_condition_free`. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_condition_alloc(
    ctx: In<tiledb_ctx_t>,
    cond: OutHandle<tiledb_query_condition_t>,
) -> i32 {
    let _ = (cond,);
    pending(ctx, "tiledb_query_condition_alloc")
}

/// Creates the condition that a field's value is, or is not, one of a set; to be freed with
/// `tiledb_query_condition_free`. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_condition_alloc_set_membership(
    ctx: In<tiledb_ctx_t>,
    field_name: Str,
    data: Bytes,
    data_size: u64,
    offsets: Bytes,
    offests_size: u64,
    op: CEnum<tiledb_query_condition_op_t>,
    cond: OutHandle<tiledb_query_condition_t>,
) -> capi_return_t {
    let _ = (field_name, data, data_size, offsets, offests_size, op, cond);
    pending(ctx, "tiledb_query_condition_alloc_set_membership")
}

/// Makes a condition of two by AND or OR, to be freed with `tiledb_query_condition_free`. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_condition_combine(
    ctx: In<tiledb_ctx_t>,
    left_cond: InConst<tiledb_query_condition_t>,
    right_cond: InConst<tiledb_query_condition_t>,
    combination_op: CEnum<tiledb_query_condition_combination_op_t>,
    combined_cond: OutHandle<tiledb_query_condition_t>,
) -> i32 {
    let _ = (left_cond, right_cond, combination_op, combined_cond);
    pending(ctx, "tiledb_query_condition_combine")
}

/// Frees a condition and sets the pointer to null. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_condition_free(cond: OutHandle<tiledb_query_condition_t>) {
    free(cond)
}

/// Makes a condition compare a field with a value, which is copied. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_condition_init(
    ctx: In<tiledb_ctx_t>,
    cond: In<tiledb_query_condition_t>,
    attribute_name: Str,
    condition_value: Bytes,
    condition_value_size: u64,
    op: CEnum<tiledb_query_condition_op_t>,
) -> i32 {
    let _ = (cond, attribute_name, condition_value, condition_value_size, op);
    pending(ctx, "tiledb_query_condition_init")
}

/// Makes the opposite of a condition, to be freed with `tiledb_query_condition_free`. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_condition_negate(
    ctx: In<tiledb_ctx_t>,
    cond: InConst<tiledb_query_condition_t>,
    negated_cond: OutHandle<tiledb_query_condition_t>,
) -> i32 {
    let _ = (cond, negated_cond);
    pending(ctx, "tiledb_query_condition_negate")
}

/// Sets whether a condition compares the values of an enumeration or their numbers. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_condition_set_use_enumeration(
    ctx: In<tiledb_ctx_t>,
    cond: InConst<tiledb_query_condition_t>,
    use_enumeration: c_int,
) -> i32 {
    let _ = (cond, use_enumeration);
    pending(ctx, "tiledb_query_condition_set_use_enumeration")
}
