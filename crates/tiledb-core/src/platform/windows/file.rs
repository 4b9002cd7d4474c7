//! Files: opening, positional reads, stamps.
#![expect(unsafe_code, reason = "system calls that the standard library does not offer")]

use std::fs::{DirBuilder, File, FileType, Metadata, OpenOptions};
use std::io::{self, IoSliceMut, Write};
use std::os::windows::fs::{FileExt, OpenOptionsExt};
use std::os::windows::io::AsRawHandle;
use std::path::Path;

use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_BASIC_INFO, FILE_FLAG_BACKUP_SEMANTICS, FILE_READ_ATTRIBUTES, FileBasicInfo,
    GetFileInformationByHandle, GetFileInformationByHandleEx,
};

use crate::platform::{FileStamp, Medium};

/// 100 nanoseconds between 1601, from which Windows counts, and 1970.
const EPOCH: u64 = 116_444_736_000_000_000;
const TICKS_PER_SECOND: u64 = 10_000_000;

/// Permissions of new files and directories: they inherit those of their directory, and the mode has no effect.
pub trait CreationMode {
    fn creation_mode(&mut self, mode: u32) -> &mut Self;
}

impl CreationMode for OpenOptions {
    fn creation_mode(&mut self, _mode: u32) -> &mut Self {
        self
    }
}

impl CreationMode for DirBuilder {
    fn creation_mode(&mut self, _mode: u32) -> &mut Self {
        self
    }
}

/// Opening does not wait for anything.
pub fn without_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Undoes [`without_waiting`].
pub fn waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Whether it is a named pipe or a socket: these are not in directories.
pub fn is_pipe(_kind: FileType) -> bool {
    false
}

/// The stamp of an open file or directory with this metadata.
///
/// # Errors
/// Those of the system.
pub fn stamp(file: &File, _metadata: &Metadata) -> io::Result<FileStamp> {
    let (mut identity, mut times) = (BY_HANDLE_FILE_INFORMATION::default(), FILE_BASIC_INFO::default());
    let handle = file.as_raw_handle();
    let size = size_of::<FILE_BASIC_INFO>() as u32;
    // SAFETY: the handle is open, and both structures have the sizes that are stated.
    let succeeded = unsafe {
        GetFileInformationByHandle(handle, &raw mut identity) != 0
            && GetFileInformationByHandleEx(handle, FileBasicInfo, (&raw mut times).cast(), size) != 0
    };
    if !succeeded {
        return Err(io::Error::last_os_error());
    }
    let ticks = times.ChangeTime.cast_unsigned().saturating_sub(EPOCH);
    Ok(FileStamp {
        device: identity.dwVolumeSerialNumber.into(),
        inode: u64::from(identity.nFileIndexHigh) << 32 | u64::from(identity.nFileIndexLow),
        changed: (ticks / TICKS_PER_SECOND, ticks % TICKS_PER_SECOND * 100),
    })
}

/// As [`stamp`], of the file or directory at a path.
///
/// # Errors
/// Those of the system.
pub fn stamp_at(path: &Path, metadata: &Metadata) -> io::Result<FileStamp> {
    let mut options = OpenOptions::new();
    let file = options.access_mode(FILE_READ_ATTRIBUTES).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(path)?;
    stamp(&file, metadata)
}

/// Maximum number of open files of this process: handles are not limited.
pub fn descriptor_limit() -> u64 {
    u64::MAX
}

/// Which file systems keep time stamps as the validation of caches needs them was not measured: nothing is cached beyond
/// an open array.
pub fn medium(_file: &File) -> Medium {
    Medium::Other
}

/// Number of pages that are not written back, which the system does not report.
pub fn dirty_pages(_file: &File) -> Option<u64> {
    None
}

/// Fills a buffer from an offset on.
///
/// # Errors
/// Those of the system; `UnexpectedEof`.
pub fn read_exact_at(file: &File, mut offset: u64, mut out: &mut [u8]) -> io::Result<()> {
    while !out.is_empty() {
        match file.seek_read(out, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                offset += read as u64;
                out = &mut out[read..];
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Fills buffers in turn from an offset on.
///
/// # Errors
/// Those of the system; `UnexpectedEof`.
pub fn read_vectored_at(file: &File, mut offset: u64, out: &mut [IoSliceMut<'_>]) -> io::Result<()> {
    for part in out {
        read_exact_at(file, offset, part)?;
        offset += part.len() as u64;
    }
    Ok(())
}

/// Writes to standard error.
pub fn write_stderr(bytes: &[u8]) {
    // A failure cannot be reported anywhere.
    _ = io::stderr().write_all(bytes);
}

/// Makes the entries of a directory durable: NTFS and ReFS log changes of names themselves.
///
/// # Errors
/// None.
pub fn sync_directory(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Creates an empty file without opening it.
///
/// # Errors
/// `Unsupported`.
pub fn create_empty(_path: &Path, _mode: u32) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
