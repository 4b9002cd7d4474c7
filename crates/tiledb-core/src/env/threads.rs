//! Threads of a process that wait for storage and for one another. Those of a simulated process take turns as its environment decides.

#[cfg(any(test, feature = "simulation"))]
use std::sync::Arc;

#[cfg(any(test, feature = "simulation"))]
use super::simulated::{self, Environment};
use crate::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Threads that help a caller, which waits for their end when this is dropped.
#[derive(Default)]
pub struct HelperThreads {
    #[cfg(any(test, feature = "simulation"))]
    simulated: Vec<(Arc<dyn Environment>, usize)>,
}

/// A thread that helps a caller.
pub struct HelperThread {
    #[cfg(any(test, feature = "simulation"))]
    simulated: Option<(Arc<dyn Environment>, usize)>,
}

impl HelperThreads {
    /// Another one, which the caller is about to start.
    pub fn announce(&mut self) -> HelperThread {
        #[cfg(any(test, feature = "simulation"))]
        {
            let simulated = simulated::current().map(|environment| {
                let thread = environment.announce_thread();
                (environment, thread)
            });
            self.simulated.extend(simulated.clone());
            HelperThread { simulated }
        }
        #[cfg(not(any(test, feature = "simulation")))]
        HelperThread {}
    }
}

impl HelperThread {
    /// Does the work of the thread, on it.
    pub fn run(self, work: impl FnOnce()) {
        #[cfg(any(test, feature = "simulation"))]
        if let Some((environment, thread)) = &self.simulated {
            environment.begin_thread(*thread);
        }
        work();
    }
}

#[cfg(any(test, feature = "simulation"))]
impl Drop for HelperThread {
    fn drop(&mut self) {
        if let Some((environment, thread)) = &self.simulated {
            environment.end_thread(*thread);
        }
    }
}

#[cfg(any(test, feature = "simulation"))]
impl Drop for HelperThreads {
    fn drop(&mut self) {
        for (environment, thread) in &self.simulated {
            environment.join_thread(*thread);
        }
    }
}

/// Waits for a change of what a lock protects, which another thread announces by a condition variable. It may return without one.
pub fn wait_for_change<'l, T>(
    changed: &Condvar,
    #[cfg_attr(not(any(test, feature = "simulation")), allow(unused_variables, reason = "for simulated threads"))]
    lock: &'l Mutex<T>,
    guard: MutexGuard<'l, T>,
) -> MutexGuard<'l, T> {
    #[cfg(any(test, feature = "simulation"))]
    if let Some(environment) = simulated::current() {
        drop(guard);
        environment.wait_for_others();
        return lock.lock().unwrap_or_else(PoisonError::into_inner);
    }
    changed.wait(guard).unwrap_or_else(PoisonError::into_inner)
}
