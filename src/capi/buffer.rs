//! C functions of buffers: typed bytes, for serialized objects.

use super::boundary::{Buffer, CEnum, In, InConst, Out, OutHandle, OutMutPtr, capi_return_t};
use super::buffer_object::BufferObject;
use super::call::{call, free, make};
use super::enum_text::value_of;
use super::enums::tiledb_datatype_t;
use super::handles::{tiledb_buffer_t, tiledb_ctx_t};
use super::value::internal;
use tiledb_core::types::Datatype;

/// Creates a buffer without bytes, of type `TILEDB_UINT8`.
///
/// @param ctx The TileDB context.
/// @param buffer Receives the buffer, to be freed with `tiledb_buffer_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_buffer_alloc(ctx: In<tiledb_ctx_t>, buffer: OutHandle<tiledb_buffer_t>) -> capi_return_t {
    make(ctx, buffer, |_| Ok(BufferObject::new(Vec::new())))
}

/// Frees a buffer and sets the pointer to null. Memory of the caller that it refers to is not freed.
///
/// @param buffer The buffer.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_buffer_free(buffer: OutHandle<tiledb_buffer_t>) {
    free(buffer)
}

/// Returns the bytes of a buffer without copying them.
///
/// @param ctx The TileDB context.
/// @param buffer The buffer.
/// @param data Where the bytes are, valid until others are set or the buffer is freed; null if there are none.
/// @param num_bytes Receives how many there are.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_buffer_get_data(
    ctx: In<tiledb_ctx_t>,
    buffer: InConst<tiledb_buffer_t>,
    data: OutMutPtr,
    num_bytes: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| {
        let (address, size) = buffer.get()?.data();
        num_bytes.check()?;
        data.set(address)?;
        num_bytes.set(size)
    })
}

/// Returns the type of the values in a buffer.
///
/// @param ctx The TileDB context.
/// @param buffer The buffer.
/// @param datatype Receives the type.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_buffer_get_type(
    ctx: In<tiledb_ctx_t>,
    buffer: InConst<tiledb_buffer_t>,
    datatype: Out<tiledb_datatype_t>,
) -> capi_return_t {
    call(ctx, |_| datatype.set(value_of(buffer.get()?.datatype().number())?))
}

/// Makes a buffer refer to memory of the caller, which is not copied and must outlive the buffer.
///
/// @param ctx The TileDB context.
/// @param buffer The buffer.
/// @param data The bytes, which must stay valid until others are set or the buffer is freed.
/// @param size How many there are.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_buffer_set_data(
    ctx: In<tiledb_ctx_t>,
    buffer: In<tiledb_buffer_t>,
    data: Buffer,
    size: u64,
) -> capi_return_t {
    call(ctx, |_| {
        buffer.get()?.set_data(data.recorded(), size);
        Ok(())
    })
}

/// Sets the type of the values in a buffer.
///
/// @param ctx The TileDB context.
/// @param buffer The buffer.
/// @param datatype The type.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_buffer_set_type(
    ctx: In<tiledb_ctx_t>,
    buffer: In<tiledb_buffer_t>,
    datatype: CEnum<tiledb_datatype_t>,
) -> capi_return_t {
    call(ctx, |_| {
        buffer.get()?.set_datatype(Datatype::from_number(datatype.number()).map_err(internal)?);
        Ok(())
    })
}
