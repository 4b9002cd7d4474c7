//! Local files that appear with all their bytes: written without a name, which they get at the end.
//!
//! A reader that lists a directory meanwhile, or a crash, never meets half a schema or half a list
//! of commits. No file of another name is left behind either.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, openat};
use rustix::io::Errno;

use super::failure::failed;
use tiledb_core::error::Result;
use tiledb_core::types::DisplayPath;

/// Writes a new file, whose directory `make_directory` makes where it is missing. False where that cannot be done this way:
/// the file exists, or the file system has no nameless files.
pub(super) fn put(
    path: &Path,
    bytes: &[u8],
    mode: u32,
    make_directory: impl FnOnce(&Path) -> Result<()>,
) -> Result<bool> {
    let Some(mut file) = open(path, mode, make_directory)? else { return Ok(false) };
    let written = file.write_all(bytes).and_then(|()| file.sync_data());
    written.map_err(|error| failed(&error, format_args!("Cannot write to file '{}'", DisplayPath(path))))?;
    Ok(name(&file, path).is_ok())
}

/// Gives a file its name: by the descriptor itself where the system lets this process do so, which takes it no way through
/// `/proc`.
fn name(file: &File, path: &Path) -> rustix::io::Result<()> {
    static REFUSED: AtomicBool = AtomicBool::new(false);
    if !REFUSED.load(Ordering::Relaxed) {
        match linkat(file, "", CWD, path, AtFlags::EMPTY_PATH) {
            Err(Errno::NOENT | Errno::PERM | Errno::INVAL) => {}
            named => return named,
        }
    }
    let nameless = format!("/proc/self/fd/{}", file.as_raw_fd());
    linkat(CWD, nameless, CWD, path, AtFlags::SYMLINK_FOLLOW)?;
    REFUSED.store(true, Ordering::Relaxed);
    Ok(())
}

/// A file without a name in the directory of `path`.
fn open(path: &Path, mode: u32, make_directory: impl FnOnce(&Path) -> Result<()>) -> Result<Option<File>> {
    let Some(directory) = path.parent() else { return Ok(None) };
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let try_open = || openat(CWD, directory, flags, Mode::from_raw_mode(mode));
    let opened = match try_open() {
        Err(Errno::NOENT) => {
            make_directory(directory)?;
            try_open()
        }
        result => result,
    };
    // Whatever stands in the way here is told when the file is made in the usual manner.
    Ok(opened.map(File::from).map_err(io::Error::from).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

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
