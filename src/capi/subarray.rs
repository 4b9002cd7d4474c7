//! C functions of subarrays: ranges per dimension.

use std::ffi::c_int;

use super::boundary::{Buffer, Bytes, In, InConst, Out, OutHandle, OutPtr, Slice, Str, capi_return_t};
use super::call::{call, free, make};
use super::handles::{tiledb_array_t, tiledb_config_t, tiledb_ctx_t, tiledb_subarray_t};
use super::subarray_object::SubarrayObject;
use super::subarray_ranges::{self as ranges, By};
use tiledb_cells::Subarray;
use tiledb_core::error::bail;

/// Adds many single-coordinate ranges to a fixed-size dimension in one call: a multi-key lookup.
///
/// It has the effect of `tiledb_subarray_add_range` with equal bounds for each value, and is much faster.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param dim_idx The position of the dimension, from 0.
/// @param start The values, an array of the dimension's datatype, which is copied.
/// @param count The number of values.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for a dimension that does not exist or has variable size, and for a value
///     outside the domain; the values before it have been added then.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_add_point_ranges(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    dim_idx: u32,
    start: Bytes,
    count: u64,
) -> capi_return_t {
    call(ctx, |_| ranges::add_points(&mut subarray.get()?.lock(), dim_idx, start, count))
}

/// Adds many single-string ranges to a string dimension in one call: a multi-key lookup.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension.
/// @param start The bytes of the strings, one behind the other.
/// @param start_size How many bytes there are.
/// @param start_offsets Where each string begins, in bytes.
/// @param start_offsets_size How many strings there are.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_add_point_ranges_var(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    dim_idx: u32,
    start: Bytes,
    start_size: u64,
    start_offsets: Slice<u64>,
    start_offsets_size: u64,
) -> capi_return_t {
    call(ctx, |_| {
        let subarray = subarray.get()?;
        let mut subarray = subarray.lock();
        if start.is_null() || start_offsets.is_null() {
            bail!("Subarray: Cannot add ranges; Invalid start pointer");
        }
        let values = start.opt("start", start_size)?.unwrap_or_default();
        let starts = start_offsets.get("start_offsets", start_offsets_size)?;
        subarray.add_points_var(dim_idx, values, &starts)
    })
}

/// Adds a range to a fixed-size dimension, selected by its position.
///
/// The first range replaces the whole domain; further ranges are added to it. A range that starts right behind the previous one
/// is merged with it (`tiledb_subarray_set_coalesce_ranges`). A range that exceeds the domain is an error, unless a
/// configuration with `sm.read_range_oob` = `warn` was given to the subarray (`tiledb_subarray_set_config`): then it is
/// cropped.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param dim_idx The position of the dimension, from 0.
/// @param start The lower bound: one value of the dimension's datatype, which is copied.
/// @param end The upper bound, inclusive.
/// @param stride Must be null.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for a dimension that does not exist or has variable size, bounds that are out
///     of order, NaN, or outside the domain.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_add_range(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    dim_idx: u32,
    start: Bytes,
    end: Bytes,
    stride: Bytes,
) -> capi_return_t {
    call(ctx, |_| ranges::add_range(&mut subarray.get()?.lock(), By::Index(dim_idx), start, end, stride))
}

/// Adds a range to a fixed-size dimension, selected by its name. See `tiledb_subarray_add_range`.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param dim_name The name of the dimension.
/// @param start The lower bound: one value of the dimension's datatype, which is copied.
/// @param end The upper bound, inclusive.
/// @param stride Must be null.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for a dimension that does not exist or has variable size, bounds that are out
///     of order, NaN, or outside the domain.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_add_range_by_name(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    dim_name: Str,
    start: Bytes,
    end: Bytes,
    stride: Bytes,
) -> capi_return_t {
    call(ctx, |_| ranges::add_range(&mut subarray.get()?.lock(), By::Name(dim_name), start, end, stride))
}

/// Adds a range to a string dimension, selected by its position.
///
/// The bounds are byte strings without a terminating NUL, compared as bytes; the same string twice selects one key.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param dim_idx The position of the dimension, from 0.
/// @param start The lower bound, which is copied.
/// @param start_size Its size in bytes.
/// @param end The upper bound, inclusive.
/// @param end_size Its size in bytes.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for a dimension that does not exist or has a fixed size.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_add_range_var(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    dim_idx: u32,
    start: Bytes,
    start_size: u64,
    end: Bytes,
    end_size: u64,
) -> capi_return_t {
    call(ctx, |_| {
        ranges::add_range_var(&mut subarray.get()?.lock(), By::Index(dim_idx), (start, start_size), (end, end_size))
    })
}

