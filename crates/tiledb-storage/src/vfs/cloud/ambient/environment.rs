//! Environment variables, and the files that they name.

use std::io;
use std::path::{Path, PathBuf};

use tiledb_core::plain_file::without_bom;
use tiledb_core::platform::environment::HOME;

/// A non-empty environment variable.
pub(in crate::vfs::cloud) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// A path in the home directory.
pub(in crate::vfs::cloud) fn home(path: &str) -> Option<PathBuf> {
    variable(HOME).map(|home| PathBuf::from(home).join(path))
}

/// The bytes of a text file, which may be a pipe, without the byte-order mark that some editors put before text.
pub(in crate::vfs::cloud) fn read_bytes(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    std::fs::read(path).map(without_bom)
}

/// As [`read_bytes`], as text.
pub(in crate::vfs::cloud) fn read_text(path: impl AsRef<Path>) -> io::Result<String> {
    String::from_utf8(read_bytes(path)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_order_marks_are_no_part_of_texts() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for (content, text) in [("\u{feff}{}", "{}"), ("[a]\u{feff}", "[a]\u{feff}"), ("\u{feff}", ""), ("", "")] {
            std::fs::write(file.path(), content).unwrap();
            assert_eq!(read_text(file.path()).unwrap(), text);
            assert_eq!(read_bytes(file.path()).unwrap(), text.as_bytes());
        }
        std::fs::write(file.path(), b"\xff\xfe").unwrap();
        assert_eq!(read_text(file.path()).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
