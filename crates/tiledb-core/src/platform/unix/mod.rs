//! Unix: Linux, and systems of the BSD family such as macOS.

pub mod directory;
pub mod environment;
pub mod error;
pub mod file;
pub mod fork;
pub mod library;
#[cfg(not(miri))]
pub mod memory;
pub mod path;
#[cfg(feature = "tls")]
pub mod tls;

#[cfg(not(target_os = "linux"))]
mod bsd;
#[cfg(target_os = "linux")]
#[cfg_attr(miri, allow(dead_code, reason = "Miri takes large memory from the allocator"))]
mod linux;
#[cfg(target_os = "linux")]
mod page_cache;
#[cfg(target_os = "linux")]
mod relocations;

#[cfg(not(target_os = "linux"))]
use bsd as kernel;
#[cfg(target_os = "linux")]
use linux as kernel;

pub(super) use directory::rename_new;
pub(super) use kernel::{create_unnamed, link_unnamed};
