//! C functions of array maintenance: consolidation, vacuum, deletion of fragments, schema evolution.

use std::ffi::c_char;

use super::array_args::{uri_of, uri_to_consolidate, uri_to_vacuum};
use super::boundary::{In, Slice, Str, capi_return_t};
use super::call::call;
use super::handles::{tiledb_array_schema_evolution_t, tiledb_config_t, tiledb_ctx_t};
use tiledb::location::Location;
use tiledb_core::error::bail;

/// Consolidates an array: merges its fragments, or collects their metadata, their commits or the metadata of the array in one
/// file.
///
/// `sm.consolidation.mode` selects what is merged: `fragments` (the default), `fragment_meta`, `commits` or `array_meta`.
/// Consolidation may run beside readers and writers; it takes effect atomically, and a failed or interrupted one leaves the
/// array unchanged. The merged files remain, since readers may have them open, until `tiledb_array_vacuum` removes them.
/// Consolidating fragments rewrites their cells; limit the amount with `sm.consolidation.timestamp_start`, `timestamp_end` and
/// the `step_*` parameters, and the memory with `sm.mem.total_budget`.
///
/// ```c
/// tiledb_array_consolidate(ctx, "my_array", NULL);
/// tiledb_array_vacuum(ctx, "my_array", NULL); // once no reader has the old fragments open
/// ```
///
/// See also `tiledb_array_consolidate_fragments`, `tiledb_consolidation_plan_create_with_mbr`, and for progress and
/// cancellation `tiledb_rs_array_consolidate`.
///
/// @param ctx The TileDB context.
/// @param array_uri The URI of the array.
/// @param config A configuration whose parameters override those of the context; null for those of the context.
///     `sm.consolidation.mode` of the context does not apply if a configuration is passed.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for error, also if the operation was cancelled.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_consolidate(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    config: In<tiledb_config_t>,
) -> capi_return_t {
    call(ctx, |context| {
        let _running = context.running();
        let array = uri_to_consolidate(array_uri)?;
        Location::of(&array).consolidate(&context.resources_with(config)?, &mut |_| Ok(()))
    })
}

/// Consolidates the named fragments of an array into one.
///
/// Use it to carry out a consolidation plan (`tiledb_consolidation_plan_create_with_mbr`); several processes can consolidate
/// different fragments of one array at the same time. The sources remain until `tiledb_array_vacuum`.
///
/// @param ctx The TileDB context.
/// @param array_uri The URI of the array.
/// @param fragment_uris The names of the fragments: the last components of their URIs.
/// @param num_fragments The number of names.
/// @param config A configuration whose parameters override those of the context; null for those of the context.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_consolidate_fragments(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    fragment_uris: Slice<*const c_char>,
    num_fragments: u64,
    config: In<tiledb_config_t>,
) -> capi_return_t {
    call(ctx, |context| {
        let names = fragment_uris.paths("fragment_uris", num_fragments)?;
        let resources = context.resources_with(config)?;
        let uri = uri_of(array_uri)?;
        let _running = context.running();
        Location::of(&uri).consolidate_fragments(&resources, &names, &mut |_| Ok(()))
    })
}

/// Deletes an array with all its fragments, schemas and metadata.
///
/// The deletion is immediate and cannot be undone. Files in the folder that do not belong to the array remain, and with them
/// the folder. A deletion that was interrupted can be repeated. Nothing outside of the folder is deleted: of symbolic links in it
/// only the links.
///
/// @param ctx The TileDB context.
/// @param uri The URI of the array, which no process should have open.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if there is no array, the URI is a symbolic link, or storage fails.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_delete(ctx: In<tiledb_ctx_t>, uri: Str) -> capi_return_t {
    call(ctx, |context| Location::of(&uri_of(uri)?).delete_array(context.resources()))
}

/// Deletes fragments of an array by their URIs. If one of them is not a fragment of the array, none is deleted; the deletion is
/// immediate and cannot be undone.
///
/// @param ctx The TileDB context.
/// @param uri_str The URI of the array.
/// @param fragment_uris The URIs of the fragments.
/// @param num_fragments How many there are, at least one.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_delete_fragments_list(
    ctx: In<tiledb_ctx_t>,
    uri_str: Str,
    fragment_uris: Slice<*const c_char>,
    num_fragments: usize,
) -> capi_return_t {
    call(ctx, |context| {
        if num_fragments == 0 {
            bail!("C API: Failed to delete fragments list; Invalid input number of fragments");
        }
        let names = fragment_uris.paths("fragment_uris", num_fragments as u64)?;
        Location::of(&uri_of(uri_str)?).delete_named_fragments(context.resources(), &names)
    })
}

