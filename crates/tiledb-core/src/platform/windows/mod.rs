//! Windows.

pub mod directory;
pub mod environment;
pub mod error;
pub mod file;
pub mod fork;
pub mod library;
pub mod path;
mod rename;
#[cfg(feature = "tls")]
pub mod tls;

pub(super) use rename::{create_unnamed, link_unnamed, rename_new};
