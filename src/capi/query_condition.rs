//! Query conditions: which cells a query reads or deletes.

use std::ffi::c_int;

use super::boundary::{Bytes, CEnum, In, InConst, OutHandle, Str, capi_return_t};
use super::call::{call, free, make};
use super::enums::{tiledb_query_condition_combination_op_t, tiledb_query_condition_op_t};
use super::handles::{tiledb_ctx_t, tiledb_query_condition_t};
use super::value::{Value, internal, size_of};
use tiledb_array::condition::{Combination, Comparison, ComparisonOperator, Condition};
use tiledb_core::error::{Result, bail};

/// What the handle of a condition holds: nothing until it is initialised.
pub type ConditionObject = Value<Option<Condition>>;

/// Creates a condition to be initialised.
///
/// @param ctx The TileDB context.
/// @param cond The condition, to be freed with `tiledb_query_condition_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_condition_alloc(
    ctx: In<tiledb_ctx_t>,
    cond: OutHandle<tiledb_query_condition_t>,
) -> i32 {
    make(ctx, cond, |_| Ok(Value::new(None)))
}

/// Creates the condition that a field's value is, or is not, one of a set.
///
/// @param ctx The TileDB context.
/// @param field_name The name of an attribute or a dimension.
/// @param data The members of the set, one after another.
/// @param data_size Bytes of the members.
/// @param offsets Where each member starts in `data`, as 64-bit numbers.
/// @param offests_size Bytes of the offsets.
/// @param op `TILEDB_IN` or `TILEDB_NOT_IN`.
/// @param cond The condition, to be freed with `tiledb_query_condition_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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
    make(ctx, cond, |_| {
        let Some(field) = field_name.opt()? else { bail!("C API: QueryCondition field name must not be nullptr") };
        let set = set_of(field, (data, data_size), (offsets, offests_size), op).map_err(internal)?;
        Ok(Value::new(Some(Condition::new(set))))
    })
}

/// Makes a condition of two by AND or OR, or the opposite of one by NOT.
///
/// @param ctx The TileDB context.
/// @param left_cond The first condition.
/// @param right_cond The second condition; null for `TILEDB_NOT`.
/// @param combination_op How they are combined.
/// @param combined_cond The new condition, to be freed with `tiledb_query_condition_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_condition_combine(
    ctx: In<tiledb_ctx_t>,
    left_cond: InConst<tiledb_query_condition_t>,
    right_cond: InConst<tiledb_query_condition_t>,
    combination_op: CEnum<tiledb_query_condition_combination_op_t>,
    combined_cond: OutHandle<tiledb_query_condition_t>,
) -> i32 {
    make(ctx, combined_cond, |_| {
        let left = left_cond.get()?;
        if combination_op.number() == NOT && right_cond.is_null() {
            return Ok(Value::new(Some(initialized(&left)?.negate()?)));
        }
        let right = right_cond.get()?;
        let combination = combination_of(combination_op.number())?;
        Ok(Value::new(Some(initialized(&left)?.combine(&initialized(&right)?, combination))))
    })
}

/// Frees a condition and sets the pointer to null.
///
/// @param cond The condition.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_condition_free(cond: OutHandle<tiledb_query_condition_t>) {
    free(cond)
}

/// Makes a condition compare a field with a value.
///
/// @param ctx The TileDB context.
/// @param cond The condition, which must not have been initialised before.
/// @param attribute_name The name of an attribute or a dimension.
/// @param condition_value The value, which is copied; null to test for null cells.
/// @param condition_value_size Bytes of the value.
/// @param op How cells are compared with the value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_condition_init(
    ctx: In<tiledb_ctx_t>,
    cond: In<tiledb_query_condition_t>,
    attribute_name: Str,
    condition_value: Bytes,
    condition_value_size: u64,
    op: CEnum<tiledb_query_condition_op_t>,
) -> i32 {
    call(ctx, |_| {
        let cond = cond.get()?;
        let Some(field) = attribute_name.opt()? else {
            bail!("TileDB internal: basic_string: construction from null is not valid");
        };
        let comparison = || comparison_of(field, condition_value, condition_value_size, op).map_err(internal);
        cond.change(|condition| match condition {
            Some(_) => bail!("[TileDB::QueryCondition] Error: Cannot reinitialize query condition"),
            None => {
                *condition = Some(Condition::new(comparison()?));
                Ok(())
            }
        })
    })
}

