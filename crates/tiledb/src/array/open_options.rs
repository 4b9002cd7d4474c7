//! How arrays are opened.

use super::deleter::ArrayDeleter;
use super::reader::Array;
use super::writer::ArrayWriter;
use crate::config::Config;
use crate::context::Context;
use crate::error::Result;
use crate::handle::ArrayHandle;
use tiledb_core::types::QueryType;

/// How an array is opened: at a point in time, with an encryption key or other parameters.
///
/// ```
/// use tiledb::{Array, ArraySchema, Attribute, Context, Dimension};
///
/// let ctx = Context::new()?;
/// let schema = ArraySchema::sparse()
///     .dimension(Dimension::new("id", 0..=99_i32))
///     .attribute(Attribute::new::<i32>("a"))
///     .build()?;
/// Array::create(&ctx, "mem://versions", &schema)?;
/// for time in [10, 20] {
///     let writer = Array::options().at(time).open_for_writing(&ctx, "mem://versions")?;
///     writer.write().values("id", &[1]).values("a", &[time as i32]).submit()?;
/// }
/// let before = Array::options().at(15).open(&ctx, "mem://versions")?;
/// assert_eq!(before.read().all()?.values::<i32>("a")?, [10]);
/// # Ok::<(), tiledb::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "options do nothing before an array is opened with them"]
pub struct OpenOptions {
    window: (u64, u64),
    config: Option<Config>,
}

impl Default for OpenOptions {
    fn default() -> OpenOptions {
        OpenOptions::new()
    }
}

impl OpenOptions {
    /// The newest state, with the configuration of the context.
    pub fn new() -> OpenOptions {
        OpenOptions { window: (0, u64::MAX), config: None }
    }

    /// Opens the array as of a time in milliseconds since 1970-01-01 UTC. Cells and metadata that are written get this timestamp.
    pub fn at(self, timestamp: u64) -> OpenOptions {
        OpenOptions { window: (self.window.0, timestamp), ..self }
    }

    /// Reads only what was written from a time on, in milliseconds since 1970-01-01 UTC.
    pub fn since(self, timestamp: u64) -> OpenOptions {
        OpenOptions { window: (timestamp, self.window.1), ..self }
    }

    /// Sets parameters, which override those of the context.
    pub fn config(self, config: &Config) -> OpenOptions {
        OpenOptions { config: Some(config.clone()), ..self }
    }

    /// Sets the key of an encrypted array (AES-256-GCM): 32 bytes.
    ///
    /// # Errors
    /// If the key has another length.
    pub fn encryption_key(self, key: &str) -> Result<OpenOptions> {
        let config = self.config.clone().unwrap_or_default().to_builder().encryption_key(key).build()?;
        Ok(self.config(&config))
    }

    /// Opens an array for reading.
    ///
    /// # Errors
    /// If there is no array, it cannot be read with the key, or storage fails.
    pub fn open(&self, ctx: &Context, uri: &str) -> Result<Array> {
        let handle = ArrayHandle::open(ctx, uri, QueryType::Read, self.window, self.config.as_ref())?;
        Ok(Array::new(handle))
    }

    /// Opens an array for writing.
    ///
    /// # Errors
    /// As [`OpenOptions::open`].
    pub fn open_for_writing(&self, ctx: &Context, uri: &str) -> Result<ArrayWriter> {
        let handle = ArrayHandle::open(ctx, uri, QueryType::Write, self.window, self.config.as_ref())?;
        Ok(ArrayWriter::new(handle))
    }

    /// Opens an array for deleting cells.
    ///
    /// # Errors
    /// As [`OpenOptions::open`].
    pub fn open_for_deletion(&self, ctx: &Context, uri: &str) -> Result<ArrayDeleter> {
        let handle = ArrayHandle::open(ctx, uri, QueryType::Delete, self.window, self.config.as_ref())?;
        Ok(ArrayDeleter::new(handle))
    }
}

/// Opening arrays.
impl Array {
    /// How an array is opened other than by default.
    pub fn options() -> OpenOptions {
        OpenOptions::new()
    }

    /// Opens an array for reading: a snapshot of its newest state.
    ///
    /// # Errors
    /// If there is no array, it cannot be read with the key of the context, or storage fails.
    pub fn open(ctx: &Context, uri: &str) -> Result<Array> {
        OpenOptions::new().open(ctx, uri)
    }

    /// Opens an array for writing.
    ///
    /// # Errors
    /// As [`Array::open`].
    pub fn open_for_writing(ctx: &Context, uri: &str) -> Result<ArrayWriter> {
        OpenOptions::new().open_for_writing(ctx, uri)
    }

    /// Opens a sparse array for deleting cells.
    ///
    /// # Errors
    /// As [`Array::open`].
    pub fn open_for_deletion(ctx: &Context, uri: &str) -> Result<ArrayDeleter> {
        OpenOptions::new().open_for_deletion(ctx, uri)
    }
}
