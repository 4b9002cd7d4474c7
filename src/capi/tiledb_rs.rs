//! What this library offers beyond the original's interface; declared in `tiledb/tiledb_rs.h`.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use super::array_args::{stored_uri, uri_of};
use super::boundary::{Buffer, In, InConst, Out, OutHandle, Slice, Str, call_user, capi_return_t, live_handles};
use super::call::{call, goes_on};
use super::handles::{
    tiledb_array_t, tiledb_config_t, tiledb_ctx_t, tiledb_query_condition_t, tiledb_subarray_t, tiledb_vfs_t,
};
use super::subarray_object::{SubarrayObject, length};
use super::vfs::storage_uri;
use tiledb_array::array::OpenArray;
use tiledb_array::condition::Predicate;
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::Name;
use tiledb_maintain::maintain::{self, MergedCells, SourceOrigin};
use tiledb_query::{Subarray, part_count, partition, tiles};
use tiledb_rest::arrays;
use tiledb_storage::vfs::Uri;

/// Tells how many handles of all types live in this process: 0 after everything was freed.
///
/// @return The number of live handles.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_live_handles() -> u64 {
    live_handles() as u64
}

/// Consolidates an array as `tiledb_array_consolidate` does and tells how far it has come, so that a program can show it
/// or stop it. `tiledb_ctx_cancel_tasks` on another thread stops it too.
///
/// @param ctx The context.
/// @param uri The URI of the array, which should not be open for writing.
/// @param config The configuration, with the `sm.consolidation.*` parameters and the key, which is the context's where it
///     has none; null for the context's.
/// @param callback Called in this thread when some megabytes of cells are merged, and with `cells` equal to `total`
///     before the merged fragment is there for readers, for each fragment that is made; `total` counts the cells that
///     are merged. It returns 1 to go on, 0 to stop, -1 for an error; the array stays as it is for both. In modes other
///     than `fragments`, and by a server, it is not called.
/// @param data Handed to the callback.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error, also when it was stopped.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_array_consolidate(
    ctx: In<tiledb_ctx_t>,
    uri: Str,
    config: In<tiledb_config_t>,
    callback: Option<extern "C-unwind" fn(u64, u64, *mut c_void) -> i32>,
    data: Buffer,
) -> capi_return_t {
    call(ctx, |context| {
        let Some(callback) = callback else {
            bail!("tiledb_rs_array_consolidate: the callback is null; pass a function")
        };
        let (resources, uri) = (context.resources_with_key(config)?, uri_of(uri)?);
        let _running = context.running();
        arrays::consolidate_watched(&resources, &uri, &mut |MergedCells { cells, total }| {
            let answer = call_user(|| callback(cells, total, data.as_ptr().cast()))?;
            goes_on("tiledb_rs_array_consolidate", answer, format_args!("after {cells} of {total} cells"))
        })
    })
}

