//! The start of the compute threads, and the number of idle ones, under many schedules.

use super::*;
use crate::sync::{explore, thread};

/// Threads that count how many sets of them live.
struct Threads<'c> {
    count: usize,
    live: &'c AtomicUsize,
}

impl Drop for Threads<'_> {
    fn drop(&mut self) {
        self.live.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The threads for a caller that needs so many, started if there are too few.
fn get<'c>(
    slot: &Slot<Threads<'c>>,
    min_threads: usize,
    [started, live]: [&'c AtomicUsize; 2],
) -> Option<Arc<Threads<'c>>> {
    slot.get(
        |threads| threads.count >= min_threads,
        || {
            started.fetch_add(1, Ordering::SeqCst);
            live.fetch_add(1, Ordering::SeqCst);
            thread::yield_now();
            Some(Threads { count: min_threads, live })
        },
    )
}

#[test]
fn callers_that_come_at_once_start_one_set_of_threads() {
    explore(|| {
        let (started, live) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let slot = Slot::default();
        let call = || get(&slot, 2, [&started, &live]).is_some();
        let (one, other) = thread::scope(|scope| {
            let other = scope.spawn(call);
            (call(), other.join().unwrap())
        });
        assert!(one || other, "both do without");
        // Once they run, everybody has them.
        assert!(call());
        assert_eq!(started.load(Ordering::SeqCst), 1);
        drop(slot);
        assert_eq!(live.load(Ordering::SeqCst), 0);
    });
}

#[test]
fn threads_of_a_caller_suffice_and_fewer_ones_are_replaced() {
    explore(|| {
        let (started, live) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let slot = Slot::default();
        let counts = [&started, &live];
        thread::scope(|scope| {
            for min_threads in [1, 2, 3] {
                let slot = &slot;
                scope.spawn(move || {
                    if let Some(threads) = get(slot, min_threads, counts) {
                        assert!(threads.count >= min_threads);
                    }
                });
            }
        });
        assert!(get(&slot, 3, counts).is_some_and(|threads| threads.count == 3));
        assert!(started.load(Ordering::SeqCst) <= 4);
        assert_eq!(live.load(Ordering::SeqCst), 1, "replaced threads end");
    });
}

#[test]
fn slot_is_free_after_a_start_that_failed() {
    explore(|| {
        let slot = Slot::<usize>::default();
        thread::scope(|scope| {
            scope.spawn(|| assert!(slot.get(|_| true, || None).is_none_or(|value| *value == 7)));
            scope.spawn(|| _ = slot.get(|_| true, || Some(7)));
        });
        assert_eq!(slot.get(|_| true, || Some(7)).as_deref(), Some(&7));
    });
}

#[test]
fn no_thread_is_reserved_twice_and_all_are_idle_again() {
    explore(|| {
        let idle = IdleThreads(AtomicUsize::new(3));
        let reserved = AtomicUsize::new(0);
        thread::scope(|scope| {
            for helpers in [1, 2, 3] {
                let (idle, reserved) = (&idle, &reserved);
                scope.spawn(move || {
                    let own = idle.reserve(helpers);
                    assert!(own <= helpers);
                    assert!(reserved.fetch_add(own, Ordering::SeqCst) + own <= 3);
                    thread::yield_now();
                    for _ in 0..own {
                        reserved.fetch_sub(1, Ordering::SeqCst);
                        idle.release();
                    }
                });
            }
        });
        assert_eq!(idle.reserve(9), 3);
    });
}
