//! Synchronization primitives and threads of the standard library, for code whose interleavings are tested.
//!
//! In builds with `--cfg shuttle` (`make interleavings`) they are those of the crate shuttle: its scheduler runs one thread at a time,
//! and at each access to a primitive decides which one goes on. It has no time, so that timeouts never elapse, and no weak memory:
//! orderings of atomics are checked by Miri and ThreadSanitizer. Values outside of the test, such as
//! the generation of the process, use the standard library itself.

#[cfg(shuttle)]
mod model;

#[cfg(shuttle)]
pub use model::*;

#[cfg(not(shuttle))]
pub use std::{
    hash::RandomState,
    hint,
    sync::{Condvar, Mutex, MutexGuard, PoisonError, RwLock, TryLockError, atomic},
    thread,
};

/// Starts a thread with a name and a stack of this size.
///
/// # Errors
/// If the system starts none.
#[cfg(not(shuttle))]
pub fn spawn_scoped<'scope, T: Send + 'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    name: &str,
    stack: usize,
    work: impl FnOnce() -> T + Send + 'scope,
) -> std::io::Result<thread::ScopedJoinHandle<'scope, T>> {
    thread::Builder::new().name(name.to_owned()).stack_size(stack).spawn_scoped(scope, work)
}
