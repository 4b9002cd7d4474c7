//! Extensions of libtiledb's C interface, declared in `tiledb/tiledb_rs.h`.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use super::array_args::{passed_config, stored_uri, uri_of};
use super::boundary::{Buffer, In, InConst, Out, OutHandle, Slice, Str, call_user, capi_return_t, live_handles};
use super::call::{call, goes_on};
use super::callbacks::{
    tiledb_rs_progress_callback_t, tiledb_rs_step_callback_t, tiledb_rs_tile_callback_t, tiledb_rs_tile_match_t,
    tiledb_rs_uri_callback_t,
};
use super::handles::{
    tiledb_array_t, tiledb_config_t, tiledb_ctx_t, tiledb_query_condition_t, tiledb_subarray_t, tiledb_vfs_t,
};
use super::subarray_object::SubarrayObject;
use super::vfs::storage_uri;
use super::watched::{CallbackError, UserData};
use tiledb::interop;
use tiledb::location::Location;
use tiledb::maintenance::{Consolidation, Vacuum, orphans, sweep_orphans, sweep_orphans_with};
use tiledb_array::array::OpenArray;
use tiledb_array::condition::Predicate;
use tiledb_cells::Subarray;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::Name;
use tiledb_query::{TileVerdict, part_count, partition, tiles};

/// Returns the number of handles of all types that are allocated in this process: 0 after everything has been freed.
///
/// Use it in tests to detect leaks. The symbol also identifies this library: libtiledb does not export it.
///
/// @return The number of live handles.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_live_handles() -> u64 {
    live_handles() as u64
}

/// Consolidates an array like `tiledb_array_consolidate`, with a progress callback that can stop it.
///
/// `tiledb_ctx_cancel_tasks` on another thread cancels it too. In either case the step that was interrupted leaves no trace,
/// and the cells of the array are the same as before.
///
/// ```c
/// static int32_t show(uint64_t done, uint64_t total, void *data) {
///   printf("%llu of %llu cells\n", (unsigned long long)done, (unsigned long long)total);
///   return TILEDB_RS_CONTINUE;
/// }
/// // ...
/// tiledb_rs_array_consolidate(ctx, "my_array", NULL, show, NULL);
/// ```
///
/// @param ctx The context.
/// @param uri The URI of the array, which should not be open for writing.
/// @param config A configuration whose parameters override those of the context, as for `tiledb_array_consolidate`; null for
///     those of the context.
/// @param callback Called on this thread after every few megabytes of cells, and with `done` equal to `total` before each
///     consolidated fragment is committed; `total` is the number of cells to consolidate. Not called in modes other than
///     `fragments`, nor for arrays on a server. Must not be null.
/// @param data Passed to the callback.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for error, also if it was stopped or cancelled.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_array_consolidate(
    ctx: In<tiledb_ctx_t>,
    uri: Str,
    config: In<tiledb_config_t>,
    callback: tiledb_rs_progress_callback_t,
    data: Buffer,
) -> capi_return_t {
    call(ctx, |context| {
        let Some(callback) = callback else {
            bail!("tiledb_rs_array_consolidate: the callback is null; pass a function")
        };
        let resources = context.resources_with(config)?;
        let uri = uri_of(uri)?;
        let _running = context.running();
        Location::of(&uri).consolidate(&resources, &mut |merged| {
            let (cells, total) = (merged.cells, merged.total);
            let answer = call_user(|| callback(cells, total, data.as_ptr().cast()))?;
            goes_on("tiledb_rs_array_consolidate", answer, format_args!("after {cells} of {total} cells"))
        })
    })
}

