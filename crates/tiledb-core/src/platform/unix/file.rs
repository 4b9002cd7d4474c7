//! Files: opening, positional reads, stamps, creation in one step.

use std::fs::{DirBuilder, File, FileType, Metadata, OpenOptions};
use std::io::{self, IoSliceMut};
use std::os::unix::fs::{DirBuilderExt, FileExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::process::{Resource, getrlimit};

use super::kernel;
use crate::limits::storage::MAX_VECTORED_BUFFERS;
use crate::platform::{FileStamp, Medium};

/// Permissions of new files and directories, masked by the umask.
pub trait CreationMode {
    fn creation_mode(&mut self, mode: u32) -> &mut Self;
}

impl CreationMode for OpenOptions {
    fn creation_mode(&mut self, mode: u32) -> &mut Self {
        self.mode(mode)
    }
}

impl CreationMode for DirBuilder {
    fn creation_mode(&mut self, mode: u32) -> &mut Self {
        self.mode(mode)
    }
}

/// Makes opening a named pipe fail instead of waiting for its other end.
pub fn without_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    // Miri has no such flag.
    options.custom_flags(if cfg!(miri) { 0 } else { libc::O_NONBLOCK })
}

/// Undoes [`without_waiting`].
pub fn waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags(0)
}

/// Whether it is a named pipe or a socket.
pub fn is_pipe(kind: FileType) -> bool {
    kind.is_fifo() || kind.is_socket()
}

/// The stamp of an open file or directory with this metadata.
///
/// # Errors
/// None on Unix, whose metadata contains the stamp.
pub fn stamp(_: &File, metadata: &Metadata) -> io::Result<FileStamp> {
    Ok(stamp_in(metadata))
}

/// As [`stamp`], of the file or directory at a path.
///
/// # Errors
/// None on Unix, whose metadata contains the stamp.
pub fn stamp_at(_: &Path, metadata: &Metadata) -> io::Result<FileStamp> {
    Ok(stamp_in(metadata))
}

fn stamp_in(metadata: &Metadata) -> FileStamp {
    let changed = (metadata.ctime() as u64, metadata.ctime_nsec() as u64);
    FileStamp { device: metadata.dev(), inode: metadata.ino(), changed }
}

/// Maximum number of open files of this process.
pub fn descriptor_limit() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// The kind of the file system of an open file or directory.
pub fn medium(file: &File) -> Medium {
    kernel::medium(file)
}

/// Number of pages of an open file that are not written back; `None` if the system cannot report it.
pub fn dirty_pages(file: &File) -> Option<u64> {
    kernel::dirty_pages(file)
}

/// Fills a buffer from an offset on.
#[inline]
pub fn read_exact_at(file: &File, offset: u64, out: &mut [u8]) -> io::Result<()> {
    file.read_exact_at(out, offset)
}

/// Fills buffers in turn from an offset on.
pub fn read_vectored_at(file: &File, mut offset: u64, mut out: &mut [IoSliceMut<'_>]) -> io::Result<()> {
    IoSliceMut::advance_slices(&mut out, 0); // skips empty buffers, which would look like the end
    let most = MAX_VECTORED_BUFFERS.count();
    while !out.is_empty() {
        let buffers = out.len().min(most);
        match rustix::io::preadv(file, &mut out[..buffers], offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                offset += read as u64;
                IoSliceMut::advance_slices(&mut out, read);
            }
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Writes to standard error in one call, without a lock of the process, which a forked child might inherit.
pub fn write_stderr(bytes: &[u8]) {
    // A failure cannot be reported anywhere.
    _ = rustix::io::write(std::io::stderr(), bytes);
}

/// Makes the entries of a directory durable.
pub fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Creates an empty file without opening it.
///
/// # Errors
/// If something has the name, its directory is missing, or the system does not permit it.
pub fn create_empty(path: &Path, mode: u32) -> io::Result<()> {
    kernel::create_empty(path, mode)
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;

    use crate::plain_file::{read, write_private};
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    #[test]
    fn nobody_waits_at_a_pipe() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pipe");
        mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        assert!(read(&path).is_err() && write_private(&path, b"1").is_err());
        let _end = OpenOptions::new().read(true).write(true).open(&path).unwrap();
        assert!(read(&path).is_err() && write_private(&path, b"1").is_err());
        let file = directory.path().join("file");
        write_private(&file, b"12").unwrap();
        write_private(&file, b"3").unwrap();
        assert_eq!(read(&file).unwrap(), b"3");
    }
}
