//! Counters and timers of a context and of each of its queries, for the statistics dumps.
//!
//! Nothing is counted, and nothing is paid beyond one relaxed load, until statistics are enabled for
//! the process. A query's numbers are also added to those of its context.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError, Weak};
use std::time::{Duration, Instant};

/// How often a lock is tried that is held for a few instructions only.
const PATIENCE: u32 = 1000;

static ENABLED: AtomicBool = AtomicBool::new(false);
/// Grows with every reset; numbers of an older epoch count as gone.
static EPOCH: AtomicU64 = AtomicU64::new(0);
/// The contexts that counted something.
static CONTEXTS: Mutex<Vec<Weak<Scope>>> = Mutex::new(Vec::new());

/// Turns counting on or off for the whole process; what was counted stays.
pub fn set_enabled(enabled: bool) {
    ENABLED.store(enabled, Ordering::Relaxed);
}

/// Whether counting is on.
pub fn is_enabled() -> bool {
    ENABLED.load(Ordering::Relaxed)
}

/// Forgets what was counted, in all contexts.
pub fn reset() {
    EPOCH.fetch_add(1, Ordering::Relaxed);
}

/// The statistics of all living contexts that counted something: a JSON array of objects.
pub fn dump_all() -> String {
    let contexts = lock(&CONTEXTS).map(|contexts| contexts.iter().filter_map(Weak::upgrade).collect::<Vec<_>>());
    let contexts = contexts.unwrap_or_default();
    let objects: Vec<String> =
        contexts.iter().map(|scope| scope.dump("  ")).filter(|object| !object.is_empty()).collect();
    format!("[\n{}\n]\n", objects.join(",\n"))
}

/// The statistics of one context or query; copies share them. Names are written `VFS.read_ops_num`
/// and appear as `Context.VFS.read_ops_num`.
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

    /// Adds to a counter.
    pub fn counter_add(&self, name: &'static str, n: u64) {
        if is_enabled() {
            self.record(&|numbers| {
                let counter = numbers.counters.entry(name).or_default();
                *counter = counter.saturating_add(n);
            });
        }
    }

    /// Measures until the returned guard is dropped.
    pub fn timer(&self, name: &'static str) -> Timer<'_> {
        Timer { stats: self, name, start: is_enabled().then(Instant::now) }
    }

    /// The statistics as a JSON object with `timers` and `counters`; empty where nothing was counted.
    pub fn dump_json(&self) -> String {
        self.0.dump("")
    }

    #[cold]
    fn record(&self, add: &dyn Fn(&mut Numbers)) {
        if let Some(mut numbers) = self.0.current() {
            add(&mut numbers);
        }
        match &self.0.parent {
            Some(parent) => parent.record(add),
            None => self.register(),
        }
    }

    /// Enters a context, once, into the list that [`dump_all`] goes through.
    fn register(&self) {
        if !self.0.listed.swap(true, Ordering::Relaxed) {
            let Some(mut contexts) = lock(&CONTEXTS) else { return };
            contexts.retain(|known| known.strong_count() > 0);
            contexts.push(Arc::downgrade(&self.0));
        }
    }
}

/// A running timer: its time is added when it is dropped.
#[must_use = "a timer measures until it is dropped"]
pub struct Timer<'a> {
    stats: &'a Stats,
    name: &'static str,
    start: Option<Instant>,
}

impl Drop for Timer<'_> {
    fn drop(&mut self) {
        if let Some(start) = self.start {
            let time = start.elapsed();
            self.stats.record(&|numbers| {
                let timer = numbers.timers.entry(self.name).or_default();
                timer.sum = timer.sum.saturating_add(time);
                timer.count += 1;
            });
        }
    }
}

#[derive(Default)]
struct Scope {
    parent: Option<Stats>,
    numbers: Mutex<Numbers>,
    listed: AtomicBool,
}

#[derive(Default)]
struct Numbers {
    epoch: u64,
    counters: BTreeMap<&'static str, u64>,
    timers: BTreeMap<&'static str, Times>,
}

#[derive(Default)]
struct Times {
    sum: Duration,
    count: u32,
}

impl Scope {
    /// The numbers since the last reset.
    fn current(&self) -> Option<MutexGuard<'_, Numbers>> {
        let mut numbers = lock(&self.numbers)?;
        let epoch = EPOCH.load(Ordering::Relaxed);
        if numbers.epoch != epoch {
            *numbers = Numbers { epoch, ..Numbers::default() };
        }
        Some(numbers)
    }

    fn dump(&self, indent: &str) -> String {
        let Some(numbers) = self.current() else { return String::new() };
        if numbers.counters.is_empty() && numbers.timers.is_empty() {
            return String::new();
        }
        let seconds = numbers.timers.iter().flat_map(|(name, times)| {
            let sum = times.sum.as_secs_f64();
            [(format!("{name}.sum"), sum), (format!("{name}.avg"), sum / f64::from(times.count.max(1)))]
        });
        let timers = members(seconds, indent);
        let counters = members(numbers.counters.iter(), indent);
        format!(
            "{indent}{{\n{indent}  \"timers\": {{{timers}\n{indent}  }},\n{indent}  \"counters\": {{{counters}\n{indent}  }}\n{indent}}}"
        )
    }
}

/// `"Context.name": value` lines, separated by commas.
fn members<N: std::fmt::Display, V: std::fmt::Display>(values: impl Iterator<Item = (N, V)>, indent: &str) -> String {
    let mut text = String::new();
    for (name, value) in values {
        let comma = if text.is_empty() { "" } else { "," };
        let _ = write!(text, "{comma}\n{indent}    \"Context.{name}\": {value}");
    }
    text
}

/// `None` where the lock is not to be had in a long while: a forked child may inherit one whose holder does not exist there.
fn lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    for _ in 0..PATIENCE {
        match mutex.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(guard)) => return Some(guard.into_inner()),
            Err(TryLockError::WouldBlock) => std::thread::yield_now(),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One test, for the switch and the list belong to the process.
    #[test]
    fn counts_while_enabled_and_dumps_json() {
        let context = Stats::new();
        context.counter_add("VFS.read_ops_num", 1);
        assert_eq!(context.dump_json(), "");

        set_enabled(true);
        let query = context.child();
        context.counter_add("VFS.read_ops_num", 2);
        query.counter_add("VFS.read_ops_num", 3);
        drop(query.timer("Query.submit"));
        set_enabled(false);
        query.counter_add("VFS.read_ops_num", 100);

        let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        let own = json(&query.dump_json());
        assert_eq!(own["counters"]["Context.VFS.read_ops_num"], 3);
        assert!(own["timers"]["Context.Query.submit.sum"].as_f64().unwrap() >= 0.0);
        assert_eq!(json(&context.dump_json())["counters"]["Context.VFS.read_ops_num"], 5);
        let all = json(&dump_all());
        assert!(all.as_array().unwrap().contains(&json(&context.dump_json())));

        reset();
        assert_eq!((query.dump_json(), context.dump_json()), (String::new(), String::new()));
        assert_eq!(json(&dump_all()).as_array().unwrap().len(), 0);
    }
}
