//! C interface: the non-empty domain of arrays.

use super::array_args::{Selector, readable};
use super::boundary::{Buffer, In, Out, Str, capi_return_t};
use super::call::call;
use super::handles::{tiledb_array_t, tiledb_ctx_t};
use super::range_out::{check_buffers, put_box, put_fixed, put_if_any, put_sizes, put_var};

/// Gives the box around all cells of an array whose dimensions have one fixed-size type.
///
/// @param ctx The TileDB context.
/// @param array The array, open for reading.
/// @param domain Low and high end per dimension; untouched if there are no cells.
/// @param is_empty 1 if there are no cells, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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

/// Gives the range of the cells of an array in a fixed-size dimension.
///
/// @param ctx The TileDB context.
/// @param array The array, open for reading.
/// @param idx The position of the dimension.
/// @param domain The low and the high end; untouched if there are no cells.
/// @param is_empty 1 if there are no cells, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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

/// Gives the range of the cells of an array in a fixed-size dimension.
///
/// @param ctx The TileDB context.
/// @param array The array, open for reading.
/// @param name The name of the dimension.
/// @param domain The low and the high end; untouched if there are no cells.
/// @param is_empty 1 if there are no cells, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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

/// Gives the range of the cells of an array in a string dimension.
///
/// @param ctx The TileDB context.
/// @param array The array, open for reading.
/// @param idx The position of the dimension.
/// @param start The low end, of the size that the size function gives; untouched if there are no cells.
/// @param end The high end.
/// @param is_empty 1 if there are no cells, else 0.
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

/// Gives the range of the cells of an array in a string dimension.
///
/// @param ctx The TileDB context.
/// @param array The array, open for reading.
/// @param name The name of the dimension.
/// @param start The low end, of the size that the size function gives; untouched if there are no cells.
/// @param end The high end.
/// @param is_empty 1 if there are no cells, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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

/// Gives the sizes of the ends of the range of the cells of an array in a string dimension.
///
/// @param ctx The TileDB context.
/// @param array The array, open for reading.
/// @param idx The position of the dimension.
/// @param start_size The size of the low end in bytes; 0 if there are no cells.
/// @param end_size The size of the high end in bytes.
/// @param is_empty 1 if there are no cells, else 0.
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

/// Gives the sizes of the ends of the range of the cells of an array in a string dimension.
///
/// @param ctx The TileDB context.
/// @param array The array, open for reading.
/// @param name The name of the dimension.
/// @param start_size The size of the low end in bytes; 0 if there are no cells.
/// @param end_size The size of the high end in bytes.
/// @param is_empty 1 if there are no cells, else 0.
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
