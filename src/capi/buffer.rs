//! C interface: buffer.

use super::boundary::{Buffer, CEnum, In, InConst, Out, OutHandle, OutMutPtr, capi_return_t, free, pending};
use super::enums::tiledb_datatype_t;
use super::handles::{tiledb_buffer_t, tiledb_ctx_t};

/// Creates an empty buffer, to be freed with `tiledb_buffer_free`. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_buffer_alloc(ctx: In<tiledb_ctx_t>, buffer: OutHandle<tiledb_buffer_t>) -> capi_return_t {
    let _ = (buffer,);
    pending(ctx, "tiledb_buffer_alloc")
}

/// Frees a buffer and sets the pointer to null. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_buffer_free(buffer: OutHandle<tiledb_buffer_t>) {
    free(buffer)
}

/// Gives the bytes of a buffer, valid until it is changed or freed. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_buffer_get_data(
    ctx: In<tiledb_ctx_t>,
    buffer: InConst<tiledb_buffer_t>,
    data: OutMutPtr,
    num_bytes: Out<u64>,
) -> capi_return_t {
    let _ = (buffer, data, num_bytes);
    pending(ctx, "tiledb_buffer_get_data")
}

/// Gives the type of the values in a buffer. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_buffer_get_type(
    ctx: In<tiledb_ctx_t>,
    buffer: InConst<tiledb_buffer_t>,
    datatype: Out<tiledb_datatype_t>,
) -> capi_return_t {
    let _ = (buffer, datatype);
    pending(ctx, "tiledb_buffer_get_type")
}

/// Makes a buffer refer to bytes of the caller, which must live as long. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_buffer_set_data(
    ctx: In<tiledb_ctx_t>,
    buffer: In<tiledb_buffer_t>,
    data: Buffer,
    size: u64,
) -> capi_return_t {
    let _ = (buffer, data, size);
    pending(ctx, "tiledb_buffer_set_data")
}

/// Sets the type of the values in a buffer. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_buffer_set_type(
    ctx: In<tiledb_ctx_t>,
    buffer: In<tiledb_buffer_t>,
    datatype: CEnum<tiledb_datatype_t>,
) -> capi_return_t {
    let _ = (buffer, datatype);
    pending(ctx, "tiledb_buffer_set_type")
}
