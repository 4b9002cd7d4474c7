//! Files that get their name when they are complete.

use std::fs::{File, OpenOptions};
use std::io;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::file::CreationMode;
#[cfg(unix)]
use super::unix as system;
#[cfg(target_family = "wasm")]
use super::wasm as system;
#[cfg(windows)]
use super::windows as system;

/// Maximum number of temporary names that are tried.
const ATTEMPTS: u32 = 100;

/// A file without its name yet. It is deleted if it is dropped before [`link_unnamed`].
pub struct UnnamedFile {
    file: File,
    /// Its temporary name, where the system or the file system has no unnamed files.
    temporary: Option<PathBuf>,
}

impl Deref for UnnamedFile {
    type Target = File;

    fn deref(&self) -> &File {
        &self.file
    }
}

impl DerefMut for UnnamedFile {
    fn deref_mut(&mut self) -> &mut File {
        &mut self.file
    }
}

impl Drop for UnnamedFile {
    fn drop(&mut self) {
        if let Some(path) = &self.temporary {
            // What remains is ignored by readers.
            _ = std::fs::remove_file(path);
        }
    }
}

/// Creates a file without a name in a directory, for [`link_unnamed`].
///
/// # Errors
/// `NotFound` without the directory; others where the file system permits neither an unnamed file nor a temporary one.
pub fn create_unnamed(directory: &Path, mode: u32) -> io::Result<UnnamedFile> {
    match system::create_unnamed(directory, mode) {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => create_temporary(directory, mode),
        file => Ok(UnnamedFile { file: file?, temporary: None }),
    }
}

/// Creates a file with a temporary name in the parent of `directory`: libtiledb reads each file in the directory of schemas as
/// a schema, while names that it does not know are ignored in the directory of an array or group.
fn create_temporary(directory: &Path, mode: u32) -> io::Result<UnnamedFile> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    directory.metadata()?;
    let parent = directory.parent().filter(|parent| parent.is_absolute()).ok_or(io::ErrorKind::Unsupported)?;
    for _ in 0..ATTEMPTS {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!(".tiledb_rs_{}_{number}.tmp", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).creation_mode(mode).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            file => return Ok(UnnamedFile { file: file?, temporary: Some(path) }),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Gives a file of [`create_unnamed`] its name, which no file may have.
///
/// # Errors
/// Those of the system.
pub fn link_unnamed(mut file: UnnamedFile, path: &Path) -> io::Result<()> {
    match &file.temporary {
        None => system::link_unnamed(&file, path),
        Some(temporary) => {
            system::rename_new(temporary, path)?;
            file.temporary = None;
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Write;

    /// The names in a directory.
    fn names(directory: &Path) -> Vec<String> {
        let names = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.collect()
    }

    #[test]
    fn a_temporary_name_is_outside_of_the_directory_and_replaced_by_the_final_one() {
        let place = tempfile::tempdir().unwrap();
        let directory = place.path().join("__schema");
        assert_eq!(create_temporary(&directory, 0o600).err().unwrap().kind(), io::ErrorKind::NotFound);
        fs::create_dir(&directory).unwrap();
        let mut file = create_temporary(&directory, 0o600).unwrap();
        file.write_all(b"whole").unwrap();
        assert_eq!((names(&directory).len(), names(place.path()).len()), (0, 2));
        link_unnamed(file, &directory.join("name")).unwrap();
        assert_eq!((names(&directory), names(place.path()).len()), (vec!["name".to_owned()], 1));
        assert_eq!(fs::read(directory.join("name")).unwrap(), b"whole");
        #[cfg(unix)]
        {
            let metadata = fs::metadata(directory.join("name")).unwrap();
            assert_eq!(std::os::unix::fs::MetadataExt::mode(&metadata) & 0o777, 0o600);
        }
    }

    #[test]
    fn nothing_is_replaced_and_nothing_remains() {
        let place = tempfile::tempdir().unwrap();
        let directory = place.path().join("__commits");
        fs::create_dir(&directory).unwrap();
        fs::write(directory.join("name"), b"first").unwrap();
        let mut file = create_temporary(&directory, 0o600).unwrap();
        file.write_all(b"second").unwrap();
        let error = link_unnamed(file, &directory.join("name")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(directory.join("name")).unwrap(), b"first");
        drop(create_temporary(&directory, 0o600).unwrap());
        assert_eq!(names(place.path()), ["__commits"]);
        assert_eq!(create_temporary(Path::new("/"), 0o600).err().unwrap().kind(), io::ErrorKind::Unsupported);
    }

    #[test]
    fn taken_temporary_names_are_passed_over() {
        let place = tempfile::tempdir().unwrap();
        let directory = place.path().join("array");
        fs::create_dir(&directory).unwrap();
        let files: Vec<_> = (0..3).map(|_| create_temporary(&directory, 0o600).unwrap()).collect();
        let last = names(place.path())
            .iter()
            .filter_map(|name| name.strip_suffix(".tmp")?.rsplit('_').next()?.parse().ok())
            .max();
        let next: u32 = last.unwrap();
        for number in next + 1..next + 20 {
            fs::write(place.path().join(format!(".tiledb_rs_{}_{number}.tmp", std::process::id())), b"other").unwrap();
        }
        let mut file = create_temporary(&directory, 0o600).unwrap();
        file.write_all(b"own").unwrap();
        link_unnamed(file, &directory.join("name")).unwrap();
        drop(files);
        assert_eq!(fs::read(directory.join("name")).unwrap(), b"own");
        assert_eq!(names(place.path()).len(), 20);
    }
}
