//! Subarrays: ranges per dimension.

use std::ffi::c_int;

use super::boundary::{Buffer, Bytes, In, InConst, Out, OutHandle, OutPtr, Slice, Str, capi_return_t};
use super::call::{call, free, make};
use super::handles::{tiledb_array_t, tiledb_config_t, tiledb_ctx_t, tiledb_subarray_t};
use super::subarray_object::{By, SubarrayObject, length};
use tiledb_core::error::bail;
use tiledb_query::Subarray;

/// Adds a range of one value for each of the given values of a dimension.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension.
/// @param start The values, of the type of the dimension.
/// @param count How many there are.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_add_point_ranges(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    dim_idx: u32,
    start: Bytes,
    count: u64,
) -> capi_return_t {
    call(ctx, |_| {
        let subarray = subarray.get()?;
        let mut subarray = subarray.lock();
        if start.is_null() {
            bail!("Subarray: Cannot add ranges; Invalid start pointer");
        }
        let size = subarray.point_size(dim_idx)?;
        let values = start.opt(length(count)?.saturating_mul(size))?.unwrap_or_default();
        subarray.add_points(dim_idx, values)
    })
}

/// Adds a range of one value for each of the given strings.
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
        let values = start.opt(length(start_size)?)?.unwrap_or_default();
        let starts = start_offsets.get("start_offsets", length(start_offsets_size)?)?;
        subarray.add_points_var(dim_idx, values, &starts)
    })
}

/// Adds a range of a dimension. The first range added replaces the whole domain.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension.
/// @param start The first value, of the type of the dimension.
/// @param end The last value, inclusive.
/// @param stride Must be null.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_add_range(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    dim_idx: u32,
    start: Bytes,
    end: Bytes,
    stride: Bytes,
) -> capi_return_t {
    call(ctx, |_| subarray.get()?.add_range(By::Index(dim_idx), start, end, stride))
}

/// Adds a range of the dimension with a name.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param dim_name The name of the dimension.
/// @param start The first value, of the type of the dimension.
/// @param end The last value, inclusive.
/// @param stride Must be null.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_add_range_by_name(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    dim_name: Str,
    start: Bytes,
    end: Bytes,
    stride: Bytes,
) -> capi_return_t {
    call(ctx, |_| subarray.get()?.add_range(By::Name(dim_name), start, end, stride))
}

/// Adds a range of a dimension of strings.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension.
/// @param start The first string.
/// @param start_size Its bytes.
/// @param end The last string, inclusive.
/// @param end_size Its bytes.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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
    call(ctx, |_| subarray.get()?.add_range_var(By::Index(dim_idx), (start, start_size), (end, end_size)))
}

/// Adds a range of the dimension of strings with a name.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param dim_name The name of the dimension.
/// @param start The first string.
/// @param start_size Its bytes.
/// @param end The last string, inclusive.
/// @param end_size Its bytes.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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
    call(ctx, |_| subarray.get()?.add_range_var(By::Name(dim_name), (start, start_size), (end, end_size)))
}

/// Creates a subarray of an open array: the whole of it, until ranges are added.
///
/// @param ctx The TileDB context.
/// @param array The array.
/// @param subarray The subarray, to be freed with `tiledb_subarray_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_alloc(
    ctx: In<tiledb_ctx_t>,
    array: InConst<tiledb_array_t>,
    subarray: OutHandle<tiledb_subarray_t>,
) -> capi_return_t {
    make(ctx, subarray, |_| {
        let Some(array) = array.get()?.opened() else {
            bail!("C API: Cannot create subarray; array is not open");
        };
        Ok(SubarrayObject::new(Subarray::new(array.schema())))
    })
}

/// Frees a subarray and sets the pointer to null.
///
/// @param subarray The subarray.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_free(subarray: OutHandle<tiledb_subarray_t>) {
    free(subarray)
}

/// Gives a range of a dimension.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension.
/// @param range_idx The index of the range.
/// @param start The first value, valid until the subarray changes.
/// @param end The last value, inclusive.
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
    call(ctx, |_| subarray.get()?.lend_range(By::Index(dim_idx), range_idx, (start, end, stride)))
}

/// Gives a range of the dimension with a name.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param dim_name The name of the dimension.
/// @param range_idx The index of the range.
/// @param start The first value, valid until the subarray changes.
/// @param end The last value, inclusive.
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
    call(ctx, |_| subarray.get()?.lend_range(By::Name(dim_name), range_idx, (start, end, stride)))
}

/// Gives the number of ranges of a dimension.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension.
/// @param range_num The number.
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
        range_num.set(subarray.get()?.range_num(By::Index(dim_idx))?)
    })
}

/// Gives the number of ranges of the dimension with a name.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param dim_name The name of the dimension.
/// @param range_num The number.
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
        range_num.set(subarray.get()?.range_num(By::Name(dim_name))?)
    })
}

/// Gives a range of a dimension of strings.
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
    call(ctx, |_| subarray.get()?.copy_range_var(By::Index(dim_idx), range_idx, (start, end)))
}

/// Gives a range of the dimension of strings with a name.
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
    call(ctx, |_| subarray.get()?.copy_range_var(By::Name(dim_name), range_idx, (start, end)))
}

/// Gives the bytes of a range of a dimension of strings.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension.
/// @param range_idx The index of the range.
/// @param start_size The bytes of the first string.
/// @param end_size The bytes of the last string.
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
    call(ctx, |_| subarray.get()?.size_of_range_var(By::Index(dim_idx), range_idx, (start_size, end_size)))
}

/// Gives the bytes of a range of the dimension of strings with a name.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param dim_name The name of the dimension.
/// @param range_idx The index of the range.
/// @param start_size The bytes of the first string.
/// @param end_size The bytes of the last string.
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
    call(ctx, |_| subarray.get()?.size_of_range_var(By::Name(dim_name), range_idx, (start_size, end_size)))
}

/// Sets whether a range that begins right behind the one added before grows that one. It is so from the start.
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

/// Takes `sm.read_range_oob` from a configuration: `warn` cuts ranges added later to the domain, `error` refuses
/// them if they leave it.
///
/// @param ctx The TileDB context.
/// @param subarray The subarray.
/// @param config The configuration.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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
/// @param subarray The subarray.
/// @param subarray_v First and last value of every dimension, one behind the other.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_subarray_set_subarray(
    ctx: In<tiledb_ctx_t>,
    subarray: In<tiledb_subarray_t>,
    subarray_v: Bytes,
) -> capi_return_t {
    call(ctx, |_| {
        let subarray = subarray.get()?;
        let mut subarray = subarray.lock();
        let values = subarray_v.opt(subarray.box_size())?;
        subarray.set_box(values)
    })
}