/// Previews a consolidation: reports, step by step, what `tiledb_array_consolidate` would merge with this configuration, and
/// changes nothing.
///
/// In mode `fragments` there may be several steps. The first step is exact: it is what a consolidation would merge now. Later
/// steps assume that a merged fragment has the size of the cells of its sources and the metadata of one of them.
///
/// @param ctx The context.
/// @param uri The URI of the array.
/// @param config A configuration whose parameters override those of the context, as for `tiledb_array_consolidate`; null for
///     those of the context.
/// @param callback Called for each source (fragment, fragment footer, commit or metadata file), in the order of time, with: the
///     number of the step, from 1; the URI of the source, or null if an earlier step creates it; the number of that step,
///     otherwise 0; its number of cells (0 for commits and metadata); its size in bytes. At the end of each step it is called
///     with a null URI, the number of that step as `made_by`, the maximum number of cells in the result, and the total size of
///     the sources. Not called if there is nothing to merge. Must not be null.
/// @param data Passed to the callback.
/// @return `TILEDB_OK` for success, also if the callback stopped; `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_array_consolidate_steps(
    ctx: In<tiledb_ctx_t>,
    uri: Str,
    config: In<tiledb_config_t>,
    callback: tiledb_rs_step_callback_t,
    data: Buffer,
) -> capi_return_t {
    call(ctx, |context| {
        let Some(callback) = callback else {
            bail!("tiledb_rs_array_consolidate_steps: the callback is null; pass a function")
        };
        let uri = stored_uri("tiledb_rs_array_consolidate_steps", uri)?;
        let report = |step: u64, uri: Option<&str>, made_by: u64, cells: u64, bytes: u64| {
            let uri = uri.map(Name::of_path);
            let place = uri.as_ref().map_or(std::ptr::null(), |uri| uri.as_c_str().as_ptr());
            match call_user(|| callback(step, place, made_by, cells, bytes, data.as_ptr().cast()))? {
                -1 => bail!("tiledb_rs_array_consolidate_steps: the callback returned an error in step {step}"),
                answer => Ok(answer == 1),
            }
        };
        let mut consolidation = Consolidation::new().configured_mode();
        if let Some(config) = passed_config(config)? {
            consolidation = consolidation.config(&config);
        }
        let steps = consolidation.preview(context.tiledb(), uri.as_str()).map_err(tiledb::Error::into_engine)?;
        for (number, step) in (1..).zip(steps) {
            for source in &step.sources {
                let (uri, made_by) = match &source.origin {
                    Ok(uri) => (Some(uri.as_str()), 0),
                    Err(made_by) => (None, *made_by),
                };
                if !report(number, uri, made_by, source.cells, source.bytes)? {
                    return Ok(());
                }
            }
            if !report(number, None, number, step.cells, step.bytes)? {
                return Ok(());
            }
        }
        Ok(())
    })
}

/// Lists the files that `tiledb_array_vacuum` would remove with this configuration, and removes nothing.
///
/// @param ctx The context.
/// @param uri The URI of the array.
/// @param config A configuration whose parameters override those of the context, as for `tiledb_array_vacuum`; null for those
///     of the context.
/// @param callback Called with the URI of each file, or of a folder that would be removed with its contents. Some may not exist
///     any more. Must not be null.
/// @param data Passed to the callback.
/// @return `TILEDB_OK` for success, also if the callback stopped; `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_array_vacuum_files(
    ctx: In<tiledb_ctx_t>,
    uri: Str,
    config: In<tiledb_config_t>,
    callback: tiledb_rs_uri_callback_t,
    data: Buffer,
) -> capi_return_t {
    call(ctx, |context| {
        let Some(callback) = callback else {
            bail!("tiledb_rs_array_vacuum_files: the callback is null; pass a function")
        };
        let uri = stored_uri("tiledb_rs_array_vacuum_files", uri)?;
        let mut vacuum = Vacuum::new().configured_mode();
        if let Some(config) = passed_config(config)? {
            vacuum = vacuum.config(&config);
        }
        let files = vacuum.preview(context.tiledb(), uri.as_str()).map_err(tiledb::Error::into_engine)?;
        list("tiledb_rs_array_vacuum_files", &files, callback, data)
    })
}

/// Calls a function of the user with each URI until it stops.
fn list(
    function: &str,
    uris: &[String],
    callback: extern "C-unwind" fn(*const c_char, *mut c_void) -> i32,
    data: Buffer,
) -> Result<()> {
    for uri in uris {
        match call_user(|| callback(Name::of_path(uri).as_c_str().as_ptr(), data.as_ptr().cast()))? {
            1 => {}
            -1 => bail!("{function}: the callback returned an error at '{uri}'"),
            _ => break,
        }
    }
    Ok(())
}

