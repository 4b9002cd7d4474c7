//! A simulated machine: processes that take turns, a storage that they share, their clocks, and faults; all determined by a seed.
//!
//! Each actor is a thread in a process of its own, and only one runs at a time. Before each call of the storage, and in each sleep,
//! the [`Scheduler`] decides who continues. What an actor does between two calls is invisible to the others, as it would be on
//! separate machines.

mod backend;
mod objects;
mod process;
mod scheduler;
mod store;

pub use backend::{Disk, Medium};
pub use objects::{PendingUpload, objects, parameters};
pub use process::{Counted, Fault, FaultKind, Process, Resource, START};
pub use scheduler::Scheduler;
pub use store::{Files, Store};

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// What the processes of a history share.
pub struct World {
    seed: u64,
    pub scheduler: Scheduler,
    pub store: Store,
    pub medium: Medium,
    /// The present process of each actor, which has the world.
    processes: Mutex<Vec<Weak<Process>>>,
    crashes: Mutex<Vec<Crash>>,
    /// Multipart uploads that are neither complete nor aborted.
    uploads: Mutex<Vec<PendingUpload>>,
    /// The number of uploads so far.
    upload_count: AtomicU64,
    /// The IDs of the uploads that made objects, by path.
    made: Mutex<HashMap<String, String>>,
}

/// The step of a crash, and the paths that it changed.
pub type Crash = (u64, Vec<String>);

impl World {
    /// A world without files, in which `actors` take turns as `seed` determines.
    pub fn new(seed: u64, actors: usize, medium: Medium) -> Arc<World> {
        Arc::new(World {
            seed,
            scheduler: Scheduler::new(seed, actors),
            store: Store::default(),
            medium,
            processes: Mutex::new((0..actors).map(|_| Weak::new()).collect()),
            crashes: Mutex::default(),
            uploads: Mutex::default(),
            upload_count: AtomicU64::new(0),
            made: Mutex::default(),
        })
    }

    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Starts a process for an actor.
    pub fn start(self: &Arc<World>, actor: usize, life: u64, skew: i64) -> Arc<Process> {
        let process = Process::new(self, actor, life, skew);
        self.lock_processes()[actor] = Arc::downgrade(&process);
        process
    }

    /// Those that run.
    pub fn processes(&self) -> Vec<Arc<Process>> {
        self.lock_processes().iter().filter_map(Weak::upgrade).collect()
    }

    fn lock_processes(&self) -> MutexGuard<'_, Vec<Weak<Process>>> {
        self.processes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Multipart uploads that are neither complete nor aborted.
    pub fn uploads(&self) -> MutexGuard<'_, Vec<PendingUpload>> {
        self.uploads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number that no other upload has.
    fn upload_number(&self) -> u64 {
        self.upload_count.fetch_add(1, Ordering::Relaxed)
    }

    /// The IDs of the uploads that made objects, by path.
    fn made(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Crashes of the machine so far.
    pub fn crashes(&self) -> MutexGuard<'_, Vec<Crash>> {
        self.crashes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn world_of_processes_that_have_ended_is_dropped() {
        let world = World::new(1, 1, Medium::Objects);
        let processes = [1, 2].map(|life| world.start(0, life, 0));
        assert_eq!(world.processes().len(), 1);
        let remaining = Arc::downgrade(&world);
        drop((world, processes));
        assert!(remaining.upgrade().is_none());
    }
}
