//! Cache of a value that expires, such as credentials: fetched on demand, and refreshed before expiry.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tiledb_core::error::{Error, Result};
use tiledb_core::fork::PerProcess;
use tiledb_core::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// Maximum time before expiry at which a value is refreshed.
const MARGIN: Duration = Duration::from_secs(300);

/// Minimum time between fetches after a failure, or after a value that seems to be expired already: with a wrong clock
/// it may still be valid.
const PAUSE: Duration = Duration::from_secs(5);

/// A value and its expiry, if any.
pub(super) struct Expiring<T> {
    pub(super) value: T,
    pub(super) until: Option<SystemTime>,
}

/// A value that one caller at a time fetches. During a refresh the others use the old value, and so do all callers
/// after a failed refresh until it expires. A forked child fetches its own, since a thread of the parent may hold the
/// lock.
pub(super) struct ExpiringCache<T>(PerProcess<State<T>>);

struct State<T> {
    /// Locked during a fetch.
    turn: Mutex<()>,
    /// Locked briefly.
    cache: Mutex<CacheState<T>>,
}

struct CacheState<T> {
    cached: Option<CachedValue<T>>,
    /// The last failure and until when it is remembered.
    failure: Option<(Error, SystemTime)>,
}

struct CachedValue<T> {
    value: Arc<T>,
    /// Times of refresh and of expiry.
    times: Option<(SystemTime, SystemTime)>,
}

impl<T> CachedValue<T> {
    fn new(fetched: Expiring<T>, now: SystemTime) -> CachedValue<T> {
        let times = fetched.until.map(|until| {
            let life = until.duration_since(now).unwrap_or_default();
            // A short-lived value is refreshed in the last fifth of its life.
            let renewed = until.checked_sub(MARGIN.min(life / 5)).unwrap_or(now);
            (renewed.max(now + PAUSE), until.max(now + PAUSE))
        });
        CachedValue { value: Arc::new(fetched.value), times }
    }

    fn is_fresh(&self, now: SystemTime) -> bool {
        self.times.is_none_or(|(renewed, _)| now < renewed)
    }

    fn is_good(&self, now: SystemTime) -> bool {
        self.times.is_none_or(|(_, end)| now < end)
    }
}

impl<T> ExpiringCache<T> {
    pub(super) fn new() -> ExpiringCache<T> {
        ExpiringCache(PerProcess::new())
    }

    /// The value, fetched if there is none or it is about to expire.
    ///
    /// # Errors
    /// Those of `fetch`, where no older value is good any more. For a short while they are remembered.
    pub(super) fn get(&self, fetch: &dyn Fn() -> Result<Expiring<T>>) -> Result<Arc<T>> {
        self.get_at(fetch, &SystemTime::now)
    }

    /// Drops a value that was rejected although it is not expired, unless it was refreshed meanwhile.
    pub(super) fn invalidate(&self, refused: &Arc<T>) {
        let mut cache = lock(&self.state().cache);
        if cache.cached.as_ref().is_some_and(|cached| Arc::ptr_eq(&cached.value, refused)) {
            cache.cached = None;
        }
    }

    fn state(&self) -> &State<T> {
        self.0.get_or_init(|| State {
            turn: Mutex::new(()),
            cache: Mutex::new(CacheState { cached: None, failure: None }),
        })
    }

    fn get_at(&self, fetch: &dyn Fn() -> Result<Expiring<T>>, clock: &dyn Fn() -> SystemTime) -> Result<Arc<T>> {
        let state = self.state();
        if let Some(cached) = lock(&state.cache).usable(clock(), CachedValue::is_fresh) {
            return cached;
        }
        let _turn = match state.turn.try_lock() {
            Ok(turn) => turn,
            Err(TryLockError::Poisoned(turn)) => turn.into_inner(),
            Err(TryLockError::WouldBlock) => {
                if let Some(Ok(old)) = lock(&state.cache).usable(clock(), CachedValue::is_good) {
                    return Ok(old);
                }
                lock(&state.turn)
            }
        };
        // Another thread may have fetched it meanwhile, or failed to.
        if let Some(cached) = lock(&state.cache).usable(clock(), CachedValue::is_fresh) {
            return cached;
        }
        let fetched = fetch();
        lock(&state.cache).take(fetched, clock())
    }
}

impl<T> CacheState<T> {
    /// The value if it `suits`, or the outcome without a fetch: soon after a failure, the old value until it expires,
    /// or else the failure.
    fn usable(&self, now: SystemTime, suits: fn(&CachedValue<T>, SystemTime) -> bool) -> Option<Result<Arc<T>>> {
        let of =
            |suits: fn(&CachedValue<T>, SystemTime) -> bool| self.cached.as_ref().filter(|cached| suits(cached, now));
        if let Some(cached) = of(suits) {
            return Some(Ok(Arc::clone(&cached.value)));
        }
        let (failure, _) = self.failure.as_ref().filter(|(_, forgotten)| now < *forgotten)?;
        Some(match of(CachedValue::is_good) {
            Some(cached) => Ok(Arc::clone(&cached.value)),
            None => Err(failure.clone()),
        })
    }