/// Vacuums an array like `tiledb_array_vacuum`, with a progress callback that can stop it.
///
/// `tiledb_ctx_cancel_tasks` on another thread cancels it too. The array stays readable wherever it is stopped, and a second
/// vacuum removes the rest.
///
/// @param ctx The context.
/// @param uri The URI of the array. No process should be reading fragments that were consolidated.
/// @param config A configuration whose parameters override those of the context, as for `tiledb_array_vacuum`; null for those
///     of the context.
/// @param callback Called on this thread after files have been removed, with the number of removed files and of all files to
///     remove (a fragment folder counts as one). Not called if there is nothing to remove, nor for arrays on a server. Must not
///     be null.
/// @param data Passed to the callback.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for error, also if it was stopped or cancelled.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_array_vacuum(
    ctx: In<tiledb_ctx_t>,
    uri: Str,
    config: In<tiledb_config_t>,
    callback: tiledb_rs_progress_callback_t,
    data: Buffer,
) -> capi_return_t {
    call(ctx, |context| {
        let Some(callback) = callback else { bail!("tiledb_rs_array_vacuum: the callback is null; pass a function") };
        let resources = context.resources_with(config)?;
        let uri = uri_of(uri)?;
        let _running = context.running();
        let on_removed = &mut |files, total| {
            let answer = call_user(|| callback(files, total, data.as_ptr().cast()))?;
            goes_on("tiledb_rs_array_vacuum", answer, format_args!("after {files} of {total} files"))
        };
        Location::of(&uri).vacuum(&resources, Some(on_removed))
    })
}

/// Lists the orphaned fragments of an array and of its dimension labels: folders of writers that were killed before they
/// committed.
///
/// No reader sees such folders, but they use space. Fragments of writers that are still active are listed too.
///
/// @param ctx The context.
/// @param uri The URI of the array.
/// @param callback Called with the URI of each folder. Must not be null.
/// @param data Passed to the callback.
/// @return `TILEDB_OK` for success, also if the callback stopped; `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_array_orphans(
    ctx: In<tiledb_ctx_t>,
    uri: Str,
    callback: tiledb_rs_uri_callback_t,
    data: Buffer,
) -> capi_return_t {
    call(ctx, |context| {
        let Some(callback) = callback else { bail!("tiledb_rs_array_orphans: the callback is null; pass a function") };
        let uri = stored_uri("tiledb_rs_array_orphans", uri)?;
        let orphans = orphans(context.tiledb(), uri.as_str()).map_err(tiledb::Error::into_engine)?;
        list("tiledb_rs_array_orphans", &orphans, callback, data)
    })
}

/// Removes the orphaned fragments that `tiledb_rs_array_orphans` lists.
///
/// No writer may be active in the array. While this process writes or consolidates it, on another thread or around a callback,
/// the call fails; writers in other processes cannot be detected. `tiledb_ctx_cancel_tasks` on another thread cancels it.
///
/// @param ctx The context.
/// @param uri The URI of the array.
/// @param count Receives the number of folders that were removed.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_array_sweep(ctx: In<tiledb_ctx_t>, uri: Str, count: Out<u64>) -> capi_return_t {
    call(ctx, |context| {
        let uri = stored_uri("tiledb_rs_array_sweep", uri)?;
        count.set(sweep_orphans(context.tiledb(), uri.as_str()).map_err(tiledb::Error::into_engine)? as u64)
    })
}

/// Removes orphaned fragments like `tiledb_rs_array_sweep`, with a progress callback that can stop it.
///
/// @param ctx The context.
/// @param uri The URI of the array.
/// @param callback Called on this thread after each folder is removed, in the order of `tiledb_rs_array_orphans`, with the
///     number of removed folders and of all folders. The array stays readable wherever it is stopped. Must not be null.
/// @param data Passed to the callback.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for error, also if it was stopped or cancelled.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_array_sweep_watched(
    ctx: In<tiledb_ctx_t>,
    uri: Str,
    callback: tiledb_rs_progress_callback_t,
    data: Buffer,
) -> capi_return_t {
    const NAME: &str = "tiledb_rs_array_sweep_watched";
    call(ctx, |context| {
        if callback.is_none() {
            bail!("{NAME}: the callback is null; pass a function");
        }
        let uri = stored_uri(NAME, uri)?;
        let data = UserData::new(data);
        let failure = CallbackError::default();
        let on_progress = |progress| failure.report(NAME, callback, data, progress, "folders");
        let result = sweep_orphans_with(context.tiledb(), uri.as_str(), on_progress);
        failure.result(result).map(drop)
    })
}