/// Tells what `tiledb_array_consolidate` would merge with this configuration, step by step, and does nothing. In the mode
/// `fragments` there may be several steps. What the first one merges is what a consolidation would merge now; the choice of
/// later ones takes a merged fragment to have the bytes of its parts' cells and the metadata of one of them.
///
/// @param ctx The context.
/// @param uri The URI of the array.
/// @param config The configuration, as for `tiledb_array_consolidate`; null for the context's.
/// @param callback Called for each fragment, footer of a fragment, commit or file of metadata that is merged, in the order of
///     time: with the number of the step, from 1 on; its URI, or null where an earlier step makes it, whose number comes
///     next (0 otherwise); its cells (0 for commits and metadata) and its bytes; and `data`. At the end of a step
///     it is called with null, the number of that step itself, the most cells that are there then, and the bytes of all
///     that was merged. It returns 1 to go on, 0 to stop, -1 for an error. Where there is nothing to merge it is not called.
/// @param data Handed to the callback.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_array_consolidate_steps(
    ctx: In<tiledb_ctx_t>,
    uri: Str,
    config: In<tiledb_config_t>,
    callback: Option<extern "C-unwind" fn(u64, *const c_char, u64, u64, u64, *mut c_void) -> i32>,
    data: Buffer,
) -> capi_return_t {
    call(ctx, |context| {
        let Some(callback) = callback else {
            bail!("tiledb_rs_array_consolidate_steps: the callback is null; pass a function")
        };
        let (resources, uri) =
            (context.resources_with_key(config)?, stored_uri("tiledb_rs_array_consolidate_steps", uri)?);
        let _running = context.running();
        let tell = |step: u64, uri: Option<&Uri>, made_by: u64, cells: u64, bytes: u64| {
            let uri = uri.map(|uri| Name::of_path(uri.as_str()));
            let place = uri.as_ref().map_or(std::ptr::null(), |uri| uri.as_c_str().as_ptr());
            match call_user(|| callback(step, place, made_by, cells, bytes, data.as_ptr().cast()))? {
                -1 => bail!("tiledb_rs_array_consolidate_steps: the callback returned an error in step {step}"),
                answer => Ok(answer == 1),
            }
        };
        for (number, step) in (1..).zip(maintain::preview(&resources, &uri)?) {
            for source in &step.sources {
                let (uri, made_by) = match &source.origin {
                    SourceOrigin::Existing(uri) => (Some(uri), 0),
                    SourceOrigin::Step(made_by) => (None, *made_by),
                };
                if !tell(number, uri, made_by, source.cells, source.bytes)? {
                    return Ok(());
                }
            }
            if !tell(number, None, number, step.cells, step.bytes)? {
                return Ok(());
            }
        }
        Ok(())
    })
}

/// Lists what `tiledb_array_vacuum` would remove with this configuration, and removes nothing.
///
/// @param ctx The context.
/// @param uri The URI of the array.
/// @param config The configuration, with `sm.vacuum.mode`; null for the context's.
/// @param callback Called with the URI of each file, or of a folder with all that is in it, and `data`. Some may be gone
///     already. It returns 1 to go on, 0 to stop, -1 for an error.
/// @param data Handed to the callback.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_array_vacuum_files(
    ctx: In<tiledb_ctx_t>,
    uri: Str,
    config: In<tiledb_config_t>,
    callback: Option<extern "C-unwind" fn(*const c_char, *mut c_void) -> i32>,
    data: Buffer,
) -> capi_return_t {
    call(ctx, |context| {
        let Some(callback) = callback else {
            bail!("tiledb_rs_array_vacuum_files: the callback is null; pass a function")
        };
        let (resources, uri) = (context.resources_with(config)?, stored_uri("tiledb_rs_array_vacuum_files", uri)?);
        let _running = context.running();
        let mut found = Vec::new();
        maintain::vacuum_dry_run(&resources, &uri, &mut |file| {
            memory::push("the files to remove", &mut found, file.clone())
        })?;
        list("tiledb_rs_array_vacuum_files", &found, callback, data)
    })
}

/// Calls a function of the user with each URI until it stops.
fn list(
    function: &str,
    uris: &[Uri],
    callback: extern "C-unwind" fn(*const c_char, *mut c_void) -> i32,
    data: Buffer,
) -> Result<()> {
    for uri in uris {
        match call_user(|| callback(Name::of_path(uri.as_str()).as_c_str().as_ptr(), data.as_ptr().cast()))? {
            1 => {}
            -1 => bail!("{function}: the callback returned an error at '{uri}'"),
            _ => break,
        }
    }
    Ok(())
}

/// Vacuums an array as `tiledb_array_vacuum` does and tells how far it has come, so that a program can show it or stop it.
/// `tiledb_ctx_cancel_tasks` on another thread stops it too. The array reads the same wherever it is stopped, and a second
/// vacuum removes what was left.
///
/// @param ctx The context.
/// @param uri The URI of the array; no one should be reading from it.
/// @param config The configuration, with `sm.vacuum.mode`; null for the context's.
/// @param callback Called in this thread after some files are removed, with their number, that of the files to remove (a
///     folder of a fragment counts as one file), and `data`. It returns 1 to go on, 0 to stop, -1 for an error. Where there
///     is nothing to remove, and by a server, it is not called.
/// @param data Handed to the callback.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error, also when it was stopped.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_array_vacuum(
    ctx: In<tiledb_ctx_t>,
    uri: Str,
    config: In<tiledb_config_t>,
    callback: Option<extern "C-unwind" fn(u64, u64, *mut c_void) -> i32>,
    data: Buffer,
) -> capi_return_t {
    call(ctx, |context| {
        let Some(callback) = callback else { bail!("tiledb_rs_array_vacuum: the callback is null; pass a function") };
        let (resources, uri) = (context.resources_with(config)?, uri_of(uri)?);
        let _running = context.running();
        arrays::vacuum_with_progress(&resources, &uri, &mut |files, total| {
            let answer = call_user(|| callback(files, total, data.as_ptr().cast()))?;
            goes_on("tiledb_rs_array_vacuum", answer, format_args!("after {files} of {total} files"))
        })
    })
}

