//! The seeds of a run, as the environment requests them.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Seeds that several threads take in turn.
///
/// `SEEDS=FROM..TO` replaces those of every run. With `SECONDS` the run goes on from `FROM` for that time, and with `UNTIL_FAILURE` it
/// ends at the first failure. `THREADS` take them, one for each processor if it is not set. With `SHRINK=0` failing histories are not shortened.
pub struct Seeds {
    first: u64,
    next: AtomicU64,
    end: u64,
    limit: Option<Duration>,
    ends_at_failure: bool,
    shrinks: bool,
    has_failed: AtomicBool,
    begun: Instant,
}

impl Seeds {
    /// Those of the environment, or `usual` ones.
    pub fn requested(usual: Range<u64>) -> Seeds {
        let range = std::env::var("SEEDS").ok().map(|seeds| {
            let (from, to) = seeds.split_once("..").unwrap();
            from.parse().unwrap()..to.parse().unwrap()
        });
        let limit = std::env::var("SECONDS").ok().map(|seconds| Duration::from_secs(seconds.parse().unwrap()));
        let Range { start, end } = range.unwrap_or(usual);
        Seeds {
            first: start,
            next: AtomicU64::new(start),
            end: if limit.is_some() { u64::MAX } else { end },
            limit,
            ends_at_failure: std::env::var_os("UNTIL_FAILURE").is_some(),
            shrinks: std::env::var_os("SHRINK").is_none_or(|value| value != "0"),
            has_failed: AtomicBool::new(false),
            begun: Instant::now(),
        }
    }

    /// The next seed; none at the end of the run.
    pub fn next(&self) -> Option<u64> {
        let is_over = self.limit.is_some_and(|limit| self.begun.elapsed() >= limit)
            || self.ends_at_failure && self.has_failed.load(Ordering::Relaxed);
        if is_over {
            return None;
        }
        self.next
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |next| Some(next + u64::from(next < self.end)))
            .ok()
            .filter(|seed| *seed < self.end)
    }

    /// Number of threads that take seeds.
    pub fn threads(&self) -> usize {
        let requested = std::env::var("THREADS").ok().map(|threads| threads.parse().unwrap());
        requested.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// Whether failing histories are shortened.
    pub fn shrinks(&self) -> bool {
        self.shrinks
    }

    /// Notes that a seed has failed.
    pub fn fail(&self, seed: u64) {
        println!("seed {seed} fails after {:?}, in {} histories", self.elapsed(), self.taken());
        self.has_failed.store(true, Ordering::Relaxed);
    }

    /// The number of seeds that were taken.
    pub fn taken(&self) -> u64 {
        self.next.load(Ordering::Relaxed) - self.first
    }

    /// Since the run began.
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }
}
