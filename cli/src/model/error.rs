//! Errors of the tool, by exit code.

use std::fmt;

use super::message::in_words_of_the_tool;

/// An error of the tool.
#[derive(Debug)]
pub(crate) enum Error {
    /// Invalid arguments.
    Usage(String),
    /// It could not be done.
    Failed(String),
    /// The command succeeded and reported findings.
    Findings,
    /// Stopped by a signal such as that of Ctrl-C.
    Stopped,
    /// Stopped by a signal as intended, after a message of its own.
    Ended,
}

pub(crate) type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn usage(text: impl Into<String>) -> Self {
        Self::Usage(text.into())
    }

    /// Something could not be done.
    pub(crate) fn failed(text: impl Into<String>) -> Self {
        Self::Failed(text.into())
    }

    /// A failure reported by another library.
    pub(crate) fn failed_by(error: impl fmt::Display) -> Self {
        Self::Failed(error.to_string())
    }

    /// Adds the subject, unless the message names it.
    pub(crate) fn at(self, what: &str) -> Self {
        match self {
            Self::Failed(text) if !text.contains(what) => Self::Failed(format!("{what}: {text}")),
            other => other,
        }
    }

    /// Whether the reader of our output went away, as `head` does.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Failed(text) if text == CLOSED_PIPE)
    }
}

const CLOSED_PIPE: &str = "the output was closed";

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) | Self::Failed(text) => f.write_str(text),
            Self::Findings => f.write_str("there are findings"),
            Self::Ended => f.write_str("stopped"),
            Self::Stopped => f.write_str("stopped; what was there before is as it was"),
        }
    }
}

/// The text of the library in the words of the tool; callers add the URI where it helps.
impl From<tiledb::Error> for Error {
    fn from(error: tiledb::Error) -> Self {
        Self::Failed(in_words_of_the_tool(error.message()))
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        let closed = error.kind() == std::io::ErrorKind::BrokenPipe;
        Self::Failed(if closed { CLOSED_PIPE.to_owned() } else { error.to_string() })
    }
}
