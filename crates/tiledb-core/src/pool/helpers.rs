//! Threads that wait for storage beside a caller. They need no core, so they are in addition to the compute pool, and live as long as
//! the call.

use crate::env::HelperThreads;
use crate::limits::LimitScope;
use crate::sync::{spawn_scoped, thread};

/// Bytes of the stack of a thread that waits for requests.
const STACK: usize = 2 << 20;

/// Runs `work` on the calling thread and `task` on `count` others, or as many as the system starts, and returns when all of them have
/// ended. What the others wait for must end with `work`, even if it panics.
pub fn run_with_helpers<T>(count: usize, name: &str, task: &(dyn Fn() + Sync), work: impl FnOnce() -> T) -> T {
    let limits = &LimitScope::current();
    thread::scope(|scope| {
        let mut helpers = HelperThreads::default();
        for _ in 0..count {
            let helper = helpers.announce();
            if spawn_scoped(scope, name, STACK, move || limits.run(|| helper.run(task))).is_err() {
                break;
            }
        }
        work()
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::env::simulated::{Environment, SimulatedEnvironment, Statics};
    use crate::env::wait_for_change;
    use crate::sync::{Condvar, Mutex};

    #[test]
    fn task_runs_on_each_helper_beside_the_caller() {
        let runs = AtomicUsize::new(0);
        let task = || _ = runs.fetch_add(1, Ordering::Relaxed);
        assert_eq!(run_with_helpers(3, "helper", &task, || 7), 7);
        assert_eq!(runs.load(Ordering::Relaxed), 3);
    }

    /// Records the life of threads.
    #[derive(Default)]
    struct Recorder {
        statics: Statics,
        threads: AtomicUsize,
        events: Mutex<Vec<(&'static str, usize)>>,
    }

    impl Recorder {
        fn add(&self, event: &'static str, thread: usize) {
            self.events.lock().unwrap().push((event, thread));
        }
    }

    impl Environment for Recorder {
        fn timestamp(&self) -> u64 {
            0
        }

        fn monotonic(&self) -> Duration {
            Duration::ZERO
        }

        fn sleep(&self, _: Duration) {}

        fn unique_number(&self) -> u128 {
            0
        }

        fn statics(&self) -> &Statics {
            &self.statics
        }

        fn announce_thread(&self) -> usize {
            self.threads.fetch_add(1, Ordering::Relaxed)
        }

        fn begin_thread(&self, thread: usize) {
            self.add("begin", thread);
        }

        fn end_thread(&self, thread: usize) {
            self.add("end", thread);
        }

        fn join_thread(&self, thread: usize) {
            self.add("join", thread);
        }
    }

    #[test]
    fn helpers_of_a_simulated_process_begin_and_end_in_its_environment() {
        let recorder = Arc::new(Recorder::default());
        let (is_ready, changed) = (Mutex::new(false), Condvar::new());
        SimulatedEnvironment::new(recorder.clone()).run(|| {
            let task = || {
                let mut ready = is_ready.lock().unwrap();
                while !*ready {
                    ready = wait_for_change(&changed, &is_ready, ready);
                }
            };
            run_with_helpers(2, "helper", &task, || *is_ready.lock().unwrap() = true);
        });
        let events = recorder.events.lock().unwrap();
        for thread in 0..2 {
            let of_thread = events.iter().filter(|event| event.1 == thread);
            let names: Vec<&str> = of_thread.map(|event| event.0).filter(|name| *name != "join").collect();
            assert_eq!(names, ["begin", "end"]);
            assert!(events.contains(&("join", thread)));
        }
    }
}
