//! The buffers of a query: where results go and cells come from.

use std::ptr;

use super::boundary::{Buffer, In, Out, OutBytes, OutMutPtr, OutWords, Str};
use super::call::call;
use super::handles::{tiledb_ctx_t, tiledb_query_t};

/// Gives the data buffer that was set for a field.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param name The name of the field.
/// @param buffer The buffer, null if none was set.
/// @param buffer_size The size variable, null if none was set.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_data_buffer(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    name: Str,
    buffer: OutMutPtr,
    buffer_size: OutWords,
) -> i32 {
    call(ctx, |_| {
        let recorded = query.get()?.lock().data_buffer(name.get("name")?)?;
        let Some(recorded) = recorded else {
            buffer.set(ptr::null_mut())?;
            return buffer_size.set(ptr::null_mut());
        };
        let start = recorded.start();
        buffer.set(start.address())?;
        buffer_size.set(recorded.size().address())
    })
}

/// Gives the offsets buffer that was set for a field.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param name The name of the field.
/// @param buffer The buffer, null if none was set.
/// @param buffer_size The size variable, null if none was set.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_offsets_buffer(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    name: Str,
    buffer: OutWords,
    buffer_size: OutWords,
) -> i32 {
    call(ctx, |_| {
        let recorded = query.get()?.lock().offsets_buffer(name.get("name")?)?;
        let Some(recorded) = recorded else {
            buffer.set(ptr::null_mut())?;
            return buffer_size.set(ptr::null_mut());
        };
        let start = recorded.start();
        buffer.set(start.address().cast())?;
        buffer_size.set(recorded.size().address())
    })
}

/// Gives the validity buffer that was set for a field.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param name The name of the field.
/// @param buffer The buffer, null if none was set.
/// @param buffer_size The size variable, null if none was set.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_validity_buffer(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    name: Str,
    buffer: OutBytes,
    buffer_size: OutWords,
) -> i32 {
    call(ctx, |_| {
        let recorded = query.get()?.lock().validity_buffer(name.get("name")?)?;
        let Some(recorded) = recorded else {
            buffer.set(ptr::null_mut())?;
            return buffer_size.set(ptr::null_mut());
        };
        let start = recorded.start();
        buffer.set(start.address())?;
        buffer_size.set(recorded.size().address())
    })
}

/// Sets the buffer of the cells of a field, or of the values of its variable cells.
///
/// The field `__coords` stands for the coordinates of all dimensions, cell by cell, where these have one type of fixed size; it
/// takes the place of buffers for the dimensions.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param name The name of the field.
/// @param buffer The buffer.
/// @param buffer_size Its size in bytes; after a read, the bytes filled. Variable and buffer must stay valid until the query is
///     freed or another buffer is set.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_set_data_buffer(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    name: Str,
    buffer: Buffer,
    buffer_size: Out<u64>,
) -> i32 {
    call(ctx, |_| {
        let (start, size) = (buffer.recorded(), buffer_size.recorded());
        query.get()?.lock().set_data_buffer(name.get("name")?, start, size)
    })
}

/// Sets the buffer of the offsets of the variable cells of a field.
///
/// The size counts eight bytes for each offset also where `sm.var_offsets.bitsize` is 32: a write of n cells states 8 * n and
/// is read 4 * n bytes of, a read into 8 * n delivers up to n cells and tells 4 * n bytes filled.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param name The name of the field.
/// @param buffer The buffer.
/// @param buffer_size Its size in bytes; after a read, the bytes filled. Variable and buffer must stay valid until the query is
///     freed or another buffer is set.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_set_offsets_buffer(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    name: Str,
    buffer: Out<u64>,
    buffer_size: Out<u64>,
) -> i32 {
    call(ctx, |_| {
        let (start, size) = (buffer.recorded().bytes(), buffer_size.recorded());
        query.get()?.lock().set_offsets_buffer(name.get("name")?, start, size)
    })
}

/// Sets the buffer of the validity of the cells of an attribute: one byte per cell, 0 for null.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param name The name of the attribute.
/// @param buffer The buffer.
/// @param buffer_size Its size in bytes; after a read, the bytes filled. Variable and buffer must stay valid until the query is
///     freed or another buffer is set.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_set_validity_buffer(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    name: Str,
    buffer: Out<u8>,
    buffer_size: Out<u64>,
) -> i32 {
    call(ctx, |_| {
        let (start, size) = (buffer.recorded(), buffer_size.recorded());
        query.get()?.lock().set_validity_buffer(name.get("name")?, start, size)
    })
}
