//! Unique write timestamps: within a process no two changes of an array or group share a millisecond, so that the array
//! can be opened at the time of any of them.
//!
//! A writer whose millisecond is taken waits for the clock. The greatest assigned timestamp is stored in one of a few
//! thousand atomic slots, chosen by a hash of the URI: lock-free, fork-safe, and without cleanup. Arrays that share a
//! slot do not share milliseconds either.
//!
//! A clock may stand still, or be set back: in sandboxes, in restored virtual machines, under libfaketime. Waiting is therefore
//! bounded by the monotonic clock and, since that may stand still, too, by the number of sleeps. After a wait in vain,
//! timestamps run ahead of the clock, and this process reads up to the greatest one, until the clock has caught up.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::timestamp_now;
use tiledb_core::env::{self, Stopwatch};
use tiledb_storage::vfs::Uri;

const PLACES: usize = 4096;
static GREATEST: [AtomicU64; PLACES] = [const { AtomicU64::new(0) }; PLACES];

/// Maximum distance in milliseconds that reserved timestamps may be ahead of the clock.
const AHEAD: u64 = 20;

/// A time farther ahead is no queue of writers: the clock was set back.
const MAX_AHEAD: u64 = 10_000;

/// Maximum time in milliseconds that a writer waits for the clock: many concurrent writers take one millisecond each.
const MAX_WAIT: u64 = 1_000;

/// Time in milliseconds by which a clock may be late without being taken for one that stands still.
const CLOCK_TOLERANCE: u64 = 50;

/// Maximum number of sleeps of a wait: a sleep can end a little early.
const MAX_SLEEPS: usize = 8;

/// The clock that timestamps are taken from, and how to wait for it.
trait Clock {
    /// Milliseconds since 1970.
    fn now(&self) -> u64;
    /// Time since some moment.
    fn elapsed(&self) -> Duration;
    fn sleep(&self, duration: Duration);
}

struct SystemClock(Stopwatch);

impl Clock for SystemClock {
    fn now(&self) -> u64 {
        timestamp_now()
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    fn sleep(&self, duration: Duration) {
        env::sleep(duration);
    }
}

/// Assigned timestamps.
struct WriteTimes<'a> {
    greatest: &'a [AtomicU64],
    /// The greatest time that a writer has waited for in vain: until then nobody waits.
    unreached: &'a AtomicU64,
}

static UNREACHED: AtomicU64 = AtomicU64::new(0);

/// The timestamps that a simulated process has assigned.
struct SimulatedTimes {
    greatest: [AtomicU64; 16],
    unreached: AtomicU64,
}

impl Default for SimulatedTimes {
    fn default() -> SimulatedTimes {
        SimulatedTimes { greatest: Default::default(), unreached: AtomicU64::new(0) }
    }
}

