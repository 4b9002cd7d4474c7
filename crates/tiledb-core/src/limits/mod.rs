//! Internal limits: how many cells, tiles or bytes the engine processes at a time, and from which sizes it works differently.
//!
//! No result depends on them, but with their ordinary values tests of small arrays never cross them: batches, windows and
//! parts of tasks then end only where the data ends. Each limit is therefore an entry of a table ([`all`]) with a name, a unit, its
//! value and the reason for it, and code asks the entry for the value ([`Limit::count`], [`Limit::bytes`]).
//!
//! Ordinary builds compile to the constant. With the feature `simulation`, which the tests of all crates have, a test runs code with
//! other values (`simulation::SimulatedLimits`), usually tiny ones drawn at random, so that a dozen cells cross every boundary. The
//! values apply to the calling thread and to the tasks that it hands to other threads ([`LimitScope`]): tests that run
//! side by side do not see those of each other.
//!
//! To add a limit, move the constant into the table of its part of the engine, with the smallest value that is correct (`minimum`), and
//! replace its uses. What determines stored bytes, or a type's layout, is no limit.

#[cfg(any(test, feature = "simulation"))]
pub mod simulation;
mod tables;

#[cfg(any(test, feature = "simulation"))]
use crate::env::simulated::SimulatedEnvironment;
pub use tables::{
    aggregate, all, arrow, cache, columns, compute, consolidation, copy, dense_read, filter, fragment, input, keys,
    labels, selection, sparse_read, storage, verify, write,
};

/// What a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitUnit {
    Bytes,
    Cells,
    Tiles,
    Fragments,
    /// Entries of a list in memory.
    Entries,
    /// The divisor of a fraction: 4 for a fourth.
    Divisor,
}

/// An internal limit.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// Its name in reports, `part.NAME`.
    pub name: &'static str,
    pub unit: LimitUnit,
    /// The value in ordinary builds.
    pub value: u64,
    /// The smallest value with which results are right.
    pub minimum: u64,
    /// Why the value is as it is.
    pub reason: &'static str,
}

impl Limit {
    /// The value as a number of items.
    #[inline]
    pub fn count(&self) -> usize {
        usize::try_from(self.bytes()).unwrap_or(usize::MAX)
    }

    /// The value.
    #[inline]
    pub fn bytes(&self) -> u64 {
        #[cfg(any(test, feature = "simulation"))]
        if let Some(value) = simulation::value_of(self) {
            return value;
        }
        self.value
    }

    /// The value, or a smaller one in the unit tests of a crate, whose arrays are small.
    #[inline]
    pub fn count_or(&self, is_unit_test: bool, small: usize) -> usize {
        #[cfg(any(test, feature = "simulation"))]
        if let Some(value) = simulation::value_of(self) {
            return usize::try_from(value).unwrap_or(usize::MAX);
        }
        if is_unit_test { small } else { self.count() }
    }
}

/// What a test simulates for a thread, for the tasks that it hands to others: limits and the
/// [environment](crate::env). Nothing in ordinary builds.
#[derive(Clone, Default)]
pub struct LimitScope {
    #[cfg(any(test, feature = "simulation"))]
    limits: simulation::SimulatedLimits,
    #[cfg(any(test, feature = "simulation"))]
    environment: SimulatedEnvironment,
}

impl LimitScope {
    /// That of the calling thread.
    #[inline]
    pub fn current() -> LimitScope {
        LimitScope {
            #[cfg(any(test, feature = "simulation"))]
            limits: simulation::SimulatedLimits::current(),
            #[cfg(any(test, feature = "simulation"))]
            environment: SimulatedEnvironment::current(),
        }
    }

    /// Runs a task on the calling thread with these limits.
    #[inline]
    pub fn run<R>(&self, task: impl FnOnce() -> R) -> R {
        #[cfg(any(test, feature = "simulation"))]
        return self.environment.run(|| self.limits.run(task));
        #[cfg(not(any(test, feature = "simulation")))]
        task()
    }
}
