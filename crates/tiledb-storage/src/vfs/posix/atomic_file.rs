//! Atomic creation of local files: written without a name (`O_TMPFILE`) and linked at the end.
//!
//! A concurrent reader that lists the directory, or a crash, never sees a partial schema or list of commits. No
//! temporary file is left either.

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

/// Creates a file; `make_directory` creates its directory if it is missing. False if that is impossible this way: the
/// file exists, or the file system has no unnamed files.
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

/// Links a file to its name: by the descriptor itself if the system permits it to this process, which avoids `/proc`.
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

/// Opens an unnamed file in the directory of `path`.
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
    // Errors are reported by the fallback, which creates the file in the usual way.
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
