//! The virtual file system: local files, memory, S3, Azure, GCS; the HTTP client; the resources of a context.

#[cfg(feature = "http")]
pub mod http;
pub mod resources;
pub mod vfs;
