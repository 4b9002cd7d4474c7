//! Windows.

pub mod directory;
pub mod environment;
pub mod error;
pub mod file;
pub mod fork;
pub mod library;
pub mod memory;
pub mod path;
#[cfg(feature = "tls")]
pub mod tls;
