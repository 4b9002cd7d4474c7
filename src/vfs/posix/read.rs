//! Reading local files.

use std::fs::File;
use std::io::IoSliceMut;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::failed;
use crate::error::{Error, ErrorKind, Result};
use crate::vfs::{ReadAt, ReadFile};

/// The most buffers the system takes in one vectored read.
const MAX_BUFFERS: usize = 1024;

struct PosixFile {
    file: File,
    len: u64,
    path: Box<str>,
}

pub(super) fn open(path: &Path) -> Result<ReadFile> {
    let opened = File::open(path).and_then(|file| {
        let metadata = file.metadata()?;
        Ok((file, metadata))
    });
    let (file, metadata) =
        opened.map_err(|error| failed(&error, format_args!("Cannot open file '{}'", path.display())))?;
    if metadata.is_dir() {
        return Err(Error::new(
            ErrorKind::Io,
            format!("IO Error: Cannot open file '{}'; Is a directory", path.display()),
        ));
    }
    Ok(ReadFile::new(PosixFile { file, len: metadata.len(), path: path.to_string_lossy().into() }))
}

impl PosixFile {
    #[cold]
    fn exceeded(&self, offset: u64, bytes: u64) -> Error {
        let (len, path) = (self.len, &self.path);
        let text = format!(
            "IO Error: Cannot read from file; Read exceeds file size: offset {offset}, nbytes {bytes}, \
             file_size {len}, URI {path}"
        );
        Error::new(ErrorKind::Io, text)
    }

    #[cold]
    fn failed(&self, error: &std::io::Error) -> Error {
        failed(error, format_args!("Cannot read from file '{}'", self.path))
    }
}

impl ReadAt for PosixFile {
    fn len(&self) -> u64 {
        self.len
    }

    fn check(&self, offset: u64, bytes: u64) -> Result<()> {
        if i64::try_from(offset).is_err() {
            let text = format!("IO Error: Cannot read from file '{}'; offset > typemax(off_t)", self.path);
            return Err(Error::new(ErrorKind::Io, text));
        }
        match offset.checked_add(bytes) {
            Some(end) if end <= self.len => Ok(()),
            _ => Err(self.exceeded(offset, bytes)),
        }
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.check(offset, out.len() as u64)?;
        self.file.read_exact_at(out, offset).map_err(|error| self.failed(&error))
    }

    fn read_vectored_at(&self, mut offset: u64, mut out: &mut [IoSliceMut<'_>]) -> Result<()> {
        let total = out.iter().fold(0u64, |sum, part| sum.saturating_add(part.len() as u64));
        self.check(offset, total)?;
        IoSliceMut::advance_slices(&mut out, 0); // skips empty buffers, which would look like the end
        while !out.is_empty() {
            let buffers = out.len().min(MAX_BUFFERS);
            match rustix::io::preadv(&self.file, &mut out[..buffers], offset) {
                Ok(0) => return Err(self.exceeded(offset, 1)),
                Ok(read) => {
                    offset += read as u64;
                    IoSliceMut::advance_slices(&mut out, read);
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(self.failed(&error.into())),
            }
        }
        Ok(())
    }
}
