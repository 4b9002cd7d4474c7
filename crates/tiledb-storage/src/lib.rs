//! The virtual file system: local files, memory, S3, Azure, GCS; the HTTP client; the resources of a context.

#[cfg(any(feature = "s3", feature = "azure", feature = "gcs", feature = "rest"))]
pub mod http;
pub mod resources;
pub mod vfs;