/// Lists what writers left in an array, and in its dimension labels, that were killed before they committed: folders of
/// fragments that no reader sees. Those of writers at work are among them.
///
/// @param ctx The context.
/// @param uri The URI of the array.
/// @param callback Called with each folder and `data`: it returns 1 to go on, 0 to stop, -1 for an error.
/// @param data Handed to the callback.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_array_orphans(
    ctx: In<tiledb_ctx_t>,
    uri: Str,
    callback: Option<extern "C-unwind" fn(*const c_char, *mut c_void) -> i32>,
    data: Buffer,
) -> capi_return_t {
    call(ctx, |context| {
        let Some(callback) = callback else { bail!("tiledb_rs_array_orphans: the callback is null; pass a function") };
        let found = maintain::orphans(context.resources(), &stored_uri("tiledb_rs_array_orphans", uri)?)?;
        list("tiledb_rs_array_orphans", &found, callback, data)
    })
}

/// Removes the folders that `tiledb_rs_array_orphans` lists. No writer may be at work in the array: while this process writes or
/// consolidates it, in another thread or around a callback, this is an error; writers in other processes are not known.
/// `tiledb_ctx_cancel_tasks` on another thread stops it.
///
/// @param ctx The context.
/// @param uri The URI of the array.
/// @param count How many folders there were.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_array_sweep(ctx: In<tiledb_ctx_t>, uri: Str, count: Out<u64>) -> capi_return_t {
    call(ctx, |context| {
        let _running = context.running();
        count.set(maintain::sweep(context.resources(), &stored_uri("tiledb_rs_array_sweep", uri)?)? as u64)
    })
}

/// Sweeps as `tiledb_rs_array_sweep` does and tells how far it has come, so that a program can show it or stop it.
///
/// @param ctx The context.
/// @param uri The URI of the array.
/// @param callback Called in this thread after each folder is removed, in the order of `tiledb_rs_array_orphans`, with the
///     number of those that are, that of all, and `data`. It returns 1 to go on, 0 to stop, -1 for an error; the array reads
///     the same wherever it is stopped.
/// @param data Handed to the callback.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error, also when it was stopped.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_array_sweep_watched(
    ctx: In<tiledb_ctx_t>,
    uri: Str,
    callback: Option<extern "C-unwind" fn(u64, u64, *mut c_void) -> i32>,
    data: Buffer,
) -> capi_return_t {
    call(ctx, |context| {
        let Some(callback) = callback else {
            bail!("tiledb_rs_array_sweep_watched: the callback is null; pass a function")
        };
        let _running = context.running();
        let uri = stored_uri("tiledb_rs_array_sweep_watched", uri)?;
        maintain::sweep_with_progress(context.resources(), &uri, &mut |folders, total| {
            let answer = call_user(|| callback(folders, total, data.as_ptr().cast()))?;
            goes_on("tiledb_rs_array_sweep_watched", answer, format_args!("after {folders} of {total} folders"))
        })?;
        Ok(())
    })
}

/// Gives up the uploads in parts below a folder of an S3 store that were begun and not completed: what processes left that
/// were killed, and what the store keeps and charges for until somebody does so. No writer may be at work there; while this
/// process writes an array below the folder this is an error. Other storage drops such things itself; for a folder of it
/// nothing is done.
///
/// @param ctx The context.
/// @param vfs The file systems.
/// @param uri The folder.
/// @param count How many uploads there were.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_vfs_sweep_uploads(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    uri: Str,
    count: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| {
        let vfs = vfs.get()?;
        count.check()?;
        count.set(maintain::sweep_uploads(&vfs.vfs, &storage_uri(uri)?)?)
    })
}

