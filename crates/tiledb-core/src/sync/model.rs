//! The primitives of shuttle, and how tests use its schedulers.

use std::hash::{BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

pub use shuttle::sync::{Condvar, Mutex, MutexGuard, PoisonError, RwLock, TryLockError, atomic};
pub use shuttle::{hint, thread};

use shuttle::scheduler::{DfsScheduler, PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, Runner};

/// Keys of hashes are not random: a schedule that failed can be run again.
pub type RandomState = BuildHasherDefault<DefaultHasher>;

/// Starts a thread; those of a model have neither name nor stack size.
///
/// # Errors
/// None.
pub fn spawn_scoped<'scope, T: Send + 'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    _name: &str,
    _stack: usize,
    work: impl FnOnce() -> T + Send + 'scope,
) -> std::io::Result<thread::ScopedJoinHandle<'scope, T>> {
    Ok(scope.spawn(work))
}

/// Runs a test under random schedules and under those of PCT (probabilistic concurrency testing), which switches
/// threads rarely: `INTERLEAVINGS` (1000) of each kind. A deadlock, a panic or a failed assertion prints the schedule.
pub fn explore(test: impl Fn() + Send + Sync + 'static) {
    let count = std::env::var("INTERLEAVINGS").ok().and_then(|count| count.parse().ok()).unwrap_or(1000);
    let test = Arc::new(test);
    run(RandomScheduler::new(count), Arc::clone(&test));
    run(PctScheduler::new(PREEMPTIONS, count), test);
}

/// Runs a small test, without spinning threads, under all schedules.
pub fn exhaust(test: impl Fn() + Send + Sync + 'static) {
    run(DfsScheduler::new(None, false), Arc::new(test));
}

/// The depth of faults that PCT looks for: one is found by that many switches of threads.
const PREEMPTIONS: usize = 3;

fn run(scheduler: impl Scheduler + 'static, test: Arc<impl Fn() + Send + Sync + 'static>) {
    let mut config = Config::new();
    config.stack_size = 512 << 10;
    Runner::new(scheduler, config).run(move || test());
}
