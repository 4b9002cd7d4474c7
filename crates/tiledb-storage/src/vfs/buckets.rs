//! Buckets and containers of object stores.

use super::{Uri, Vfs};
use tiledb_core::error::Result;

impl Vfs {
    /// Makes a bucket.
    ///
    /// # Errors
    /// `Unsupported` where storage has no buckets.
    pub fn create_bucket(&self, uri: &Uri) -> Result<()> {
        self.backend(uri)?.create_bucket(uri)
    }

    /// Removes a bucket with all it holds.
    ///
    /// # Errors
    /// As [`Vfs::create_bucket`].
    pub fn remove_bucket(&self, uri: &Uri) -> Result<()> {
        self.backend(uri)?.remove_bucket(uri)
    }

    /// Removes all that a bucket holds.
    ///
    /// # Errors
    /// As [`Vfs::create_bucket`].
    pub fn empty_bucket(&self, uri: &Uri) -> Result<()> {
        self.backend(uri)?.empty_bucket(uri)
    }

    /// Whether a bucket is empty.
    ///
    /// # Errors
    /// As [`Vfs::create_bucket`].
    pub fn is_empty_bucket(&self, uri: &Uri) -> Result<bool> {
        self.backend(uri)?.is_empty_bucket(uri)
    }

    /// Whether `uri` is a bucket.
    ///
    /// # Errors
    /// As [`Vfs::create_bucket`].
    pub fn is_bucket(&self, uri: &Uri) -> Result<bool> {
        self.backend(uri)?.is_bucket(uri)
    }

    /// Aborts the incomplete multipart uploads below a directory, and counts them.
    ///
    /// # Errors
    /// If the storage fails; some uploads may have been aborted by then.
    pub fn sweep_uploads(&self, directory: &Uri) -> Result<u64> {
        self.backend(directory)?.sweep_uploads(directory)
    }
}
