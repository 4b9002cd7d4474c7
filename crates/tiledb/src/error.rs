//! The error type of the crate.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;

use tiledb_core::error as engine;

/// The result of every fallible operation of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What kind of error occurred, for programs that react to it.
///
/// Later versions may add kinds: match with a `_` arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An array, a group, a file, a field or a member does not exist.
    NotFound,
    /// There is an array or a group at the URI already.
    AlreadyExists,
    /// An argument, or the state of an object, does not allow the operation.
    InvalidArgument,
    /// A schema, or a part of one, is not valid.
    Schema,
    /// Stored bytes do not follow the format.
    Corrupt,
    /// The encryption key is missing or wrong.
    EncryptionKey,
    /// A feature of the format, a storage backend or a parameter is not supported, or not part of this build.
    Unsupported,
    /// The array has a newer format version than this library supports.
    NewerFormat,
    /// The operating system, an object store or a server refused an operation.
    Store,
    /// The memory budget (`sm.mem.total_budget`) is too small for the operation.
    MemoryBudget,
    /// The system has no memory left.
    OutOfMemory,
    /// The operation was cancelled, or a callback stopped it.
    Cancelled,
    /// The host program has not supplied the bytes of a file yet: it does, and repeats the operation (WebAssembly only).
    Pending,
    /// A defect of this library; please report it.
    Internal,
}

/// An error: its [kind](Error::kind), a message, and the [URI](Error::uri) of the array, group or file if it concerns one.
///
/// Messages name the operation and the offending value. They are for people and may change; programs match the kind.
///
/// ```
/// use tiledb::{Array, Context, ErrorKind};
///
/// let ctx = Context::new()?;
/// let error = Array::open(&ctx, "mem://missing").unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::NotFound);
/// assert_eq!(error.uri(), Some("mem://missing"));
/// # Ok::<(), tiledb::Error>(())
/// ```
pub struct Error(Box<ErrorParts>);

struct ErrorParts {
    kind: ErrorKind,
    message: String,
    uri: Option<String>,
    position: Option<usize>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// An error of a kind, for the callbacks of programs and for crates that build on this one.
    #[cold]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error(Box::new(ErrorParts { kind, message: message.into(), uri: None, position: None, source: None }))
    }

    #[cold]
    pub(crate) fn invalid(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::InvalidArgument, message)
    }

    #[cold]
    pub(crate) fn schema(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Schema, message)
    }

    #[cold]
    pub(crate) fn not_found(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::NotFound, message)
    }

    /// Adds the error that caused this one.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Error {
        self.0.source = Some(source.into());
        self
    }

    /// Adds the URI that the error concerns, unless it has one.
    #[must_use]
    pub(crate) fn at(mut self, uri: &str) -> Error {
        self.0.uri.get_or_insert_with(|| uri.to_owned());
        self
    }

    /// Adds the place in a text that was parsed.
    #[must_use]
    pub(crate) fn at_position(mut self, position: usize) -> Error {
        self.0.position.get_or_insert(position);
        self
    }

    /// Replaces the kind of an invalid argument.
    pub(crate) fn refined(mut self, kind: ErrorKind) -> Error {
        if self.0.kind == ErrorKind::InvalidArgument {
            self.0.kind = kind;
        }
        self
    }

    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The URI of the array, group or file that the error concerns.
    pub fn uri(&self) -> Option<&str> {
        self.0.uri.as_deref()
    }

    /// Where the error is in a text that was parsed, such as that of a [`Condition`](crate::Condition), in bytes from its beginning.
    ///
    /// ```
    /// let error = "delay > 60 or origin".parse::<tiledb::Condition>().unwrap_err();
    /// assert_eq!(error.position(), Some(20));
    /// ```
    pub fn position(&self) -> Option<usize> {
        self.0.position
    }

    /// The message, without the URI and the source.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The engine's error for one that passes through it.
    #[doc(hidden)]
    pub fn into_engine(self) -> engine::Error {
        let kind = match self.0.kind {
            ErrorKind::NotFound => engine::ErrorKind::NotFound,
            ErrorKind::Corrupt => engine::ErrorKind::Corrupt,
            ErrorKind::EncryptionKey => engine::ErrorKind::Key,
            ErrorKind::Unsupported => engine::ErrorKind::Unsupported,
            ErrorKind::NewerFormat => engine::ErrorKind::Newer,
            ErrorKind::Store => engine::ErrorKind::Io,
            ErrorKind::MemoryBudget => engine::ErrorKind::Budget,
            ErrorKind::OutOfMemory => engine::ErrorKind::OutOfMemory,
            ErrorKind::Cancelled => engine::ErrorKind::Cancelled,
            ErrorKind::Pending => engine::ErrorKind::Pending,
            ErrorKind::Internal => engine::ErrorKind::Internal,
            ErrorKind::AlreadyExists | ErrorKind::InvalidArgument | ErrorKind::Schema => engine::ErrorKind::Invalid,
        };
        engine::Error::new(kind, self.0.message)
    }
}

