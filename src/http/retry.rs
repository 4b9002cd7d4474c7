//! When a request is made again.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// The first wait where a store asks to be spared.
const SPARED: Duration = Duration::from_millis(500);

/// Why a request came to nothing.
pub(crate) enum Trouble {
    /// It may well succeed the next time: no answer, a broken one, a failure of the server.
    Passing(Error),
    /// The store has too much to do and asks for patience.
    Busy(Error),
    /// It will fail again.
    Lasting(Error),
}

impl Trouble {
    /// The same with another error.
    pub(crate) fn map(self, change: impl FnOnce(Error) -> Error) -> Trouble {
        match self {
            Trouble::Passing(error) => Trouble::Passing(change(error)),
            Trouble::Busy(error) => Trouble::Busy(change(error)),
            Trouble::Lasting(error) => Trouble::Lasting(change(error)),
        }
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Trouble {
        Trouble::Lasting(error)
    }
}

/// How often and after how long a request is made again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retries {
    /// Tries after the first one.
    pub(crate) most: u32,
    /// The first wait, which doubles with each try.
    pub(crate) first: Duration,
    /// The longest wait between two tries.
    pub(crate) longest: Duration,
    /// How long tries go on.
    pub(crate) within: Duration,
}

impl Default for Retries {
    /// Without a limit of time.
    fn default() -> Retries {
        Retries { most: 0, first: Duration::ZERO, longest: Duration::from_secs(10), within: Duration::MAX }
    }
}

impl Retries {
    /// Makes a request until it succeeds, fails for good, or was tried as often as it may be.
    ///
    /// # Errors
    /// The last one.
    pub(crate) fn run<T>(&self, mut request: impl FnMut() -> std::result::Result<T, Trouble>) -> Result<T> {
        let (mut tried, begun) = (0, Instant::now());
        loop {
            let (error, first) = match request() {
                Ok(value) => return Ok(value),
                Err(Trouble::Lasting(error)) => return Err(error),
                Err(Trouble::Passing(error)) => (error, self.first),
                Err(Trouble::Busy(error)) => (error, self.first.max(SPARED)),
            };
            let wait = wait(first, self.longest, tried);
            if tried >= self.most || begun.elapsed().saturating_add(wait) > self.within {
                let tries = tried + 1;
                return Err(if tries > 1 { error.context(format_args!("After {tries} tries")) } else { error });
            }
            std::thread::sleep(wait);
            tried += 1;
        }
    }
}

/// The wait before a try: it doubles each time, and up to a half of it is left to chance, so that many who wait do not come
/// back at once.
fn wait(first: Duration, longest: Duration, tried: u32) -> Duration {
    let whole = first.saturating_mul(1u32.checked_shl(tried).unwrap_or(u32::MAX)).min(longest);
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
    fn waits_grow_and_end() {
        let most = Duration::from_secs(10);
        for tried in [0, 1, 5, 30, 1000] {
            let longest = Duration::from_millis(25).saturating_mul(1u32.checked_shl(tried).unwrap_or(u32::MAX));
            let waited = wait(Duration::from_millis(25), most, tried);
            assert!(waited >= longest.min(most) / 2 && waited <= longest.min(most));
        }
        let brief = Retries { most: 100, first: Duration::from_secs(60), within: Duration::ZERO, ..Retries::default() };
        let error = brief.run(|| Err::<(), _>(Trouble::Passing(Error::internal("no")))).unwrap_err();
        assert_eq!(error.text(), "no");
    }
}
