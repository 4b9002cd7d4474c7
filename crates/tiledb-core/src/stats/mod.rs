//! Counters and timers of contexts and queries, for the statistics dumps.
//!
//! They are always updated: a counter costs one atomic addition per tile or call, never per cell; a timer reads the
//! clock twice per phase. The numbers of a query are also added to those of its context.

use std::sync::{Arc, Weak};
use std::time::Instant;

use crate::fork::{Lock, lock_with_spare};
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};

mod json;
mod names;

pub use names::{Counter, Timer};

static ENABLED: AtomicBool = AtomicBool::new(false);
/// Grows with every reset; numbers of an older epoch count as gone.
static EPOCH: AtomicU64 = AtomicU64::new(0);
/// The contexts that counted something.
static CONTEXTS: Lock<Vec<Weak<Scope>>> = Lock::new(Vec::new(), Vec::new);

/// Sets the value of [`is_enabled`]. Statistics are collected either way, as in libtiledb.
pub fn set_enabled(enabled: bool) {
    ENABLED.store(enabled, Ordering::Relaxed);
}

/// The value of [`set_enabled`].
pub fn is_enabled() -> bool {
    ENABLED.load(Ordering::Relaxed)
}

/// Resets the counters and timers of all contexts, except for cache sizes.
pub fn reset() {
    EPOCH.fetch_add(1, Ordering::Relaxed);
}

/// The statistics of all living contexts that counted something: a JSON array of objects.
pub fn dump_all() -> String {
    let mut contexts = Vec::with_capacity(CONTEXTS.lock_across_fork().len());
    // Contexts that were registered since do not fit, and are left out.
    contexts.extend(CONTEXTS.lock_across_fork().iter().filter_map(Weak::upgrade).take(contexts.capacity()));
    let objects: Vec<String> =
        contexts.iter().map(|scope| scope.dump("  ")).filter(|object| !object.is_empty()).collect();
    format!("[\n{}\n]\n", objects.join(",\n"))
}

/// The statistics of one context or query; copies share them.
#[derive(Clone, Default)]
pub struct Stats(Arc<Scope>);

impl Stats {
    /// The statistics of a new context.
    pub fn new() -> Stats {
        Stats::default()
    }

    /// The statistics of a query: its numbers are added to the context's as well.
    #[must_use]
    pub fn child(&self) -> Stats {
        Stats(Arc::new(Scope { parent: Some(self.clone()), ..Scope::default() }))
    }

    /// Numbers that appear in no dump.
    pub fn unlisted() -> Stats {
        Stats(Arc::new(Scope { listed: AtomicBool::new(true), ..Scope::default() }))
    }

    /// Adds to a counter; nothing makes it appear in the dump, too.
    pub fn add(&self, counter: Counter, n: u64) {
        self.0.enter();
        self.0.counters[counter as usize].add(n);
        if let Some(parent) = &self.0.parent {
            parent.add(counter, n);
        }
    }

    /// Subtracts from a gauge ([`Counter::GAUGES`]).
    pub fn subtract(&self, gauge: Counter, n: u64) {
        self.0.counters[gauge as usize].subtract(n);
    }

    /// A counter, if anything was added to it.
    pub fn get(&self, counter: Counter) -> Option<u64> {
        self.0.counters[counter as usize].get()
    }

    /// Number of measurements of a timer.
    pub fn measurements(&self, timer: Timer) -> u64 {
        self.0.timers[timer as usize].get().map_or(0, |(_, count)| count)
    }

    /// Measures until the returned guard is dropped.
    #[inline]
    pub fn timer(&self, timer: Timer) -> TimerGuard<'_> {
        TimerGuard { stats: self, timer, start: Instant::now() }
    }

    /// The statistics as a JSON object with `timers` and `counters`; empty if nothing was counted.
    pub fn dump_json(&self) -> String {
        self.0.dump("")
    }

    fn add_time(&self, timer: Timer, nanoseconds: u64) {
        self.0.enter();
        self.0.timers[timer as usize].add(nanoseconds);
        if let Some(parent) = &self.0.parent {
            parent.add_time(timer, nanoseconds);
        }
    }
}

/// A running timer: its time is added when it is dropped.
#[must_use = "a timer measures until it is dropped"]
pub struct TimerGuard<'a> {
    stats: &'a Stats,
    timer: Timer,
    start: Instant,
}

impl Drop for TimerGuard<'_> {
    fn drop(&mut self) {
        let time = u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.stats.add_time(self.timer, time);
    }
}

/// A sum, and whether anything, be it nothing, was added to it: its highest bit.
#[derive(Default)]
struct Count(AtomicU64);

const COUNTED: u64 = 1 << 63;

impl Count {
    fn add(&self, n: u64) {
        if self.0.fetch_add(n, Ordering::Relaxed) & COUNTED == 0 {
            self.0.fetch_or(COUNTED, Ordering::Relaxed);
        }
    }

    fn subtract(&self, n: u64) {
        self.0.fetch_sub(n, Ordering::Relaxed);
    }