/// A URI as messages show it: without the query of a web address, which may sign it.
fn shown(uri: &str) -> Cow<'_, str> {
    let is_web = uri.starts_with("http://") || uri.starts_with("https://");
    match uri.split_once('?').filter(|_| is_web) {
        Some((address, _)) => format!("{address}?...").into(),
        None => uri.into(),
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.uri.as_deref().map(shown) {
            Some(uri) if !self.0.message.contains(&*uri) => write!(f, "{} ({uri})", self.0.message),
            _ => f.write_str(&self.0.message),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ErrorParts { kind, message, uri, position, source } = &*self.0;
        let mut fields = f.debug_struct("Error");
        fields.field("kind", kind).field("message", message);
        if let Some(uri) = uri {
            fields.field("uri", &shown(uri));
        }
        if let Some(position) = position {
            fields.field("position", position);
        }
        if let Some(source) = source {
            fields.field("source", source);
        }
        fields.finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}

#[doc(hidden)]
impl From<engine::Error> for Error {
    #[cold]
    fn from(error: engine::Error) -> Error {
        let kind = match error.kind() {
            engine::ErrorKind::Invalid => ErrorKind::InvalidArgument,
            engine::ErrorKind::NotFound => ErrorKind::NotFound,
            engine::ErrorKind::Io => ErrorKind::Store,
            engine::ErrorKind::Corrupt | engine::ErrorKind::Incomplete => ErrorKind::Corrupt,
            engine::ErrorKind::Key => ErrorKind::EncryptionKey,
            engine::ErrorKind::Unsupported => ErrorKind::Unsupported,
            engine::ErrorKind::Newer => ErrorKind::NewerFormat,
            engine::ErrorKind::Budget => ErrorKind::MemoryBudget,
            engine::ErrorKind::OutOfMemory => ErrorKind::OutOfMemory,
            engine::ErrorKind::Cancelled => ErrorKind::Cancelled,
            engine::ErrorKind::Pending => ErrorKind::Pending,
            engine::ErrorKind::Internal => ErrorKind::Internal,
        };
        Error::new(kind, error.text())
    }
}

impl From<Error> for std::io::Error {
    fn from(error: Error) -> std::io::Error {
        let kind = match error.kind() {
            ErrorKind::NotFound => std::io::ErrorKind::NotFound,
            ErrorKind::AlreadyExists => std::io::ErrorKind::AlreadyExists,
            ErrorKind::InvalidArgument | ErrorKind::Schema => std::io::ErrorKind::InvalidInput,
            ErrorKind::Corrupt => std::io::ErrorKind::InvalidData,
            ErrorKind::Unsupported | ErrorKind::NewerFormat => std::io::ErrorKind::Unsupported,
            ErrorKind::OutOfMemory | ErrorKind::MemoryBudget => std::io::ErrorKind::OutOfMemory,
            _ => std::io::ErrorKind::Other,
        };
        std::io::Error::new(kind, error)
    }
}

/// Adds a URI to the error of a result.
pub(crate) trait AtUri<T> {
    fn at(self, uri: &str) -> Result<T>;
}

impl<T, E: Into<Error>> AtUri<T> for Result<T, E> {
    fn at(self, uri: &str) -> Result<T> {
        self.map_err(|error| error.into().at(uri))
    }
}
