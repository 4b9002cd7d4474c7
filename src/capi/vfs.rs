//! C functions of virtual file systems: files, directories, buckets.

use std::borrow::Cow;
use std::ffi::{c_char, c_void};

use super::boundary::call_user;
use super::boundary::{Buffer, CEnum, In, Out, OutHandle, OutStr, Str, TextBuffer, capi_return_t};
use super::call::{call, free, make};
use super::config::ConfigObject;
use super::enum_text::{of_text, text_of};
use super::enums::tiledb_vfs_mode_t;
use super::handles::{tiledb_config_t, tiledb_ctx_t, tiledb_vfs_t};
use super::structs::{tiledb_ls_callback_t, tiledb_ls_callback_v2_t};
use tiledb_core::config::Config;
use tiledb_core::error::{Error, ErrorKind, Result, bail};
use tiledb_core::types::{Name, bytes_of_path};
use tiledb_storage::vfs::{DirEntry, Uri, Vfs};

/// Returns the path of a URI: the local path of a file, otherwise the URI as the storage backend sees it.
///
/// @param ctx The context.
/// @param uri The URI.
/// @param path_out Where the path and a NUL go.
/// @param path_length Receives the room in bytes; then the length of the path without the NUL.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error, also where the room is too small.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_uri_to_path(
    ctx: In<tiledb_ctx_t>,
    uri: Str,
    path_out: TextBuffer,
    path_length: Out<u32>,
) -> i32 {
    call(ctx, |_| {
        let text = &uri.path("uri")?;
        let room = path_length.get()?;
        let path = path_of(text)?;
        let length = u32::try_from(path.len()).unwrap_or(u32::MAX);
        if length >= room {
            path_length.set(0)?;
            bail!("C API: The path of '{text}' needs {} bytes, but there is room for {room}", path.len() + 1);
        }
        path_out.fill("path_out", &[&*path, b"\0"].concat())?;
        path_length.set(length)
    })
}

/// Creates a virtual file system: access to files in local storage, object stores and memory by URI.
///
/// All functions of the virtual file system work with URIs such as `file:///tmp/f`, `s3://bucket/key`,
/// `azure://container/blob`, `gcs://bucket/object` and `mem://f`; a path without a scheme is a local file. Files in memory
/// belong to the handle. A handle may be used by any number of threads at the same time.
///
/// ```c
/// const char text[] = "hello";
/// tiledb_vfs_t *files = NULL;
/// tiledb_vfs_fh_t *file = NULL;
/// tiledb_vfs_alloc(ctx, NULL, &files);
/// tiledb_vfs_open(ctx, files, "greeting.txt", TILEDB_VFS_WRITE, &file);
/// tiledb_vfs_write(ctx, file, text, strlen(text));
/// tiledb_vfs_close(ctx, file);
/// tiledb_vfs_fh_free(&file);
/// tiledb_vfs_free(&files);
/// ```
///
/// @param ctx The TileDB context.
/// @param config The configuration, whose parameters override those of the context; null for those of the context.
/// @param vfs Receives the virtual file system; free it with `tiledb_vfs_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_alloc(
    ctx: In<tiledb_ctx_t>,
    config: In<tiledb_config_t>,
    vfs: OutHandle<tiledb_vfs_t>,
) -> capi_return_t {
    make(ctx, vfs, |context| {
        let mut merged = context.resources().config().clone();
        if !config.is_null() {
            merged.inherit(&config.get()?.snapshot());
        }
        let resources = context.resources();
        Ok(VfsObject { vfs: resources.vfs().with_own_memory(&merged, resources.pools())?, config: merged })
    })
}

/// Copies a directory with its contents, into a new directory or into an existing one, where files of the same name are
/// replaced. The parent of the destination must exist.
///
/// @param ctx The context.
/// @param vfs The file systems.
/// @param old_uri The directory.
/// @param new_uri The new directory, on the same storage.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_copy_dir(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    old_uri: Str,
    new_uri: Str,
) -> capi_return_t {
    call(ctx, |_| vfs.get()?.vfs.copy_dir(&storage_uri(old_uri)?, &storage_uri(new_uri)?))
}

