//! C functions about the readers of an array: `tiledb_rs_array_compatibility` and `tiledb_rs_array_downgrade`, declared in
//! `tiledb/tiledb_rs.h`.

use super::array_args::stored_uri;
use super::boundary::{Buffer, In, Out, OutHandle, Str, capi_return_t};
use super::call::call;
use super::callbacks::tiledb_rs_progress_callback_t;
use super::handles::{tiledb_ctx_t, tiledb_string_t};
use super::string::Text;
use super::watched::{CallbackError, UserData};
use tiledb::maintenance::{compatibility, downgrade_with};
use tiledb_core::error::bail;

/// Determines which libtiledb releases can read an array, and why.
///
/// ```c
/// uint32_t version, required;
/// tiledb_string_t *readers = NULL;
/// if (tiledb_rs_array_compatibility(ctx, "my_array", &version, &required, &readers) == TILEDB_OK) {
///   const char *text;
///   size_t length;
///   tiledb_string_view(readers, &text, &length);
///   printf("%.*s\n", (int)length, text);
///   tiledb_string_free(&readers);
/// }
/// ```
///
/// @param ctx The context.
/// @param uri The URI of the array; not of one on a TileDB server.
/// @param version Receives the newest format version of its schemas and fragments, those of dimension labels included.
/// @param required Receives the oldest format version in which this library can write the array
///     (`tiledb_rs_array_downgrade`): that of its newest feature, at least 18.
/// @param readers Receives the text: the releases in the first line, such as `libtiledb 2.25 and later`, then a line for each
///     reason. Free it with `tiledb_string_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_array_compatibility(
    ctx: In<tiledb_ctx_t>,
    uri: Str,
    version: Out<u32>,
    required: Out<u32>,
    readers: OutHandle<tiledb_string_t>,
) -> capi_return_t {
    call(ctx, |context| {
        version.check()?;
        required.check()?;
        readers.check()?;
        let uri = stored_uri("tiledb_rs_array_compatibility", uri)?;
        let found = compatibility(context.tiledb(), uri.as_str()).map_err(tiledb::Error::into_engine)?;
        readers.set(Text::new(found.to_string()))?;
        version.set(found.format_version)?;
        required.set(found.required_version)
    })
}

/// Copies an array into a new one of an older format version, for libraries that do not know the version of the array.
///
/// Copies the newest schema, the fragments that readers see at any time, with their timestamps, the array metadata, and the arrays
/// of dimension labels. Deleted cells remain deleted as of the timestamps of their deletes. The array itself is not changed; it may
/// be written to, consolidated and vacuumed meanwhile. The copy is no array before it is complete. If the call fails, what was
/// written is removed; what a call leaves that is killed, or that cannot remove it, is removed by the next one.
///
/// @param ctx The context; the copy is encrypted like the array.
/// @param uri The URI of the array; not of one on a TileDB server.
/// @param target The URI of the copy, where nothing may exist.
/// @param version The format version of the copy, 18 to 23; `tiledb_rs_array_compatibility` reports the oldest one that can
///     express the array.
/// @param callback Called on this thread with the number of copied cells and of all cells after every few megabytes. Must not
///     be null.
/// @param data Passed to the callback.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for error: if the version cannot express a feature of the array, which the
///     message names with the version it requires, and also if the callback stopped it.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_array_downgrade(
    ctx: In<tiledb_ctx_t>,
    uri: Str,
    target: Str,
    version: u32,
    callback: tiledb_rs_progress_callback_t,
    data: Buffer,
) -> capi_return_t {
    const NAME: &str = "tiledb_rs_array_downgrade";
    call(ctx, |context| {
        if callback.is_none() {
            bail!("{NAME}: the callback is null; pass a function");
        }
        let (from, to) = (stored_uri(NAME, uri)?, stored_uri(NAME, target)?);
        let data = UserData::new(data);
        let failure = CallbackError::default();
        let on_progress = |progress| failure.report(NAME, callback, data, progress, "cells");
        let result = downgrade_with(context.tiledb(), from.as_str(), to.as_str(), version, on_progress);
        failure.result(result)
    })
}
