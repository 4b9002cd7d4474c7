//! How much memory values take.

use std::sync::Arc;

/// What takes memory beside itself.
pub trait Held {
    /// Bytes of memory that the value takes, without those of its own place and of values that have leases of their own.
    fn held(&self) -> u64;
}

impl<T: Copy> Held for Vec<T> {
    fn held(&self) -> u64 {
        (self.capacity() * size_of::<T>()) as u64
    }
}

impl<T: Held> Held for Option<T> {
    fn held(&self) -> u64 {
        self.as_ref().map_or(0, T::held)
    }
}

impl<T: Held> Held for Arc<T> {
    fn held(&self) -> u64 {
        T::held(self)
    }
}
