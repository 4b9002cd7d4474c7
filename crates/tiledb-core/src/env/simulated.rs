//! Simulated environments of threads, for tests.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The environment of one simulated process.
pub trait Environment: Send + Sync {
    /// Milliseconds since 1970, by the clock of the process.
    fn timestamp(&self) -> u64;
    /// Time since some moment, by a clock that is never set.
    fn monotonic(&self) -> Duration;
    /// Lets time pass.
    fn sleep(&self, duration: Duration);
    /// A number that no process of the simulation gets twice.
    fn unique_number(&self) -> u128;
    /// The statics of the process.
    fn statics(&self) -> &Statics;
    /// Whether the system has memory for an allocation that may fail.
    fn has_memory(&self) -> bool {
        true
    }
    /// The number of another thread of the process, which the calling one is about to start.
    fn announce_thread(&self) -> usize {
        0
    }
    /// The calling thread is the one that was announced: waits until it may run.
    fn begin_thread(&self, _thread: usize) {}
    /// A thread that was announced has ended, or could not be started.
    fn end_thread(&self, _thread: usize) {}
    /// Waits for the end of a thread.
    fn join_thread(&self, _thread: usize) {}
    /// Waits until another thread of the process has gone on.
    fn wait_for_others(&self) {
        std::thread::yield_now();
    }
}

/// Static state of a simulated process: one value of each type.
#[derive(Default)]
pub struct Statics(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl Statics {
    /// The value of a type, which is made on first use.
    pub fn get<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let value = values.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default()));
        Arc::clone(value).downcast().unwrap_or_default()
    }
}

thread_local! {
    static CURRENT: RefCell<SimulatedEnvironment> = const { RefCell::new(SimulatedEnvironment(None)) };
}

/// The environment of a thread, for the tasks that it hands to others: a simulated one, or the system's.
#[derive(Clone, Default)]
pub struct SimulatedEnvironment(Option<Arc<dyn Environment>>);

impl SimulatedEnvironment {
    /// A simulated environment.
    pub fn new(environment: Arc<dyn Environment>) -> SimulatedEnvironment {
        SimulatedEnvironment(Some(environment))
    }

    /// That of the calling thread.
    pub fn current() -> SimulatedEnvironment {
        CURRENT.with_borrow(Clone::clone)
    }

    /// Runs `work` on the calling thread, and the tasks that it hands to others, in this environment.
    pub fn run<R>(&self, work: impl FnOnce() -> R) -> R {
        struct Restore(SimulatedEnvironment);
        impl Drop for Restore {
            fn drop(&mut self) {
                CURRENT.set(std::mem::take(&mut self.0));
            }
        }
        let _restore = Restore(CURRENT.replace(self.clone()));
        work()
    }
}

/// The simulated environment of the calling thread.
pub(super) fn current() -> Option<Arc<dyn Environment>> {
    // A thread that ends has none any more.
    CURRENT.try_with(|current| current.borrow().0.clone()).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::super::{Stopwatch, process_state, sleep, timestamp, unique_number};
    use super::*;
    use crate::limits::LimitScope;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[derive(Default)]
    struct Fake {
        millis: AtomicU64,
        statics: Statics,
    }

    impl Environment for Fake {
        fn timestamp(&self) -> u64 {
            5_000 + self.millis.load(Ordering::Relaxed)
        }

        fn monotonic(&self) -> Duration {
            Duration::from_millis(self.millis.load(Ordering::Relaxed))
        }

        fn sleep(&self, duration: Duration) {
            self.millis.fetch_add(duration.as_millis() as u64, Ordering::Relaxed);
        }

        fn unique_number(&self) -> u128 {
            7
        }

        fn statics(&self) -> &Statics {
            &self.statics
        }
    }

    #[test]
    fn simulated_environment_applies_to_the_thread_and_its_tasks_and_ends_with_the_run() {
        let environments = [(); 2].map(|()| SimulatedEnvironment::new(Arc::new(Fake::default())));
        environments[0].run(|| {
            let watch = Stopwatch::start();
            sleep(Duration::from_secs(3600));
            assert_eq!((timestamp(), watch.elapsed(), unique_number()), (3_605_000, Duration::from_secs(3600), 7));
            process_state::<AtomicU64>().unwrap().store(1, Ordering::Relaxed);
            let scope = LimitScope::current();
            std::thread::scope(|threads| {
                let task = || scope.run(|| process_state::<AtomicU64>().unwrap().load(Ordering::Relaxed) + timestamp());
                assert_eq!(threads.spawn(task).join().unwrap(), 3_605_001);
            });
        });
        environments[1].run(|| assert_eq!(process_state::<AtomicU64>().unwrap().load(Ordering::Relaxed), 0));
        assert!(process_state::<AtomicU64>().is_none() && timestamp() > 1_700_000_000_000);
        assert_ne!(unique_number(), unique_number());
    }
}
