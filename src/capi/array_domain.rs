//! C functions of the non-empty domain of arrays.

use super::array_args::{Selector, readable};
use super::boundary::{Buffer, In, Out, Str, capi_return_t};
use super::call::call;
use super::handles::{tiledb_array_t, tiledb_ctx_t};
use super::range_out::{check_buffers, put_box, put_fixed, put_if_any, put_sizes, put_var};

/// Returns the smallest box that contains all cells of an array whose dimensions have the same fixed-size datatype.
///
/// The box covers the fragments that the array shows, from their metadata alone: no cell is read. It also covers cells that
/// were deleted. Arrays with string dimensions or with different datatypes need one call per dimension:
/// `tiledb_array_get_non_empty_domain_from_name`, `tiledb_array_get_non_empty_domain_var_from_name`.
///
/// ```c
/// int32_t box[4] = {0}, empty = 0; // two dimensions of TILEDB_INT32
/// tiledb_array_get_non_empty_domain(ctx, array, box, &empty);
/// if (!empty)
///   printf("rows %d to %d, columns %d to %d\n", box[0], box[1], box[2], box[3]);
/// ```
///
/// @param ctx The TileDB context.
/// @param array The array, open for reading.
/// @param domain Receives lower and upper bound of every dimension, in the order of the dimensions, both inclusive: two values
///     of the datatype per dimension. Unchanged if the array is empty.
/// @param is_empty Receives 1 if the array contains no cells, else 0.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open for reading or its dimensions do not share a
///     fixed-size datatype.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_non_empty_domain(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    domain: Buffer,
    is_empty: Out<i32>,
) -> capi_return_t {
    call(ctx, |_| {
        let array = array.get()?;
        let open = readable(&array)?;
        check_buffers(&[&domain])?;
        put_if_any(open.non_empty_box()?, is_empty, |ranges| put_box(&ranges, domain))
    })
}

/// Returns the range of the coordinates of all cells in one fixed-size dimension, selected by its position.
///
/// See `tiledb_array_get_non_empty_domain` for what the range covers.
///
/// @param ctx The TileDB context.
/// @param array The array, open for reading.
/// @param idx The position of the dimension, from 0.
/// @param domain Receives lower and upper bound, inclusive: two values of the datatype. Unchanged if the array is empty.
/// @param is_empty Receives 1 if the array contains no cells, else 0.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open for reading, there is no such dimension, or it has
///     variable size.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_non_empty_domain_from_index(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    idx: u32,
    domain: Buffer,
    is_empty: Out<i32>,
) -> capi_return_t {
    call(ctx, |_| {
        check_buffers(&[&domain])?;
        put_if_any(Selector::Index(idx).range(array, false)?, is_empty, |range| put_fixed(&range, domain))
    })
}

/// Returns the range of the coordinates of all cells in one fixed-size dimension, selected by its name.
///
/// See `tiledb_array_get_non_empty_domain` for what the range covers.
///
/// @param ctx The TileDB context.
/// @param array The array, open for reading.
/// @param name The name of the dimension.
/// @param domain Receives lower and upper bound, inclusive: two values of the datatype. Unchanged if the array is empty.
/// @param is_empty Receives 1 if the array contains no cells, else 0.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open for reading, there is no such dimension, or it has
///     variable size.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_non_empty_domain_from_name(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    name: Str,
    domain: Buffer,
    is_empty: Out<i32>,
) -> capi_return_t {
    call(ctx, |_| {
        check_buffers(&[&domain])?;
        put_if_any(Selector::Name(name).range(array, false)?, is_empty, |range| put_fixed(&range, domain))
    })
}

/// Returns the range of the coordinates of all cells in one string dimension, selected by its position. Get the sizes first
/// with `tiledb_array_get_non_empty_domain_var_size_from_index`; see `tiledb_array_get_non_empty_domain_var_from_name` for an
/// example.
///
/// @param ctx The TileDB context.
/// @param array The array, open for reading.
/// @param idx The position of the dimension.
/// @param start The low end, of the size that the size function gives; untouched if there are no cells.
/// @param end The high end.
/// @param is_empty Receives 1 if there are no cells, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_non_empty_domain_var_from_index(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    idx: u32,
    start: Buffer,
    end: Buffer,
    is_empty: Out<i32>,
) -> capi_return_t {
    call(ctx, |_| {
        check_buffers(&[&start, &end])?;
        put_if_any(Selector::Index(idx).range(array, true)?, is_empty, |range| put_var(&range, start, end))
    })
}

/// Returns the range of the coordinates of all cells in one string dimension, selected by its name.
///
/// Get the sizes first; the strings are not NUL-terminated.
///
/// ```c
/// uint64_t first_size = 0, last_size = 0;
/// int32_t empty = 0;
/// tiledb_array_get_non_empty_domain_var_size_from_name(ctx, array, "key", &first_size, &last_size, &empty);
/// char *first = malloc(first_size + 1), *last = malloc(last_size + 1);
/// tiledb_array_get_non_empty_domain_var_from_name(ctx, array, "key", first, last, &empty);
/// ```
///
/// @param ctx The TileDB context.
/// @param array The array, open for reading.
/// @param name The name of the dimension.
/// @param start Receives the lowest coordinate; the buffer must hold the number of bytes that
///     `tiledb_array_get_non_empty_domain_var_size_from_name` returned. Unchanged if the array is empty.
/// @param end Receives the highest coordinate, likewise.
/// @param is_empty Receives 1 if the array contains no cells, else 0.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open for reading, there is no such dimension, or it has a
///     fixed size.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_non_empty_domain_var_from_name(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    name: Str,
    start: Buffer,
    end: Buffer,
    is_empty: Out<i32>,
) -> capi_return_t {
    call(ctx, |_| {
        check_buffers(&[&start, &end])?;
        put_if_any(Selector::Name(name).range(array, true)?, is_empty, |range| put_var(&range, start, end))
    })
}

/// Returns the sizes of the bounds that `tiledb_array_get_non_empty_domain_var_from_index` returns.
///
/// @param ctx The TileDB context.
/// @param array The array, open for reading.
/// @param idx The position of the dimension.
/// @param start_size Receives the size of the low end in bytes; 0 if there are no cells.
/// @param end_size Receives the size of the high end in bytes.
/// @param is_empty Receives 1 if there are no cells, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_non_empty_domain_var_size_from_index(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    idx: u32,
    start_size: Out<u64>,
    end_size: Out<u64>,
    is_empty: Out<i32>,
) -> capi_return_t {
    call(ctx, |_| {
        let range = Selector::Index(idx).range(array, true)?;
        put_sizes(range.as_ref(), start_size, end_size)?;
        is_empty.set(range.is_none().into())
    })
}

/// Returns the sizes of the bounds that `tiledb_array_get_non_empty_domain_var_from_name` returns.
///
/// @param ctx The TileDB context.
/// @param array The array, open for reading.
/// @param name The name of the dimension.
/// @param start_size Receives the size of the low end in bytes; 0 if there are no cells.
/// @param end_size Receives the size of the high end in bytes.
/// @param is_empty Receives 1 if there are no cells, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_non_empty_domain_var_size_from_name(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    name: Str,
    start_size: Out<u64>,
    end_size: Out<u64>,
    is_empty: Out<i32>,
) -> capi_return_t {
    call(ctx, |_| {
        let range = Selector::Name(name).range(array, true)?;
        put_sizes(range.as_ref(), start_size, end_size)?;
        is_empty.set(range.is_none().into())
    })
}