/// Those of this process.
fn with_times<R>(work: impl FnOnce(&WriteTimes<'_>) -> R) -> R {
    match env::process_state::<SimulatedTimes>() {
        Some(times) => work(&WriteTimes { greatest: &times.greatest, unreached: &times.unreached }),
        None => work(&WriteTimes { greatest: &GREATEST, unreached: &UNREACHED }),
    }
}

/// The time of a change that is made now. Returns when it has come, unless the clock stands still or was set back.
pub fn claim(uri: &Uri) -> u64 {
    with_times(|times| times.claim(uri, &SystemClock(Stopwatch::start())))
}

/// Reserves a timestamp for a change that may be made later, after a call of [`wait_for`]; `None` if too many are
/// reserved at the moment, in which case the timestamp is claimed at the time of the change.
pub fn reserve(uri: &Uri) -> Option<u64> {
    with_times(|times| times.take(uri, AHEAD, timestamp_now()))
}

/// Records a timestamp that was assigned to a change otherwise.
pub fn note(uri: &Uri, time: u64) {
    with_times(|times| times.place(uri).fetch_max(time.min(timestamp_now()), Ordering::Relaxed));
}

/// Returns when the clock has reached a time, or it stands still or was set back.
pub fn wait_for(time: u64) {
    with_times(|times| times.wait_for(time, &SystemClock(Stopwatch::start())));
}

/// The time up to which arrays and groups are read now: later than the clock if the changes of this process are.
pub fn read_time() -> u64 {
    with_times(|times| times.read_time(timestamp_now()))
}

impl<'a> WriteTimes<'a> {
    fn claim(&self, uri: &Uri, clock: &impl Clock) -> u64 {
        let time = self.take(uri, MAX_AHEAD, clock.now()).unwrap_or_else(|| clock.now());
        self.wait_for(time, clock);
        time
    }

    fn wait_for(&self, time: u64, clock: &impl Clock) {
        let limit =
            Duration::from_millis(time.saturating_sub(clock.now()).saturating_add(CLOCK_TOLERANCE).min(MAX_WAIT));
        let began = clock.elapsed();
        for _ in 0..MAX_SLEEPS {
            let now = clock.now();
            let left = time.saturating_sub(now);
            if left == 0 || left > MAX_AHEAD {
                return;
            }
            if now < self.unreached.load(Ordering::Relaxed) {
                break;
            }
            let remaining = limit.saturating_sub(clock.elapsed().saturating_sub(began));
            if remaining.is_zero() {
                break;
            }
            clock.sleep(Duration::from_millis(left).min(remaining));
        }
        if clock.now() < time {
            self.unreached.fetch_max(time, Ordering::Relaxed);
        }
    }

    fn read_time(&self, now: u64) -> u64 {
        let unreached = self.unreached.load(Ordering::Relaxed);
        if unreached <= now.saturating_add(MAX_AHEAD) { unreached.max(now) } else { now }
    }

    /// The next free time, if it is not farther ahead.
    fn take(&self, uri: &Uri, ahead: u64, now: u64) -> Option<u64> {
        let next = |greatest: u64| match greatest.saturating_add(1) {
            next if next <= now || greatest > now + MAX_AHEAD => Some(now),
            next => Some(next).filter(|next| *next <= now + ahead),
        };
        let place = self.place(uri);
        let before = place.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).ok()?;
        next(before)
    }

    fn place(&self, uri: &Uri) -> &'a AtomicU64 {
        let mut hasher = DefaultHasher::new();
        uri.as_str().trim_end_matches('/').hash(&mut hasher);
        &self.greatest[hasher.finish() as usize % self.greatest.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn uri(name: &str) -> Uri {
        Uri::parse(&format!("mem://moments/{name}")).unwrap()
    }

    #[test]
    fn changes_share_no_time() {
        let array = uri("array");
        let times: Vec<u64> = std::thread::scope(|scope| {
            let work = || (0..10).map(|_| [claim(&array), claim(&array)]).collect::<Vec<_>>().concat();
            let workers: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
            workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
        });
        assert_eq!(times.iter().collect::<HashSet<_>>().len(), 80);
        assert!(times.iter().all(|time| *time <= timestamp_now()));
        let with_slash = Uri::parse("mem://moments/array/").unwrap();
        assert!(claim(&with_slash) > *times.iter().max().unwrap());
    }

    #[test]
    fn what_is_set_aside_is_not_far_away() {
        let array = uri("opened");
        let reserved: Vec<Option<u64>> = (0..10_000).map(|_| reserve(&array)).collect();
        let claimed: Vec<u64> = reserved.iter().flatten().copied().collect();
        assert!(claimed.windows(2).all(|pair| pair[0] < pair[1]));
        let last = *claimed.last().unwrap();
        assert!(last <= timestamp_now() + AHEAD);
        let claimed = claim(&array);
        assert!(claimed > last && claimed <= timestamp_now());
    }

    #[test]
    fn a_clock_that_was_set_back_is_not_waited_for() {
        let array = uri("back");
        with_times(|times| times.place(&array).store(timestamp_now() + 3_600_000, Ordering::Relaxed));
        let before = timestamp_now();
        assert!((before..before + MAX_AHEAD).contains(&claim(&array)));
    }

    /// A clock at `time` that runs at a rate, and sleeps that take no time.
    struct FakeClock {
        time: std::cell::Cell<u64>,
        rate: u64,
        /// Milliseconds slept, which the monotonic clock shows unless it stands still, too.
        slept: std::cell::Cell<u64>,
        is_monotonic_frozen: bool,
    }

    impl FakeClock {
        fn new(time: u64, rate: u64, is_monotonic_frozen: bool) -> FakeClock {
            FakeClock { time: time.into(), rate, slept: 0.into(), is_monotonic_frozen }
        }
    }

    impl Clock for FakeClock {
        fn now(&self) -> u64 {
            self.time.get()
        }

        fn elapsed(&self) -> Duration {
            Duration::from_millis(if self.is_monotonic_frozen { 0 } else { self.slept.get() })
        }

        fn sleep(&self, duration: Duration) {
            let millis = duration.as_micros().div_ceil(1000) as u64;
            self.slept.set(self.slept.get() + millis);
            self.time.set(self.time.get() + millis * self.rate);
        }
    }

    fn times() -> WriteTimes<'static> {
        let [greatest, unreached] = Box::leak(Box::new([AtomicU64::new(0), AtomicU64::new(0)]));
        WriteTimes { greatest: std::slice::from_ref(greatest), unreached }
    }

    #[test]
    fn frozen_clock_delays_only_the_first_write_and_times_stay_unique() {
        for is_monotonic_frozen in [false, true] {
            for start in [0, 5, 1_700_000_000_000] {
                let times = times();
                let clock = FakeClock::new(start, 0, is_monotonic_frozen);
                let array = uri("frozen");
                let claimed: Vec<u64> = (0..1000).map(|_| times.claim(&array, &clock)).collect();
                assert!(claimed.windows(2).all(|pair| pair[0] < pair[1]), "{claimed:?}");
                assert!(clock.slept.get() <= 2 * CLOCK_TOLERANCE, "{}", clock.slept.get());
                assert_eq!(times.read_time(clock.now()), *claimed.last().unwrap());
                // Once the clock runs again, and is past them, it counts alone.
                let later = start + 2_000;
                assert_eq!(times.read_time(later), later);
                assert_eq!(times.claim(&array, &FakeClock::new(later, 1, false)), later);
            }
        }
    }

    #[test]
    fn clock_that_is_set_back_delays_at_most_one_write() {
        let times = times();
        let array = uri("steps");
        let before = times.claim(&array, &FakeClock::new(1_000_000, 1, false));
        for step in [1, 30, 900, 5_000, 9_900] {
            let clock = FakeClock::new(1_000_000 - step, 1, false);
            let claimed: Vec<u64> = (0..5).map(|_| times.claim(&array, &clock)).collect();
            assert!(claimed[0] > before && claimed.windows(2).all(|pair| pair[0] < pair[1]), "{claimed:?}");
            assert!(clock.slept.get() <= MAX_WAIT + 10, "{step}: {}", clock.slept.get());
            assert!(times.read_time(clock.now()) >= claimed[4]);
        }
    }

    #[test]
    fn running_clock_is_waited_for() {
        let times = times();
        let clock = FakeClock::new(1_000, 1, false);
        let array = uri("running");
        for expected in 1_000..1_100 {
            assert_eq!((times.claim(&array, &clock), clock.now()), (expected, expected));
        }
        assert_eq!(times.unreached.load(Ordering::Relaxed), 0);
        times.wait_for(1_900, &clock);
        assert_eq!((clock.now(), times.read_time(clock.now())), (1_900, 1_900));
    }
}
