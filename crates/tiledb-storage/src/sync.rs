//! Synchronization primitives of the standard library, and those of shuttle in tests of interleavings (`tiledb_core::sync`).

#[cfg(not(all(test, shuttle)))]
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, RwLock};

#[cfg(test)]
#[cfg(shuttle)]
pub(crate) use shuttle::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError, RwLock, atomic},
    thread,
};
