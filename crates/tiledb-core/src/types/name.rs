//! Names that C callers can borrow.

use std::borrow::Cow;
use std::ffi::{CStr, CString};
use std::fmt;
use std::sync::Arc;

use super::bytes_of_path;

/// A shared, NUL-terminated string, so that a C caller can borrow it from the object that owns it. Cloning shares the text.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(Arc<Inner>);

#[derive(PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Inner {
    /// The text with a terminating NUL, the only one in it. Stored as `str`, since queries compare names often and must
    /// not validate UTF-8 each time.
    text: Box<str>,
    /// Bytes of a path that is not UTF-8, which C sees instead of the text.
    bytes: Option<CString>,
}

impl Name {
    /// A name with this text, cut at the first NUL if it holds one.
    pub fn new(text: &str) -> Name {
        Name(Arc::new(Inner { text: with_nul(text), bytes: None }))
    }

    /// The name of a path, or a text that contains one: C receives the bytes that are encoded by it.
    pub fn of_path(text: &str) -> Name {
        let bytes = match bytes_of_path(text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(bytes) => Some(to_nul(&bytes)),
        };
        Name(Arc::new(Inner { text: with_nul(text), bytes }))
    }

    /// The text.
    #[inline]
    pub fn as_str(&self) -> &str {
        let text = &*self.0.text;
        text.get(..text.len().saturating_sub(1)).unwrap_or_default()
    }

    /// The text with its NUL; valid while this name or a clone of it lives.
    pub fn as_c_str(&self) -> &CStr {
        match &self.0.bytes {
            Some(bytes) => bytes,
            None => CStr::from_bytes_with_nul(self.0.text.as_bytes()).unwrap_or_default(),
        }
    }
}

/// The text up to its first NUL, ended by one.
fn with_nul(text: &str) -> Box<str> {
    let text = text.split('\0').next().unwrap_or_default();
    [text, "\0"].concat().into()
}

fn to_nul(bytes: &[u8]) -> CString {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    CString::new(&bytes[..end]).unwrap_or_default()
}

impl std::ops::Deref for Name {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        Name::new(text)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}