/// Copies a file, replacing an existing one. The parent directory of the destination must exist.
///
/// @param ctx The context.
/// @param vfs The file systems.
/// @param old_uri The file.
/// @param new_uri The new file, on the same storage.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_copy_file(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    old_uri: Str,
    new_uri: Str,
) -> capi_return_t {
    call(ctx, |_| vfs.get()?.vfs.copy_file(&storage_uri(old_uri)?, &storage_uri(new_uri)?))
}

/// Creates a bucket of an object store.
///
/// @param ctx The context.
/// @param vfs The file systems.
/// @param uri The bucket.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_create_bucket(ctx: In<tiledb_ctx_t>, vfs: In<tiledb_vfs_t>, uri: Str) -> capi_return_t {
    call(ctx, |_| vfs.get()?.vfs.create_bucket(&storage_uri(uri)?))
}

/// Creates a directory and its parents. An existing directory is not an error.
///
/// @param ctx The context.
/// @param vfs The file systems.
/// @param uri The directory.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_create_dir(ctx: In<tiledb_ctx_t>, vfs: In<tiledb_vfs_t>, uri: Str) -> capi_return_t {
    call(ctx, |_| vfs.get()?.vfs.create_dir(&storage_uri(uri)?))
}

/// Returns the total size of all files below a directory.
///
/// @param ctx The context.
/// @param vfs The file systems.
/// @param uri The directory.
/// @param size Receives the bytes.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_dir_size(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    uri: Str,
    size: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| {
        let vfs = vfs.get()?;
        size.check()?;
        size.set(vfs.vfs.dir_size(&storage_uri(uri)?)?)
    })
}

/// Deletes all objects in a bucket of an object store.
///
/// @param ctx The context.
/// @param vfs The file systems.
/// @param uri The bucket.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_empty_bucket(ctx: In<tiledb_ctx_t>, vfs: In<tiledb_vfs_t>, uri: Str) -> capi_return_t {
    call(ctx, |_| vfs.get()?.vfs.empty_bucket(&storage_uri(uri)?))
}

/// Returns the size of a file.
///
/// @param ctx The context.
/// @param vfs The file systems.
/// @param uri The file.
/// @param size Receives the bytes.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_file_size(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    uri: Str,
    size: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| {
        let vfs = vfs.get()?;
        size.check()?;
        size.set(vfs.vfs.size(&storage_uri(uri)?)?)
    })
}

/// Frees a virtual file system and sets the pointer to null. Files that were opened with it stay open.
///
/// @param vfs The virtual file system; a null handle is accepted.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_free(vfs: OutHandle<tiledb_vfs_t>) {
    free(vfs)
}

/// Returns a copy of the configuration of a virtual file system.
///
/// @param ctx The context.
/// @param vfs The file systems.
/// @param config Receives the configuration, to be freed with `tiledb_config_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_get_config(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    config: OutHandle<tiledb_config_t>,
) -> capi_return_t {
    make(ctx, config, |_| Ok(ConfigObject::new(vfs.get()?.config.clone())))
}

/// Reports whether a URI is a bucket of an object store.
///
/// @param ctx The context.
/// @param vfs The file systems.
/// @param uri The URI.
/// @param is_bucket Receives 1 if it is, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_is_bucket(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    uri: Str,
    is_bucket: Out<i32>,
) -> capi_return_t {
    call(ctx, |_| {
        let vfs = vfs.get()?;
        is_bucket.check()?;
        is_bucket.set(vfs.vfs.is_bucket(&storage_uri(uri)?)?.into())
    })
}

/// Reports whether a URI is a directory. In object stores a directory exists if an object has its name as prefix.
///
/// @param ctx The TileDB context.
/// @param vfs The virtual file system.
/// @param uri The URI.
/// @param is_dir Receives 1 if it is a directory, 0 if it is a file or does not exist.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if storage cannot be queried.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_is_dir(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    uri: Str,
    is_dir: Out<i32>,
) -> capi_return_t {
    call(ctx, |_| {
        let vfs = vfs.get()?;
        is_dir.check()?;
        is_dir.set(vfs.vfs.is_dir(&storage_uri(uri)?)?.into())
    })
}

/// Reports whether a bucket of an object store is empty.
///
/// @param ctx The context.
/// @param vfs The file systems.
/// @param uri The bucket.
/// @param is_empty Receives 1 if it holds nothing, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_is_empty_bucket(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    uri: Str,
    is_empty: Out<i32>,
) -> capi_return_t {
    call(ctx, |_| {
        let vfs = vfs.get()?;
        is_empty.check()?;
        is_empty.set(vfs.vfs.is_empty_bucket(&storage_uri(uri)?)?.into())
    })
}

