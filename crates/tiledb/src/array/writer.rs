//! Arrays that are open for writing.

use std::fmt;
use std::sync::Arc;

use crate::error::{AtUri, Result};
use crate::handle::ArrayHandle;
use crate::metadata::MetadataValue;
use crate::name::check_text;
use crate::query::{GlobalWrite, WriteQuery};
use crate::schema::ArraySchema;
use tiledb_core::log;

/// An array that is open for writing cells and metadata.
///
/// Cells are visible to others when a write returns; metadata when the array is [closed](ArrayWriter::close), or dropped.
pub struct ArrayWriter(Arc<ArrayHandle>);

impl ArrayWriter {
    pub(super) fn new(handle: Arc<ArrayHandle>) -> ArrayWriter {
        ArrayWriter(handle)
    }

    /// The URI.
    pub fn uri(&self) -> &str {
        self.0.uri()
    }

    /// The schema.
    pub fn schema(&self) -> ArraySchema {
        ArraySchema(self.0.schema())
    }

    /// Begins a write, which borrows the writer: dropping it closes the array.
    pub fn write<'b>(&'b self) -> WriteQuery<'b> {
        WriteQuery::new(&self.0)
    }

    /// Begins a write in global order, of any number of cells in several parts. Of dense arrays it fills the whole domain.
    ///
    /// # Errors
    /// If the array cannot be written in global order.
    pub fn write_global(&self) -> Result<GlobalWrite> {
        GlobalWrite::new(self.write())
    }

    /// Begins a write in global order with the settings of another one: the region of a dense array, and parameters.
    ///
    /// # Errors
    /// As [`ArrayWriter::write_global`], and if the settings do not fit the array.
    pub fn write_global_with(&self, query: WriteQuery<'_>) -> Result<GlobalWrite> {
        GlobalWrite::new(query)
    }

    /// Sets metadata, which is written when the array is closed: a number, a text, a Boolean or a list of numbers.
    ///
    /// # Errors
    /// If the key is invalid.
    pub fn put_metadata(&self, key: &str, value: impl Into<MetadataValue>) -> Result<()> {
        check_text(key).at(self.uri())?;
        let value = value.into();
        let datatype = value.datatype().engine().number().into();
        self.0.array.put_metadata(Some(key), datatype, Some(value.bytes())).at(self.uri())
    }

    /// Deletes metadata, effective when the array is closed. There need not be such a key.
    ///
    /// # Errors
    /// If the key is invalid.
    pub fn delete_metadata(&self, key: &str) -> Result<()> {
        self.0.array.delete_metadata(Some(key)).at(self.uri())
    }

    /// Closes the array: writes its metadata. Dropping does the same, but errors are only logged.
    ///
    /// # Errors
    /// If the metadata cannot be written; it is lost then.
    pub fn close(self) -> Result<()> {
        self.0.array.close().at(self.uri())
    }
}

impl Drop for ArrayWriter {
    fn drop(&mut self) {
        if let Err(error) = self.0.array.close() {
            log::line(log::Level::Error, || format!("Cannot close the array '{}': {}", self.uri(), error.text()));
        }
    }
}

impl fmt::Debug for ArrayWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArrayWriter").field("uri", &self.uri()).finish()
    }
}
