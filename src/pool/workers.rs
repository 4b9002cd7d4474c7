//! The process-wide compute threads: built at first need, found again without waiting.
//!
//! The threads live in one of a few slots, marked with the id of the process that made them. A
//! forked child inherits the slots but no threads: it sees a foreign id and fills a slot of its
//! own. Slots are locked by `try_read` and `try_write` only, since a child may inherit a lock
//! whose holder does not exist there; whoever cannot have a slot works without helpers.

use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, RwLock, TryLockError};

use rayon::{Scope, ThreadPool, ThreadPoolBuilder};

use crate::config::hardware_threads;
use crate::memory;

/// Running threads of this process, and how many of them have nothing to do.
pub(super) struct Workers {
    pool: ThreadPool,
    threads: usize,
    idle: AtomicUsize,
}

struct Entry {
    process: u32,
    workers: Arc<Workers>,
    /// The entry of the process this one was forked from. Its threads do not exist here, so it is
    /// kept and never dropped: ending them would wait forever.
    inherited: Option<ManuallyDrop<Box<Entry>>>,
}

struct Slot {
    /// The process that is starting threads for this slot, or 0.
    builder: AtomicU32,
    entry: RwLock<Option<Entry>>,
}

static SLOTS: [Slot; 4] = [const { Slot { builder: AtomicU32::new(0), entry: RwLock::new(None) } }; 4];

impl Workers {
    /// The threads of this process, at least `wanted` of them; `None` while another caller starts
    /// them or where the system refuses threads.
    pub(super) fn get(wanted: usize) -> Option<Arc<Workers>> {
        let process = std::process::id();
        for slot in &SLOTS {
            if let Ok(entry) = slot.entry.try_read()
                && let Some(entry) = entry.as_ref()
                && entry.process == process
                && entry.workers.threads >= wanted
            {
                return Some(Arc::clone(&entry.workers));
            }
        }
        SLOTS.iter().find_map(|slot| slot.fill(process, wanted)).flatten()
    }

    /// Whether the calling thread is one of these.
    pub(super) fn is_current(&self) -> bool {
        self.pool.current_thread_index().is_some()
    }

    /// Runs `helper` on up to `wanted` idle threads, and `work` on the calling one meanwhile; returns when all
    /// are done. Threads that are busy are not waited for.
    pub(super) fn run(&self, wanted: usize, helper: impl Fn() + Sync, work: impl FnOnce()) {
        let reserved = self.reserve(wanted);
        self.pool.in_place_scope(|scope: &Scope<'_>| {
            for _ in 0..reserved {
                scope.spawn(|_| {
                    helper();
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
    fn fill(&self, process: u32, wanted: usize) -> Option<Option<Arc<Workers>>> {
        let mut entry = match self.entry.try_write() {
            Ok(entry) => entry,
            Err(TryLockError::WouldBlock) if self.builder.load(Ordering::Acquire) == process => return Some(None),
            Err(TryLockError::WouldBlock | TryLockError::Poisoned(_)) => return None,
        };
        self.builder.store(process, Ordering::Release);
        let workers = start(wanted);
        if let Some(workers) = &workers {
            let inherited = match entry.take() {
                Some(old) if old.process != process => Some(ManuallyDrop::new(Box::new(old))),
                Some(mut old) => old.inherited.take(),
                None => None,
            };
            *entry = Some(Entry { process, workers: Arc::clone(workers), inherited });
        }
        self.builder.store(0, Ordering::Release);
        Some(workers)
    }
}

/// Starts threads, if there is memory for them: what the C library allocates for a new thread may not fail, so that
/// the caller waits here until all have what they need.
fn start(wanted: usize) -> Option<Arc<Workers>> {
    let threads = wanted.max(hardware_threads().saturating_sub(1)).max(1);
    memory::probe(threads.checked_mul(STACK + PER_THREAD)?).ok()?;
    let pool = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).thread_name(|n| format!("tiledb-{n}"));
    let pool = pool.build().ok()?;
    // Thread-local values come into being at their first use.
    pool.broadcast(|_| std::thread::current().id());
    Some(Arc::new(Workers { pool, threads, idle: AtomicUsize::new(threads) }))
}

/// Bytes of a thread's stack.
const STACK: usize = 2 << 20;
/// What a thread needs beside it.
const PER_THREAD: usize = 256 << 10;
