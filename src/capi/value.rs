//! Handles that hold a value: shared with other objects, copied when it is changed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::{Error, ErrorKind, Result, bail};

/// What the handle of a schema, or of a part of one, holds. What borrows from the value is valid
/// until the value is changed or the handle freed.
pub struct Value<T>(Mutex<Arc<T>>);

impl<T> Value<T> {
    /// A handle's content, sharing the value with whoever else has it.
    pub(crate) fn new(value: impl Into<Arc<T>>) -> Value<T> {
        Value(Mutex::new(value.into()))
    }

    fn lock(&self) -> MutexGuard<'_, Arc<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The value of this moment.
    pub(crate) fn snapshot(&self) -> Arc<T> {
        Arc::clone(&self.lock())
    }
}

impl<T: Clone> Value<T> {
    /// Changes the value; others that share it keep theirs. After an error it is as it was.
    ///
    /// # Errors
    /// What `change` gives.
    pub(crate) fn change(&self, change: impl FnOnce(&mut T) -> Result<()>) -> Result<()> {
        change(Arc::make_mut(&mut self.lock()))
    }
}

/// Marks an error of the engine's own enumerations as the reference does.
pub(crate) fn internal(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Newer => error,
        _ => error.prefixed("TileDB internal: "),
    }
}

/// A size that C passed as 64 bits.
///
/// # Errors
/// If it is beyond all memory.
pub(crate) fn size_of(size: u64) -> Result<usize> {
    match usize::try_from(size) {
        Ok(size) => Ok(size),
        Err(_) => bail!("C API: a size of {size} bytes is beyond all memory"),
    }
}
