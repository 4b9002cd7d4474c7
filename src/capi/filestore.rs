//! C interface: filestore.

use super::boundary::{Buffer, CEnum, In, Out, OutHandle, OutStr, Str, pending};
use super::enum_text::{of_text, text_of};
use super::enums::tiledb_mime_type_t;
use super::handles::{tiledb_array_schema_t, tiledb_ctx_t};

/// Copies bytes of a file kept in an array to the caller's memory. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filestore_buffer_export(
    ctx: In<tiledb_ctx_t>,
    filestore_array_uri: Str,
    offset: usize,
    buf: Buffer,
    size: usize,
) -> i32 {
    let _ = (filestore_array_uri, offset, buf, size);
    pending(ctx, "tiledb_filestore_buffer_export")
}

/// Stores bytes of the caller as a file in an array. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filestore_buffer_import(
    ctx: In<tiledb_ctx_t>,
    filestore_array_uri: Str,
    buf: Buffer,
    size: usize,
    mime_type: CEnum<tiledb_mime_type_t>,
) -> i32 {
    let _ = (filestore_array_uri, buf, size, mime_type);
    pending(ctx, "tiledb_filestore_buffer_import")
}

/// Gives the schema of an array that fits a file, to be freed with `tiledb_array_schema_free`. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filestore_schema_create(
    ctx: In<tiledb_ctx_t>,
    uri: Str,
    array_schema: OutHandle<tiledb_array_schema_t>,
) -> i32 {
    let _ = (uri, array_schema);
    pending(ctx, "tiledb_filestore_schema_create")
}

/// Gives the size of a file kept in an array. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filestore_size(ctx: In<tiledb_ctx_t>, filestore_array_uri: Str, size: Out<usize>) -> i32 {
    let _ = (filestore_array_uri, size);
    pending(ctx, "tiledb_filestore_size")
}

/// Copies a file kept in an array to a URI. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filestore_uri_export(ctx: In<tiledb_ctx_t>, file_uri: Str, filestore_array_uri: Str) -> i32 {
    let _ = (file_uri, filestore_array_uri);
    pending(ctx, "tiledb_filestore_uri_export")
}

/// Stores the file at a URI in an array. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filestore_uri_import(
    ctx: In<tiledb_ctx_t>,
    filestore_array_uri: Str,
    file_uri: Str,
    mime_type: CEnum<tiledb_mime_type_t>,
) -> i32 {
    let _ = (filestore_array_uri, file_uri, mime_type);
    pending(ctx, "tiledb_filestore_uri_import")
}

/// Gives a MIME type from its text.
///
/// @param str The text.
/// @param mime_type The value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_mime_type_from_str(str: Str, mime_type: Out<tiledb_mime_type_t>) -> i32 {
    of_text(str, mime_type)
}

/// Gives the text of a MIME type.
///
/// @param mime_type The value.
/// @param str Its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_mime_type_to_str(mime_type: CEnum<tiledb_mime_type_t>, str: OutStr) -> i32 {
    text_of(mime_type, str)
}
