//! Read-only storage: web servers, and files that the host program supplies.

use super::Uri;
use tiledb_core::error::{Error, ErrorKind, Result};

/// The error of everything that writes.
#[cold]
pub(super) fn read_only<T>(uri: &Uri) -> Result<T> {
    let text = format!(
        "HTTP: Cannot write '{uri}'; web servers are read-only storage. Write to a local folder or an object store, and publish \
         the result with `tiledb-rs publish`"
    );
    Err(Error::new(ErrorKind::Unsupported, text))
}

/// The methods of [`Backend`](super::Backend) that write, each of which fails.
macro_rules! refuse_writes {
    () => {
        fn appends(&self) -> bool {
            false
        }

        fn create(&self, uri: &$crate::vfs::Uri) -> Result<Box<dyn $crate::vfs::FileSink>> {
            $crate::vfs::read_only::read_only(uri)
        }

        fn append(&self, uri: &$crate::vfs::Uri) -> Result<Box<dyn $crate::vfs::FileSink>> {
            $crate::vfs::read_only::read_only(uri)
        }

        fn touch(&self, uri: &$crate::vfs::Uri) -> Result<()> {
            $crate::vfs::read_only::read_only(uri)
        }

        fn create_dir(&self, uri: &$crate::vfs::Uri) -> Result<()> {
            $crate::vfs::read_only::read_only(uri)
        }

        fn remove_file(&self, uri: &$crate::vfs::Uri) -> Result<()> {
            $crate::vfs::read_only::read_only(uri)
        }

        fn remove_files(&self, uris: &[$crate::vfs::Uri]) -> Result<()> {
            uris.first().map_or(Ok(()), $crate::vfs::read_only::read_only)
        }

        fn remove_dir(&self, uri: &$crate::vfs::Uri) -> Result<()> {
            $crate::vfs::read_only::read_only(uri)
        }

        fn remove_dirs(&self, groups: &[&[$crate::vfs::Uri]]) -> Result<()> {
            groups.iter().copied().flatten().next().map_or(Ok(()), $crate::vfs::read_only::read_only)
        }

        fn remove_empty_dir(&self, uri: &$crate::vfs::Uri) -> Result<()> {
            $crate::vfs::read_only::read_only(uri)
        }

        fn move_file(&self, from: &$crate::vfs::Uri, _to: &$crate::vfs::Uri) -> Result<()> {
            $crate::vfs::read_only::read_only(from)
        }

        fn move_dir(&self, from: &$crate::vfs::Uri, _to: &$crate::vfs::Uri) -> Result<()> {
            $crate::vfs::read_only::read_only(from)
        }

        fn copy_file(&self, _from: &$crate::vfs::Uri, to: &$crate::vfs::Uri) -> Result<()> {
            $crate::vfs::read_only::read_only(to)
        }

        fn copy_dir(&self, _from: &$crate::vfs::Uri, to: &$crate::vfs::Uri) -> Result<()> {
            $crate::vfs::read_only::read_only(to)
        }
    };
}
pub(super) use refuse_writes;
