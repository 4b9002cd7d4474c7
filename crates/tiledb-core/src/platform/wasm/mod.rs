//! WebAssembly: no files, no threads, no network. Programs give the bytes of arrays to the library, which reads no others.

pub mod directory;
pub mod environment;
pub mod error;
pub mod file;
pub mod fork;
pub mod library;
pub mod memory;
pub mod path;

pub(super) use file::{create_unnamed, link_unnamed, rename_new};