/// Deletes the fragments of an array that were written entirely within a time window.
///
/// The deletion is immediate, does not depend on the schema or cells, and cannot be undone. To delete cells by value use a
/// query of type `TILEDB_DELETE` instead. If storage fails in between, the fragments that were deleted by then stay deleted.
///
/// @param ctx The TileDB context.
/// @param uri_str The URI of the array.
/// @param timestamp_start The start of the window in milliseconds since 1970-01-01 UTC.
/// @param timestamp_end The end of the window, inclusive.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if there is no array, or storage fails.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_delete_fragments_v2(
    ctx: In<tiledb_ctx_t>,
    uri_str: Str,
    timestamp_start: u64,
    timestamp_end: u64,
) -> capi_return_t {
    call(ctx, |context| {
        Location::of(&uri_of(uri_str)?).delete_fragments(context.resources(), (timestamp_start, timestamp_end))
    })
}

/// Applies a schema evolution to an array: stores a new schema beside the existing ones.
///
/// The array keeps its format version, from 18 on, unless the new schema requires a newer one; if the context sets
/// `sm.write_format_version`, the evolution is rejected if it requires more than that. No cell is rewritten. Fragments written from now on have the new schema; older fragments keep theirs, and their cells read
/// as the fill value of attributes that they lack. Arrays that are open do not see the change until they are opened again. Two
/// concurrent evolutions are not merged: let a single process evolve the schema.
///
/// See also `tiledb_array_schema_evolution_alloc`.
///
/// @param ctx The TileDB context.
/// @param array_uri The URI of the array.
/// @param array_schema_evolution The changes.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if there is no array or the changes do not fit its schema.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_evolve(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    array_schema_evolution: In<tiledb_array_schema_evolution_t>,
) -> capi_return_t {
    call(ctx, |context| {
        let evolution = array_schema_evolution.get()?.snapshot();
        Location::of(&uri_of(array_uri)?).evolve(context.resources(), &evolution)
    })
}

/// Upgrades an array to the current format version, or to that of `sm.write_format_version` if it is set: stores its newest schema
/// again in that version, in which new fragments are then written. Existing fragments are not rewritten. Does nothing if the
/// schema has that version or a newer one.
///
/// @param ctx The TileDB context.
/// @param array_uri The array's URI or path.
/// @param config A configuration whose parameters, such as the encryption key and `sm.write_format_version`, override those of
///     the context; null for those of the context.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_upgrade_version(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    config: In<tiledb_config_t>,
) -> capi_return_t {
    call(ctx, |context| {
        let resources = context.resources_with(config)?;
        Location::of(&uri_of(array_uri)?).upgrade(&resources)
    })
}

/// Removes the files that consolidation has replaced.
///
/// `sm.vacuum.mode` selects which, in the same terms as `sm.consolidation.mode`: consolidated fragments (the default),
/// individual commits, all consolidated fragment metadata but the latest, or array metadata. Vacuuming cannot be undone:
/// readers that have the array open as of an earlier state fail when they read fragments that are gone, and in dense arrays
/// time travel no longer distinguishes the writes that were consolidated. An interrupted vacuum leaves the array readable and
/// can be repeated.
///
/// See also `tiledb_rs_array_vacuum_files` for a dry run and `tiledb_rs_array_vacuum` for progress and cancellation.
///
/// @param ctx The TileDB context.
/// @param array_uri The URI of the array. No process should be reading fragments that were consolidated.
/// @param config A configuration whose parameters override those of the context; null for those of the context.
///     `sm.vacuum.mode` of the context does not apply if a configuration is passed.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for error, also if the operation was cancelled.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_vacuum(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    config: In<tiledb_config_t>,
) -> capi_return_t {
    call(ctx, |context| {
        let _running = context.running();
        Location::of(&uri_to_vacuum(array_uri)?).vacuum(&context.resources_with(config)?, None)
    })
}
