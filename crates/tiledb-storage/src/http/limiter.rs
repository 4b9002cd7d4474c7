//! Limits the number of requests in flight; waiting requests are served first come, first served.

use std::collections::VecDeque;
use std::sync::Arc;

use tiledb_core::sync::atomic::{AtomicBool, Ordering};
use tiledb_core::sync::thread::{self, Thread};
use tiledb_core::sync::{Mutex, MutexGuard, PoisonError};

/// A fair semaphore.
pub(super) struct RequestLimiter(Mutex<Queue>);

struct Queue {
    free: usize,
    waiting: VecDeque<Arc<Waiter>>,
}

struct Waiter {
    is_next: AtomicBool,
    thread: Thread,
}

/// Permission to make a request, released on drop.
pub(super) struct Permit(Arc<RequestLimiter>);

impl RequestLimiter {
    pub(super) fn new(most: usize) -> RequestLimiter {
        RequestLimiter(Mutex::new(Queue { free: most.max(1), waiting: VecDeque::new() }))
    }

    fn state(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a permit.
    pub(super) fn wait(self: &Arc<RequestLimiter>) -> Permit {
        let mut state = self.state();
        if state.free > 0 {
            state.free -= 1;
        } else {
            let own = Arc::new(Waiter { is_next: AtomicBool::new(false), thread: thread::current() });
            state.waiting.push_back(Arc::clone(&own));
            drop(state);
            while !own.is_next.load(Ordering::Acquire) {
                thread::park();
            }
        }
        Permit(Arc::clone(self))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut state = self.0.state();
        match state.waiting.pop_front() {
            // The permit passes to the thread that has waited longest.
            Some(next) => {
                next.is_next.store(true, Ordering::Release);
                next.thread.unpark();
            }
            None => state.free += 1,
        }
    }
}

#[cfg(test)]
#[cfg(shuttle)]
mod interleavings;

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn no_more_than_may_are_under_way_and_all_come_through() {
        let (limiter, under_way, most, done) =
            (Arc::new(RequestLimiter::new(3)), AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..50 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let permit = limiter.wait();
                        most.fetch_max(under_way.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::yield_now();
                        under_way.fetch_sub(1, Ordering::SeqCst);
                        drop(permit);
                        done.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(done.load(Ordering::SeqCst), 1000);
        assert!((1..=3).contains(&most.load(Ordering::SeqCst)));
        let permit = limiter.wait();
        drop(permit);
    }
}
