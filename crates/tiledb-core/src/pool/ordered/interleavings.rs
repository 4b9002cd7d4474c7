//! Ordered output under many schedules, in which no timeout wakes a thread that was forgotten.

use super::*;
use crate::error::bail;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{explore, thread};

/// Runs steps on several threads until nothing is left to make or one fails; the first error.
fn run<T: Send, F: FnMut(T) -> Result<()> + Send>(
    (threads, count, most): (usize, usize, usize),
    make: impl Fn(usize) -> Result<T> + Sync,
    take: F,
) -> Result<()> {
    let state = State { made: VecDeque::new(), taken: 0, taker: Some(take), waiting: 0, is_over: false };
    let output = OrderedOutput { state: Mutex::new(state), capacity_available: Condvar::new(), most };
    let cancel = CancelToken::default();
    let drain = || {
        while output.step(count, &cancel, &make)? {}
        Ok(())
    };
    let results: Vec<Result<()>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(drain)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    results.into_iter().collect()
}

#[test]
fn values_are_taken_in_order_each_once_and_few_wait() {
    for (threads, count, most) in [(2, 4, 1), (3, 5, 2), (4, 6, 3)] {
        explore(move || {
            let (made, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let make = |number| {
                let waiting = made.fetch_add(1, Ordering::SeqCst) + 1 - taken.load(Ordering::SeqCst);
                // A value that was given to the consumer does not count.
                assert!(waiting <= most + 1, "{waiting} of at most {most} wait");
                Ok(number)
            };
            let take = |number| {
                assert_eq!(taken.load(Ordering::SeqCst), number);
                thread::yield_now();
                taken.store(number + 1, Ordering::SeqCst);
                Ok(())
            };
            run((threads, count, most), make, take).unwrap();
            assert_eq!([made.into_inner(), taken.into_inner()], [count; 2]);
        });
    }
}

#[test]
fn failure_ends_all_threads_that_wait_for_capacity() {
    for fails_in_make in [true, false] {
        explore(move || {
            let fail = |number: usize, fails: bool| match number {
                1 if fails => bail!("of a test"),
                _ => Ok(number),
            };
            let taken = AtomicUsize::new(0);
            let result = run(
                (3, 9, 2),
                |number| fail(number, fails_in_make),
                |number| {
                    taken.fetch_add(1, Ordering::SeqCst);
                    fail(number, !fails_in_make).map(|_| ())
                },
            );
            assert_eq!(result.unwrap_err().text(), "of a test");
            assert!(taken.into_inner() <= 2);
        });
    }
}
