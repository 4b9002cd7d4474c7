//! The process-wide compute threads, started on first use.
//!
//! The threads are registered in one of a few slots. A forked child has none of the threads, and slots of its own. Slots are
//! locked only by `try_read` and `try_write`: a caller that cannot lock one works without helpers.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, RwLock, TryLockError};

use rayon::{Scope, ThreadPool, ThreadPoolBuilder};

use crate::config::hardware_threads;
use crate::error::Result;
use crate::fork::PerProcess;
use crate::limits::LimitScope;
use crate::memory;

/// Running threads of this process, and the number of idle ones.
pub(super) struct Workers {
    pool: ThreadPool,
    threads: usize,
    idle: AtomicUsize,
}

#[derive(Default)]
struct Slot {
    /// A caller is starting threads for this slot.
    is_building: AtomicBool,
    workers: RwLock<Option<Arc<Workers>>>,
}

static SLOTS: PerProcess<[Slot; 4]> = PerProcess::new();

impl Workers {
    /// The threads of this process, at least `wanted` of them; `None` while another caller starts them, or if the
    /// system refuses to create threads.
    pub(super) fn get(wanted: usize) -> Option<Arc<Workers>> {
        let slots = SLOTS.get_or_init(Default::default);
        for slot in slots {
            if let Ok(workers) = slot.workers.try_read()
                && let Some(workers) = workers.as_ref().filter(|workers| workers.threads >= wanted)
            {
                return Some(Arc::clone(workers));
            }
        }
        slots.iter().find_map(|slot| slot.fill(wanted)).flatten()
    }

    /// Whether the calling thread is one of these.
    pub(super) fn is_current(&self) -> bool {
        self.pool.current_thread_index().is_some()
    }

    /// Runs `helper` on up to `wanted` idle threads, and `work` on the calling one meanwhile; returns when all
    /// are done. Threads that are busy are not waited for.
    pub(super) fn run(&self, wanted: usize, helper: impl Fn() + Sync, work: impl FnOnce()) {
        let reserved = self.reserve(wanted);
        let limits = &LimitScope::current();
        self.pool.in_place_scope(|scope: &Scope<'_>| {
            for _ in 0..reserved {
                let helper = &helper;
                scope.spawn(move |_| {
                    limits.run(helper);
                    self.idle.fetch_add(1, Ordering::AcqRel);
                });
            }
            work();
        });
    }

    fn reserve(&self, wanted: usize) -> usize {
        let take = |idle: usize| Some(idle - wanted.min(idle));
        match self.idle.fetch_update(Ordering::AcqRel, Ordering::Acquire, take) {
            Ok(idle) | Err(idle) => wanted.min(idle),
        }
    }
}

impl Slot {
    /// Starts threads in this slot. `None`: the slot is of no use, try the next one; `Some(None)`:
    /// do without threads this time.
    fn fill(&self, wanted: usize) -> Option<Option<Arc<Workers>>> {
        let mut place = match self.workers.try_write() {
            Ok(place) => place,
            Err(TryLockError::WouldBlock) if self.is_building.load(Ordering::Acquire) => return Some(None),
            Err(TryLockError::WouldBlock | TryLockError::Poisoned(_)) => return None,
        };
        self.is_building.store(true, Ordering::Release);
        let workers = start(wanted);
        if let Some(workers) = &workers {
            *place = Some(Arc::clone(workers));
        }
        self.is_building.store(false, Ordering::Release);
        Some(workers)
    }
}

/// Starts threads, if there is memory for them: what the C library allocates for a new thread may not fail, so that
/// the caller waits here until all have what they need.
fn start(wanted: usize) -> Option<Arc<Workers>> {
    let threads = wanted.max(hardware_threads().saturating_sub(1)).max(1);
    probe_threads(threads).ok()?;
    let pool = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).thread_name(|n| format!("tiledb-{n}"));
    let pool = pool.build().ok()?;
    // Thread-local values come into being at their first use.
    pool.broadcast(|_| std::thread::current().id());
    Some(Arc::new(Workers { pool, threads, idle: AtomicUsize::new(threads) }))
}

/// Fails if there is not enough memory for this number of threads.
pub(super) fn probe_threads(count: usize) -> Result<()> {
    memory::probe(count.saturating_mul(STACK + PER_THREAD))
}

/// Bytes of a thread's stack.
pub(super) const STACK: usize = 2 << 20;
/// Memory of a thread besides its stack.
const PER_THREAD: usize = 256 << 10;
