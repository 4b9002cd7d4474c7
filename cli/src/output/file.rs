//! Output files that are created atomically.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::model::{Error, Result};

/// The partial output file, for [`remove_partial`].
static PARTIAL: Mutex<Option<PathBuf>> = Mutex::new(None);

/// A file that is written under a temporary name in the same folder and renamed when it is complete. Outputs that are not
/// regular files, such as pipes or `/dev/null`, are written to directly.
pub(crate) struct OutputFile {
    file: File,
    name: PathBuf,
    /// The temporary path, and the final one.
    places: Option<(PathBuf, PathBuf)>,
}

impl OutputFile {
    /// Begins a file.
    pub(crate) fn create(name: &Path) -> Result<Self> {
        Self::begin(name).map_err(|error| at(name, &error))
    }

    fn begin(name: &Path) -> io::Result<Self> {
        // A link stays, and leads to the new file.
        let target = name.canonicalize().unwrap_or_else(|_| name.to_owned());
        let there = target.metadata().ok();
        if is_null_device(name) || there.as_ref().is_some_and(|there| !there.is_file()) {
            return Ok(Self { file: File::create(name)?, name: name.to_owned(), places: None });
        }
        let mut partial = target.file_name().unwrap_or_default().to_owned();
        partial.push(format!(".partial-{}", std::process::id()));
        let partial = target.with_file_name(partial);
        let file = File::create_new(&partial)?;
        *held() = Some(partial.clone());
        let output = Self { file, name: name.to_owned(), places: Some((partial, target)) };
        if let Some(there) = there {
            output.file.set_permissions(there.permissions())?;
        }
        Ok(output)
    }

    /// Renames the complete file to its final name.
    pub(crate) fn finish(mut self) -> Result<()> {
        let Some((partial, target)) = &self.places else { return Ok(()) };
        let renamed = std::fs::rename(partial, target);
        if renamed.is_ok() {
            *held() = None;
            self.places = None;
        }
        renamed.map_err(|error| at(&self.name, &error))
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe | io::ErrorKind::Interrupted => error,
            kind => io::Error::new(kind, format!("{}: {error}", self.name.display())),
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if self.places.is_some() {
            remove_partial();
        }
    }
}

/// True for the name of the null device of Windows, which is one in every folder and has no metadata there.
fn is_null_device(name: &Path) -> bool {
    cfg!(windows) && name.file_name().is_some_and(|name| name.eq_ignore_ascii_case("NUL"))
}

/// Removes the partial output file before the process exits.
pub(crate) fn remove_partial() {
    if let Some(partial) = held().take() {
        _ = std::fs::remove_file(partial);
    }
}

fn held() -> std::sync::MutexGuard<'static, Option<PathBuf>> {
    PARTIAL.lock().unwrap_or_else(PoisonError::into_inner)
}

fn at(name: &Path, error: &io::Error) -> Error {
    Error::failed(format!("{}: {error}", name.display()))
}
