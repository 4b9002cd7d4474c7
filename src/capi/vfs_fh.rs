//! Open files.

use super::boundary::{Buffer, Bytes, CEnum, In, Out, OutHandle, Str, capi_return_t};
use super::call::{call, free, make};
use super::enums::tiledb_vfs_mode_t;
use super::handles::{tiledb_ctx_t, tiledb_vfs_fh_t, tiledb_vfs_t};
use tiledb_core::error::{Error, bail};
use tiledb_storage::vfs::{FileHandle, OpenMode, Uri};

/// Writes out what was written to a file, makes it durable, and closes the file.
///
/// @param ctx The context.
/// @param fh The file.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error, also for a file that is closed.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_close(ctx: In<tiledb_ctx_t>, fh: In<tiledb_vfs_fh_t>) -> capi_return_t {
    call(ctx, |_| {
        if fh.is_null() {
            bail!("C API: Invalid output pointer for object");
        }
        fh.get()?.close()
    })
}

/// Frees a file handle and sets the pointer to null. What was written to a file that was not closed
/// is written out.
///
/// @param fh The file.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_fh_free(fh: OutHandle<tiledb_vfs_fh_t>) {
    free(fh)
}

/// Tells whether a file was closed.
///
/// @param ctx The context.
/// @param fh The file.
/// @param is_closed 1 if it was, else 0.
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
/// @param ctx The context.
/// @param vfs The file systems.
/// @param uri The file.
/// @param mode `TILEDB_VFS_READ` for a file that exists, `TILEDB_VFS_WRITE` for a new one (one that exists
///     is removed at once), `TILEDB_VFS_APPEND` to write at the end.
/// @param fh The open file, to be closed with `tiledb_vfs_close` and freed with `tiledb_vfs_fh_free`.
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
        let invalid = || Error::invalid("C API: Invalid TileDB object: uri");
        let uri = Uri::parse(&uri.opt_path().ok_or_else(invalid)?).map_err(|_| invalid())?;
        let mode = match mode.number() {
            0 => OpenMode::Read,
            1 => OpenMode::Write,
            // A number that is no mode does no harm to a file, as in the original.
            _ => OpenMode::Append,
        };
        FileHandle::open(&vfs.vfs, uri, mode)
    })
}

/// Reads from a file.
///
/// @param ctx The context.
/// @param fh The file.
/// @param offset The first byte to read.
/// @param buffer Where the bytes go.
/// @param nbytes How many bytes to read; fewer are an error.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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
        fh.read(offset, buffer.get_mut("buffer", usize::try_from(nbytes).unwrap_or(usize::MAX))?)
    })
}

/// Makes durable what was written to a file.
///
/// @param ctx The context.
/// @param fh The file.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_sync(ctx: In<tiledb_ctx_t>, fh: In<tiledb_vfs_fh_t>) -> capi_return_t {
    call(ctx, |_| fh.get()?.sync())
}

/// Adds bytes at the end of a file. Others see them at once where the storage can do that.
///
/// @param ctx The context.
/// @param fh The file.
/// @param buffer The bytes.
/// @param nbytes Their number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_vfs_write(
    ctx: In<tiledb_ctx_t>,
    fh: In<tiledb_vfs_fh_t>,
    buffer: Bytes,
    nbytes: u64,
) -> capi_return_t {
    call(ctx, |_| {
        let fh = fh.get()?;
        match buffer.opt(usize::try_from(nbytes).unwrap_or(usize::MAX))? {
            Some(bytes) => fh.write(bytes),
            None => bail!("TileDB internal: buffer must not be nullptr"),
        }
    })
}
