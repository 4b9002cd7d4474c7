//! Names that C may borrow.

use std::ffi::{CStr, CString};
use std::fmt;
use std::sync::Arc;

/// A shared string that ends with a NUL, so that a C caller can borrow it from the object that
/// keeps it. Cloning shares the text.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(Arc<CStr>);

impl Name {
    /// A name with this text, cut at the first NUL if it holds one.
    pub fn new(text: &str) -> Name {
        let end = text.find('\0').unwrap_or(text.len());
        Name(CString::new(&text.as_bytes()[..end]).unwrap_or_default().into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    /// The text with its NUL; valid while this name or a clone of it lives.
    pub fn as_c_str(&self) -> &CStr {
        &self.0
    }
}

impl std::ops::Deref for Name {
    type Target = str;

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
