//! Expensive things kept for the next user.

use tiledb_core::fork::Lock;

/// A capped stack of values that are costly to make: codec contexts, chunk buffers. It never makes
/// anybody wait: where another thread is at the stack at this moment, a new value is made instead.
pub struct Recycler<T> {
    kept: Lock<Vec<T>>,
    limit: usize,
}

impl<T> Recycler<T> {
    /// A stack of at most `limit` values.
    pub const fn new(limit: usize) -> Recycler<T> {
        Recycler { kept: Lock::new(Vec::new(), Vec::new), limit }
    }

    /// The most recently returned value that `fits`, if there is one.
    pub fn take(&self, fits: impl Fn(&T) -> bool) -> Option<T> {
        let mut kept = self.kept.try_lock()?;
        let position = kept.iter().rposition(fits)?;
        Some(kept.swap_remove(position))
    }

    /// Returns a value for the next user.
    pub fn put(&self, value: T) {
        if let Some(mut kept) = self.kept.try_lock()
            && kept.len() < self.limit
        {
            kept.push(value);
        }
    }
}