/// Reports whether a URI is a file.
///
/// @param ctx The TileDB context.
/// @param vfs The virtual file system.
/// @param uri The URI.
/// @param is_file Receives 1 if it is a file, 0 if it is a directory or does not exist.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if storage cannot be queried.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_is_file(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    uri: Str,
    is_file: Out<i32>,
) -> capi_return_t {
    call(ctx, |_| {
        let vfs = vfs.get()?;
        is_file.check()?;
        is_file.set(vfs.vfs.is_file(&storage_uri(uri)?)?.into())
    })
}

/// Lists the entries of a directory, not recursively, in the order of their names.
///
/// The directory is listed before the first callback, so the callback may create and remove files. It may call any function of
/// the library. A directory that does not exist has no entries.
///
/// @param ctx The TileDB context.
/// @param vfs The virtual file system.
/// @param path The URI of the directory.
/// @param callback Called on this thread with the NUL-terminated URI of each entry, which is valid during the call, and `data`.
///     It returns 1 to continue, 0 to stop, and -1 to report an error.
/// @param data Passed to the callback.
/// @return `TILEDB_OK` for success, also if the callback stopped; `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_ls(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    path: Str,
    callback: Option<extern "C-unwind" fn(*const c_char, *mut c_void) -> i32>,
    data: Buffer,
) -> capi_return_t {
    call(ctx, |_| {
        let Some(callback) = callback else { bail!("C API: Invalid TileDB object: callback function") };
        let entries = vfs.get()?.vfs.list(&storage_uri(path)?)?;
        for entry in entries {
            match call_user(|| callback(Name::of_path(entry.uri.as_str()).as_c_str().as_ptr(), data.as_ptr().cast()))? {
                1 => {}
                -1 => return Err(callback_failed()),
                _ => break,
            }
        }
        Ok(())
    })
}

/// Lists everything below a directory, each directory before its contents.
///
/// @param ctx The context.
/// @param vfs The file systems.
/// @param path The directory.
/// @param callback Called with each URI, its length, the size of the file and `data`: it returns 1 to go on, 0 to stop,
///     -1 for an error. It may call any function.
/// @param data Handed to the callback.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_ls_recursive(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    path: Str,
    callback: tiledb_ls_callback_t,
    data: Buffer,
) -> capi_return_t {
    call(ctx, |_| {
        let Some(callback) = callback else { bail!("C API: Invalid TileDB object: Callback function is null.") };
        let entries = vfs.get()?.vfs.list_recursive(&listed_uri(path)?)?;
        for DirEntry { uri, size, .. } in entries {
            let text = Name::of_path(uri.as_str());
            let length = text.as_c_str().count_bytes();
            match call_user(|| callback(text.as_c_str().as_ptr(), length, size, data.as_ptr().cast()))? {
                0 => break,
                -1 => return Err(callback_failed()),
                _ => {}
            }
        }
        Ok(())
    })
}

/// Lists everything below a directory, each directory before its contents.
///
/// @param ctx The context.
/// @param vfs The file systems.
/// @param path The directory.
/// @param callback Called with each URI, its length, the size of the file, 1 for directories and `data`: it returns 1 to go on, 0 to stop,
///     -1 for an error. It may call any function.
/// @param data Handed to the callback.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_ls_recursive_v2(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    path: Str,
    callback: tiledb_ls_callback_v2_t,
    data: Buffer,
) -> capi_return_t {
    call(ctx, |_| {
        let Some(callback) = callback else { bail!("C API: Invalid TileDB object: Callback function is null.") };
        let entries = vfs.get()?.vfs.list_recursive(&listed_uri(path)?)?;
        for DirEntry { uri, size, is_dir } in entries {
            let text = Name::of_path(uri.as_str());
            let length = text.as_c_str().count_bytes();
            match call_user(|| callback(text.as_c_str().as_ptr(), length, size, is_dir.into(), data.as_ptr().cast()))? {
                0 => break,
                -1 => return Err(callback_failed()),
                _ => {}
            }
        }
        Ok(())
    })
}

/// Returns a file mode from its text.
///
/// @param str The text.
/// @param vfs_mode Receives the value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_mode_from_str(str: Str, vfs_mode: Out<tiledb_vfs_mode_t>) -> capi_return_t {
    of_text(str, vfs_mode)
}

