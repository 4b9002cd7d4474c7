//! Whole small files of text, read and written without waiting for anybody: a named pipe in place of one is an error.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// All bytes of a file.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path, OpenOptions::new().read(true))?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Replaces the content of a file, which may be new.
pub(super) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    open(path, OpenOptions::new().write(true).create(true).truncate(true))?.write_all(bytes)
}

fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let file = options.custom_flags(libc::O_NONBLOCK).open(path)?;
    let kind = file.metadata()?.file_type();
    match kind.is_fifo() || kind.is_socket() {
        true => Err(io::Error::new(io::ErrorKind::InvalidInput, "Not a file")),
        false => Ok(file),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    #[test]
    fn nobody_waits_at_a_pipe() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pipe");
        mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        assert!(read(&path).is_err() && write(&path, b"1").is_err());
        let _end = OpenOptions::new().read(true).write(true).open(&path).unwrap();
        assert!(read(&path).is_err() && write(&path, b"1").is_err());
        let file = directory.path().join("file");
        write(&file, b"12").unwrap();
        write(&file, b"3").unwrap();
        assert_eq!(read(&file).unwrap(), b"3");
    }
}
