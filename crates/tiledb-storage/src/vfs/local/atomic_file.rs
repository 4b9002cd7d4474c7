//! Atomic creation of local files: written without a name, or with a temporary one, and linked at the end, if the system can do
//! that.
//!
//! A concurrent reader that lists the directory, or a crash, never sees a partial schema or list of commits. After a
//! crash no temporary file is left either, unless the file system has no unnamed files.

use std::io::{self, Write};
use std::path::Path;

use super::failure::failed;
use tiledb_core::error::Result;
use tiledb_core::platform::unnamed_file::{UnnamedFile, create_unnamed, link_unnamed};
use tiledb_core::types::DisplayPath;

/// Creates a file; `make_directory` creates its directory if it is missing. False if that is impossible this way: the
/// file exists, or the file system permits neither unnamed files nor a temporary one.
pub(super) fn put(
    path: &Path,
    bytes: &[u8],
    mode: u32,
    make_directory: impl FnOnce(&Path) -> Result<()>,
) -> Result<bool> {
    let Some(mut file) = open(path, mode, make_directory)? else { return Ok(false) };
    let written = file.write_all(bytes).and_then(|()| file.sync_data());
    written.map_err(|error| failed(&error, format_args!("Cannot write to file '{}'", DisplayPath(path))))?;
    Ok(link_unnamed(file, path).is_ok())
}

/// Opens an unnamed file in the directory of `path`.
fn open(path: &Path, mode: u32, make_directory: impl FnOnce(&Path) -> Result<()>) -> Result<Option<UnnamedFile>> {
    let Some(directory) = path.parent() else { return Ok(None) };
    let opened = match create_unnamed(directory, mode) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            make_directory(directory)?;
            create_unnamed(directory, mode)
        }
        result => result,
    };
    // Errors are reported by the fallback, which creates the file in the usual way.
    Ok(opened.ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn nobody_sees_half_a_file() {
        let directory = tempfile::tempdir().unwrap();
        let make = |directory: &Path| {
            fs::create_dir_all(directory).unwrap();
            Ok(())
        };
        let put = |path: &Path, bytes: &[u8]| put(path, bytes, 0o600, make);
        let first = directory.path().join("made/first");
        if !put(&first, b"1").unwrap() {
            return; // this file system has no nameless files
        }
        assert_eq!(fs::metadata(&first).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(!put(&first, b"2").unwrap());
        assert_eq!(fs::read(&first).unwrap(), b"1");

        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    for item in fs::read_dir(directory.path()).unwrap() {
                        let size = item.unwrap().metadata().unwrap();
                        assert!(size.is_dir() || size.len() == 300_000);
                    }
                }
            });
            for n in 0..50 {
                assert!(put(&directory.path().join(n.to_string()), &[7; 300_000]).unwrap());
            }
            done.store(true, Ordering::Relaxed);
        });
    }
}
