//! C interface: vfs.

use std::ffi::{c_char, c_void};

use super::boundary::{Buffer, Bytes, CEnum, In, Out, OutHandle, OutStr, Str, capi_return_t, free, pending};
use super::enum_text::{of_text, text_of};
use super::enums::tiledb_vfs_mode_t;
use super::handles::{tiledb_config_t, tiledb_ctx_t, tiledb_vfs_fh_t, tiledb_vfs_t};
use super::structs::{tiledb_ls_callback_t, tiledb_ls_callback_v2_t};

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_uri_to_path(ctx: In<tiledb_ctx_t>, uri: Str, path_out: Buffer, path_length: Out<u32>) -> i32 {
    let _ = (uri, path_out, path_length);
    pending(ctx, "tiledb_uri_to_path")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_alloc(
    ctx: In<tiledb_ctx_t>,
    config: In<tiledb_config_t>,
    vfs: OutHandle<tiledb_vfs_t>,
) -> capi_return_t {
    let _ = (config, vfs);
    pending(ctx, "tiledb_vfs_alloc")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_close(ctx: In<tiledb_ctx_t>, fh: In<tiledb_vfs_fh_t>) -> capi_return_t {
    let _ = (fh,);
    pending(ctx, "tiledb_vfs_close")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_copy_dir(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    old_uri: Str,
    new_uri: Str,
) -> capi_return_t {
    let _ = (vfs, old_uri, new_uri);
    pending(ctx, "tiledb_vfs_copy_dir")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_copy_file(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    old_uri: Str,
    new_uri: Str,
) -> capi_return_t {
    let _ = (vfs, old_uri, new_uri);
    pending(ctx, "tiledb_vfs_copy_file")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_create_bucket(ctx: In<tiledb_ctx_t>, vfs: In<tiledb_vfs_t>, uri: Str) -> capi_return_t {
    let _ = (vfs, uri);
    pending(ctx, "tiledb_vfs_create_bucket")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_create_dir(ctx: In<tiledb_ctx_t>, vfs: In<tiledb_vfs_t>, uri: Str) -> capi_return_t {
    let _ = (vfs, uri);
    pending(ctx, "tiledb_vfs_create_dir")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_dir_size(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    uri: Str,
    size: Out<u64>,
) -> capi_return_t {
    let _ = (vfs, uri, size);
    pending(ctx, "tiledb_vfs_dir_size")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_empty_bucket(ctx: In<tiledb_ctx_t>, vfs: In<tiledb_vfs_t>, uri: Str) -> capi_return_t {
    let _ = (vfs, uri);
    pending(ctx, "tiledb_vfs_empty_bucket")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_fh_free(fh: OutHandle<tiledb_vfs_fh_t>) {
    free(fh)
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_fh_is_closed(
    ctx: In<tiledb_ctx_t>,
    fh: In<tiledb_vfs_fh_t>,
    is_closed: Out<i32>,
) -> capi_return_t {
    let _ = (fh, is_closed);
    pending(ctx, "tiledb_vfs_fh_is_closed")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_file_size(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    uri: Str,
    size: Out<u64>,
) -> capi_return_t {
    let _ = (vfs, uri, size);
    pending(ctx, "tiledb_vfs_file_size")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_free(vfs: OutHandle<tiledb_vfs_t>) {
    free(vfs)
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_get_config(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    config: OutHandle<tiledb_config_t>,
) -> capi_return_t {
    let _ = (vfs, config);
    pending(ctx, "tiledb_vfs_get_config")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_is_bucket(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    uri: Str,
    is_bucket: Out<i32>,
) -> capi_return_t {
    let _ = (vfs, uri, is_bucket);
    pending(ctx, "tiledb_vfs_is_bucket")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_is_dir(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    uri: Str,
    is_dir: Out<i32>,
) -> capi_return_t {
    let _ = (vfs, uri, is_dir);
    pending(ctx, "tiledb_vfs_is_dir")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_is_empty_bucket(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    uri: Str,
    is_empty: Out<i32>,
) -> capi_return_t {
    let _ = (vfs, uri, is_empty);
    pending(ctx, "tiledb_vfs_is_empty_bucket")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_is_file(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    uri: Str,
    is_file: Out<i32>,
) -> capi_return_t {
    let _ = (vfs, uri, is_file);
    pending(ctx, "tiledb_vfs_is_file")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_ls(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    path: Str,
    callback: Option<extern "C" fn(*const c_char, *mut c_void) -> i32>,
    data: Buffer,
) -> capi_return_t {
    let _ = (vfs, path, callback, data);
    pending(ctx, "tiledb_vfs_ls")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_ls_recursive(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    path: Str,
    callback: tiledb_ls_callback_t,
    data: Buffer,
) -> capi_return_t {
    let _ = (vfs, path, callback, data);
    pending(ctx, "tiledb_vfs_ls_recursive")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_ls_recursive_v2(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    path: Str,
    callback: tiledb_ls_callback_v2_t,
    data: Buffer,
) -> capi_return_t {
    let _ = (vfs, path, callback, data);
    pending(ctx, "tiledb_vfs_ls_recursive_v2")
}

/// Gives a file mode from its text.
///
/// @param str The text.
/// @param vfs_mode The value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_mode_from_str(str: Str, vfs_mode: Out<tiledb_vfs_mode_t>) -> capi_return_t {
    of_text(str, vfs_mode)
}

/// Gives the text of a file mode.
///
/// @param vfs_mode The value.
/// @param str Its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_mode_to_str(vfs_mode: CEnum<tiledb_vfs_mode_t>, str: OutStr) -> capi_return_t {
    text_of(vfs_mode, str)
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_move_dir(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    old_uri: Str,
    new_uri: Str,
) -> capi_return_t {
    let _ = (vfs, old_uri, new_uri);
    pending(ctx, "tiledb_vfs_move_dir")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_move_file(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    old_uri: Str,
    new_uri: Str,
) -> capi_return_t {
    let _ = (vfs, old_uri, new_uri);
    pending(ctx, "tiledb_vfs_move_file")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_open(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    uri: Str,
    mode: CEnum<tiledb_vfs_mode_t>,
    fh: OutHandle<tiledb_vfs_fh_t>,
) -> capi_return_t {
    let _ = (vfs, uri, mode, fh);
    pending(ctx, "tiledb_vfs_open")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_read(
    ctx: In<tiledb_ctx_t>,
    fh: In<tiledb_vfs_fh_t>,
    offset: u64,
    buffer: Buffer,
    nbytes: u64,
) -> capi_return_t {
    let _ = (fh, offset, buffer, nbytes);
    pending(ctx, "tiledb_vfs_read")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_remove_bucket(ctx: In<tiledb_ctx_t>, vfs: In<tiledb_vfs_t>, uri: Str) -> capi_return_t {
    let _ = (vfs, uri);
    pending(ctx, "tiledb_vfs_remove_bucket")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_remove_dir(ctx: In<tiledb_ctx_t>, vfs: In<tiledb_vfs_t>, uri: Str) -> capi_return_t {
    let _ = (vfs, uri);
    pending(ctx, "tiledb_vfs_remove_dir")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_remove_file(ctx: In<tiledb_ctx_t>, vfs: In<tiledb_vfs_t>, uri: Str) -> capi_return_t {
    let _ = (vfs, uri);
    pending(ctx, "tiledb_vfs_remove_file")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_sync(ctx: In<tiledb_ctx_t>, fh: In<tiledb_vfs_fh_t>) -> capi_return_t {
    let _ = (fh,);
    pending(ctx, "tiledb_vfs_sync")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_touch(ctx: In<tiledb_ctx_t>, vfs: In<tiledb_vfs_t>, uri: Str) -> capi_return_t {
    let _ = (vfs, uri);
    pending(ctx, "tiledb_vfs_touch")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_write(
    ctx: In<tiledb_ctx_t>,
    fh: In<tiledb_vfs_fh_t>,
    buffer: Bytes,
    nbytes: u64,
) -> capi_return_t {
    let _ = (fh, buffer, nbytes);
    pending(ctx, "tiledb_vfs_write")
}