/// Aborts the incomplete multipart uploads below a folder of an S3 store.
///
/// Such uploads are left by processes that were killed; the store retains them, and charges for them, until they are aborted.
/// No writer may be active there: while this process writes an array below the folder the call fails. Other storage discards
/// incomplete uploads itself; there the call does nothing.
///
/// @param ctx The context.
/// @param vfs The virtual file system.
/// @param uri The folder.
/// @param count Receives the number of uploads that were aborted.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_vfs_sweep_uploads(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    uri: Str,
    count: Out<u64>,
) -> capi_return_t {
    call(ctx, |context| {
        let vfs = interop::vfs(context.tiledb(), &vfs.get()?.vfs);
        count.check()?;
        count.set(vfs.abort_uploads(storage_uri(uri)?.as_str()).map_err(tiledb::Error::into_engine)?)
    })
}

/// Partitions a subarray into parts with about the same number of cells each, for parallel or distributed reads.
///
/// The parts are disjoint and together select every cell of the subarray. Only metadata is read: R-trees, tile grids, tile
/// statistics. In dense arrays every cell of the subarray counts; with a condition, only those of existing tiles that it does
/// not exclude. All processes that open the array at the returned timestamp get the same parts. If a string dimension has no
/// range, the last part ends at the greatest string of a fragment.
///
/// ```c
/// tiledb_subarray_t *parts[8] = {NULL};
/// uint64_t cells[8], count = 0, timestamp = 0;
/// tiledb_rs_subarray_partition(ctx, array, subarray, NULL, 8, parts, cells, &count, &timestamp);
/// for (uint64_t i = 0; i < count; i++)
///   tiledb_subarray_free(&parts[i]); // or hand it to a worker
/// ```
///
/// See also `tiledb_rs_subarray_part_count`, which computes the number of parts from a size in bytes.
///
/// @param ctx The context.
/// @param array The array, open for reading.
/// @param subarray The subarray; null for the whole array.
/// @param condition The condition of the reads: tiles that it excludes by their statistics do not count. The parts must be read
///     with it. Null for none.
/// @param wanted The number of parts requested.
/// @param parts Receives the parts: an array of `wanted` handles, each to be freed with `tiledb_subarray_free`.
/// @param cells Receives the estimated number of cells of each part: an array of `wanted` numbers; null if not needed.
/// @param count Receives the number of parts, at least 1; less than `wanted` if there is not enough to divide.
/// @param timestamp Receives the end timestamp at which the array is open, in milliseconds since 1970; null if not needed.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_subarray_partition(
    ctx: In<tiledb_ctx_t>,
    array: InConst<tiledb_array_t>,
    subarray: InConst<tiledb_subarray_t>,
    condition: InConst<tiledb_query_condition_t>,
    wanted: u64,
    parts: OutHandle<tiledb_subarray_t>,
    cells: Out<u64>,
    count: Out<u64>,
    timestamp: Out<u64>,
) -> capi_return_t {
    call(ctx, |context| {
        parts.check()?;
        count.check()?;
        let asked = Asked::new("tiledb_rs_subarray_partition", array, subarray, condition)?;
        let _running = context.running();
        let found = partition(&asked.array, &asked.subarray, asked.condition.as_ref(), wanted)?;
        count.set(found.len() as u64)?;
        timestamp.set_if_wanted(asked.array.timestamps().1);
        for (place, part) in found.into_iter().enumerate() {
            cells.nth(place).set_if_wanted(part.cells);
            parts.nth(place).set(SubarrayObject::new(part.subarray))?;
        }
        Ok(())
    })
}

