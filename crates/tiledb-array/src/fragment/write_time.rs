//! Unique write timestamps: within a process no two changes of an array or group share a millisecond, so that the array
//! can be opened at the time of any of them.
//!
//! A writer whose millisecond is taken waits for the clock. The greatest assigned timestamp is stored in one of a few
//! thousand atomic slots, chosen by a hash of the URI: lock-free, fork-safe, and without cleanup. Arrays that share a
//! slot do not share milliseconds either.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::timestamp_now;
use tiledb_storage::vfs::Uri;

const PLACES: usize = 4096;
static GREATEST: [AtomicU64; PLACES] = [const { AtomicU64::new(0) }; PLACES];

/// Maximum distance in milliseconds that reserved timestamps may be ahead of the clock.
const AHEAD: u64 = 20;

/// A time farther ahead is no queue of writers: the clock was set back.
const MAX_AHEAD: u64 = 10_000;

/// The time of a change that is made now. Returns when it has come.
pub fn claim(uri: &Uri) -> u64 {
    let time = take(uri, MAX_AHEAD).unwrap_or_else(timestamp_now);
    wait_for(time);
    time
}

/// Reserves a timestamp for a change that may be made later, after a call of [`wait_for`]; `None` if too many are
/// reserved at the moment, in which case the timestamp is claimed at the time of the change.
pub fn reserve(uri: &Uri) -> Option<u64> {
    take(uri, AHEAD)
}

/// Records a timestamp that was assigned to a change otherwise.
pub fn note(uri: &Uri, time: u64) {
    place(uri).fetch_max(time.min(timestamp_now()), Ordering::Relaxed);
}

/// Returns when the clock has reached a time.
pub fn wait_for(time: u64) {
    loop {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let left = Duration::from_millis(time).saturating_sub(now);
        if left.is_zero() || left > Duration::from_millis(MAX_AHEAD) {
            return;
        }
        std::thread::sleep(left);
    }
}

/// The next free time, if it is not farther ahead.
fn take(uri: &Uri, ahead: u64) -> Option<u64> {
    let now = timestamp_now();
    let next = |greatest: u64| match greatest.saturating_add(1) {
        next if next <= now || greatest > now + MAX_AHEAD => Some(now),
        next => Some(next).filter(|next| *next <= now + ahead),
    };
    let place = place(uri);
    let before = place.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).ok()?;
    next(before)
}

fn place(uri: &Uri) -> &'static AtomicU64 {
    let mut hasher = DefaultHasher::new();
    uri.as_str().trim_end_matches('/').hash(&mut hasher);
    &GREATEST[hasher.finish() as usize % PLACES]
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
        place(&array).store(timestamp_now() + 3_600_000, Ordering::Relaxed);
        let before = timestamp_now();
        assert!((before..before + MAX_AHEAD).contains(&claim(&array)));
    }
}
