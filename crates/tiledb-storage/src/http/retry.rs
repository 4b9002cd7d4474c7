//! Retry policy: which failures are retried, how often, and after what delay (exponential backoff with jitter).

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::time::{Duration, Instant};

use tiledb_core::error::{Error, Result};

/// Initial delay after a throttled request.
const THROTTLED_DELAY: Duration = Duration::from_millis(500);

/// Maximum delay that a server may demand by `Retry-After`.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(60);

/// Maximum wait between two checks of the cancellation flag.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Failure of a request, by what a retry can achieve.
pub enum RequestError {
    /// A retry may succeed: no response, a truncated one, or a failure of the server.
    Transient(Error),
    /// The server is overloaded and throttles requests; with the delay that it demands, if any.
    Throttled(Error, Option<Duration>),
    /// A retry would fail again.
    Permanent(Error),
}

impl From<Error> for RequestError {
    fn from(error: Error) -> RequestError {
        RequestError::Permanent(error)
    }
}

#[derive(Clone, Copy, Debug)]
pub struct RetryPolicy {
    /// Maximum number of retries.
    pub max_retries: u32,
    /// Delay before the first retry.
    pub initial_delay: Duration,
    /// Maximum delay between two attempts.
    pub max_delay: Duration,
    /// No retry starts later than this after the first attempt.
    pub time_limit: Duration,
    /// Factor between successive delays.
    pub backoff_factor: f64,
}

impl Default for RetryPolicy {
    /// No time limit.
    fn default() -> RetryPolicy {
        RetryPolicy {
            max_retries: 0,
            initial_delay: Duration::ZERO,
            max_delay: Duration::from_secs(10),
            time_limit: Duration::MAX,
            backoff_factor: 2.0,
        }
    }
}

impl RetryPolicy {
    /// Sleeps as before the retry after `tried` attempts.
    pub fn wait(&self, tried: u32) {
        std::thread::sleep(wait(self.initial_delay, self.max_delay, self.backoff_factor, tried));
    }

    /// Makes a request, and retries it while that may help and the policy allows it.
    ///
    /// # Errors
    /// The last one.
    pub fn run<T>(&self, request: impl FnMut() -> std::result::Result<T, RequestError>) -> Result<T> {
        self.run_while(&|| Ok(()), request)
    }

    /// As [`RetryPolicy::run`], while `go_on` returns `Ok`; it is polled during delays.
    ///
    /// # Errors
    /// The last one, or that of `go_on`.
    pub fn run_while<T>(
        &self,
        go_on: &dyn Fn() -> Result<()>,
        mut request: impl FnMut() -> std::result::Result<T, RequestError>,
    ) -> Result<T> {
        let (mut tried, begun) = (0, Instant::now());
        loop {
            let (error, first, least) = match request() {
                Ok(value) => return Ok(value),
                Err(RequestError::Permanent(error)) => return Err(error),
                Err(RequestError::Transient(error)) => (error, self.initial_delay, None),
                Err(RequestError::Throttled(error, None)) => (error, self.initial_delay.max(THROTTLED_DELAY), None),
                Err(RequestError::Throttled(error, least)) => (error, self.initial_delay, least),
            };
            let wait = wait(first, self.max_delay, self.backoff_factor, tried)
                .max(least.unwrap_or_default().min(MAX_RETRY_AFTER));
            if tried >= self.max_retries || begun.elapsed().saturating_add(wait) > self.time_limit {
                let tries = tried + 1;
                return Err(if tries > 1 { error.context(format_args!("After {tries} tries")) } else { error });
            }
            pause(wait, go_on)?;
            tried += 1;
        }
    }
}

/// Sleeps, and polls `go_on` meanwhile.
fn pause(wait: Duration, go_on: &dyn Fn() -> Result<()>) -> Result<()> {
    let begun = Instant::now();
    loop {
        go_on()?;
        let left = wait.saturating_sub(begun.elapsed());
        if left.is_zero() {
            return Ok(());
        }
        std::thread::sleep(left.min(POLL_INTERVAL));
    }
}

/// The delay before a retry: it grows exponentially, and up to half of it is random (jitter), so that clients do not
/// retry in lockstep.
fn wait(initial_delay: Duration, max_delay: Duration, backoff_factor: f64, tried: u32) -> Duration {
    let whole = initial_delay.as_secs_f64() * backoff_factor.powi(i32::try_from(tried).unwrap_or(i32::MAX));
    let whole = Duration::try_from_secs_f64(whole).unwrap_or(max_delay).min(max_delay);
    let chance = (RandomState::new().hash_one(tried) % 1_000) as u32;
    whole / 2 + whole / 2 * chance / 1_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_made_again() {
        let retries = RetryPolicy { max_retries: 3, initial_delay: Duration::from_micros(1), ..RetryPolicy::default() };
        let fails = |times: u32| {
            let mut tried = 0;
            let result = retries.run(|| {
                tried += 1;
                if tried > times { Ok(tried) } else { Err(RequestError::Transient(Error::internal("no"))) }
            });
            (result.map_err(|error| error.text().to_owned()), tried)
        };
        assert_eq!(fails(0), (Ok(1), 1));
        assert_eq!(fails(3), (Ok(4), 4));
        assert_eq!(fails(4), (Err("After 4 tries (no)".to_owned()), 4));
        let mut tried = 0;
        let lasting = retries.run(|| {
            tried += 1;
            Err::<(), _>(RequestError::Permanent(Error::internal("never")))
        });
        assert_eq!((lasting.unwrap_err().text(), tried), ("never", 1));
    }

    #[test]
    fn waiting_ends_where_it_is_to_stop() {
        let retries = RetryPolicy {
            max_retries: u32::MAX,
            initial_delay: Duration::from_secs(3600),
            max_delay: Duration::MAX,
            ..RetryPolicy::default()
        };
        let (polls, begun) = (std::cell::Cell::new(0), Instant::now());
        let go_on = || {
            polls.set(polls.get() + 1);
            if polls.get() > 3 { Err(Error::internal("stop")) } else { Ok(()) }
        };
        let error =
            retries.run_while(&go_on, || Err::<(), _>(RequestError::Transient(Error::internal("no")))).unwrap_err();
        assert_eq!(error.text(), "stop");
        assert!(begun.elapsed() < Duration::from_secs(60));
        let odd = [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e300];
        assert!(
            odd.iter().all(|&growth| wait(Duration::from_secs(1), Duration::from_secs(9), growth, u32::MAX)
                <= Duration::from_secs(9))
        );
    }

    #[test]
    fn waits_grow_and_end() {
        let most = Duration::from_secs(10);
        for tried in [0, 1, 5, 30, 1000] {
            let longest = Duration::from_millis(25).saturating_mul(1u32.checked_shl(tried).unwrap_or(u32::MAX));
            let waited = wait(Duration::from_millis(25), most, 2.0, tried);
            assert!(waited >= longest.min(most) / 2 && waited <= longest.min(most));
        }
        let brief = RetryPolicy {
            max_retries: 100,
            initial_delay: Duration::from_secs(60),
            time_limit: Duration::ZERO,
            ..RetryPolicy::default()
        };
        let error = brief.run(|| Err::<(), _>(RequestError::Transient(Error::internal("no")))).unwrap_err();
        assert_eq!(error.text(), "no");
    }
}