/// Computes how many parts `tiledb_rs_subarray_partition` has to create so that the results of each have about a given size.
///
/// The size counts coordinates, values, offsets and validity. The length of variable-length cells is estimated from up to 64
/// fragments.
///
/// @param ctx The context.
/// @param array The array, open for reading.
/// @param subarray The subarray; null for the whole array.
/// @param condition The condition of the reads; null for none. All cells of tiles that it does not exclude by their statistics
///     count.
/// @param fields The names of the dimensions and attributes to be read; null for all attributes, and in sparse arrays all
///     dimensions.
/// @param field_num The number of names.
/// @param bytes The desired size of the results of a part in bytes.
/// @param wanted Receives the number of parts, at least 1.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_subarray_part_count(
    ctx: In<tiledb_ctx_t>,
    array: InConst<tiledb_array_t>,
    subarray: InConst<tiledb_subarray_t>,
    condition: InConst<tiledb_query_condition_t>,
    fields: Slice<*const c_char>,
    field_num: u64,
    bytes: u64,
    wanted: Out<u64>,
) -> capi_return_t {
    call(ctx, |context| {
        wanted.check()?;
        let asked = Asked::new("tiledb_rs_subarray_part_count", array, subarray, condition)?;
        let names = match fields.is_null() {
            true => None,
            false => Some(fields.paths("fields", field_num)?),
        };
        let _running = context.running();
        wanted.set(part_count(&asked.array, &asked.subarray, asked.condition.as_ref(), names.as_deref(), bytes)?)
    })
}

/// Lists the tiles that a read considers, fragment by fragment, with what their statistics tell about the condition (tile
/// pruning).
///
/// Only metadata is read: tiles that intersect the ranges according to their bounding boxes or the tile grid, and the
/// statistics of each. Cells that were deleted or overwritten are not taken into account.
///
/// @param ctx The context.
/// @param array The array, open for reading.
/// @param subarray The subarray; null for the whole array.
/// @param condition The condition; null for none.
/// @param callback Called with the URI of the fragment, the number of the tile in it, and the verdict, a
///     `tiledb_rs_tile_match_t`. Must not be null.
/// @param data Passed to the callback.
/// @return `TILEDB_OK` for success, also if the callback stopped; `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_subarray_tiles(
    ctx: In<tiledb_ctx_t>,
    array: InConst<tiledb_array_t>,
    subarray: InConst<tiledb_subarray_t>,
    condition: InConst<tiledb_query_condition_t>,
    callback: tiledb_rs_tile_callback_t,
    data: Buffer,
) -> capi_return_t {
    call(ctx, |context| {
        let Some(callback) = callback else { bail!("tiledb_rs_subarray_tiles: the callback is null; pass a function") };
        let asked = Asked::new("tiledb_rs_subarray_tiles", array, subarray, condition)?;
        let _running = context.running();
        let mut name: Option<Name> = None;
        tiles(&asked.array, &asked.subarray, asked.condition.as_ref(), &mut |fragment, tile, look| {
            let uri = fragment.uri();
            let own = uri.as_str();
            let name = match name.take() {
                Some(same) if *same == *own => name.insert(same),
                _ => name.insert(Name::of_path(own)),
            };
            match call_user(|| callback(name.as_c_str().as_ptr(), tile, match_of(look), data.as_ptr().cast()))? {
                -1 => bail!("tiledb_rs_subarray_tiles: the callback returned an error at tile {tile} of '{own}'"),
                answer => Ok(answer == 1),
            }
        })
    })
}

/// What C sees of the verdict on a tile.
fn match_of(look: TileVerdict) -> i32 {
    (match look {
        TileVerdict::Excluded => tiledb_rs_tile_match_t::TILEDB_RS_TILE_NONE,
        TileVerdict::Some => tiledb_rs_tile_match_t::TILEDB_RS_TILE_SOME,
        TileVerdict::All => tiledb_rs_tile_match_t::TILEDB_RS_TILE_ALL,
    }) as i32
}

/// The validated arguments of a request about a subarray.
struct Asked {
    array: Arc<OpenArray>,
    subarray: Subarray,
    condition: Option<Predicate>,
}

impl Asked {
    fn new(
        function: &str,
        array: InConst<tiledb_array_t>,
        subarray: InConst<tiledb_subarray_t>,
        condition: InConst<tiledb_query_condition_t>,
    ) -> Result<Asked> {
        let Some(array) = array.get()?.opened() else {
            bail!("{function}: the array is not open; open it with TILEDB_READ")
        };
        let subarray = match subarray.is_null() {
            true => Subarray::new(array.schema()),
            false => subarray.get()?.snapshot(),
        };
        let condition = match condition.is_null() {
            true => None,
            false => match Option::clone(&condition.get()?.snapshot()) {
                Some(condition) => Some(condition.predicate()?),
                None => bail!("{function}: the condition is empty; pass null for none"),
            },
        };
        Ok(Asked { array, subarray, condition })
    }
}
