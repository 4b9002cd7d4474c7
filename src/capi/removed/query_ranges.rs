//! The ranges of the subarray of a query, read through the query.

use crate::boundary::{Buffer, In, InConst, Out, OutPtr, Str};
use crate::call::call;
use crate::handles::{tiledb_ctx_t, tiledb_query_t};
use crate::subarray_ranges::{self as ranges, By};

/// Returns a range of a dimension of the subarray of a query.
///
/// Removed in 2.26; use `tiledb_query_get_subarray_t` and `tiledb_subarray_get_range`.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param dim_idx The position of the dimension, from 0.
/// @param range_idx The index of the range, from 0.
/// @param start Receives the address of the lower bound, which belongs to the query and is valid until the subarray changes.
/// @param end Receives the address of the upper bound.
/// @param stride Receives null.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the index of the dimension is out of range, or that of the range.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_range(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    dim_idx: u32,
    range_idx: u64,
    start: OutPtr,
    end: OutPtr,
    stride: OutPtr,
) -> i32 {
    call(ctx, |_| {
        ranges::lend_range(query.get()?.lock().subarray(), By::Index(dim_idx), range_idx, (start, end, stride))
    })
}

/// Returns a range of a dimension of the subarray of a query, found by its name.
///
/// Removed in 2.26; use `tiledb_query_get_subarray_t` and `tiledb_subarray_get_range_from_name`.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param dim_name The name of the dimension.
/// @param range_idx The index of the range, from 0.
/// @param start Receives the address of the lower bound, which belongs to the query and is valid until the subarray changes.
/// @param end Receives the address of the upper bound.
/// @param stride Receives null.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if there is no such dimension or the index of the range is out of range.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_range_from_name(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    dim_name: Str,
    range_idx: u64,
    start: OutPtr,
    end: OutPtr,
    stride: OutPtr,
) -> i32 {
    call(ctx, |_| {
        ranges::lend_range(query.get()?.lock().subarray(), By::Name(dim_name), range_idx, (start, end, stride))
    })
}

/// Returns the number of ranges of a dimension of the subarray of a query.
///
/// Removed in 2.26; use `tiledb_query_get_subarray_t` and `tiledb_subarray_get_range_num`.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param dim_idx The position of the dimension, from 0.
/// @param range_num Receives the number; 1 if no range was added.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the index of the dimension is out of range.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_range_num(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    dim_idx: u32,
    range_num: Out<u64>,
) -> i32 {
    call(ctx, |_| {
        range_num.check()?;
        range_num.set(ranges::range_num(query.get()?.lock().subarray(), By::Index(dim_idx))?)
    })
}

/// Returns the number of ranges of a dimension of the subarray of a query, found by its name.
///
/// Removed in 2.26; use `tiledb_query_get_subarray_t` and `tiledb_subarray_get_range_num_from_name`.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param dim_name The name of the dimension.
/// @param range_num Receives the number; 1 if no range was added.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if there is no such dimension.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_range_num_from_name(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    dim_name: Str,
    range_num: Out<u64>,
) -> i32 {
    call(ctx, |_| {
        range_num.check()?;
        range_num.set(ranges::range_num(query.get()?.lock().subarray(), By::Name(dim_name))?)
    })
}

/// Copies a range of a string dimension of the subarray of a query.
///
/// Removed in 2.26; use `tiledb_query_get_subarray_t` and `tiledb_subarray_get_range_var`.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param dim_idx The position of the dimension, from 0.
/// @param range_idx The index of the range, from 0.
/// @param start Memory for the lower bound, of the size that `tiledb_query_get_range_var_size` returns.
/// @param end Memory for the upper bound.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the index of the dimension is out of range, or that of the range, or the dimension has a fixed size.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_range_var(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    dim_idx: u32,
    range_idx: u64,
    start: Buffer,
    end: Buffer,
) -> i32 {
    call(ctx, |_| ranges::copy_range_var(query.get()?.lock().subarray(), By::Index(dim_idx), range_idx, (start, end)))
}

/// Copies a range of a string dimension of the subarray of a query, found by its name.
///
/// Removed in 2.26; use `tiledb_query_get_subarray_t` and `tiledb_subarray_get_range_var_from_name`.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param dim_name The name of the dimension.
/// @param range_idx The index of the range, from 0.
/// @param start Memory for the lower bound, of the size that `tiledb_query_get_range_var_size` returns.
/// @param end Memory for the upper bound.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if there is no such dimension or the index of the range is out of range, or the dimension has a fixed size.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_range_var_from_name(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    dim_name: Str,
    range_idx: u64,
    start: Buffer,
    end: Buffer,
) -> i32 {
    call(ctx, |_| ranges::copy_range_var(query.get()?.lock().subarray(), By::Name(dim_name), range_idx, (start, end)))
}

/// Returns the sizes of the bounds of a range of a string dimension of the subarray of a query.
///
/// Removed in 2.26; use `tiledb_query_get_subarray_t` and `tiledb_subarray_get_range_var_size`.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param dim_idx The position of the dimension, from 0.
/// @param range_idx The index of the range, from 0.
/// @param start_size Receives the size of the lower bound in bytes.
/// @param end_size Receives the size of the upper bound in bytes.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the index of the dimension is out of range, or that of the range, or the dimension has a fixed size.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_range_var_size(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    dim_idx: u32,
    range_idx: u64,
    start_size: Out<u64>,
    end_size: Out<u64>,
) -> i32 {
    call(ctx, |_| {
        ranges::size_of_range_var(query.get()?.lock().subarray(), By::Index(dim_idx), range_idx, (start_size, end_size))
    })
}

/// Returns the sizes of the bounds of a range of a string dimension of the subarray of a query, found by its name.
///
/// Removed in 2.26; use `tiledb_query_get_subarray_t` and `tiledb_subarray_get_range_var_size_from_name`.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param dim_name The name of the dimension.
/// @param range_idx The index of the range, from 0.
/// @param start_size Receives the size of the lower bound in bytes.
/// @param end_size Receives the size of the upper bound in bytes.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if there is no such dimension or the index of the range is out of range, or the dimension has a fixed size.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_range_var_size_from_name(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    dim_name: Str,
    range_idx: u64,
    start_size: Out<u64>,
    end_size: Out<u64>,
) -> i32 {
    call(ctx, |_| {
        ranges::size_of_range_var(query.get()?.lock().subarray(), By::Name(dim_name), range_idx, (start_size, end_size))
    })
}
