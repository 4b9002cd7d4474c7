//! C functions of query conditions, which select the cells that a query reads or deletes.

use std::ffi::c_int;

use super::boundary::{Bytes, CEnum, In, InConst, OutHandle, Str, capi_return_t};
use super::call::{call, free, make};
use super::enums::{tiledb_query_condition_combination_op_t, tiledb_query_condition_op_t};
use super::handles::{tiledb_ctx_t, tiledb_query_condition_t};
use super::value::{Value, internal};
use tiledb_array::condition::{Combination, Comparison, ComparisonOperator, Condition};
use tiledb_core::error::{Result, bail};

/// The object of a condition handle: `None` until it is initialized.
pub type ConditionObject = Value<Option<Condition>>;

/// Creates an empty query condition, to be initialized with `tiledb_query_condition_init`.
///
/// A condition is a predicate: a comparison of a field with a value, or conditions combined with AND, OR and NOT.
///
/// ```c
/// int32_t low = 10, high = 20;
/// tiledb_query_condition_t *above = NULL, *below = NULL, *both = NULL;
/// tiledb_query_condition_alloc(ctx, &above);
/// tiledb_query_condition_init(ctx, above, "a", &low, sizeof low, TILEDB_GE);
/// tiledb_query_condition_alloc(ctx, &below);
/// tiledb_query_condition_init(ctx, below, "a", &high, sizeof high, TILEDB_LT);
/// tiledb_query_condition_combine(ctx, above, below, TILEDB_AND, &both);
/// tiledb_query_set_condition(ctx, query, both);
/// tiledb_query_condition_free(&above);
/// tiledb_query_condition_free(&below);
/// tiledb_query_condition_free(&both);
/// ```
///
/// @param ctx The TileDB context.
/// @param cond Receives the condition; free it with `tiledb_query_condition_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_condition_alloc(
    ctx: In<tiledb_ctx_t>,
    cond: OutHandle<tiledb_query_condition_t>,
) -> i32 {
    make(ctx, cond, |_| Ok(Value::new(None)))
}

/// Creates the condition that the value of a field is, or is not, one of a set.
///
/// ```c
/// uint64_t starts[] = {0, 2};
/// tiledb_query_condition_t *alpine = NULL;
/// tiledb_query_condition_alloc_set_membership(ctx, "country", "CHAT", 4, starts, sizeof starts, TILEDB_IN, &alpine);
/// ```
///
/// @param ctx The TileDB context.
/// @param field_name The name of an attribute or a dimension.
/// @param data The members of the set, one after another; they are copied. May be null if the members are empty texts.
/// @param data_size The size of the members in bytes; 0 if all are empty texts.
/// @param offsets The position in `data` at which each member starts, as `uint64_t`, for fixed-size fields too.
/// @param offests_size The size of the offsets in bytes.
/// @param op `TILEDB_IN` or `TILEDB_NOT_IN`.
/// @param cond Receives the condition; free it with `tiledb_query_condition_free`.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the set is empty, offsets descend or exceed the data, or for another
///     operator.
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

/// Creates a condition from two others with AND or OR, or from one with NOT.
///
/// The inputs are not changed and can be freed afterwards.
///
/// @param ctx The TileDB context.
/// @param left_cond The first condition, initialized.
/// @param right_cond The second condition, initialized; null for `TILEDB_NOT`.
/// @param combination_op `TILEDB_AND`, `TILEDB_OR` or `TILEDB_NOT`.
/// @param combined_cond Receives the new condition; free it with `tiledb_query_condition_free`.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if a condition is not initialized.
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

/// Frees a condition and sets the pointer to null. Queries and conditions that were created with it have copies.
///
/// @param cond The condition; a null handle is accepted.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_condition_free(cond: OutHandle<tiledb_query_condition_t>) {
    free(cond)
}

/// Initializes a condition as the comparison of a field with a value.
///
/// Null cells match only comparisons with null. Strings are compared as bytes. For an attribute with an enumeration the value
/// is one of the enumeration's, unless `tiledb_query_condition_set_use_enumeration` says otherwise. Name and value are checked
/// against the schema of the array when the query is submitted.
///
/// @param ctx The TileDB context.
/// @param cond The condition, which must be empty: it can be initialized once.
/// @param attribute_name The name of an attribute or a dimension.
/// @param condition_value The value, which is copied; null tests for null cells with `TILEDB_EQ` and `TILEDB_NE`.
/// @param condition_value_size The size of the value in bytes: that of a cell of the field, for strings any length; 0 with a
///     null value.
/// @param op The comparison; membership in a set is tested by `tiledb_query_condition_alloc_set_membership`.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the condition is initialized already, or a null value has a size.
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
            Some(_) => bail!(
                "[TileDB::QueryCondition] Error: Cannot reinitialize query condition: allocate another one to compare '{field}'"
            ),
            None => {
                *condition = Some(Condition::new(comparison()?));
                Ok(())
            }
        })
    })
}

/// Creates the negation of a condition.
///
/// Null cells match neither a comparison with a value nor its negation.
///
/// @param ctx The TileDB context.
/// @param cond The condition, initialized; it is not changed.
/// @param negated_cond Receives the negation; free it with `tiledb_query_condition_free`.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the condition is not initialized.
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
             are supported in this function. {number} is neither of them"
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
        bail!(
            "Invalid query condition cannot be nullptr with non-zero size. To test '{field}' for null pass a size of 0, not {size}"
        );
    }
    Comparison::new(field, value.opt("condition_value", size)?, ComparisonOperator::from_number(op.number()))
}

fn set_of(
    field: &str,
    (data, data_size): (Bytes, u64),
    (offsets, offsets_size): (Bytes, u64),
    op: CEnum<tiledb_query_condition_op_t>,
) -> Result<Comparison> {
    if data.is_null() && data_size != 0 {
        bail!("ASTNodeVal set membership data must not be nullptr: the set of '{field}' has {data_size} bytes");
    }
    // A set of empty texts alone has no bytes.
    if !data.is_null() && data_size == 0 && offsets_size == 0 {
        bail!("ASTNodeVal set membership data size must be greater than zero when data is provided. Field: '{field}'");
    }
    let Some(starts) = offsets.opt("offsets", offsets_size)? else {
        bail!(
            "ASTNodeVal set membership offsets must not be nullptr: pass where each member of the set of '{field}' starts"
        );
    };
    if !offsets_size.is_multiple_of(8) {
        bail!(
            "ASTNodeVal set membership offsets is not a multiple of uint64_t size. Those of '{field}' have {offsets_size} bytes"
        );
    }
    let starts: Vec<u64> = starts.chunks_exact(8).map(bytemuck::pod_read_unaligned).collect();
    let data = data.opt("data", data_size)?.unwrap_or_default();
    Comparison::set(field, data, &starts, ComparisonOperator::from_number(op.number()))
}