/// Makes the opposite of a condition.
///
/// @param ctx The TileDB context.
/// @param cond The condition.
/// @param negated_cond The opposite, to be freed with `tiledb_query_condition_free`. Null cells meet neither.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_condition_negate(
    ctx: In<tiledb_ctx_t>,
    cond: InConst<tiledb_query_condition_t>,
    negated_cond: OutHandle<tiledb_query_condition_t>,
) -> i32 {
    make(ctx, negated_cond, |_| Ok(Value::new(Some(initialized(&*cond.get()?)?.negate()?))))
}

/// Sets whether comparisons of attributes with an enumeration are with its values, as they are from the
/// start, or with their indexes.
///
/// @param ctx The TileDB context.
/// @param cond The condition.
/// @param use_enumeration 0 to compare indexes, else 1.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_condition_set_use_enumeration(
    ctx: In<tiledb_ctx_t>,
    cond: InConst<tiledb_query_condition_t>,
    use_enumeration: c_int,
) -> i32 {
    call(ctx, |_| {
        let cond = cond.get()?;
        initialized(&cond)?;
        cond.change(|condition| {
            *condition = condition.as_ref().map(|condition| condition.use_enumeration(use_enumeration != 0));
            Ok(())
        })
    })
}

/// The number of NOT among the combinations.
const NOT: u32 = tiledb_query_condition_combination_op_t::TILEDB_NOT as u32;

fn combination_of(number: u32) -> Result<Combination> {
    match number {
        0 => Ok(Combination::And),
        1 => Ok(Combination::Or),
        _ => bail!(
            "[TileDB::QueryCondition] Error: Cannot combine query conditions; Only the 'AND' and 'OR' combination ops \
             are supported in this function."
        ),
    }
}

/// The condition of a handle.
///
/// # Errors
/// If it was not initialised.
fn initialized(object: &ConditionObject) -> Result<Condition> {
    match &*object.snapshot() {
        Some(condition) => Ok(condition.clone()),
        None => bail!("QueryCondition: The condition is empty; initialize it with tiledb_query_condition_init"),
    }
}

fn comparison_of(field: &str, value: Bytes, size: u64, op: CEnum<tiledb_query_condition_op_t>) -> Result<Comparison> {
    if value.is_null() && size != 0 {
        bail!("Invalid query condition cannot be nullptr with non-zero size.");
    }
    Comparison::new(field, value.opt(size_of(size)?)?, ComparisonOperator::from_number(op.number()))
}

fn set_of(
    field: &str,
    (data, data_size): (Bytes, u64),
    (offsets, offsets_size): (Bytes, u64),
    op: CEnum<tiledb_query_condition_op_t>,
) -> Result<Comparison> {
    if data.is_null() && data_size != 0 {
        bail!("ASTNodeVal set membership data must not be nullptr");
    }
    if !data.is_null() && data_size == 0 {
        bail!("ASTNodeVal set membership data size must be greater than zero when data is provided.");
    }
    let Some(starts) = offsets.opt(size_of(offsets_size)?)? else {
        bail!("ASTNodeVal set membership offsets must not be nullptr");
    };
    if !offsets_size.is_multiple_of(8) {
        bail!("ASTNodeVal set membership offsets is not a multiple of uint64_t size.");
    }
    let starts: Vec<u64> = starts.chunks_exact(8).map(bytemuck::pod_read_unaligned).collect();
    let data = data.opt(size_of(data_size)?)?.unwrap_or_default();
    Comparison::set(field, data, &starts, ComparisonOperator::from_number(op.number()))
}
