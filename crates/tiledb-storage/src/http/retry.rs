//! When a request is made again.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::time::{Duration, Instant};

use tiledb_core::error::{Error, Result};

/// The first wait where a store asks to be spared.
const SPARED: Duration = Duration::from_millis(500);

/// The longest wait that a server may ask for.
const PATIENCE: Duration = Duration::from_secs(60);

/// The longest wait before looking whether to go on.
const STEP: Duration = Duration::from_millis(50);

/// Why a request came to nothing.
pub enum Trouble {
    /// It may well succeed the next time: no answer, a broken one, a failure of the server.
    Passing(Error),
    /// There is too much to do, and patience is asked for; for so long, if that is said.
    Busy(Error, Option<Duration>),
    /// It will fail again.
    Lasting(Error),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Trouble {
        Trouble::Lasting(error)
    }
}

/// How often and after how long a request is made again.
#[derive(Clone, Copy, Debug)]
pub struct Retries {
    /// Tries after the first one.
    pub most: u32,
    /// The first wait.
    pub first: Duration,
    /// The longest wait between two tries.
    pub longest: Duration,
    /// How long tries go on.
    pub within: Duration,
    /// What each wait is multiplied by for the next one.
    pub growth: f64,
}

impl Default for Retries {
    /// Without a limit of time.
    fn default() -> Retries {
        Retries { most: 0, first: Duration::ZERO, longest: Duration::from_secs(10), within: Duration::MAX, growth: 2.0 }
    }
}

impl Retries {
    /// Waits as before another try, after so many.
    pub fn wait(&self, tried: u32) {
        std::thread::sleep(wait(self.first, self.longest, self.growth, tried));
    }

    /// Makes a request until it succeeds, fails for good, or was tried as often as it may be.
    ///
    /// # Errors
    /// The last one.
    pub fn run<T>(&self, request: impl FnMut() -> std::result::Result<T, Trouble>) -> Result<T> {
        self.run_while(&|| Ok(()), request)
    }

    /// The same as long as `go_on` says so.
    ///
    /// # Errors
    /// The last one, or that of `go_on`.
    pub fn run_while<T>(
        &self,
        go_on: &dyn Fn() -> Result<()>,
        mut request: impl FnMut() -> std::result::Result<T, Trouble>,
    ) -> Result<T> {
        let (mut tried, begun) = (0, Instant::now());
        loop {
            let (error, first, least) = match request() {
                Ok(value) => return Ok(value),
                Err(Trouble::Lasting(error)) => return Err(error),
                Err(Trouble::Passing(error)) => (error, self.first, None),
                Err(Trouble::Busy(error, None)) => (error, self.first.max(SPARED), None),
                Err(Trouble::Busy(error, least)) => (error, self.first, least),
            };
            let wait = wait(first, self.longest, self.growth, tried).max(least.unwrap_or_default().min(PATIENCE));
            if tried >= self.most || begun.elapsed().saturating_add(wait) > self.within {
                let tries = tried + 1;
                return Err(if tries > 1 { error.context(format_args!("After {tries} tries")) } else { error });
            }
            pause(wait, go_on)?;
            tried += 1;
        }
    }
}

/// Waits, and looks now and then whether to go on.
fn pause(wait: Duration, go_on: &dyn Fn() -> Result<()>) -> Result<()> {
    let begun = Instant::now();
    loop {
        go_on()?;
        let left = wait.saturating_sub(begun.elapsed());
        if left.is_zero() {
            return Ok(());
        }
        std::thread::sleep(left.min(STEP));
    }
}

/// The wait before a try: it grows each time, and up to a half of it is left to chance, so that many who wait do not come
/// back at once.
fn wait(first: Duration, longest: Duration, growth: f64, tried: u32) -> Duration {
    let whole = first.as_secs_f64() * growth.powi(i32::try_from(tried).unwrap_or(i32::MAX));
    let whole = Duration::try_from_secs_f64(whole).unwrap_or(longest).min(longest);
    let chance = (RandomState::new().hash_one(tried) % 1_000) as u32;
    whole / 2 + whole / 2 * chance / 1_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_made_again() {
        let retries = Retries { most: 3, first: Duration::from_micros(1), ..Retries::default() };
        let fails = |times: u32| {
            let mut tried = 0;
            let result = retries.run(|| {
                tried += 1;
                if tried > times { Ok(tried) } else { Err(Trouble::Passing(Error::internal("no"))) }
            });
            (result.map_err(|error| error.text().to_owned()), tried)
        };
        assert_eq!(fails(0), (Ok(1), 1));
        assert_eq!(fails(3), (Ok(4), 4));
        assert_eq!(fails(4), (Err("After 4 tries (no)".to_owned()), 4));
        let mut tried = 0;
        let lasting = retries.run(|| {
            tried += 1;
            Err::<(), _>(Trouble::Lasting(Error::internal("never")))
        });
        assert_eq!((lasting.unwrap_err().text(), tried), ("never", 1));
    }

    #[test]
    fn waiting_ends_where_it_is_to_stop() {
        let retries =
            Retries { most: u32::MAX, first: Duration::from_secs(3600), longest: Duration::MAX, ..Retries::default() };
        let (asked, begun) = (std::cell::Cell::new(0), Instant::now());
        let go_on = || {
            asked.set(asked.get() + 1);
            if asked.get() > 3 { Err(Error::internal("stop")) } else { Ok(()) }
        };
        let error = retries.run_while(&go_on, || Err::<(), _>(Trouble::Passing(Error::internal("no")))).unwrap_err();
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
        let brief = Retries { most: 100, first: Duration::from_secs(60), within: Duration::ZERO, ..Retries::default() };
        let error = brief.run(|| Err::<(), _>(Trouble::Passing(Error::internal("no")))).unwrap_err();
        assert_eq!(error.text(), "no");
    }
}