/// Adds a range to a string dimension, selected by its name. See `tiledb_subarray_add_range_var`.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param dim_name The name of the dimension.
/// @param start The lower bound, which is copied.
/// @param start_size Its size in bytes.
/// @param end The upper bound, inclusive.
/// @param end_size Its size in bytes.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for a dimension that does not exist or has a fixed size.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_add_range_var_by_name(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    dim_name: Str,
    start: Bytes,
    start_size: u64,
    end: Bytes,
    end_size: u64,
) -> capi_return_t {
    call(ctx, |_| {
        ranges::add_range_var(&mut subarray.get()?.lock(), By::Name(dim_name), (start, start_size), (end, end_size))
    })
}

/// Creates a subarray that covers the whole domain of an open array, until ranges are added.
///
/// A subarray holds any number of ranges per dimension; the cells it selects are the product: every selected row with every
/// selected column. A dimension without ranges is selected entirely. The subarray does not depend on the array after this call.
///
/// ```c
/// uint64_t rows[] = {0, 9, 50, 59};
/// tiledb_subarray_t *parts = NULL;
/// tiledb_subarray_alloc(ctx, array, &parts);
/// tiledb_subarray_add_range(ctx, parts, 0, &rows[0], &rows[1], NULL);
/// tiledb_subarray_add_range(ctx, parts, 0, &rows[2], &rows[3], NULL);
/// tiledb_query_set_subarray_t(ctx, query, parts);
/// tiledb_subarray_free(&parts);
/// ```
///
/// @param ctx The TileDB context.
/// @param array The array, open for any purpose.
/// @param subarray Receives the subarray; free it with `tiledb_subarray_free`.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_alloc(
    ctx: In<tiledb_ctx_t>,
    array: InConst<tiledb_array_t>,
    subarray: OutHandle<tiledb_subarray_t>,
) -> capi_return_t {
    make(ctx, subarray, |_| {
        let array = array.get()?;
        let Some(array) = array.opened() else {
            bail!("C API: Cannot create subarray; array is not open: open '{}' first", array.uri());
        };
        Ok(SubarrayObject::new(Subarray::new(array.schema())))
    })
}

/// Frees a subarray and sets the pointer to null. Queries for which it was set have copies.
///
/// @param subarray The subarray; a null handle is accepted.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_free(subarray: OutHandle<tiledb_subarray_t>) {
    free(subarray)
}

/// Returns a range of a fixed-size dimension, selected by its position.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension.
/// @param range_idx The index of the range.
/// @param start Receives the first value, valid until the subarray changes.
/// @param end Receives the last value, inclusive.
/// @param stride Always null; may be null itself.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_get_range(
    ctx: In<tiledb_ctx_t>,
    subarray: InConst<tiledb_subarray_t>,
    dim_idx: u32,
    range_idx: u64,
    start: OutPtr,
    end: OutPtr,
    stride: OutPtr,
) -> capi_return_t {
    call(ctx, |_| ranges::lend_range(&subarray.get()?.lock(), By::Index(dim_idx), range_idx, (start, end, stride)))
}

/// Returns a range of a fixed-size dimension, selected by its name.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param dim_name The name of the dimension.
/// @param range_idx The index of the range.
/// @param start Receives the first value, valid until the subarray changes.
/// @param end Receives the last value, inclusive.
/// @param stride Always null; may be null itself.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_get_range_from_name(
    ctx: In<tiledb_ctx_t>,
    subarray: InConst<tiledb_subarray_t>,
    dim_name: Str,
    range_idx: u64,
    start: OutPtr,
    end: OutPtr,
    stride: OutPtr,
) -> capi_return_t {
    call(ctx, |_| ranges::lend_range(&subarray.get()?.lock(), By::Name(dim_name), range_idx, (start, end, stride)))
}

/// Returns the number of ranges of a dimension, selected by its position; 1 if none was added.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension.
/// @param range_num Receives the number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_get_range_num(
    ctx: In<tiledb_ctx_t>,
    subarray: InConst<tiledb_subarray_t>,
    dim_idx: u32,
    range_num: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| {
        range_num.check()?;
        range_num.set(ranges::range_num(&subarray.get()?.lock(), By::Index(dim_idx))?)
    })
}

