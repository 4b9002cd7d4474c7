//! What an error handle holds.

use tiledb_core::error::Error;
use tiledb_core::types::Name;

/// What an error handle holds: the text.
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
