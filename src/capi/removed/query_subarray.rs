//! The subarray of a query, set and extended through the query.

use crate::boundary::{Bytes, In, Str, capi_return_t};
use crate::call::call;
use crate::handles::{tiledb_ctx_t, tiledb_query_t};
use crate::subarray_ranges::{self as ranges, By};
use tiledb_cells::Subarray;
use tiledb_core::error::Result;
use tiledb_core::types::QueryType;

/// Changes the subarray of a query in place. That of a read follows the configuration of the query: with
/// `sm.read_range_oob` at `warn`, the default, ranges are cut to the domain.
fn change(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    change: impl FnOnce(&mut Subarray) -> Result<()>,
) -> capi_return_t {
    call(ctx, |_| {
        let query = query.get()?;
        let mut query = query.lock();
        let config = (query.kind() == QueryType::Read).then(|| query.config().clone());
        let subarray = query.subarray_mut()?;
        if let Some(config) = config {
            subarray.set_config(&config)?;
        }
        change(subarray)
    })
}

/// Adds many single-coordinate ranges to a fixed-size dimension of the subarray of a query.
///
/// Removed in 2.26; use `tiledb_subarray_add_point_ranges` and `tiledb_query_set_subarray_t`.
///
/// @param ctx The TileDB context.
/// @param query The query, not yet submitted.
/// @param dim_idx The position of the dimension, from 0.
/// @param start The values, an array of the dimension's datatype, which is copied.
/// @param count The number of values.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for a dimension of variable size, an index out of range, values outside the
///     domain, and a query that takes no subarray.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_add_point_ranges(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    dim_idx: u32,
    start: Bytes,
    count: u64,
) -> i32 {
    change(ctx, query, |subarray| ranges::add_points(subarray, dim_idx, start, count))
}

/// Adds a range of a dimension of fixed size to the subarray of a query.
///
/// The first range replaces the whole domain, which a new query selects.
///
/// Removed in 2.26; use `tiledb_subarray_add_range` and `tiledb_query_set_subarray_t`.
///
/// @param ctx The TileDB context.
/// @param query The query, not yet submitted.
/// @param dim_idx The position of the dimension, from 0.
/// @param start The lower bound, a value of the dimension's datatype, which is copied.
/// @param end The upper bound, inclusive.
/// @param stride Must be null.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for bounds outside the domain or in the wrong order, an index out of range,
///     and a query that takes no subarray.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_add_range(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    dim_idx: u32,
    start: Bytes,
    end: Bytes,
    stride: Bytes,
) -> i32 {
    change(ctx, query, |subarray| ranges::add_range(subarray, By::Index(dim_idx), start, end, stride))
}

/// Adds a range of a dimension, found by its name, to the subarray of a query; see `tiledb_query_add_range`.
///
/// Removed in 2.26; use `tiledb_subarray_add_range_by_name` and `tiledb_query_set_subarray_t`.
///
/// @param ctx The TileDB context.
/// @param query The query, not yet submitted.
/// @param dim_name The name of the dimension.
/// @param start The lower bound, a value of the dimension's datatype, which is copied.
/// @param end The upper bound, inclusive.
/// @param stride Must be null.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` as for `tiledb_query_add_range`, and if there is no such dimension.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_add_range_by_name(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    dim_name: Str,
    start: Bytes,
    end: Bytes,
    stride: Bytes,
) -> i32 {
    change(ctx, query, |subarray| ranges::add_range(subarray, By::Name(dim_name), start, end, stride))
}

/// Adds a range of a string dimension to the subarray of a query.
///
/// Removed in 2.26; use `tiledb_subarray_add_range_var` and `tiledb_query_set_subarray_t`.
///
/// @param ctx The TileDB context.
/// @param query The query, not yet submitted.
/// @param dim_idx The position of the dimension, from 0.
/// @param start The lower bound, which is copied; null with size 0 for no bound.
/// @param start_size The size of the lower bound in bytes.
/// @param end The upper bound, inclusive; null with size 0 for no bound.
/// @param end_size The size of the upper bound in bytes.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for bounds in the wrong order, a dimension of fixed size, an index out of
///     range, and a query that takes no subarray.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_add_range_var(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    dim_idx: u32,
    start: Bytes,
    start_size: u64,
    end: Bytes,
    end_size: u64,
) -> i32 {
    let (start, end) = ((start, start_size), (end, end_size));
    change(ctx, query, |subarray| ranges::add_range_var(subarray, By::Index(dim_idx), start, end))
}

/// Adds a range of a string dimension, found by its name, to the subarray of a query; see `tiledb_query_add_range_var`.
///
/// Removed in 2.26; use `tiledb_subarray_add_range_var_by_name` and `tiledb_query_set_subarray_t`.
///
/// @param ctx The TileDB context.
/// @param query The query, not yet submitted.
/// @param dim_name The name of the dimension.
/// @param start The lower bound, which is copied.
/// @param start_size The size of the lower bound in bytes.
/// @param end The upper bound, inclusive.
/// @param end_size The size of the upper bound in bytes.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` as for `tiledb_query_add_range_var`, and if there is no such dimension.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_add_range_var_by_name(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    dim_name: Str,
    start: Bytes,
    start_size: u64,
    end: Bytes,
    end_size: u64,
) -> i32 {
    let (start, end) = ((start, start_size), (end, end_size));
    change(ctx, query, |subarray| ranges::add_range_var(subarray, By::Name(dim_name), start, end))
}

/// Sets the subarray of a query: one range per dimension, in place of those that it had.
///
/// Removed in 2.26; use `tiledb_subarray_set_subarray` and `tiledb_query_set_subarray_t`.
///
/// @param ctx The TileDB context.
/// @param query The query, not yet submitted.
/// @param subarray Lower and upper bound of each dimension, one after another, of the datatype that all dimensions have. The
///     values are copied. Null for the whole domain.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for bounds outside the domain, dimensions of several or variable-size
///     datatypes, a sparse write, a delete, and a query that was submitted.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_set_subarray(ctx: In<tiledb_ctx_t>, query: In<tiledb_query_t>, subarray: Bytes) -> i32 {
    change(ctx, query, |changed| {
        ranges::set_box(changed, subarray)?;
        if subarray.is_null() {
            *changed = changed.whole();
        }
        Ok(())
    })
}
