//! C interface: buffer list.

use super::boundary::{In, InConst, Out, OutHandle, capi_return_t, free, pending};
use super::handles::{tiledb_buffer_list_t, tiledb_buffer_t, tiledb_ctx_t};

/// Creates an empty list of buffers, to be freed with `tiledb_buffer_list_free`. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_buffer_list_alloc(
    ctx: In<tiledb_ctx_t>,
    buffer_list: OutHandle<tiledb_buffer_list_t>,
) -> capi_return_t {
    let _ = (buffer_list,);
    pending(ctx, "tiledb_buffer_list_alloc")
}

/// Copies the bytes of all buffers of a list into a new one, to be freed with `tiledb_buffer_free`. Not written
/// yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_buffer_list_flatten(
    ctx: In<tiledb_ctx_t>,
    buffer_list: In<tiledb_buffer_list_t>,
    buffer: OutHandle<tiledb_buffer_t>,
) -> capi_return_t {
    let _ = (buffer_list, buffer);
    pending(ctx, "tiledb_buffer_list_flatten")
}

/// Frees a list of buffers and sets the pointer to null. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_buffer_list_free(buffer_list: OutHandle<tiledb_buffer_list_t>) {
    free(buffer_list)
}

/// Gives a buffer of a list by its position, to be freed with `tiledb_buffer_free`. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_buffer_list_get_buffer(
    ctx: In<tiledb_ctx_t>,
    buffer_list: InConst<tiledb_buffer_list_t>,
    buffer_idx: u64,
    buffer: OutHandle<tiledb_buffer_t>,
) -> capi_return_t {
    let _ = (buffer_list, buffer_idx, buffer);
    pending(ctx, "tiledb_buffer_list_get_buffer")
}

/// Gives the number of buffers in a list. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_buffer_list_get_num_buffers(
    ctx: In<tiledb_ctx_t>,
    buffer_list: InConst<tiledb_buffer_list_t>,
    num_buffers: Out<u64>,
) -> capi_return_t {
    let _ = (buffer_list, num_buffers);
    pending(ctx, "tiledb_buffer_list_get_num_buffers")
}

/// Gives the bytes of all buffers of a list together. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_buffer_list_get_total_size(
    ctx: In<tiledb_ctx_t>,
    buffer_list: InConst<tiledb_buffer_list_t>,
    total_size: Out<u64>,
) -> capi_return_t {
    let _ = (buffer_list, total_size);
    pending(ctx, "tiledb_buffer_list_get_total_size")
}
