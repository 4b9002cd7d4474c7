//! The environment of the process: its clock, sleeps, and unique numbers.
//!
//! Code that stores times or names, or waits for other processes, uses these functions rather than the standard library's: with the
//! feature `simulation` a test replaces the environment of a thread (`simulated::Environment`), and thereby runs several processes with
//! clocks of their own in one, deterministically. Ordinary builds compile to the calls of the system. Timeouts of the network and
//! measurements use the system's clock directly.

#[cfg(any(test, feature = "simulation"))]
pub mod simulated;
mod threads;

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

pub use threads::{HelperThread, HelperThreads, wait_for_change};

/// Milliseconds since 1970; 0 if the clock is set to an earlier time.
pub fn timestamp() -> u64 {
    #[cfg(any(test, feature = "simulation"))]
    if let Some(environment) = simulated::current() {
        return environment.timestamp();
    }
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

/// Blocks the calling thread.
pub fn sleep(duration: Duration) {
    #[cfg(any(test, feature = "simulation"))]
    if let Some(environment) = simulated::current() {
        return environment.sleep(duration);
    }
    std::thread::sleep(duration);
}

/// A random number that nothing else has: a version 4 UUID.
pub fn unique_number() -> u128 {
    #[cfg(any(test, feature = "simulation"))]
    if let Some(environment) = simulated::current() {
        return environment.unique_number();
    }
    uuid::Uuid::new_v4().as_u128()
}

/// Whether an allocation that may fail is attempted; simulated processes run out of memory.
#[inline]
pub fn has_memory() -> bool {
    #[cfg(any(test, feature = "simulation"))]
    if let Some(environment) = simulated::current() {
        return environment.has_memory();
    }
    true
}

/// Static state of the simulated process to which the calling thread belongs; `None` for the real one, whose statics are the
/// program's.
#[inline]
pub fn process_state<T: Default + Send + Sync + 'static>() -> Option<Arc<T>> {
    #[cfg(any(test, feature = "simulation"))]
    if let Some(environment) = simulated::current() {
        return Some(environment.statics().get());
    }
    None
}

/// Measures time by the monotonic clock.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Start);

#[derive(Clone, Copy, Debug)]
enum Start {
    System(Instant),
    #[cfg(any(test, feature = "simulation"))]
    Simulated(Duration),
}

impl Stopwatch {
    /// Starts at zero.
    pub fn start() -> Stopwatch {
        #[cfg(any(test, feature = "simulation"))]
        if let Some(environment) = simulated::current() {
            return Stopwatch(Start::Simulated(environment.monotonic()));
        }
        Stopwatch(Start::System(Instant::now()))
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        match self.0 {
            Start::System(start) => start.elapsed(),
            #[cfg(any(test, feature = "simulation"))]
            Start::Simulated(start) => {
                simulated::current().map_or(Duration::ZERO, |now| now.monotonic().saturating_sub(start))
            }
        }
    }
}
