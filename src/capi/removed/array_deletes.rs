//! Deletion of arrays and fragments through an open array.

use crate::array_args::uri_of;
use crate::boundary::{In, Str, capi_return_t};
use crate::call::call;
use crate::handles::{tiledb_array_t, tiledb_ctx_t};
use tiledb::location::Location;
use tiledb_array::array::Array;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::QueryType;

/// Deletes an array with all its fragments, schemas and metadata, and closes the handle.
///
/// The deletion is immediate and cannot be undone. Files in the folder that do not belong to the array remain, and with them
/// the folder.
///
/// Removed in 2.26; use `tiledb_array_delete`, which needs no open array.
///
/// @param ctx The TileDB context.
/// @param array An array, open for exclusive modification (`TILEDB_MODIFY_EXCLUSIVE`). After success it is closed; free it with
///     `tiledb_array_free`.
/// @param uri The URI of the array to delete, usually that of `array`.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if `array` is not open for exclusive modification, there is no array at the
///     URI, or storage fails.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_delete_array(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    uri: Str,
) -> capi_return_t {
    call(ctx, |context| {
        let array = array.get()?;
        check_exclusive(&array)?;
        Location::of(&uri_of(uri)?).delete_array(context.resources())?;
        array.close()
    })
}

/// Deletes the fragments of an array that were written entirely within a time window.
///
/// The deletion is immediate and cannot be undone. The handle stays open and does not see the deletion until it is opened again.
///
/// Removed in 2.26; use `tiledb_array_delete_fragments_v2`, which needs no open array.
///
/// @param ctx The TileDB context.
/// @param array An array, open for exclusive modification (`TILEDB_MODIFY_EXCLUSIVE`).
/// @param uri The URI of the array with the fragments, usually that of `array`.
/// @param timestamp_start The start of the window in milliseconds since 1970-01-01 UTC.
/// @param timestamp_end The end of the window, inclusive.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if `array` is not open for exclusive modification, there is no array at the
///     URI, or storage fails.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_delete_fragments(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    uri: Str,
    timestamp_start: u64,
    timestamp_end: u64,
) -> i32 {
    call(ctx, |context| {
        check_exclusive(&*array.get()?)?;
        Location::of(&uri_of(uri)?).delete_fragments(context.resources(), (timestamp_start, timestamp_end))
    })
}

/// Refuses arrays that are not open for exclusive modification.
fn check_exclusive(array: &Array) -> Result<()> {
    if array.opened().is_some_and(|open| open.query_type() == QueryType::ModifyExclusive) {
        return Ok(());
    }
    bail!(
        "[TileDB::Array] Error: Array: [ensure_array_is_valid_for_delete] Query type must be MODIFY_EXCLUSIVE to perform a \
         delete. Open '{}' with TILEDB_MODIFY_EXCLUSIVE",
        array.uri()
    )
}
