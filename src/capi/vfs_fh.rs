//! C functions of open files.

use super::array_args::{invalid, uri_of};
use super::boundary::{Buffer, Bytes, CEnum, In, Out, OutHandle, Str, capi_return_t};
use super::call::{call, free, make};
use super::enums::tiledb_vfs_mode_t;
use super::handles::{tiledb_ctx_t, tiledb_vfs_fh_t, tiledb_vfs_t};
use tiledb_core::error::bail;
use tiledb_storage::vfs::{FileHandle, OpenMode};

/// Closes a file. What was written is flushed and made durable.
///
/// Check the result: in an object store this call completes the upload. A file that was opened for writing exists afterwards,
/// even if nothing was written. The handle stays allocated until `tiledb_vfs_fh_free`, but no other operation on it succeeds.
///
/// @param ctx The TileDB context.
/// @param fh The file handle.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the handle is closed already or storage fails; it counts as closed in
///     either case.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_close(ctx: In<tiledb_ctx_t>, fh: In<tiledb_vfs_fh_t>) -> capi_return_t {
    call(ctx, |_| {
        if fh.is_null() {
            bail!("C API: Invalid output pointer for object");
        }
        fh.get()?.close()
    })
}

/// Frees a file handle and sets the pointer to null.
///
/// A handle that was not closed is flushed, but errors are lost: call `tiledb_vfs_close` first.
///
/// @param fh The file handle; a null handle is accepted.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_fh_free(fh: OutHandle<tiledb_vfs_fh_t>) {
    free(fh)
}

/// Reports whether a file was closed.
///
/// @param ctx The context.
/// @param fh The file.
/// @param is_closed Receives 1 if it was, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_fh_is_closed(
    ctx: In<tiledb_ctx_t>,
    fh: In<tiledb_vfs_fh_t>,
    is_closed: Out<i32>,
) -> capi_return_t {
    call(ctx, |_| is_closed.set(fh.get()?.is_closed().into()))
}

/// Opens a file.
///
/// | mode | file exists | file does not exist |
/// |---|---|---|
/// | `TILEDB_VFS_READ` | opened | error |
/// | `TILEDB_VFS_WRITE` | replaced: at once in local storage, in an object store when the new file is closed | created by the first write or by closing |
/// | `TILEDB_VFS_APPEND` | extended at its end; not possible in object stores | created |
///
/// Any number of threads may read from one handle at the same time.
///
/// See also `tiledb_vfs_read`, `tiledb_vfs_write`, `tiledb_vfs_close`.
///
/// @param ctx The TileDB context.
/// @param vfs The virtual file system, which need not outlive the file handle.
/// @param uri The URI of the file.
/// @param mode The mode. An unknown number is treated as `TILEDB_VFS_APPEND`.
/// @param fh Receives the file handle, to be closed with `tiledb_vfs_close` and freed with `tiledb_vfs_fh_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_open(
    ctx: In<tiledb_ctx_t>,
    vfs: In<tiledb_vfs_t>,
    uri: Str,
    mode: CEnum<tiledb_vfs_mode_t>,
    fh: OutHandle<tiledb_vfs_fh_t>,
) -> capi_return_t {
    make(ctx, fh, |_| {
        let vfs = vfs.get()?;
        let uri = uri_of(uri).map_err(|_| invalid("C API: Invalid TileDB object: uri", uri))?;
        let mode = match mode.number() {
            0 => OpenMode::Read,
            1 => OpenMode::Write,
            // A number that is not a mode must not truncate a file, as in libtiledb.
            _ => OpenMode::Append,
        };
        FileHandle::open(&vfs.vfs, uri, mode)
    })
}

/// Reads bytes from a file, exactly as many as requested.
///
/// Large reads are split and performed in parallel. The file may also be open for writing: then what was written before is
/// visible.
///
/// @param ctx The TileDB context.
/// @param fh The file handle.
/// @param offset The position of the first byte.
/// @param buffer Receives the bytes.
/// @param nbytes The number of bytes.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the range exceeds the file (get its size with `tiledb_vfs_file_size`), the
///     handle is closed, or storage fails. The buffer may have been modified then.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_read(
    ctx: In<tiledb_ctx_t>,
    fh: In<tiledb_vfs_fh_t>,
    offset: u64,
    mut buffer: Buffer,
    nbytes: u64,
) -> capi_return_t {
    call(ctx, |_| {
        let fh = fh.get()?;
        if buffer.is_null() {
            bail!("C API: Invalid output pointer for object");
        }
        // The range is checked before the buffer is touched: a wrong number of bytes does no harm.
        fh.reader(offset, nbytes)?;
        fh.read(offset, buffer.get_mut("buffer", nbytes)?)
    })
}

/// Makes what was written to a file durable (`fsync`), as far as the storage can before the file is closed.
///
/// @param ctx The TileDB context.
/// @param fh The file handle.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the handle is closed or storage fails.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_sync(ctx: In<tiledb_ctx_t>, fh: In<tiledb_vfs_fh_t>) -> capi_return_t {
    call(ctx, |_| fh.get()?.sync())
}

/// Appends bytes to a file.
///
/// In local storage other readers see the bytes when the call returns; they are durable after `tiledb_vfs_sync` or
/// `tiledb_vfs_close`. In an object store the bytes are collected into multipart uploads, and the object appears when the
/// handle is closed.
///
/// @param ctx The TileDB context.
/// @param fh The file handle.
/// @param buffer The bytes.
/// @param nbytes The number of bytes.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the handle is closed or storage fails.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_write(
    ctx: In<tiledb_ctx_t>,
    fh: In<tiledb_vfs_fh_t>,
    buffer: Bytes,
    nbytes: u64,
) -> capi_return_t {
    call(ctx, |_| {
        let fh = fh.get()?;
        match buffer.opt("buffer", nbytes)? {
            Some(bytes) => fh.write(bytes),
            None => bail!("TileDB internal: buffer must not be nullptr"),
        }
    })
}
