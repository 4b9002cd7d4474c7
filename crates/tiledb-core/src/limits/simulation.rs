//! Other values of internal limits, for tests.
//!
//! A test in this process runs code with other values ([`SimulatedLimits::run`]). A test of the library by its C interface sets
//! [`SEED_VARIABLE`] in its environment: threads then have the values that this number determines.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use super::{Limit, LimitUnit, all};

/// Values that replace those of some limits.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SimulatedLimits(Option<Arc<BTreeMap<&'static str, u64>>>);

/// The environment variable with the seed of the values of all threads, a number; read once. Nobody reads it in ordinary builds.
/// `SEED:NAME,NAME` only replaces these limits.
pub const SEED_VARIABLE: &str = "TILEDB_SIMULATED_LIMITS";

/// The values of threads that have none of their own.
static OF_PROCESS: OnceLock<SimulatedLimits> = OnceLock::new();

thread_local! {
    static CURRENT: RefCell<SimulatedLimits> = const { RefCell::new(SimulatedLimits(None)) };
}

impl SimulatedLimits {
    /// These values, raised to the minimum of each limit.
    pub fn new(values: &[(&Limit, u64)]) -> SimulatedLimits {
        let raised = values.iter().map(|(limit, value)| (limit.name, (*value).max(limit.minimum)));
        SimulatedLimits(Some(Arc::new(raised.collect())))
    }

    /// The random values that a seed determines.
    pub fn of_seed(seed: u64) -> SimulatedLimits {
        let mut state = seed;
        SimulatedLimits::draw(|end| {
            // SplitMix64.
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (mixed ^ (mixed >> 31)) % end
        })
    }

    /// Those of a seed, or the usual ones.
    pub fn of_option(seed: Option<u64>) -> SimulatedLimits {
        seed.map_or_else(SimulatedLimits::default, SimulatedLimits::of_seed)
    }

    /// Those of the environment; the usual ones without [`SEED_VARIABLE`].
    fn of_environment() -> SimulatedLimits {
        let Ok(text) = std::env::var(SEED_VARIABLE) else { return SimulatedLimits::default() };
        let (seed, names) = text.split_once(':').map_or((&*text, None), |(seed, names)| (seed, Some(names)));
        let limits = SimulatedLimits::of_option(seed.parse().ok());
        let Some(names) = names else { return limits };
        let others = limits.names().into_iter().filter(|name| !names.split(',').any(|listed| listed == *name));
        others.fold(limits.clone(), |limits, name| limits.without(name))
    }

    fn value_of(&self, limit: &Limit) -> Option<u64> {
        self.0.as_ref()?.get(limit.name).copied()
    }

    /// Random values: about half of the limits, or all, get one of the five smallest that are correct, or a few hundred
    /// bytes; the others stay. `below` returns a random number below its argument.
    pub fn draw(mut below: impl FnMut(u64) -> u64) -> SimulatedLimits {
        let mut values = Vec::new();
        let are_all_small = below(4) == 0;
        for limit in all() {
            if !are_all_small && below(2) == 0 {
                continue;
            }
            let above = match limit.unit {
                // The bytes of a cell or of a tile of some cells.
                LimitUnit::Bytes => below(5) << below(9),
                _ => below(5),
            };
            values.push((limit, limit.minimum + above));
        }
        SimulatedLimits::new(&values)
    }

    /// The names of the replaced limits.
    pub fn names(&self) -> Vec<&'static str> {
        self.0.iter().flat_map(|values| values.keys().copied()).collect()
    }

    /// The same without a limit, which has its ordinary value.
    pub fn without(&self, name: &str) -> SimulatedLimits {
        let values = self.0.iter().flat_map(|values| values.iter());
        SimulatedLimits(Some(Arc::new(
            values.filter(|value| *value.0 != name).map(|(name, value)| (*name, *value)).collect(),
        )))
    }

    /// Those of the calling thread.
    pub fn current() -> SimulatedLimits {
        CURRENT.with_borrow(Clone::clone)
    }

    /// Runs `work` on the calling thread, and the tasks that it hands to others, with these values.
    pub fn run<R>(&self, work: impl FnOnce() -> R) -> R {
        struct Restore(SimulatedLimits);
        impl Drop for Restore {
            fn drop(&mut self) {
                CURRENT.set(std::mem::take(&mut self.0));
            }
        }
        let _restore = Restore(CURRENT.replace(self.clone()));
        work()
    }
}