    fn clear(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// The sum, if anything was added.
    fn get(&self) -> Option<u64> {
        let count = self.0.load(Ordering::Relaxed);
        (count & COUNTED != 0).then_some(count & !COUNTED)
    }
}

/// A sum, and how often it was added to.
#[derive(Default)]
struct Sum {
    sum: AtomicU64,
    count: AtomicU64,
}

impl Sum {
    fn add(&self, n: u64) {
        self.sum.fetch_add(n, Ordering::Relaxed);
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    fn clear(&self) {
        self.sum.store(0, Ordering::Relaxed);
        self.count.store(0, Ordering::Relaxed);
    }

    /// The sum and the count, if anything was added.
    fn get(&self) -> Option<(u64, u64)> {
        let count = self.count.load(Ordering::Relaxed);
        (count > 0).then(|| (self.sum.load(Ordering::Relaxed), count))
    }
}

struct Scope {
    parent: Option<Stats>,
    /// That of the last reset which was applied, and locked while one is.
    epoch: AtomicU64,
    resetting: Lock<()>,
    counters: [Count; Counter::NAMES.len()],
    timers: [Sum; Timer::NAMES.len()],
    listed: AtomicBool,
}

impl Default for Scope {
    fn default() -> Scope {
        Scope {
            parent: None,
            epoch: AtomicU64::new(EPOCH.load(Ordering::Relaxed)),
            resetting: Lock::default(),
            counters: std::array::from_fn(|_| Count::default()),
            timers: std::array::from_fn(|_| Sum::default()),
            listed: AtomicBool::new(false),
        }
    }
}

impl Scope {
    /// Applies a pending reset; registers a context on first use for [`dump_all`].
    fn enter(self: &Arc<Scope>) {
        self.refresh();
        if self.parent.is_none() && !self.listed.load(Ordering::Relaxed) {
            self.register();
        }
    }

    fn refresh(&self) {
        if self.epoch.load(Ordering::Acquire) != EPOCH.load(Ordering::Relaxed) {
            self.apply_reset();
        }
    }

    /// Clears the numbers of an older epoch. Others wait meanwhile: what they add would be cleared as well.
    #[cold]
    fn apply_reset(&self) {
        let _resetting = self.resetting.lock();
        let now = EPOCH.load(Ordering::Relaxed);
        if self.epoch.load(Ordering::Relaxed) == now {
            return;
        }
        // Gauges survive a reset.
        let counters = self.counters.iter().enumerate().filter(|(index, _)| !Counter::GAUGES.contains(index));
        counters.for_each(|(_, counter)| counter.clear());
        self.timers.iter().for_each(Sum::clear);
        self.epoch.store(now, Ordering::Release);
    }

    #[cold]
    fn register(self: &Arc<Scope>) {
        if !self.listed.swap(true, Ordering::Relaxed) {
            let context = Arc::downgrade(self);
            let mut contexts = CONTEXTS.lock_across_fork();
            // Before the list grows, dead contexts are removed; then it doubles, which amortizes the removal.
            let spare = if contexts.len() == contexts.capacity() {
                contexts.retain(|context| context.strong_count() > 0);
                contexts.len() + 1
            } else {
                1
            };
            drop(contexts);
            lock_with_spare(spare, || CONTEXTS.lock_across_fork()).push(context);
        }
    }

    fn dump(&self, indent: &str) -> String {
        self.refresh();
        let counted = |(name, count): (&&str, &Count)| Some(((*name).to_owned(), count.get()?));
        let mut counters: Vec<_> = Counter::NAMES.iter().zip(&self.counters).filter_map(counted).collect();
        let timed = |(name, sum): (&&'static str, &Sum)| Some((*name, sum.get()?));
        let timed = Timer::NAMES.iter().zip(&self.timers).filter_map(timed);
        let mut timers: Vec<_> = timed
            .flat_map(|(name, (sum, count))| {
                let seconds = sum as f64 / 1e9;
                [(format!("{name}.sum"), seconds), (format!("{name}.avg"), seconds / count as f64)]
            })
            .collect();
        if counters.is_empty() && timers.is_empty() {
            return String::new();
        }
        json::object(&mut timers, &mut counters, indent)
    }
}

#[cfg(test)]
#[cfg(shuttle)]
mod interleavings;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_counts_for_its_context() {
        let context = Stats::new();
        assert_eq!(context.dump_json(), "");
        let query = context.child();
        context.add(Counter::VfsReads, 2);
        query.add(Counter::ReaderTilesRead, 3);
        query.add(Counter::ReaderIgnoredTiles, 0);
        drop(query.timer(Timer::Read));

        let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        let own = json(&query.dump_json());
        assert_eq!(own["counters"].as_object().unwrap().len(), 2);
        assert_eq!(own["counters"]["Context.Query.Reader.num_tiles_read"], 3);
        assert_eq!(own["counters"]["Context.Query.Reader.ignored_tiles"], 0);
        assert!(own["timers"]["Context.Query.Reader.dowork.sum"].as_f64().unwrap() >= 0.0);
        let all = json(&context.dump_json());
        assert_eq!(all["counters"]["Context.Query.Reader.num_tiles_read"], 3);
        assert_eq!(all["counters"]["Context.VFS.read_ops_num"], 2);
        assert!(!json(&dump_all()).as_array().unwrap().is_empty());
    }

    #[test]
    fn names_come_in_descending_order() {
        let mut timers = vec![("a.sum".to_owned(), 0.5), ("a.avg".to_owned(), 0.25)];
        let mut counters = vec![("b".to_owned(), 1), ("c".to_owned(), 2)];
        let text = json::object(&mut timers, &mut counters, "");
        let expected = "{\n  \"timers\": {\n    \"Context.a.sum\": 0.5,\n    \"Context.a.avg\": 0.25\n  },\n  \"counters\": {\n    \
                        \"Context.c\": 2,\n    \"Context.b\": 1\n  }\n}";
        assert_eq!(text, expected);
    }
}
