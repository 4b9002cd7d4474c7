//! C functions of buffer lists, the form of a serialized query.

use super::boundary::{In, InConst, Out, OutHandle, capi_return_t};
use super::buffer_object::BufferListObject;
use super::call::{call, free, make};
use super::handles::{tiledb_buffer_list_t, tiledb_buffer_t, tiledb_ctx_t};

/// Creates an empty list of buffers.
///
/// @param ctx The TileDB context.
/// @param buffer_list Receives the list, to be freed with `tiledb_buffer_list_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_buffer_list_alloc(
    ctx: In<tiledb_ctx_t>,
    buffer_list: OutHandle<tiledb_buffer_list_t>,
) -> capi_return_t {
    make(ctx, buffer_list, |_| Ok(BufferListObject::default()))
}

/// Copies the bytes of all buffers of a list into a new one.
///
/// @param ctx The TileDB context.
/// @param buffer_list The list.
/// @param buffer Receives the new buffer, to be freed with `tiledb_buffer_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_buffer_list_flatten(
    ctx: In<tiledb_ctx_t>,
    buffer_list: In<tiledb_buffer_list_t>,
    buffer: OutHandle<tiledb_buffer_t>,
) -> capi_return_t {
    make(ctx, buffer, |_| buffer_list.get()?.flatten())
}

/// Frees a list of buffers and sets the pointer to null.
///
/// @param buffer_list The list.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_buffer_list_free(buffer_list: OutHandle<tiledb_buffer_list_t>) {
    free(buffer_list)
}

/// Returns a buffer of a list by its position.
///
/// @param ctx The TileDB context.
/// @param buffer_list The list.
/// @param buffer_idx The position, from 0.
/// @param buffer Receives the buffer, to be freed with `tiledb_buffer_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_buffer_list_get_buffer(
    ctx: In<tiledb_ctx_t>,
    buffer_list: InConst<tiledb_buffer_list_t>,
    buffer_idx: u64,
    buffer: OutHandle<tiledb_buffer_t>,
) -> capi_return_t {
    make(ctx, buffer, |_| buffer_list.get()?.buffer(buffer_idx))
}

/// Returns the number of buffers in a list.
///
/// @param ctx The TileDB context.
/// @param buffer_list The list.
/// @param num_buffers Receives the number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_buffer_list_get_num_buffers(
    ctx: In<tiledb_ctx_t>,
    buffer_list: InConst<tiledb_buffer_list_t>,
    num_buffers: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| num_buffers.set(buffer_list.get()?.count()))
}

/// Returns the bytes of all buffers of a list together.
///
/// @param ctx The TileDB context.
/// @param buffer_list The list.
/// @param total_size Receives how many there are.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_buffer_list_get_total_size(
    ctx: In<tiledb_ctx_t>,
    buffer_list: InConst<tiledb_buffer_list_t>,
    total_size: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| total_size.set(buffer_list.get()?.total_size()))
}