/// Returns the number of ranges of a dimension, selected by its name; 1 if none was added.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param dim_name The name of the dimension.
/// @param range_num Receives the number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_get_range_num_from_name(
    ctx: In<tiledb_ctx_t>,
    subarray: InConst<tiledb_subarray_t>,
    dim_name: Str,
    range_num: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| {
        range_num.check()?;
        range_num.set(ranges::range_num(&subarray.get()?.lock(), By::Name(dim_name))?)
    })
}

/// Copies the bounds of a range of a string dimension. Get the sizes first with `tiledb_subarray_get_range_var_size`.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension.
/// @param range_idx The index of the range.
/// @param start Room for the first string; `tiledb_subarray_get_range_var_size` tells its bytes.
/// @param end Room for the last string.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_get_range_var(
    ctx: In<tiledb_ctx_t>,
    subarray: InConst<tiledb_subarray_t>,
    dim_idx: u32,
    range_idx: u64,
    start: Buffer,
    end: Buffer,
) -> capi_return_t {
    call(ctx, |_| ranges::copy_range_var(&subarray.get()?.lock(), By::Index(dim_idx), range_idx, (start, end)))
}

/// Copies the bounds of a range of a string dimension, selected by its name. Get the sizes first with
/// `tiledb_subarray_get_range_var_size_from_name`.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param dim_name The name of the dimension.
/// @param range_idx The index of the range.
/// @param start Room for the first string; `tiledb_subarray_get_range_var_size_from_name` tells its bytes.
/// @param end Room for the last string.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_get_range_var_from_name(
    ctx: In<tiledb_ctx_t>,
    subarray: InConst<tiledb_subarray_t>,
    dim_name: Str,
    range_idx: u64,
    start: Buffer,
    end: Buffer,
) -> capi_return_t {
    call(ctx, |_| ranges::copy_range_var(&subarray.get()?.lock(), By::Name(dim_name), range_idx, (start, end)))
}

/// Returns the sizes of the bounds of a range of a string dimension.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension.
/// @param range_idx The index of the range.
/// @param start_size Receives the bytes of the first string.
/// @param end_size Receives the bytes of the last string.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_get_range_var_size(
    ctx: In<tiledb_ctx_t>,
    subarray: InConst<tiledb_subarray_t>,
    dim_idx: u32,
    range_idx: u64,
    start_size: Out<u64>,
    end_size: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| {
        ranges::size_of_range_var(&subarray.get()?.lock(), By::Index(dim_idx), range_idx, (start_size, end_size))
    })
}

/// Returns the sizes of the bounds of a range of a string dimension, selected by its name.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param dim_name The name of the dimension.
/// @param range_idx The index of the range.
/// @param start_size Receives the bytes of the first string.
/// @param end_size Receives the bytes of the last string.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_get_range_var_size_from_name(
    ctx: In<tiledb_ctx_t>,
    subarray: InConst<tiledb_subarray_t>,
    dim_name: Str,
    range_idx: u64,
    start_size: Out<u64>,
    end_size: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| {
        ranges::size_of_range_var(&subarray.get()?.lock(), By::Name(dim_name), range_idx, (start_size, end_size))
    })
}

/// Sets whether a range that starts right behind the previously added one is merged with it. It is the default, and can be
/// changed only before ranges are added.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param coalesce_ranges 0 for no, anything else for yes.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_set_coalesce_ranges(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    coalesce_ranges: c_int,
) -> capi_return_t {
    call(ctx, |_| subarray.get()?.lock().set_coalesce(coalesce_ranges != 0))
}

/// Sets how a subarray handles ranges that exceed the domain (`sm.read_range_oob`), for ranges that are added afterwards.
///
/// `warn` crops such ranges to the domain, `error` rejects them. A subarray without a configuration rejects them. Since the
/// default of the parameter is `warn`, a subarray that is given any configuration crops, unless the configuration says `error`.
/// `sm.merge_overlapping_ranges_experimental` is taken from the configuration too.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param config The configuration, which is copied.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for another value of the parameter.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_set_config(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    config: In<tiledb_config_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let config = config.get()?.snapshot();
        subarray.get()?.lock().set_config(&config)
    })
}

/// Replaces all ranges by one box.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray of an array whose dimensions have one fixed-size datatype.
/// @param subarray_v Lower and upper bound of every dimension, in the order of the dimensions: two values of the datatype per
///     dimension. They are copied; null changes nothing.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for arrays with string dimensions or with different datatypes, and for bounds
///     as in `tiledb_subarray_add_range`. The subarray is unchanged then.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_set_subarray(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    subarray_v: Bytes,
) -> capi_return_t {
    call(ctx, |_| ranges::set_box(&mut subarray.get()?.lock(), subarray_v))
}
