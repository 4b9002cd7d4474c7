//! Operating system: what the engine needs beyond the standard library, with one interface for Unix, Windows and WebAssembly.
//!
//! No other module of the engine names an operating system. Operations that a system lacks fail with
//! [`Unsupported`](std::io::ErrorKind::Unsupported), and callers have another way; or they do nothing, if their documentation
//! says so.

#[cfg(any(windows, miri))]
pub mod heap_memory;
#[cfg(unix)]
mod unix;
pub mod unnamed_file;
#[cfg(target_family = "wasm")]
mod wasm;
#[cfg(windows)]
mod windows;

#[cfg(any(windows, miri))]
pub use heap_memory as memory;
#[cfg(all(unix, not(miri)))]
pub use unix::memory;
#[cfg(all(unix, feature = "tls"))]
pub use unix::tls;
#[cfg(unix)]
pub use unix::{directory, environment, error, file, fork, library, path};
#[cfg(target_family = "wasm")]
pub use wasm::{directory, environment, error, file, fork, library, memory, path};
#[cfg(all(windows, feature = "tls"))]
pub use windows::tls;
#[cfg(windows)]
pub use windows::{directory, environment, error, file, fork, library, path};

/// Kind of file system, as far as the validation of caches depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// A disk of this machine: a page is write-protected when it is clean.
    Disk,
    /// Memory, as `tmpfs` does: pages are never clean.
    Memory,
    /// Something else, or unknown.
    Other,
}

/// What identifies a file and the state of its content, apart from its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStamp {
    pub device: u64,
    pub inode: u64,
    /// The time of the last change of any kind (ctime), in seconds and nanoseconds since 1970.
    pub changed: (u64, u64),
}
