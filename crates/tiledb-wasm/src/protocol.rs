//! Requests of JavaScript, and what becomes of them.

use serde_json::Value as Json;
use tiledb::{Error, ErrorKind, Result};
use tiledb_storage::vfs::{HostRequest, Uri};

/// What becomes of a call.
pub enum CallOutcome {
    Done(Json),
    Failed(Error),
    /// Ranges of files, and indexes, that JavaScript fetches before it repeats the call.
    Pending(Vec<HostRequest>),
}

pub fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidArgument, message)
}

/// A text of a request.
pub fn text<'a>(request: &'a Json, name: &str) -> Result<&'a str> {
    request[name].as_str().ok_or_else(|| invalid(format!("'{name}' is no text")))
}

/// A number of a request.
pub fn number(request: &Json, name: &str) -> Result<u64> {
    request[name].as_u64().ok_or_else(|| invalid(format!("'{name}' is no number")))
}

/// A URI of a request.
///
/// # Errors
/// If it is none.
pub fn uri(text: &str) -> Result<Uri> {
    Uri::parse(text).map_err(Error::from)
}
