//! Pool of objects that are expensive to create.

use tiledb_core::fork::Lock;

/// A bounded stack of objects that are expensive to create: codec contexts, chunk buffers. It never blocks: while another
/// thread uses the stack, a new object is created instead.
pub struct ObjectPool<T> {
    objects: Lock<Vec<T>>,
    limit: usize,
}

impl<T> ObjectPool<T> {
    /// A stack of at most `limit` values.
    pub const fn new(limit: usize) -> ObjectPool<T> {
        ObjectPool { objects: Lock::new(Vec::new(), Vec::new), limit }
    }

    /// The most recently returned value that `fits`, if there is one.
    pub fn take(&self, fits: impl Fn(&T) -> bool) -> Option<T> {
        let mut objects = self.objects.try_lock()?;
        let position = objects.iter().rposition(fits)?;
        Some(objects.swap_remove(position))
    }

    /// Returns a value for the next user.
    pub fn put(&self, value: T) {
        if let Some(mut objects) = self.objects.try_lock()
            && objects.len() < self.limit
        {
            objects.push(value);
        }
    }
}
