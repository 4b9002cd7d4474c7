//! C function that rewrites an array with other filters, `tiledb_rs_array_rewrite`, declared in `tiledb/tiledb_rs.h`.
#![allow(non_camel_case_types, reason = "the names are C's own")]

use super::array_args::stored_uri;
use super::boundary::{Buffer, CEnum, In, Str, capi_return_t};
use super::call::call;
use super::callbacks::tiledb_rs_progress_callback_t;
use super::handles::{tiledb_array_schema_t, tiledb_ctx_t};
use super::watched::{CallbackError, UserData};
use tiledb::interop;
use tiledb::maintenance::Rewrite;
use tiledb_core::error::{Result, bail};

/// What becomes of the fragments of a rewritten array.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_rs_rewritten_fragments_t {
    /// Each fragment is rewritten with its timestamps: readers at earlier times see the same.
    TILEDB_RS_FRAGMENTS_PRESERVED = 0,
    /// All fragments become one, which has the cells that a reader sees now.
    TILEDB_RS_FRAGMENTS_MERGED = 1,
}

/// Copies an array into a new one with other filters or another capacity, and compares all cells of the two.
///
/// Copies the newest schema, the fragments that readers see at any time, the array metadata, and the arrays of dimension labels; the
/// copy has the newest format version, or that of `sm.write_format_version`. The array itself is not changed; it may be written to,
/// consolidated and vacuumed meanwhile. A rewrite that fails or is killed leaves a target that is no array yet: resume it, or delete it
/// with `tiledb_array_delete`.
///
/// ```c
/// tiledb_array_schema_t *fast = NULL;
/// if (tiledb_rs_schema_advise(ctx, "my_array", NULL, TILEDB_RS_FASTEST, NULL, NULL, &fast) == TILEDB_OK)
///   tiledb_rs_array_rewrite(ctx, "my_array", "my_array_fast", fast, TILEDB_RS_FRAGMENTS_PRESERVED, 0, NULL, NULL);
/// tiledb_array_schema_free(&fast);
/// ```
///
/// @param ctx The context; the copy is encrypted like the array.
/// @param uri The URI of the array; not of one on a TileDB server.
/// @param target The URI of the copy.
/// @param array_schema The schema whose filters and capacity the copy gets, such as that of `tiledb_rs_schema_advise`; it must not
///     differ from that of the array in anything else. Null for those of the array.
/// @param fragments What becomes of the fragments.
/// @param resume 0: nothing may exist at `target`. Otherwise what is there is the result of an earlier call with the same
///     arguments; its complete fragments are not written again, and those that the array has no more are removed.
/// @param callback Called on this thread with the number of cells that were written or compared, and the number of cells to be
///     written and compared, after every few megabytes. May be null.
/// @param data Passed to the callback.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for error: also if cells differ or the callback stopped it.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_array_rewrite(
    ctx: In<tiledb_ctx_t>,
    uri: Str,
    target: Str,
    array_schema: In<tiledb_array_schema_t>,
    fragments: CEnum<tiledb_rs_rewritten_fragments_t>,
    resume: u8,
    callback: tiledb_rs_progress_callback_t,
    data: Buffer,
) -> capi_return_t {
    const NAME: &str = "tiledb_rs_array_rewrite";
    call(ctx, |context| {
        let (from, to) = (stored_uri(NAME, uri)?, stored_uri(NAME, target)?);
        let merge = merges(fragments.number())?;
        let data = UserData::new(data);
        let failure = CallbackError::default();
        let mut rewrite =
            Rewrite::new().on_progress(|progress| failure.report(NAME, callback, data, progress, "cells"));
        if !array_schema.is_null() {
            rewrite = rewrite.schema(&interop::schema(array_schema.get()?.snapshot()));
        }
        if merge {
            rewrite = rewrite.merge();
        }
        if resume != 0 {
            rewrite = rewrite.resume();
        }
        let result = rewrite.run(context.tiledb(), from.as_str(), to.as_str());
        failure.result(result)
    })
}

fn merges(number: u32) -> Result<bool> {
    use tiledb_rs_rewritten_fragments_t::*;
    let known = [(TILEDB_RS_FRAGMENTS_PRESERVED, false), (TILEDB_RS_FRAGMENTS_MERGED, true)];
    match known.into_iter().find(|(one, _)| *one as u32 == number) {
        Some((_, merges)) => Ok(merges),
        None => {
            bail!("tiledb_rs_array_rewrite: the fragments are {number}; pass a tiledb_rs_rewritten_fragments_t, 0 or 1")
        }
    }
}