/// Divides a subarray into parts with about as many cells each, so that several readers have as much to do. Together the
/// parts have each cell of the subarray once. Only metadata are read: R-trees, grids, statistics of tiles. Of dense arrays
/// every cell counts; with a condition, only those of tiles that fragments have and that it does not exclude. The parts are
/// the same for everybody who opens the array at the time that is given out. An end that a subarray without ranges of strings
/// leaves open is the greatest string of a fragment in the last part.
///
/// @param ctx The context.
/// @param array The array, open for reading.
/// @param subarray The subarray; null for the whole array.
/// @param condition The condition of the reads to come: tiles that it excludes by their statistics do not count. Null for
///     none. The parts have to be read with it, too.
/// @param wanted How many parts there should be.
/// @param parts Room for so many handles; each is to be freed with `tiledb_subarray_free`.
/// @param cells Room for as many numbers: the cells that each part is estimated to have; null if not wanted.
/// @param count How many parts there are: fewer than wanted where there is not so much to divide, 1 or more.
/// @param timestamp The time at which the array is open, in milliseconds since 1970; null if not wanted.
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

/// Tells into how many parts `tiledb_rs_subarray_partition` has to divide a subarray for each to have about so many bytes of
/// results, coordinates, offsets and validity included. How long variable cells are is told by up to 64 fragments. Parts are
/// balanced within what that function says.
///
/// @param ctx The context.
/// @param array The array, open for reading.
/// @param subarray The subarray; null for the whole array.
/// @param condition The condition of the reads to come; null for none. All cells of tiles that it does not exclude by their
///     statistics count.
/// @param fields The names of the dimensions and attributes that are to be read; null for all attributes, and of sparse arrays all
///     dimensions.
/// @param field_num How many names there are.
/// @param bytes How many bytes of results a part may have, about.
/// @param wanted The number of parts, 1 or more.
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
            false => Some(fields.paths("fields", length(field_num)?)?),
        };
        let _running = context.running();
        wanted.set(part_count(&asked.array, &asked.subarray, asked.condition.as_ref(), names.as_deref(), bytes)?)
    })
}

/// Tells which tiles a read looks at, fragment by fragment, from metadata alone: those that its ranges meet, by their boxes or the
/// grid, and what the statistics of each tell of the condition. Cells that were deleted or written again are not known by then.
///
/// @param ctx The context.
/// @param array The array, open for reading.
/// @param subarray The subarray; null for the whole array.
/// @param condition The condition; null for none.
/// @param callback Called with the URI of a fragment; the number of a tile in it; 0 if the condition excludes the tile, which is
///     not read then, 1 if some of its cells may meet it, 2 if all do, or there is none; and `data`. It returns 1 to go on, 0 to
///     stop, -1 for an error.
/// @param data Handed to the callback.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_subarray_tiles(
    ctx: In<tiledb_ctx_t>,
    array: InConst<tiledb_array_t>,
    subarray: InConst<tiledb_subarray_t>,
    condition: InConst<tiledb_query_condition_t>,
    callback: Option<extern "C-unwind" fn(*const c_char, u64, i32, *mut c_void) -> i32>,
    data: Buffer,
) -> capi_return_t {
    call(ctx, |context| {
        let Some(callback) = callback else { bail!("tiledb_rs_subarray_tiles: the callback is null; pass a function") };
        let asked = Asked::new("tiledb_rs_subarray_tiles", array, subarray, condition)?;
        let _running = context.running();
        let mut name: Option<Name> = None;
        tiles(&asked.array, &asked.subarray, asked.condition.as_ref(), &mut |fragment, tile, look| {
            let own = fragment.uri().as_str();
            let name = match name.take() {
                Some(same) if *same == *own => name.insert(same),
                _ => name.insert(Name::of_path(own)),
            };
            match call_user(|| callback(name.as_c_str().as_ptr(), tile, look as i32, data.as_ptr().cast()))? {
                -1 => bail!("tiledb_rs_subarray_tiles: the callback returned an error at tile {tile} of '{own}'"),
                answer => Ok(answer == 1),
            }
        })
    })
}

/// What is asked about.
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
