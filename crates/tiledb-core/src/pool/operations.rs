//! Registry of running operations, for cancellation.

use super::CancelToken;
use crate::fork::PerProcess;
use crate::sync::thread::{self, ThreadId};
use crate::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The operations of one context. They share a [`CancelToken`], which is reset when the last of them has stopped.
pub struct Operations {
    cancel: CancelToken,
    slot: PerProcess<Slot>,
}

/// Running operations of one process; empty in a forked child.
#[derive(Default)]
struct Slot {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The threads that began what runs, once for each operation.
    running: Vec<ThreadId>,
    /// Whether cancellation is in progress; new operations wait until the running ones have stopped.
    stopping: bool,
    /// Number of cancellations after which all operations had stopped.
    completed: u64,
}

impl Operations {
    /// Operations that observe `cancel`.
    pub fn new(cancel: CancelToken) -> Operations {
        let slot = PerProcess::new();
        slot.get_or_init(Slot::default);
        Operations { cancel, slot }
    }

    /// Marks an operation as running while the guard lives. Waits for operations that are being stopped, unless this
    /// is a part of one: what a callback of it starts.
    pub fn start(&self) -> RunningOperation<'_> {
        let thread = thread::current().id();
        let waits = |state: &mut State| state.stopping && !state.running.contains(&thread);
        let slot = self.slot();
        let state = slot.changed.wait_while(slot.state(), waits);
        state.unwrap_or_else(PoisonError::into_inner).running.push(thread);
        RunningOperation { runs: self, thread }
    }

    /// Stops what runs and returns when it has stopped; what starts later runs. Called from a callback of such an
    /// operation it does not wait.
    pub fn cancel(&self) {
        let slot = self.slot();
        let mut state = slot.state();
        if state.running.is_empty() {
            return;
        }
        state.stopping = true;
        self.cancel.request();
        if !state.running.contains(&thread::current().id()) {
            // A later cancellation is that of operations which started since.
            let own = state.completed;
            drop(slot.changed.wait_while(state, |state| state.completed == own));
        }
    }

    /// The slot of this process.
    fn slot(&self) -> &Slot {
        self.slot.get_or_init(|| {
            self.cancel.reset();
            Slot::default()
        })
    }
}

impl Slot {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub struct RunningOperation<'a> {
    runs: &'a Operations,
    thread: ThreadId,
}

impl Drop for RunningOperation<'_> {
    fn drop(&mut self) {
        let slot = self.runs.slot();
        let mut state = slot.state();
        if let Some(place) = state.running.iter().position(|thread| *thread == self.thread) {
            state.running.swap_remove(place);
        }
        if state.running.is_empty() && state.stopping {
            state.stopping = false;
            state.completed += 1;
            self.runs.cancel.reset();
            slot.changed.notify_all();
        }
    }
}

#[cfg(test)]
#[cfg(shuttle)]
mod interleavings;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancelling_waits_for_what_runs_and_lets_new_work_start() {
        let cancel = CancelToken::default();
        let runs = Operations::new(cancel.clone());
        runs.cancel(); // nothing runs: nothing to wait for
        cancel.check().unwrap();
        let (started, is_started) = std::sync::mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(|| {
                let _run = runs.start();
                started.send(()).unwrap();
                while cancel.check().is_ok() {
                    thread::yield_now();
                }
            });
            is_started.recv().unwrap();
            runs.cancel();
            cancel.check().unwrap();
        });
        drop(runs.start());
    }

    #[test]
    fn what_an_operation_calls_neither_waits_for_it_nor_for_those_who_stop_it() {
        let cancel = CancelToken::default();
        let runs = Operations::new(cancel.clone());
        let run = runs.start();
        runs.cancel();
        assert!(cancel.is_requested());
        drop(runs.start());
        assert!(cancel.is_requested(), "the outer one has not stopped");
        drop(run);
        cancel.check().unwrap();
    }
}
