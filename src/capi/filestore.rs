//! C functions of filestores: files stored in arrays.

use super::array_args::uri_of;
use super::boundary::{Buffer, CEnum, In, Out, OutHandle, OutStr, Str};
use super::call::{call, make};
use super::enum_text::{of_text, text_of};
use super::enums::tiledb_mime_type_t;
use super::handles::{tiledb_array_schema_t, tiledb_ctx_t};
use super::schema_object::SchemaObject;
use super::vfs::storage_uri;
use tiledb_core::error::{Result, bail};
use tiledb_query::filestore::{self, MimeType};
use tiledb_storage::vfs::Uri;

/// A URI that may not be null, checked as `check` does.
fn required(text: Str, check: fn(Str) -> Result<Uri>) -> Result<Uri> {
    if text.is_null() {
        bail!("C API: Invalid uri pointer");
    }
    check(text)
}

/// The caller's memory may not be null.
fn check_memory(buf: &Buffer) -> Result<()> {
    if buf.is_null() {
        bail!("C API: Invalid pointer");
    }
    Ok(())
}

/// Copies bytes of the file in a filestore to the caller's memory.
///
/// @param ctx The TileDB context.
/// @param filestore_array_uri The array of the filestore.
/// @param offset The first byte.
/// @param buf The memory, with room for `size` bytes.
/// @param size How many bytes; the file must have as many from the first one on.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filestore_buffer_export(
    ctx: In<tiledb_ctx_t>,
    filestore_array_uri: Str,
    offset: usize,
    mut buf: Buffer,
    size: usize,
) -> i32 {
    call(ctx, |context| {
        let array = required(filestore_array_uri, uri_of)?;
        check_memory(&buf)?;
        let size = size as u64;
        filestore::export_bytes(context.resources(), &array, offset as u64, size, || buf.get_mut("buf", size))
    })
}

/// Stores bytes of the caller in a filestore; what was there before is no longer seen. No bytes change nothing.
///
/// @param ctx The TileDB context.
/// @param filestore_array_uri The array of the filestore.
/// @param buf The bytes.
/// @param size How many there are.
/// @param mime_type What they are; `TILEDB_MIME_AUTODETECT` for any bytes.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filestore_buffer_import(
    ctx: In<tiledb_ctx_t>,
    filestore_array_uri: Str,
    buf: Buffer,
    size: usize,
    mime_type: CEnum<tiledb_mime_type_t>,
) -> i32 {
    call(ctx, |context| {
        let array = required(filestore_array_uri, uri_of)?;
        check_memory(&buf)?;
        let mime = MimeType::from_number(mime_type.number())?;
        filestore::import_bytes(context.resources(), &array, buf.get("buf", size as u64)?, mime)
    })
}

/// Returns the schema of an array that suits a file, of which only the size counts.
///
/// @param ctx The TileDB context.
/// @param uri The file; null for a small one.
/// @param array_schema Receives the schema, to be freed with `tiledb_array_schema_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filestore_schema_create(
    ctx: In<tiledb_ctx_t>,
    uri: Str,
    array_schema: OutHandle<tiledb_array_schema_t>,
) -> i32 {
    make(ctx, array_schema, |context| {
        let file = if uri.is_null() { None } else { Some(storage_uri(uri)?) };
        Ok(SchemaObject::owning(filestore::schema(context.resources(), file.as_ref())?))
    })
}

/// Returns the size of the file in a filestore.
///
/// @param ctx The TileDB context.
/// @param filestore_array_uri The array of the filestore.
/// @param size Receives the size in bytes.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filestore_size(ctx: In<tiledb_ctx_t>, filestore_array_uri: Str, size: Out<usize>) -> i32 {
    call(ctx, |context| {
        let array = required(filestore_array_uri, uri_of)?;
        if size.is_null() {
            bail!("C API: Invalid pointer");
        }
        let stored = filestore::size(context.resources(), &array)?;
        size.set(usize::try_from(stored).unwrap_or(usize::MAX))
    })
}

/// Copies the file in a filestore to a URI.
///
/// @param ctx The TileDB context.
/// @param file_uri Where to; a file of that name is replaced.
/// @param filestore_array_uri The array of the filestore.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filestore_uri_export(ctx: In<tiledb_ctx_t>, file_uri: Str, filestore_array_uri: Str) -> i32 {
    call(ctx, |context| {
        let (array, file) = (required(filestore_array_uri, uri_of)?, required(file_uri, storage_uri)?);
        filestore::export_file(context.resources(), &file, &array)
    })
}

/// Stores the file at a URI in a filestore; what was there before is no longer seen. An empty file changes nothing.
///
/// @param ctx The TileDB context.
/// @param filestore_array_uri The array of the filestore.
/// @param file_uri The file.
/// @param mime_type What it is; `TILEDB_MIME_AUTODETECT` for any bytes.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filestore_uri_import(
    ctx: In<tiledb_ctx_t>,
    filestore_array_uri: Str,
    file_uri: Str,
    mime_type: CEnum<tiledb_mime_type_t>,
) -> i32 {
    call(ctx, |context| {
        let (array, file) = (required(filestore_array_uri, uri_of)?, required(file_uri, storage_uri)?);
        let mime = MimeType::from_number(mime_type.number())?;
        filestore::import_file(context.resources(), &array, &file, mime)
    })
}

/// Returns a MIME type from its text.
///
/// @param str The text.
/// @param mime_type Receives the value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_mime_type_from_str(str: Str, mime_type: Out<tiledb_mime_type_t>) -> i32 {
    of_text(str, mime_type)
}

/// Returns the text of a MIME type.
///
/// @param mime_type The value.
/// @param str Receives its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_mime_type_to_str(mime_type: CEnum<tiledb_mime_type_t>, str: OutStr) -> i32 {
    text_of(mime_type, str)
}
