//! Values that are made side by side and taken one after the other.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::each::run;
use super::{Cancel, Pools};
use crate::error::Result;

/// What is made and taken.
struct Turns<T, F> {
    /// One place for each value that somebody makes, or that waits: from the first that was not taken on.
    made: VecDeque<Option<T>>,
    /// How many were taken.
    taken: usize,
    /// Takes values; nothing while somebody does.
    taker: Option<F>,
}

fn lock<T, F>(turns: &Mutex<Turns<T, F>>) -> MutexGuard<'_, Turns<T, F>> {
    turns.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes what stands at the front, unless somebody else does.
fn take_front<T, F: FnMut(T) -> Result<()>>(turns: &Mutex<Turns<T, F>>) -> Result<()> {
    let Some(mut taker) = lock(turns).taker.take() else { return Ok(()) };
    loop {
        let mut now = lock(turns);
        let Some(value) = now.made.front_mut().and_then(Option::take) else {
            now.taker = Some(taker);
            return Ok(());
        };
        now.made.pop_front();
        now.taken += 1;
        drop(now);
        taker(value)?;
    }
}

impl Pools {
    /// Makes the values `0` to `count - 1` as [`Pools::for_each`] runs tasks, and takes each after the one before it, on
    /// whichever thread is there; at most `most` are made or wait at a time.
    ///
    /// # Errors
    /// As [`Pools::for_each`].
    pub fn in_turn<T: Send>(
        &self,
        (count, most): (usize, usize),
        work: usize,
        cancel: &Cancel,
        make: impl Fn(usize) -> Result<T> + Sync,
        take: impl FnMut(T) -> Result<()> + Send,
    ) -> Result<()> {
        let turns = Mutex::new(Turns { made: VecDeque::new(), taken: 0, taker: Some(take) });
        let step = || {
            cancel.check()?;
            let mut now = lock(&turns);
            let number = now.taken + now.made.len();
            // Who would make too many does something else: the loop below begins anew with all threads.
            if number >= count || now.made.len() >= most.max(1) {
                return Ok(false);
            }
            now.made.push_back(None);
            drop(now);
            let value = make(number)?;
            let mut now = lock(&turns);
            let place = number - now.taken;
            if let Some(slot) = now.made.get_mut(place) {
                *slot = Some(value);
            }
            drop(now);
            take_front(&turns).map(|()| true)
        };
        loop {
            let left = count - lock(&turns).taken;
            if left == 0 {
                return Ok(());
            }
            run(self.compute(), left, work, &step)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Error, ErrorKind};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    const MUCH: usize = 1 << 30;

    #[test]
    fn values_are_taken_in_order_and_few_wait() {
        for (threads, count, most) in [(1, 100, 4), (4, 1000, 8), (4, 1000, 1), (4, 3, 0), (3, 0, 2)] {
            let (made, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let make = |number: usize| {
                // Some take much longer than others.
                if number.is_multiple_of(97) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                let waiting = made.fetch_add(1, Ordering::SeqCst) + 1 - taken.load(Ordering::SeqCst);
                assert!(waiting <= most.max(1) + 1, "{waiting} of at most {most} wait");
                Ok(number)
            };
            let take = |number| {
                assert_eq!(taken.fetch_add(1, Ordering::SeqCst), number);
                Ok(())
            };
            Pools::new(threads, 1).in_turn((count, most), MUCH, &Cancel::default(), make, take).unwrap();
            assert_eq!([made.into_inner(), taken.into_inner()], [count; 2]);
        }
    }

    #[test]
    fn whoever_fails_ends_it() {
        let pools = Pools::new(4, 1);
        let fail = |number| if number == 70 { Err(Error::corrupt("seventy")) } else { Ok(number) };
        let making = pools.in_turn((1000, 9), MUCH, &Cancel::default(), fail, |_| Ok(()));
        let taking = pools.in_turn((1000, 9), MUCH, &Cancel::default(), Ok, |number| fail(number).map(|_| ()));
        assert_eq!([making, taking].map(|result| result.unwrap_err().text().to_owned()), ["seventy", "seventy"]);
        let panics = |number| if number == 70 { panic!("seventy") } else { Ok(number) };
        for result in [
            pools.in_turn((1000, 9), MUCH, &Cancel::default(), panics, |_| Ok(())),
            pools.in_turn((1000, 9), MUCH, &Cancel::default(), Ok, |number| panics(number).map(|_| ())),
        ] {
            assert_eq!(result.unwrap_err().kind(), ErrorKind::Internal);
        }
        let cancel = Cancel::default();
        cancel.request();
        assert_eq!(pools.in_turn((9, 9), MUCH, &cancel, Ok, |_| Ok(())).unwrap_err().kind(), ErrorKind::Cancelled);
    }
}
