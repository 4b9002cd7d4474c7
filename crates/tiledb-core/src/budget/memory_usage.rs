//! Memory usage of values, for budget accounting.

use std::sync::Arc;

/// A value that owns heap memory.
pub trait MemoryUsage {
    /// Bytes of memory that the value takes, without those of its own place and of values that have leases of their own.
    fn memory_usage(&self) -> u64;
}

impl<T: Copy> MemoryUsage for Vec<T> {
    fn memory_usage(&self) -> u64 {
        (self.capacity() * size_of::<T>()) as u64
    }
}

impl<T: MemoryUsage> MemoryUsage for Option<T> {
    fn memory_usage(&self) -> u64 {
        self.as_ref().map_or(0, T::memory_usage)
    }
}

impl<T: MemoryUsage> MemoryUsage for Arc<T> {
    fn memory_usage(&self) -> u64 {
        T::memory_usage(self)
    }
}
