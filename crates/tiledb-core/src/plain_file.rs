//! Local files, opened without blocking: if the path is a named pipe, opening fails.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

use crate::platform::error::is_out_of_descriptors;
use crate::platform::file::{CreationMode, is_pipe, waiting, without_waiting};

/// Number of attempts, and pause between them, while other threads briefly use all file descriptors.
const ATTEMPTS: usize = 100;
const PAUSE: Duration = Duration::from_millis(1);

/// All bytes of a file.
///
/// # Errors
/// Errors of the system call, and as [`open`].
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path, OpenOptions::new().read(true))?.0.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The bytes of a text without the UTF-8 byte-order mark (BOM) that some editors put before it.
pub fn without_bom(mut text: Vec<u8>) -> Vec<u8> {
    if text.starts_with(b"\xef\xbb\xbf") {
        text.drain(..3);
    }
    text
}

/// Replaces the content of a file, which may be new: then its owner alone may read it.
///
/// # Errors
/// Errors of the system call, and as [`open`].
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).creation_mode(0o600);
    open(path, &mut options)?.0.write_all(bytes)
}

/// Creates a file with these permissions, masked by the umask, and opens it for writing.
///
/// # Errors
/// Those of the system; `AlreadyExists` if the name is in use.
pub fn create_new(path: &Path, mode: u32) -> io::Result<File> {
    try_open(path, OpenOptions::new().write(true).create_new(true).creation_mode(mode))
}

/// Opens a file. Pipes and sockets are rejected without waiting for a peer.
///
/// # Errors
/// Errors of the system call; `InvalidInput` for a pipe or a socket.
pub fn open(path: &Path, options: &mut OpenOptions) -> io::Result<(File, Metadata)> {
    let file = match try_open(path, options) {
        // Somebody else holds a lease on the file, which the system takes back if it may wait for that.
        Err(error) if error.kind() == io::ErrorKind::WouldBlock && path.is_file() => waiting(options).open(path),
        file => file,
    }?;
    let metadata = not_a_pipe(file.metadata()?)?;
    Ok((file, metadata))
}

/// Rejects pipes and sockets.
///
/// # Errors
/// `InvalidInput`.
pub fn not_a_pipe(metadata: Metadata) -> io::Result<Metadata> {
    if is_pipe(metadata.file_type()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "Not a file"));
    }
    Ok(metadata)
}

fn try_open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let options = without_waiting(options);
    for _ in 0..ATTEMPTS {
        match options.open(path) {
            // Other threads may use the remaining descriptors briefly.
            Err(error) if is_out_of_descriptors(&error) => std::thread::sleep(PAUSE),
            file => return file,
        }
    }
    options.open(path)
}
