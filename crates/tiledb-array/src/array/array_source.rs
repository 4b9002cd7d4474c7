//! Interface to the server of a remote array, for contents that are loaded on demand.

use std::any::Any;

use super::{Metadata, MetadataChanges};
use crate::schema::{Enumeration, EnumerationRef};
use tiledb_core::error::Result;
use tiledb_core::types::NdRange;

/// The server that an array was opened through; loads what the open request did not return.
pub trait ArraySource: Any + Send + Sync {
    /// The bounding box of all cells in the time window of the open array; `None` if there are no cells.
    ///
    /// # Errors
    /// If the request fails or the response is invalid.
    fn non_empty_domain(&self) -> Result<Option<NdRange>>;

    /// The metadata in the window.
    ///
    /// # Errors
    /// If the request fails or the response is invalid.
    fn metadata(&self) -> Result<Metadata>;

    /// The values of an enumeration of one of the array's schemas.
    ///
    /// # Errors
    /// If the request fails, the response is invalid, or the enumeration is unknown to the server.
    fn enumeration(&self, known: &EnumerationRef) -> Result<Enumeration>;

    /// Stores the metadata that was put and deleted since opening.
    ///
    /// # Errors
    /// If the server rejects it.
    fn write_metadata(&self, changes: &MetadataChanges) -> Result<()>;
}
