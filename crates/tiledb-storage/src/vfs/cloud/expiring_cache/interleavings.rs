//! Credentials and other values that expire, under many schedules.

use std::time::UNIX_EPOCH;

use super::*;
use tiledb_core::error::ErrorKind;
use tiledb_core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use tiledb_core::sync::{explore, thread};

fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_000_000 + seconds)
}

/// A service whose values are good for an hour; it notices when it is asked twice at a time.
#[derive(Default)]
struct Service {
    now: AtomicU64,
    requests: AtomicUsize,
    pending: AtomicUsize,
}

impl Service {
    fn fetch(&self, is_up: bool) -> Result<Expiring<u64>> {
        assert_eq!(self.pending.fetch_add(1, Ordering::SeqCst), 0, "two fetch at a time");
        self.requests.fetch_add(1, Ordering::SeqCst);
        let now = self.now.load(Ordering::SeqCst);
        thread::yield_now();
        self.pending.fetch_sub(1, Ordering::SeqCst);
        match is_up {
            true => Ok(Expiring { value: now + 3600, until: Some(at(now + 3600)) }),
            false => Err(Error::new(ErrorKind::Io, "no answer")),
        }
    }

    /// Gets the value; it must not have expired before the call.
    fn get(&self, cache: &ExpiringCache<u64>, is_up: bool) -> Result<Arc<u64>> {
        let before = self.now.load(Ordering::SeqCst);
        let value = cache.get_at(&|| self.fetch(is_up), &|| at(self.now.load(Ordering::SeqCst)))?;
        assert!(*value > before, "the value had expired");
        Ok(value)
    }
}

#[test]
fn one_caller_fetches_while_others_wait_or_use_a_value_that_is_good() {
    explore(|| {
        let (service, cache) = (Service::default(), ExpiringCache::new());
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| service.get(&cache, true).unwrap());
            }
        });
        assert_eq!(service.requests.load(Ordering::SeqCst), 1);
        // It is to be renewed, then expires.
        service.now.store(3400, Ordering::SeqCst);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| service.get(&cache, true).unwrap());
            }
            scope.spawn(|| service.now.store(3700, Ordering::SeqCst));
        });
        assert!((2..=3).contains(&service.requests.load(Ordering::SeqCst)));
    });
}

#[test]
fn failure_is_shared_by_callers_that_wait_for_it() {
    explore(|| {
        let (service, cache) = (Service::default(), ExpiringCache::new());
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| assert_eq!(service.get(&cache, false).unwrap_err().text(), "no answer"));
            }
        });
        assert_eq!(service.requests.load(Ordering::SeqCst), 1);
        service.now.store(5, Ordering::SeqCst);
        service.get(&cache, true).unwrap();
    });
}

#[test]
fn value_that_several_callers_reject_is_fetched_once_more() {
    explore(|| {
        let (service, cache) = (Service::default(), ExpiringCache::new());
        let first = service.get(&cache, true).unwrap();
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    cache.invalidate(&first);
                    assert!(!Arc::ptr_eq(&service.get(&cache, true).unwrap(), &first));
                });
            }
        });
        assert_eq!(service.requests.load(Ordering::SeqCst), 2);
    });
}
