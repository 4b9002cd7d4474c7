//! C function that copies arrays and groups between stores, `tiledb_rs_object_copy`, declared in `tiledb/tiledb_rs.h`.

use super::boundary::{Buffer, In, OutHandle, Str, capi_return_t};
use super::call::call;
use super::callbacks::tiledb_rs_progress_callback_t;
use super::handles::{tiledb_ctx_t, tiledb_string_t};
use super::string::Text;
use super::watched::{CallbackError, UserData};
use tiledb::interop;

/// Copies an array, or a group with all that its folder contains, to any other place, such as from a disk to an object store.
///
/// Files are copied as they are, with all fragments: time travel works as before, and encrypted arrays need no key. The array may be
/// written to meanwhile: the copy is its state at one moment. A reader of the target sees a fragment as a whole or not at all. A
/// second call resumes an interrupted copy, or adds what was written since. Members of groups that lie in the source lead into the
/// copy; others remain as they are.
///
/// ```c
/// tiledb_string_t *summary = NULL;
/// const char *text = NULL;
/// size_t length = 0;
/// if (tiledb_rs_object_copy(ctx, "my_array", "s3://bucket/my_array", 0, 0, NULL, NULL, &summary) == TILEDB_OK) {
///   tiledb_string_view(summary, &text, &length);
///   printf("%s\n", text); // {"already_there":0,"arrays":1,"bytes":734,"files":6,...}
///   tiledb_string_free(&summary);
/// }
/// ```
///
/// @param ctx The TileDB context.
/// @param from The URI of the array or group; not of one on a TileDB server.
/// @param to The URI of the copy: a place where nothing is, or an earlier copy.
/// @param check Unless 0, the contents of files that the target has are compared, and files that differ are copied again; otherwise
///     files of the same size are taken for equal, except those of schemas.
/// @param dry_run Unless 0, nothing is copied; the summary tells what would be.
/// @param callback Called with the number of bytes that were copied or compared and of all, on threads of the copy, by one at a time.
///     May be null.
/// @param data Passed to the callback.
/// @param summary Receives what was copied as JSON: `arrays`, `groups`, `files`, `bytes`, `already_there` (files), `differing` (files,
///     with `check`), `is_snapshot` (whether the copy has all commits that there were at one moment), `rewritten_groups` (whose members
///     lead into the copy), `members_elsewhere` (not copied), `aborted_uploads` (of killed copies; null if they cannot be listed). Free
///     it with `tiledb_string_free`.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for error, also if it was stopped or cancelled. A second call continues.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_object_copy(
    ctx: In<tiledb_ctx_t>,
    from: Str,
    to: Str,
    check: u8,
    dry_run: u8,
    callback: tiledb_rs_progress_callback_t,
    data: Buffer,
    summary: OutHandle<tiledb_string_t>,
) -> capi_return_t {
    const NAME: &str = "tiledb_rs_object_copy";
    call(ctx, |context| {
        summary.check()?;
        let (from, to) = (from.path("from")?, to.path("to")?);
        let data = UserData::new(data);
        let failure = CallbackError::default();
        let on_progress = |progress| failure.report(NAME, callback, data, progress, "bytes");
        let ends = (from.as_ref(), to.as_ref());
        let copied = interop::copy_object(context.tiledb(), ends, (check != 0, dry_run != 0), on_progress);
        summary.set(Text::of_path(&failure.result(copied)?))
    })
}
