//! C functions that set the buffers of a query.

use std::ptr;

use super::boundary::{Buffer, In, Out, OutBytes, OutMutPtr, OutWords, Str};
use super::call::call;
use super::handles::{tiledb_ctx_t, tiledb_query_t};

/// Returns the data buffer that was set for a field.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param name The name of the field.
/// @param buffer Receives the buffer, null if none was set.
/// @param buffer_size Receives the size variable, null if none was set.
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

/// Returns the offsets buffer that was set for a field.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param name The name of the field.
/// @param buffer Receives the buffer, null if none was set.
/// @param buffer_size Receives the size variable, null if none was set.
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

/// Returns the validity buffer that was set for a field.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param name The name of the field.
/// @param buffer Receives the buffer, null if none was set.
/// @param buffer_size Receives the size variable, null if none was set.
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

/// Sets the data buffer of a field: its fixed-size cells, or the concatenated values of its variable-length cells.
///
/// The library does not copy the buffer. It accesses the buffer and the size variable during submits, so both must stay valid,
/// and no other thread may use them during a submit, until the query is freed or another buffer is set for the field. Buffers
/// of a query must not overlap.
///
/// - **Read**: `*buffer_size` at the time of this call is the capacity in bytes. After each successful submit the variable
///   holds the number of bytes written; the query remembers the capacity, so the variable need not be reset. Set any subset of
///   the fields. After `TILEDB_INCOMPLETE` a larger buffer may be set for the same field.
/// - **Write**: `*buffer_size`, evaluated at the submit, is the number of bytes to write. All attributes, and for sparse arrays
///   all dimensions, need buffers with the same number of cells. For further submits in global order change the contents and
///   the sizes, or set other buffers.
///
/// Fields of variable length also need `tiledb_query_set_offsets_buffer`, nullable attributes
/// `tiledb_query_set_validity_buffer`. The name `__coords` stands for the coordinates of all dimensions, cell by cell, if these
/// have one fixed-size datatype; it replaces buffers for the individual dimensions.
///
/// @param ctx The TileDB context.
/// @param query A read or write query.
/// @param name The name of the attribute, dimension, dimension label or aggregate.
/// @param buffer The buffer. Null is allowed only in a write, if the size is 0.
/// @param buffer_size The address of the size in bytes.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for an unknown field, a null address, a dimension in a dense write, or a field
///     that had no buffer at the first submit.
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

/// Sets the offsets buffer of a field with variable-length cells.
///
/// Offset i is the position in bytes at which cell i starts in the data buffer; cell i ends where the next one starts, the last
/// one with the data. Offsets of a write must ascend and be multiples of the size of a value. The field also needs a data
/// buffer. `tiledb_query_set_data_buffer` describes lifetimes, and how the size variable is used.
///
/// The configuration changes the format: `sm.var_offsets.bitsize` = 32 for `uint32_t` offsets, `sm.var_offsets.mode` =
/// `elements` to count values instead of bytes, `sm.var_offsets.extra_element` for a final offset with the total size. The size
/// counts eight bytes per offset even if they are 32 bits wide: a write of n cells states 8 * n bytes, of which 4 * n are read;
/// a read with a capacity of 8 * n bytes returns up to n cells and sets the size to 4 * n.
///
/// ```c
/// char text[1024];
/// uint64_t starts[100], text_size = sizeof text, starts_size = sizeof starts;
/// tiledb_query_set_data_buffer(ctx, query, "name", text, &text_size);
/// tiledb_query_set_offsets_buffer(ctx, query, "name", starts, &starts_size);
/// tiledb_query_submit(ctx, query);
/// uint64_t cells = starts_size / sizeof starts[0];
/// for (uint64_t i = 0; i < cells; i++) {
///   uint64_t end = i + 1 < cells ? starts[i + 1] : text_size;
///   printf("%.*s\n", (int)(end - starts[i]), text + starts[i]);
/// }
/// ```
///
/// @param ctx The TileDB context.
/// @param query A read or write query.
/// @param name The name of the field.
/// @param buffer The buffer.
/// @param buffer_size The address of the size in bytes.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for an unknown or fixed-size field, a null address, or a field that had no
///     buffer at the first submit.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_set_offsets_buffer(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    name: Str,
    buffer: Out<u64>,
    buffer_size: Out<u64>,
) -> i32 {
    call(ctx, |_| {
        let start = buffer.recorded().bytes();
        let size = buffer_size.recorded();
        query.get()?.lock().set_offsets_buffer(name.get("name")?, start, size)
    })
}

/// Sets the validity buffer of a nullable attribute: one byte per cell, 0 for a null, 1 for a value.
///
/// A null cell still occupies its place in the data buffer, where its content is meaningless. The attribute also needs a data
/// buffer. `tiledb_query_set_data_buffer` describes lifetimes, and how the size variable is used.
///
/// @param ctx The TileDB context.
/// @param query A read or write query.
/// @param name The name of the attribute.
/// @param buffer The buffer.
/// @param buffer_size The address of the size in bytes, which is the number of cells.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if there is no nullable attribute of this name, for a null address, or a field
///     that had no buffer at the first submit.
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