/// Returns the text of a file mode.
///
/// @param vfs_mode The value.
/// @param str Receives its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_mode_to_str(vfs_mode: CEnum<tiledb_vfs_mode_t>, str: OutStr) -> capi_return_t {
    text_of(vfs_mode, str)
}

/// Moves or renames a directory. Parents of the destination are created.
///
/// @param ctx The context.
/// @param vfs The file systems.
/// @param old_uri The directory.
/// @param new_uri Its new name, on the same storage.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_move_dir(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    old_uri: Str,
    new_uri: Str,
) -> capi_return_t {
    call(ctx, |_| vfs.get()?.vfs.move_dir(&storage_uri(old_uri)?, &storage_uri(new_uri)?))
}

/// Moves or renames a file, replacing an existing one. Parents of the destination are created.
///
/// @param ctx The context.
/// @param vfs The file systems.
/// @param old_uri The file.
/// @param new_uri Its new name, on the same storage.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_move_file(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    old_uri: Str,
    new_uri: Str,
) -> capi_return_t {
    call(ctx, |_| vfs.get()?.vfs.move_file(&storage_uri(old_uri)?, &storage_uri(new_uri)?))
}

/// Deletes a bucket of an object store with its contents.
///
/// @param ctx The context.
/// @param vfs The file systems.
/// @param uri The bucket.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_remove_bucket(ctx: In<tiledb_ctx_t>, vfs: In<tiledb_vfs_t>, uri: Str) -> capi_return_t {
    call(ctx, |_| vfs.get()?.vfs.remove_bucket(&storage_uri(uri)?))
}

/// Removes a directory with its contents.
///
/// @param ctx The context.
/// @param vfs The file systems.
/// @param uri The directory.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_remove_dir(ctx: In<tiledb_ctx_t>, vfs: In<tiledb_vfs_t>, uri: Str) -> capi_return_t {
    call(ctx, |_| vfs.get()?.vfs.remove_dir(&storage_uri(uri)?))
}

/// Removes a file.
///
/// @param ctx The context.
/// @param vfs The file systems.
/// @param uri The file.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_remove_file(ctx: In<tiledb_ctx_t>, vfs: In<tiledb_vfs_t>, uri: Str) -> capi_return_t {
    call(ctx, |_| vfs.get()?.vfs.remove_file(&storage_uri(uri)?))
}

/// Creates an empty file. An existing file is not changed.
///
/// @param ctx The context.
/// @param vfs The file systems.
/// @param uri The file.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_touch(ctx: In<tiledb_ctx_t>, vfs: In<tiledb_vfs_t>, uri: Str) -> capi_return_t {
    call(ctx, |_| vfs.get()?.vfs.touch(&storage_uri(uri)?))
}

/// The object of a VFS handle.
pub struct VfsObject {
    config: Config,
    pub(super) vfs: Vfs,
}

/// The URI of a directory to be listed.
fn listed_uri(path: Str) -> Result<Uri> {
    if path.is_null() {
        bail!("C API: Invalid TileDB object: VFS passed a null path.");
    }
    storage_uri(path)
}

/// The URI of an argument, or the error of these functions for an invalid one.
pub(super) fn storage_uri(uri: Str) -> Result<Uri> {
    let text = uri.opt_path().unwrap_or_default();
    let unsupported = || {
        Error::invalid(format!(
            "Filesystem: Unsupported URI scheme: '{text}'; pass a path, or SCHEME://PATH of a supported storage"
        ))
    };
    Uri::parse(&text).map_err(|error| match error.kind() {
        ErrorKind::Io => error,
        _ => unsupported(),
    })
}

/// The path of a `file` or `mem` URI; other URIs are returned unchanged.
fn path_of(text: &str) -> Result<Cow<'_, [u8]>> {
    let Some((scheme, path)) = text.split_once("://") else {
        bail!("C API: '{text}' is not a URI");
    };
    let uri = Uri::parse(text)?;
    Ok(match (uri.local()?, scheme) {
        (Some(local), _) => Cow::Owned(local.into_owned().into_os_string().into_encoded_bytes()),
        (None, "mem") => bytes_of_path(path),
        (None, _) => bytes_of_path(text),
    })
}

fn callback_failed() -> Error {
    Error::invalid("LsScan: Error in user callback")
}