    /// Stores the result of a fetch, and returns the value that is valid now.
    fn take(&mut self, fetched: Result<Expiring<T>>, now: SystemTime) -> Result<Arc<T>> {
        match fetched {
            Ok(fetched) => {
                let cached = self.cached.insert(CachedValue::new(fetched, now));
                self.failure = None;
                Ok(Arc::clone(&cached.value))
            }
            Err(error) => {
                self.failure = Some((error.clone(), now + PAUSE));
                let good = self.cached.as_ref().filter(|cached| cached.is_good(now));
                good.map(|cached| Arc::clone(&cached.value)).ok_or(error)
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[cfg(shuttle)]
mod interleavings;

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::mpsc;
    use std::time::UNIX_EPOCH;

    use super::*;
    use tiledb_core::error::ErrorKind;

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(1_000_000 + seconds)
    }

    /// Gets the value at these seconds; a fetched value expires at `until(now)`, and `fails` decides which fetches
    /// fail. Returns the value, which counts, and the number of fetches.
    fn fetched_at(
        seconds: &[u64],
        until: impl Fn(u64) -> Option<u64>,
        fails: impl Fn(u64) -> bool,
    ) -> Vec<(Option<u32>, u32)> {
        let (value, tried, number) = (ExpiringCache::new(), Cell::new(0), Cell::new(0));
        let ask = |&now: &u64| {
            let fetch = || {
                tried.set(tried.get() + 1);
                if fails(now) {
                    return Err(Error::new(ErrorKind::Io, "no"));
                }
                number.set(number.get() + 1);
                Ok(Expiring { value: number.get(), until: until(now).map(at) })
            };
            let got = value.get_at(&fetch, &|| at(now)).map_err(|error| assert_eq!(error.text(), "no"));
            (got.ok().map(|got| *got), tried.get())
        };
        seconds.iter().map(ask).collect()
    }

    #[test]
    fn a_value_is_fetched_once_and_renewed_before_its_end() {
        assert_eq!(fetched_at(&[0, 1_000_000_000], |_| None, |_| false), [(Some(1), 1), (Some(1), 1)]);
        let hour = |now| Some(now + 3600);
        assert_eq!(fetched_at(&[0, 3299, 3300], hour, |_| false), [(Some(1), 1), (Some(1), 1), (Some(2), 2)]);
        let minute = |now| Some(now + 60);
        assert_eq!(fetched_at(&[0, 47, 48], minute, |_| false), [(Some(1), 1), (Some(1), 1), (Some(2), 2)]);
        // It seems to have expired long ago.
        assert_eq!(fetched_at(&[0, 4, 5], |_| Some(0), |_| false), [(Some(1), 1), (Some(1), 1), (Some(2), 2)]);
    }

    #[test]
    fn a_failed_renewal_does_no_harm_while_the_old_value_is_good() {
        let seconds = [0, 3300, 3301, 3305, 3599, 3600, 3604, 3605];
        let values = fetched_at(&seconds, |now| Some(now + 3600), |now| (1..3605).contains(&now));
        let expected =
            [(Some(1), 1), (Some(1), 2), (Some(1), 2), (Some(1), 3), (Some(1), 4), (None, 4), (None, 5), (None, 5)];
        assert_eq!(values, expected);
    }

    #[test]
    fn failures_are_remembered_for_a_while() {
        let values = fetched_at(&[0, 1, 4, 5, 6], |_| None, |now| now < 5);
        assert_eq!(values, [(None, 1), (None, 1), (None, 1), (Some(1), 2), (Some(1), 2)]);
    }

    #[test]
    fn what_was_refused_is_fetched_anew() {
        let (value, number) = (ExpiringCache::new(), Cell::new(0));
        let fetch = || {
            number.set(number.get() + 1);
            Ok(Expiring { value: number.get(), until: None })
        };
        let first = value.get(&fetch).unwrap();
        value.invalidate(&first);
        assert_eq!(*value.get(&fetch).unwrap(), 2);
        value.invalidate(&first);
        assert_eq!(*value.get(&fetch).unwrap(), 2);
    }

    #[test]
    fn one_fetches_while_others_wait_or_use_the_old_value() {
        let (value, fetched) = (ExpiringCache::new(), AtomicU32::new(0));
        let many = |now: u64| -> Vec<u32> {
            let (value, fetched) = (&value, &fetched);
            let fetch = move || {
                std::thread::sleep(Duration::from_millis(50));
                Ok(Expiring { value: fetched.fetch_add(1, Ordering::Relaxed), until: Some(at(now + 3600)) })
            };
            let (sender, heard) = mpsc::channel();
            std::thread::scope(|scope| {
                for _ in 0..20 {
                    let sender = sender.clone();
                    scope.spawn(move || sender.send(*value.get_at(&fetch, &|| at(now)).unwrap()));
                }
            });
            drop(sender);
            heard.iter().collect()
        };
        assert_eq!(many(0), [0; 20]);
        let renewed = many(3400);
        assert_eq!(fetched.load(Ordering::Relaxed), 2);
        assert!(renewed.contains(&1));
    }
}
