//! The error type of the engine.
//!
//! A C caller receives a return code and a message, so messages are part of the interface: they name the operation, the
//! offending value and, if there is one, the remedy. Code that reacts to an error matches its [`ErrorKind`], never
//! the message.

use std::fmt;

/// Classification of errors, as far as callers react to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The caller's argument or the state of an object does not allow the operation.
    Invalid,
    /// The file, directory, array or member does not exist.
    NotFound,
    /// The operating system or an object store refused an operation.
    Io,
    /// Stored bytes do not follow the format.
    Corrupt,
    /// The bytes that are decoded so far follow the format and go on.
    Incomplete,
    /// Missing or wrong encryption key.
    Key,
    /// A parameter or a format feature this library does not provide.
    Unsupported,
    /// Stored data have a newer format version than this library supports.
    Newer,
    /// The memory budget does not suffice.
    Budget,
    /// The system has no memory left for a size that came from outside.
    OutOfMemory,
    /// The operation was cancelled.
    Cancelled,
    /// The host program has not supplied the bytes of a file yet: it does, and repeats the operation.
    Pending,
    /// A defect of this library.
    Internal,
}

/// An error: its kind and its text. Small (one pointer), so `Result` stays cheap.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    text: String,
}

/// The result of every fallible operation of the engine.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of `kind` with its full text.
    #[cold]
    pub fn new(kind: ErrorKind, text: impl Into<String>) -> Self {
        Error(Box::new(Inner { kind, text: text.into() }))
    }

    /// The caller's argument or the object's state does not allow this.
    #[cold]
    pub fn invalid(text: impl Into<String>) -> Self {
        Error::new(ErrorKind::Invalid, text)
    }

    /// Stored bytes do not follow the format.
    #[cold]
    pub fn corrupt(text: impl Into<String>) -> Self {
        Error::new(ErrorKind::Corrupt, text)
    }

    /// A defect of this library, or a state that cannot be.
    #[cold]
    pub fn internal(text: impl Into<String>) -> Self {
        Error::new(ErrorKind::Internal, text)
    }

    /// Memory for `what`, whose size came from outside, could not be reserved.
    #[cold]
    pub fn out_of_memory(what: &str, bytes: usize) -> Self {
        Error::new(ErrorKind::OutOfMemory, format!("Cannot reserve {bytes} bytes for {what}"))
    }

    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The full text.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Adds context: the message becomes `outer (message)`, the kind is unchanged.
    #[must_use]
    pub fn context(mut self, outer: impl fmt::Display) -> Self {
        self.0.text = format!("{outer} ({})", self.0.text);
        self
    }

    /// Appends `detail` in parentheses.
    #[must_use]
    pub fn detailed(mut self, detail: impl fmt::Display) -> Self {
        self.0.text = format!("{} ({detail})", self.0.text);
        self
    }

    /// Appends `end` to the message, without parentheses.
    #[must_use]
    pub fn continued(mut self, end: &str) -> Self {
        self.0.text.push_str(end);
        self
    }

    /// Prepends `prefix` to the message, without parentheses.
    #[must_use]
    pub fn prefixed(mut self, prefix: &str) -> Self {
        self.0.text.insert_str(0, prefix);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.0.kind, self.0.text)
    }
}

impl std::error::Error for Error {}

/// Adds context to the error of a result where it is known: operation, URI, field, tile, offset.
pub trait ErrorContext<T> {
    /// Maps the error to `outer (text)`; `outer` is only built for an error.
    ///
    /// # Errors
    /// The same error, with its context.
    fn context<D: fmt::Display>(self, outer: impl FnOnce() -> D) -> Result<T>;
}

impl<T> ErrorContext<T> for Result<T> {
    fn context<D: fmt::Display>(self, outer: impl FnOnce() -> D) -> Result<T> {
        self.map_err(|error| error.context(outer()))
    }
}

/// Returns an [`ErrorKind::Invalid`] error, or one of another kind: `bail!("text {x}")`, `bail!(Corrupt, "text {x}")`.
#[macro_export]
macro_rules! bail {
    ($kind:ident, $($text:tt)+) => {
        return Err($crate::error::Error::new($crate::error::ErrorKind::$kind, format!($($text)+)))
    };
    ($($text:tt)+) => {
        return Err($crate::error::Error::invalid(format!($($text)+)))
    };
}
pub use bail;
