//! Parallel map with ordered output: values are computed in parallel and consumed in order.

use std::collections::VecDeque;
use std::time::Duration;

use super::parallel::run;
use super::{CancelToken, Pools};
use crate::error::Result;
use crate::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Bounded queue between producers and a consumer.
struct OrderedOutput<T, F> {
    state: Mutex<State<T, F>>,
    /// Notified when the queue has capacity for waiting threads.
    capacity_available: Condvar,
    most: usize,
}

struct State<T, F> {
    /// A slot for each value in progress or ready, starting with the first that was not consumed.
    made: VecDeque<Option<T>>,
    /// Number of consumed values.
    taken: usize,
    /// The consumer; `None` while a thread runs it.
    taker: Option<F>,
    /// Threads that wait for capacity.
    waiting: usize,
    /// Somebody failed: nothing more is made.
    is_over: bool,
}

/// How long a thread waits for capacity while another one consumes values.
const CAPACITY_TIMEOUT: Duration = Duration::from_millis(20);

impl<T, F: FnMut(T) -> Result<()>> OrderedOutput<T, F> {
    fn lock(&self) -> MutexGuard<'_, State<T, F>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of the value to make next; waits a moment where too many wait to be taken. `None` if there is none to make.
    fn claim(&self, count: usize) -> Option<usize> {
        let mut now = self.lock();
        loop {
            let number = now.taken + now.made.len();
            if number >= count || now.is_over {
                return None;
            }
            if now.made.len() < self.most {
                now.made.push_back(None);
                return Some(number);
            }
            now.waiting += 1;
            let (state, waited) =
                self.capacity_available.wait_timeout(now, CAPACITY_TIMEOUT).unwrap_or_else(PoisonError::into_inner);
            now = state;
            now.waiting -= 1;
            // The consumer is the bottleneck: this thread is better used elsewhere.
            if waited.timed_out() && now.made.len() >= self.most && now.taker.is_none() {
                return None;
            }
        }
    }

    fn put(&self, number: usize, value: T) {
        let mut now = self.lock();
        let place = number - now.taken;
        if let Some(slot) = now.made.get_mut(place) {
            *slot = Some(value);
        }
    }

    /// Consumes ready values at the front, unless another thread does.
    fn take_front(&self) -> Result<()> {
        let Some(mut taker) = self.lock().taker.take() else { return Ok(()) };
        loop {
            let mut now = self.lock();
            let Some(value) = now.made.front_mut().and_then(Option::take) else {
                now.taker = Some(taker);
                return Ok(());
            };
            now.made.pop_front();
            now.taken += 1;
            // Threads are woken for more than one value.
            let wakes = now.waiting > 0 && now.made.len() <= self.most / 2;
            drop(now);
            if wakes {
                self.capacity_available.notify_all();
            }
            taker(value)?;
        }
    }
}

impl<T, F: FnMut(T) -> Result<()>> OrderedOutput<T, F> {
    /// Makes the next of `count` values, and consumes values that are ready; false if there is none to make.
    fn step(&self, count: usize, cancel: &CancelToken, make: impl Fn(usize) -> Result<T>) -> Result<bool> {
        let mut ends_all = AbortOnDrop(Some(self));
        cancel.check()?;
        let number = self.claim(count);
        if let Some(number) = number {
            self.put(number, make(number)?);
            self.take_front()?;
        }
        ends_all.0 = None;
        Ok(number.is_some())
    }
}

/// Stops all threads when one fails or panics.
struct AbortOnDrop<'t, T, F: FnMut(T) -> Result<()>>(Option<&'t OrderedOutput<T, F>>);

impl<T, F: FnMut(T) -> Result<()>> Drop for AbortOnDrop<'_, T, F> {
    fn drop(&mut self) {
        if let Some(turns) = self.0 {
            turns.lock().is_over = true;
            turns.capacity_available.notify_all();
        }
    }
}

impl Pools {
    /// Computes the values `0` to `count - 1` in parallel, as [`Pools::for_each`] runs tasks, and consumes them in
    /// order, on any thread; at most `most` are in progress or ready at a time.
    ///
    /// # Errors
    /// As [`Pools::for_each`].
    pub fn for_each_ordered<T: Send>(
        &self,
        (count, most): (usize, usize),
        work: usize,
        cancel: &CancelToken,
        make: impl Fn(usize) -> Result<T> + Sync,
        take: impl FnMut(T) -> Result<()> + Send,
    ) -> Result<()> {
        let state = State { made: VecDeque::new(), taken: 0, taker: Some(take), waiting: 0, is_over: false };
        let output = OrderedOutput { state: Mutex::new(state), capacity_available: Condvar::new(), most: most.max(1) };
        run(self.compute(), count, work, &|| output.step(count, cancel, &make))
    }
}

#[cfg(test)]
#[cfg(shuttle)]
mod interleavings;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Error, ErrorKind};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    const MUCH: usize = 1 << 30;
    const MANY: usize = if cfg!(miri) { 100 } else { 1000 };

    #[test]
    fn values_are_taken_in_order_and_few_wait() {
        for (threads, count, most) in [(1, 100, 4), (4, MANY, 8), (4, MANY, 1), (4, 3, 0), (3, 0, 2)] {
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
            Pools::new(threads, 1).for_each_ordered((count, most), MUCH, &CancelToken::default(), make, take).unwrap();
            assert_eq!([made.into_inner(), taken.into_inner()], [count; 2]);
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "depends on the speed of threads")]
    fn others_go_on_making_while_one_takes() {
        let pools = Pools::new(2, 1);
        // Other tests may occupy the idle threads briefly.
        for _ in 0..100 {
            let by_others = AtomicUsize::new(0);
            let take = |maker| {
                std::thread::sleep(Duration::from_micros(200));
                by_others.fetch_add(usize::from(maker != std::thread::current().id()), Ordering::Relaxed);
                Ok(())
            };
            pools
                .for_each_ordered((100, 4), MUCH, &CancelToken::default(), |_| Ok(std::thread::current().id()), take)
                .unwrap();
            if by_others.into_inner() > 50 {
                return;
            }
        }
        panic!("of 100 values the one who took them made most");
    }

    #[test]
    fn whoever_fails_ends_it() {
        let pools = Pools::new(4, 1);
        let fail = |number| if number == 70 { Err(Error::corrupt("seventy")) } else { Ok(number) };
        let making = pools.for_each_ordered((MANY, 9), MUCH, &CancelToken::default(), fail, |_| Ok(()));
        let taking =
            pools.for_each_ordered((MANY, 9), MUCH, &CancelToken::default(), Ok, |number| fail(number).map(|_| ()));
        assert_eq!([making, taking].map(|result| result.unwrap_err().text().to_owned()), ["seventy", "seventy"]);
        let panics = |number| if number == 70 { panic!("seventy") } else { Ok(number) };
        for result in [
            pools.for_each_ordered((MANY, 9), MUCH, &CancelToken::default(), panics, |_| Ok(())),
            pools.for_each_ordered((MANY, 9), MUCH, &CancelToken::default(), Ok, |number| panics(number).map(|_| ())),
        ] {
            assert_eq!(result.unwrap_err().kind(), ErrorKind::Internal);
        }
        let cancel = CancelToken::default();
        cancel.request();
        assert_eq!(
            pools.for_each_ordered((9, 9), MUCH, &cancel, Ok, |_| Ok(())).unwrap_err().kind(),
            ErrorKind::Cancelled
        );
    }
}
