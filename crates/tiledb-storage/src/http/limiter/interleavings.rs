//! Permissions to make requests under many schedules, in which no thread waits forever.

use super::*;
use tiledb_core::sync::atomic::AtomicUsize;
use tiledb_core::sync::explore;

#[test]
fn no_more_requests_than_permitted_are_pending_and_all_are_made() {
    for limit in [1, 2] {
        explore(move || {
            let limiter = Arc::new(RequestLimiter::new(limit));
            let (pending, made) = (AtomicUsize::new(0), AtomicUsize::new(0));
            thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| {
                        for _ in 0..2 {
                            let permit = limiter.wait();
                            assert!(pending.fetch_add(1, Ordering::SeqCst) < limit);
                            thread::yield_now();
                            pending.fetch_sub(1, Ordering::SeqCst);
                            drop(permit);
                            made.fetch_add(1, Ordering::SeqCst);
                        }
                    });
                }
            });
            assert_eq!(made.into_inner(), 6);
            let state = limiter.state();
            assert!(state.free == limit && state.waiting.is_empty());
        });
    }
}

#[test]
fn permit_passes_to_the_thread_that_waits_longest() {
    explore(|| {
        let limiter = Arc::new(RequestLimiter::new(1));
        let permit = limiter.wait();
        let order = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for number in 0..2 {
                let (limiter, order) = (&limiter, &order);
                scope.spawn(move || {
                    let permit = limiter.wait();
                    order.lock().unwrap().push(number);
                    drop(permit);
                });
                while limiter.state().waiting.len() <= number {
                    thread::yield_now();
                }
            }
            drop(permit);
            // Another request comes last, although a permit is given back at this moment.
            drop(limiter.wait());
            order.lock().unwrap().push(2);
        });
        assert_eq!(order.into_inner().unwrap(), [0, 1, 2]);
    });
}