impl fmt::Debug for SimulatedLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.0.iter().flat_map(|values| values.iter())).finish()
    }
}

/// The value that replaces that of a limit.
pub(super) fn value_of(limit: &Limit) -> Option<u64> {
    // A thread that ends has no values of its own any more.
    let own = CURRENT.try_with(|current| {
        let current = current.borrow();
        current.0.is_some().then(|| current.value_of(limit))
    });
    let of_process = || OF_PROCESS.get_or_init(SimulatedLimits::of_environment).value_of(limit);
    own.ok().flatten().unwrap_or_else(of_process)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::{LimitScope, compute, sparse_read};
    use crate::pool::{CancelToken, Pools};

    #[test]
    fn simulated_limits_apply_to_the_thread_and_its_tasks_and_end_with_the_run() {
        let ordinary = sparse_read::MAX_SORTED_CELLS.count();
        let small = SimulatedLimits::new(&[(&sparse_read::MAX_SORTED_CELLS, 3), (&compute::MIN_SHARED_WORK, 1)]);
        small.run(|| {
            let values = Pools::new(4, 1)
                .map(100, usize::MAX, &CancelToken::default(), |_| Ok(sparse_read::MAX_SORTED_CELLS.count()))
                .unwrap();
            assert_eq!(values, vec![3; 100]);
            assert_eq!(sparse_read::MAX_SORTED_CELLS.count_or(true, 50), 3);
            std::thread::scope(|scope| {
                let other = scope.spawn(|| sparse_read::MAX_SORTED_CELLS.count());
                assert_eq!(other.join().unwrap(), ordinary);
                let limits = LimitScope::current();
                let other = scope.spawn(move || limits.run(|| sparse_read::MAX_SORTED_CELLS.count()));
                assert_eq!(other.join().unwrap(), 3);
            });
        });
        assert_eq!(sparse_read::MAX_SORTED_CELLS.count(), ordinary);
        assert_eq!(sparse_read::MAX_SORTED_CELLS.count_or(true, 50), 50);
    }

    #[test]
    fn process_with_a_seed_in_its_environment_has_the_limits_of_the_seed() {
        const NAME: &str =
            "limits::simulation::tests::process_with_a_seed_in_its_environment_has_the_limits_of_the_seed";
        if std::env::var_os(SEED_VARIABLE).is_none() {
            let mut process = std::process::Command::new(std::env::current_exe().unwrap());
            let output = process.args(["--exact", NAME]).env(SEED_VARIABLE, "5").output().unwrap();
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(output.status.success() && text.contains("1 passed"), "{text}");
            return;
        }
        let values = || all().map(|limit| limit.bytes()).collect::<Vec<_>>();
        let of_seed = SimulatedLimits::of_seed(5).run(values);
        assert_eq!(values(), of_seed);
        assert_eq!(std::thread::spawn(values).join().unwrap(), of_seed);
        assert_ne!(SimulatedLimits::new(&[]).run(values), of_seed);
    }

    #[test]
    fn simulated_limits_end_with_a_panic() {
        let small = SimulatedLimits::new(&[(&sparse_read::MAX_SORTED_CELLS, 3)]);
        let panicked = std::panic::catch_unwind(|| small.run(|| std::panic::resume_unwind(Box::new(()))));
        assert!(panicked.is_err() && SimulatedLimits::current() == SimulatedLimits::default());
    }

    #[test]
    fn drawn_limits_are_tiny_and_not_below_their_minimum() {
        let mut state = 1u64;
        let mut below = |end: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % end
        };
        for _ in 0..100 {
            let limits = SimulatedLimits::draw(&mut below);
            for limit in all() {
                let value = limits.run(|| limit.bytes());
                assert!(value == limit.value || (limit.minimum..limit.minimum + 1025).contains(&value), "{limit:?}");
            }
        }
    }

    #[test]
    fn limits_have_distinct_names_and_correct_values() {
        let mut names: Vec<&str> = all().map(|limit| limit.name).collect();
        assert!(all().all(|limit| limit.minimum <= limit.value && !limit.reason.is_empty()));
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    }
}
