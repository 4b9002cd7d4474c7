//! C functions of fragment info.

use std::ffi::CStr;

use super::array_args::invalid;
use super::boundary::{CFile, In, InConst, Out, OutHandle, OutStr, Str, capi_return_t};
use super::call::{call, free, make};
use super::config::ConfigObject;
use super::handles::{tiledb_array_schema_t, tiledb_config_t, tiledb_ctx_t, tiledb_fragment_info_t, tiledb_string_t};
use super::schema_object::SchemaObject;
use super::string::Text;
use tiledb::location;
use tiledb_array::array::{FragmentInfo, LoadedFragment};
use tiledb_core::error::Result;

/// A fragment info handle as an argument.
type Info = In<tiledb_fragment_info_t>;

/// Returns a property of a fragment; `cannot` begins the error message if there is no such fragment.
fn tell<T>(info: Info, fid: u32, cannot: &str, out: Out<T>, ask: impl FnOnce(&LoadedFragment) -> T) -> Result<()> {
    out.check()?;
    out.set(ask(info.get()?.loaded()?.get(fid, cannot)?))
}

/// Returns a text that the handle owns.
pub(super) fn lend(
    info: Info,
    fid: u32,
    cannot: &str,
    out: OutStr,
    ask: impl FnOnce(&LoadedFragment) -> &CStr,
) -> Result<()> {
    out.check()?;
    out.set(ask(info.get()?.loaded()?.get(fid, cannot)?))
}

/// Creates a fragment info object: a description of the fragments of an array. Nothing is read until
/// `tiledb_fragment_info_load`.
///
/// ```c
/// tiledb_fragment_info_t *info = NULL;
/// uint32_t count = 0;
/// tiledb_fragment_info_alloc(ctx, "my_array", &info);
/// tiledb_fragment_info_load(ctx, info);
/// tiledb_fragment_info_get_fragment_num(ctx, info, &count);
/// for (uint32_t i = 0; i < count; i++) {
///   const char *uri = NULL;
///   uint64_t cells = 0, bytes = 0;
///   tiledb_fragment_info_get_fragment_uri(ctx, info, i, &uri);
///   tiledb_fragment_info_get_cell_num(ctx, info, i, &cells);
///   tiledb_fragment_info_get_fragment_size(ctx, info, i, &bytes);
///   printf("%s: %llu cells, %llu bytes\n", uri, (unsigned long long)cells, (unsigned long long)bytes);
/// }
/// tiledb_fragment_info_free(&info);
/// ```
///
/// @param ctx The TileDB context.
/// @param array_uri The URI or path of the array.
/// @param fragment_info Receives the object; free it with `tiledb_fragment_info_free`.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for an invalid URI.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_alloc(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    fragment_info: OutHandle<tiledb_fragment_info_t>,
) -> capi_return_t {
    make(ctx, fragment_info, |context| {
        match FragmentInfo::new(context.resources(), &array_uri.opt_path().unwrap_or_default()) {
            Ok(info) => Ok(info),
            Err(_) => Err(invalid("C API: Failed to create TileDB fragment info object; Invalid URI:", array_uri)),
        }
    })
}

/// Writes a readable description of the fragments to a stream.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param out The stream.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_dump(
    ctx: In<tiledb_ctx_t>,
    fragment_info: InConst<tiledb_fragment_info_t>,
    out: CFile,
) -> capi_return_t {
    call(ctx, |_| {
        let fragment_info = fragment_info.get()?;
        out.check()?;
        out.write(&fragment_info.loaded()?.dump())
    })
}

/// Returns a readable description of the fragments.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param out Receives the text, to be freed with `tiledb_string_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_dump_str(
    ctx: In<tiledb_ctx_t>,
    fragment_info: InConst<tiledb_fragment_info_t>,
    out: OutHandle<tiledb_string_t>,
) -> capi_return_t {
    make(ctx, out, |_| Ok(Text::of_path(&fragment_info.get()?.loaded()?.dump())))
}

