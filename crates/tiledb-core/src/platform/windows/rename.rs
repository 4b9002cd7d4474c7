//! Files that get their name when they are complete.
#![expect(unsafe_code, reason = "a system call that the standard library does not offer")]

use std::fs::File;
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::path::{Component, Path, Prefix};

use windows_sys::Win32::Storage::FileSystem::{MOVEFILE_WRITE_THROUGH, MoveFileExW};

/// Windows has no files without a name.
pub(crate) fn create_unnamed(_directory: &Path, _mode: u32) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// As [`create_unnamed`].
pub(crate) fn link_unnamed(_file: &File, _path: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Renames a file on its volume, unless something has the new name. The new name is durable then.
pub(crate) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    let (from, to) = (without_limit(from)?, without_limit(to)?);
    // SAFETY: both are texts that end with zero.
    match unsafe { MoveFileExW(from.as_ptr(), to.as_ptr(), MOVEFILE_WRITE_THROUGH) } {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// A path in UTF-16 that ends with zero and may have more than 260 characters: absolute, after the prefix `\\?\`.
fn without_limit(path: &Path) -> io::Result<Vec<u16>> {
    let path = std::path::absolute(path)?;
    let (prefix, skipped) = match path.components().next() {
        Some(Component::Prefix(prefix)) => match prefix.kind() {
            Prefix::Disk(_) => (r"\\?\", 0),
            Prefix::UNC(..) => (r"\\?\UNC\", r"\\".len()),
            _ => ("", 0),
        },
        _ => ("", 0),
    };
    Ok(prefix.encode_utf16().chain(path.as_os_str().encode_wide().skip(skipped)).chain([0]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_path_has_the_prefix_of_its_kind() {
        for (path, expected) in [
            (r"C:\a\b", r"\\?\C:\a\b"),
            ("C:/a/./b", r"\\?\C:\a\b"),
            (r"\\server\share\a", r"\\?\UNC\server\share\a"),
            (r"\\?\C:\a", r"\\?\C:\a"),
        ] {
            assert_eq!(without_limit(Path::new(path)).unwrap(), expected.encode_utf16().chain([0]).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_new_name_replaces_nothing_and_may_be_long() {
        let place = tempfile::tempdir().unwrap();
        let directory = place.path().join("d".repeat(200)).join("e".repeat(200));
        fs::create_dir_all(&directory).unwrap();
        let [from, to] = ["from", "to"].map(|name| directory.join(name));
        fs::write(&from, b"1").unwrap();
        fs::write(&to, b"2").unwrap();
        assert_eq!(rename_new(&from, &to).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!((fs::read(&from).unwrap(), fs::read(&to).unwrap()), (b"1".to_vec(), b"2".to_vec()));
        fs::remove_file(&to).unwrap();
        rename_new(&from, &to).unwrap();
        assert_eq!((from.exists(), fs::read(&to).unwrap()), (false, b"1".to_vec()));
    }
}
