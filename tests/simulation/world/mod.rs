//! A simulated machine: processes that take turns, a storage that they share, their clocks, and faults; all determined by a seed.
//!
//! Each actor is a thread in a process of its own, and only one runs at a time. Before each call of the storage, and in each sleep,
//! the [`Scheduler`] decides who continues. What an actor does between two calls is invisible to the others, as it would be on
//! separate machines.

mod backend;
mod process;
mod scheduler;
mod store;

pub use backend::{Disk, Medium};
pub use process::{Fault, FaultKind, Process, Resource, START};
pub use scheduler::Scheduler;
pub use store::{Files, Store};

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What the processes of a history share.
pub struct World {
    seed: u64,
    pub scheduler: Scheduler,
    pub store: Store,
    pub medium: Medium,
    /// The present process of each actor.
    processes: Mutex<Vec<Option<Arc<Process>>>>,
    crashes: Mutex<Vec<Crash>>,
    /// The paths of multipart uploads that are neither complete nor aborted.
    uploads: Mutex<Vec<String>>,
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
            processes: Mutex::new(vec![None; actors]),
            crashes: Mutex::default(),
            uploads: Mutex::default(),
        })
    }

    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Starts a process for an actor.
    pub fn start(self: &Arc<World>, actor: usize, life: u64, skew: i64) -> Arc<Process> {
        let process = Process::new(self, actor, life, skew);
        self.lock_processes()[actor] = Some(Arc::clone(&process));
        process
    }

    /// Those that run.
    pub fn processes(&self) -> Vec<Arc<Process>> {
        self.lock_processes().iter().flatten().cloned().collect()
    }

    fn lock_processes(&self) -> MutexGuard<'_, Vec<Option<Arc<Process>>>> {
        self.processes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Multipart uploads that are neither complete nor aborted.
    pub fn uploads(&self) -> MutexGuard<'_, Vec<String>> {
        self.uploads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Crashes of the machine so far.
    pub fn crashes(&self) -> MutexGuard<'_, Vec<Crash>> {
        self.crashes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