/// Frees the handle and sets the pointer to null.
///
/// @param fragment_info The fragment info.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_free(fragment_info: OutHandle<tiledb_fragment_info_t>) {
    free(fragment_info)
}

/// Returns the schema a fragment was written with.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment.
/// @param array_schema Receives the schema, to be freed with `tiledb_array_schema_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_array_schema(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    array_schema: OutHandle<tiledb_array_schema_t>,
) -> capi_return_t {
    make(ctx, array_schema, |_| {
        let loaded = fragment_info.get()?.loaded()?;
        Ok(SchemaObject::owning(loaded.get(fid, "Cannot get array schema")?.schema().clone()))
    })
}

/// Returns the name of the schema a fragment was written with.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment.
/// @param schema_name Receives the name, valid until the handle is freed or loaded again.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_array_schema_name(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    schema_name: OutStr,
) -> capi_return_t {
    call(ctx, |_| {
        lend(fragment_info, fid, "Cannot get array schema name", schema_name, |info| info.schema_name().as_c_str())
    })
}

/// Returns the number of cells of a fragment.
///
/// For a dense fragment it counts all cells of its tiles, also those outside the box that was written.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info object, loaded.
/// @param fid The index of the fragment.
/// @param cell_num Receives the number.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the object is not loaded, or the index is out of range.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_cell_num(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    cell_num: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| tell(fragment_info, fid, "Cannot get fragment URI", cell_num, |info| info.fragment().cell_count()))
}

/// Returns a copy of the configuration.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param config Receives the configuration, to be freed with `tiledb_config_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_config(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    config: OutHandle<tiledb_config_t>,
) -> capi_return_t {
    make(ctx, config, |_| Ok(ConfigObject::new(fragment_info.get()?.config())))
}

/// Reports whether a fragment is dense.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment.
/// @param dense Receives 1 if it is, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_dense(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    dense: Out<i32>,
) -> capi_return_t {
    call(ctx, |_| {
        tell(fragment_info, fid, "Cannot check if fragment is dense", dense, |info| info.fragment().is_dense().into())
    })
}

/// Returns the name of a fragment.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment.
/// @param name Receives the name, to be freed with `tiledb_string_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_fragment_name_v2(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    name: OutHandle<tiledb_string_t>,
) -> capi_return_t {
    make(ctx, name, |_| {
        let loaded = fragment_info.get()?.loaded()?;
        Ok(Text::new(loaded.get(fid, "Cannot get fragment URI")?.fragment().name().as_str()))
    })
}

/// Returns the number of fragments.
///
/// Fragments that a consolidation has replaced are not counted; see `tiledb_fragment_info_get_to_vacuum_num`.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info object, loaded.
/// @param fragment_num Receives the number. Valid indexes of fragments are 0 to this number minus 1.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` before `tiledb_fragment_info_load`.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_fragment_num(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fragment_num: Out<u32>,
) -> capi_return_t {
    call(ctx, |_| {
        fragment_num.check()?;
        fragment_num.set(fragment_info.get()?.loaded()?.len() as u32)
    })
}

/// Returns the total size of the files of a fragment in bytes.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment.
/// @param size Receives the size in bytes.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_fragment_size(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    size: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| tell(fragment_info, fid, "Cannot get fragment URI", size, |info| info.size()))
}

/// Returns the URI of a fragment.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info object, loaded.
/// @param fid The index of the fragment, less than `tiledb_fragment_info_get_fragment_num`.
/// @param uri Receives the NUL-terminated URI, which belongs to the object and is valid until it is freed or loaded again.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the object is not loaded, or the index is out of range.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_fragment_uri(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    uri: OutStr,
) -> capi_return_t {
    call(ctx, |_| lend(fragment_info, fid, "Cannot get fragment URI", uri, |info| info.uri().as_c_str()))
}

/// Returns the number of minimum bounding rectangles (MBRs) of a fragment: one per tile of a sparse fragment, 0 for a dense
/// one.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment.
/// @param mbr_num Receives the number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_mbr_num(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    mbr_num: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| tell(fragment_info, fid, "Cannot get fragment URI", mbr_num, |info| info.box_count()))
}

