//! C functions of label ranges of subarrays.

use super::boundary::{Buffer, Bytes, In, InConst, Out, OutPtr, OutStr, Str, capi_return_t};
use super::call::call;
use super::handles::{tiledb_ctx_t, tiledb_subarray_t};

/// Adds a range of a dimension by values of its label. The indexes are found when a query is submitted.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param label_name The name of the label.
/// @param start The first value, of the type of the label.
/// @param end The last value, inclusive.
/// @param stride Must be null.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_add_label_range(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    label_name: Str,
    start: Bytes,
    end: Bytes,
    stride: Bytes,
) -> capi_return_t {
    call(ctx, |_| subarray.get()?.add_label_range(label_name, start, end, stride))
}

/// Adds a range of a dimension by strings of its label.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param label_name The name of the label.
/// @param start The bytes of the first string.
/// @param start_size How many bytes there are.
/// @param end The bytes of the last string, inclusive.
/// @param end_size How many bytes there are.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_add_label_range_var(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    label_name: Str,
    start: Bytes,
    start_size: u64,
    end: Bytes,
    end_size: u64,
) -> capi_return_t {
    call(ctx, |_| subarray.get()?.add_label_range_var(label_name, (start, start_size), (end, end_size)))
}

/// Returns the name of the label by which ranges were added to a dimension.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension.
/// @param label_name Receives the name, valid until the subarray changes or is freed.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_get_label_name(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    dim_idx: u32,
    label_name: OutStr,
) -> capi_return_t {
    call(ctx, |_| label_name.set(subarray.get()?.lock().label_name(dim_idx)?.as_c_str()))
}

/// Returns a range of a label.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param label_name The name of the label.
/// @param range_idx The index of the range.
/// @param start Receives the first value, valid until the subarray changes.
/// @param end Receives the last value, inclusive.
/// @param stride Always null; may be null itself.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_get_label_range(
    ctx: In<tiledb_ctx_t>,
    subarray: InConst<tiledb_subarray_t>,
    label_name: Str,
    range_idx: u64,
    start: OutPtr,
    end: OutPtr,
    stride: OutPtr,
) -> capi_return_t {
    call(ctx, |_| subarray.get()?.lend_label_range(label_name, range_idx, (start, end, stride)))
}

/// Returns the number of ranges of a label.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param label_name The name of the label.
/// @param range_num Receives the number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_get_label_range_num(
    ctx: In<tiledb_ctx_t>,
    subarray: InConst<tiledb_subarray_t>,
    label_name: Str,
    range_num: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| range_num.set(subarray.get()?.label_range_num(label_name)?))
}

/// Returns a range of a label of strings.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param label_name The name of the label.
/// @param range_idx The index of the range.
/// @param start Room for the first string; `tiledb_subarray_get_label_range_var_size` tells its bytes.
/// @param end Room for the last string.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_get_label_range_var(
    ctx: In<tiledb_ctx_t>,
    subarray: InConst<tiledb_subarray_t>,
    label_name: Str,
    range_idx: u64,
    start: Buffer,
    end: Buffer,
) -> capi_return_t {
    call(ctx, |_| subarray.get()?.copy_label_range_var(label_name, range_idx, (start, end)))
}

/// Returns the bytes of a range of a label of strings.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param label_name The name of the label.
/// @param range_idx The index of the range.
/// @param start_size Receives the bytes of the first string.
/// @param end_size Receives the bytes of the last string.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_get_label_range_var_size(
    ctx: In<tiledb_ctx_t>,
    subarray: InConst<tiledb_subarray_t>,
    label_name: Str,
    range_idx: u64,
    start_size: Out<u64>,
    end_size: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| subarray.get()?.size_of_label_range_var(label_name, range_idx, (start_size, end_size)))
}

/// Reports whether ranges of a label were added to a dimension.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension.
/// @param has_label_range Receives 1 if there are, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_has_label_ranges(
    ctx: In<tiledb_ctx_t>,
    subarray: InConst<tiledb_subarray_t>,
    dim_idx: u32,
    has_label_range: Out<i32>,
) -> capi_return_t {
    call(ctx, |_| has_label_range.set(subarray.get()?.lock().has_label_ranges(dim_idx).into()))
}
