//! The object of an error handle.

use tiledb_core::error::Error;
use tiledb_core::types::Name;

/// The object of an error handle: the message.
pub struct ErrorObject(Name);

impl ErrorObject {
    /// The content of an error handle.
    pub(crate) fn new(error: &Error) -> ErrorObject {
        ErrorObject(Name::of_path(error.text()))
    }

    /// The text.
    pub(crate) fn text(&self) -> &Name {
        &self.0
    }
}