/// Reports whether a fragment is sparse.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment.
/// @param sparse Receives 1 if it is, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_sparse(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    sparse: Out<i32>,
) -> capi_return_t {
    call(ctx, |_| {
        tell(fragment_info, fid, "Cannot check if fragment is sparse", sparse, |info| {
            (!info.fragment().is_dense()).into()
        })
    })
}

/// Returns the timestamps of a fragment.
///
/// They are equal for a single write; a consolidated fragment has those of the first and the last write it contains.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info object, loaded.
/// @param fid The index of the fragment.
/// @param start Receives the first timestamp, in milliseconds since 1970-01-01 UTC.
/// @param end Receives the last timestamp.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the object is not loaded, or the index is out of range.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_timestamp_range(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    start: Out<u64>,
    end: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| {
        start.check()?;
        end.check()?;
        let loaded = fragment_info.get()?.loaded()?;
        let times = loaded.get(fid, "Cannot get fragment URI")?.fragment().timestamps();
        start.set(times.0)?;
        end.set(times.1)
    })
}

/// Returns the number of fragments that consolidation has replaced and `tiledb_array_vacuum` would remove; 0 before loading.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param to_vacuum_num Receives the number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_to_vacuum_num(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    to_vacuum_num: Out<u32>,
) -> capi_return_t {
    call(ctx, |_| {
        to_vacuum_num.check()?;
        to_vacuum_num.set(fragment_info.get()?.loaded_if_any().map_or(0, |loaded| loaded.to_vacuum().len() as u32))
    })
}

/// Returns the URI of a fragment that a consolidation replaced.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment.
/// @param uri Receives the URI, valid until the handle is freed or loaded again.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_to_vacuum_uri(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    uri: OutStr,
) -> capi_return_t {
    call(ctx, |_| {
        uri.check()?;
        uri.set(fragment_info.get()?.loaded()?.to_vacuum_at(fid)?.as_c_str())
    })
}

/// Returns the number of cells of all fragments. Cells that were overwritten count in each fragment.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param count Receives the number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_total_cell_num(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    count: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| {
        count.check()?;
        count.set(fragment_info.get()?.loaded()?.cell_count())
    })
}

/// Returns the number of fragments whose metadata has not been consolidated; 0 before loading.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param unconsolidated Receives the number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_unconsolidated_metadata_num(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    unconsolidated: Out<u32>,
) -> capi_return_t {
    call(ctx, |_| {
        unconsolidated.check()?;
        unconsolidated.set(fragment_info.get()?.loaded_if_any().map_or(0, |loaded| loaded.unconsolidated() as u32))
    })
}

/// Returns the format version of a fragment.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment.
/// @param version Receives the version.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_version(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    version: Out<u32>,
) -> capi_return_t {
    call(ctx, |_| tell(fragment_info, fid, "Cannot get version", version, |info| info.fragment().version().number()))
}

/// Reports whether the metadata of a fragment is contained in consolidated fragment metadata.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment.
/// @param has Receives 1 if they do, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_has_consolidated_metadata(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    has: Out<i32>,
) -> capi_return_t {
    call(ctx, |_| {
        tell(fragment_info, fid, "Cannot check if fragment has consolidated metadata", has, |info| {
            info.is_consolidated().into()
        })
    })
}

/// Loads the description of all committed fragments of the array.
///
/// Call it again to see later commits; strings obtained before become invalid. The key of an encrypted array is taken from the
/// configuration (`tiledb_fragment_info_set_config`).
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info object.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if there is no array, or its fragments cannot be read.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_load(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let info = fragment_info.get()?;
        location::load_fragments(&info)
    })
}

/// Sets parameters for a fragment info object, for example the key of an encrypted array. It must not be loaded yet.
///
/// The parameters that are set in `config` override those that the object has, at first those of the context; the others keep
/// their values.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param config The configuration, which is copied.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_set_config(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    config: In<tiledb_config_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let info = fragment_info.get()?;
        info.set_config(&config.get()?.snapshot())
    })
}
