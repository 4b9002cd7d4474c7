//! Parallel loops under many schedules, with threads in the place of the pool's workers.

use super::*;
use crate::error::bail;
use crate::sync::{explore, thread};

#[test]
fn first_error_is_returned_and_ends_the_loop() {
    explore(|| {
        let (next, failures) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let state = State { stop: AtomicBool::new(false), error: Mutex::new(None) };
        let step = || match next.fetch_add(1, Ordering::Relaxed) {
            number @ (1 | 2) => {
                failures.fetch_add(1, Ordering::Relaxed);
                bail!("{number}")
            }
            number => Ok(number < 20),
        };
        thread::scope(|scope| {
            (0..2).for_each(|_| _ = scope.spawn(|| state.drain(&step)));
            state.drain(&step);
        });
        let error = state.error.into_inner().unwrap().unwrap();
        assert!(["1", "2"].contains(&error.text()));
        // A thread that has not seen it may take one more task.
        assert!((1..=2).contains(&failures.into_inner()));
        assert!(state.stop.into_inner());
    });
}
