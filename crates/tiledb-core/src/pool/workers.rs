//! The process-wide compute threads, started on first use.
//!
//! They are registered in a slot of the process: a forked child has none of the threads, and a slot of its own. A caller that finds another
//! one starting threads works without helpers.

use std::sync::Arc;

use rayon::{Scope, ThreadPool, ThreadPoolBuilder};

use crate::config::hardware_threads;
use crate::error::Result;
use crate::fork::{Lock, PerProcess};
use crate::limits::LimitScope;
use crate::memory;
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Running threads of this process, and the number of idle ones.
pub(super) struct Workers {
    pool: ThreadPool,
    threads: usize,
    idle: IdleThreads,
}

static SLOT: PerProcess<Slot<Workers>> = PerProcess::new();

impl Workers {
    /// The threads of this process, at least `min_threads` of them; `None` while another caller starts them, or if the
    /// system refuses to create threads.
    pub(super) fn get(min_threads: usize) -> Option<Arc<Workers>> {
        SLOT.get_or_init(Slot::default).get(|workers| workers.threads >= min_threads, || start(min_threads))
    }

    /// Whether the calling thread is one of these.
    pub(super) fn is_current(&self) -> bool {
        self.pool.current_thread_index().is_some()
    }

    /// Runs `helper` on up to `helpers` idle threads, and `work` on the calling one meanwhile; returns when all
    /// are done. Threads that are busy are not waited for.
    pub(super) fn run(&self, helpers: usize, helper: impl Fn() + Sync, work: impl FnOnce()) {
        let reserved = self.idle.reserve(helpers);
        let limits = &LimitScope::current();
        self.pool.in_place_scope(|scope: &Scope<'_>| {
            for _ in 0..reserved {
                let helper = &helper;
                scope.spawn(move |_| {
                    limits.run(helper);
                    self.idle.release();
                });
            }
            work();
        });
    }
}

/// Number of threads without work.
struct IdleThreads(AtomicUsize);

impl IdleThreads {
    /// Reserves up to `count` threads; their number.
    fn reserve(&self, count: usize) -> usize {
        let take = |idle: usize| Some(idle - count.min(idle));
        match self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, take) {
            Ok(idle) | Err(idle) => count.min(idle),
        }
    }

    /// A reserved thread has no work any more.
    fn release(&self) {
        self.0.fetch_add(1, Ordering::AcqRel);
    }
}

/// A value that one caller at a time makes, while others do without.
struct Slot<T> {
    is_building: AtomicBool,
    value: Lock<Option<Arc<T>>>,
}

impl<T> Default for Slot<T> {
    fn default() -> Slot<T> {
        Slot { is_building: AtomicBool::new(false), value: Lock::default() }
    }
}

impl<T> Slot<T> {
    /// The value if it suffices, or else a new one; `None` while another caller makes one, and without a new one.
    fn get(&self, suffices: impl Fn(&T) -> bool, make: impl FnOnce() -> Option<T>) -> Option<Arc<T>> {
        let current = || self.value.lock().clone().filter(|value| suffices(value));
        if let Some(value) = current() {
            return Some(value);
        }
        if self.is_building.swap(true, Ordering::Acquire) {
            return None;
        }
        let _building = Building(&self.is_building);
        // Another caller may have made one meanwhile.
        if let Some(value) = current() {
            return Some(value);
        }
        let value = Arc::new(make()?);
        // Dropped after the lock is released.
        let _replaced = self.value.lock().replace(Arc::clone(&value));
        Some(value)
    }
}

/// Marks the end of the making of a value on drop.
struct Building<'s>(&'s AtomicBool);

impl Drop for Building<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// Starts threads, if there is memory for them: what the C library allocates for a new thread may not fail, so that
/// the caller waits here until all have what they need.
fn start(min_threads: usize) -> Option<Workers> {
    let threads = min_threads.max(hardware_threads().saturating_sub(1)).max(1);
    probe_threads(threads).ok()?;
    let pool = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).thread_name(|n| format!("tiledb-{n}"));
    let pool = pool.build().ok()?;
    // Thread-local values come into being at their first use.
    pool.broadcast(|_| std::thread::current().id());
    Some(Workers { pool, threads, idle: IdleThreads(AtomicUsize::new(threads)) })
}

/// Fails if there is not enough memory for this number of threads.
pub(super) fn probe_threads(count: usize) -> Result<()> {
    memory::probe(count.saturating_mul(STACK + PER_THREAD))
}

/// Bytes of a thread's stack.
pub(super) const STACK: usize = 2 << 20;
/// Memory of a thread besides its stack.
const PER_THREAD: usize = 256 << 10;

#[cfg(test)]
#[cfg(shuttle)]
mod interleavings;
