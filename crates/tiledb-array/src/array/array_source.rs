//! Interface to the server of a remote array, for contents that are loaded on demand.

use std::any::Any;

use super::{Metadata, MetadataChanges};
use crate::schema::{Enumeration, EnumerationRef};
use tiledb_core::error::Result;
use tiledb_core::types::NdRange;

/// The server that an array was opened through; loads what the open request did not return.
pub trait ArraySource: Any + Send + Sync {
    /// The box around all cells in the window that the array was opened at; `None` where there are none.
    ///
    /// # Errors
    /// If the server does not answer so.
    fn non_empty_domain(&self) -> Result<Option<NdRange>>;

    /// The metadata in the window.
    ///
    /// # Errors
    /// If the server does not answer so.
    fn metadata(&self) -> Result<Metadata>;

    /// The values of an enumeration of one of the array's schemas.
    ///
    /// # Errors
    /// If the server does not answer so, or does not know it.
    fn enumeration(&self, known: &EnumerationRef) -> Result<Enumeration>;

    /// Stores what was put and deleted since opening.
    ///
    /// # Errors
    /// If the server does not take it.
    fn write_metadata(&self, changes: &MetadataChanges) -> Result<()>;
}
