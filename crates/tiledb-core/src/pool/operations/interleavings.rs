//! Operations and their cancellation under many schedules.

use std::sync::Arc;

use super::*;
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::explore;

/// An operation that ends by itself after some steps, or when it is cancelled.
fn operate(runs: &Operations, cancel: &CancelToken, steps: usize) -> bool {
    let _run = runs.start();
    for _ in 0..steps {
        if cancel.is_requested() {
            return true;
        }
        thread::yield_now();
    }
    false
}

#[test]
fn cancellation_returns_after_operations_that_ran_have_stopped() {
    explore(|| {
        let cancel = CancelToken::default();
        let runs = Operations::new(cancel.clone());
        let (started, stopped) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let run = runs.start();
                    started.fetch_add(1, Ordering::SeqCst);
                    while !cancel.is_requested() {
                        thread::yield_now();
                    }
                    stopped.fetch_add(1, Ordering::SeqCst);
                    drop(run);
                });
            }
            while started.load(Ordering::SeqCst) < 2 {
                thread::yield_now();
            }
            runs.cancel();
            assert_eq!(stopped.load(Ordering::SeqCst), 2, "an operation still runs");
        });
        assert!(!cancel.is_requested());
    });
}

#[test]
fn operation_that_starts_while_others_are_stopped_waits_and_is_not_cancelled() {
    explore(|| {
        let cancel = CancelToken::default();
        let runs = Operations::new(cancel.clone());
        let cancellations = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| cancellations.fetch_add(usize::from(operate(&runs, &cancel, 4)), Ordering::SeqCst));
            }
            scope.spawn(|| {
                runs.cancel();
                // Nobody cancels any more.
                assert!(!operate(&runs, &cancel, 4), "cancelled after the cancellation");
            });
        });
        assert!(!cancel.is_requested());
        let slot = runs.slot();
        let state = slot.state();
        assert!(state.running.is_empty() && !state.stopping);
    });
}

#[test]
fn parts_of_an_operation_that_is_stopped_do_not_wait_for_it() {
    explore(|| {
        let cancel = CancelToken::default();
        let runs = Operations::new(cancel.clone());
        thread::scope(|scope| {
            scope.spawn(|| {
                let _run = runs.start();
                assert!(operate(&runs, &cancel, 2) || !operate(&runs, &cancel, 0));
                runs.cancel();
            });
            scope.spawn(|| runs.cancel());
        });
        assert!(!cancel.is_requested());
    });
}

#[test]
fn cancellation_does_not_wait_for_a_later_one() {
    explore(|| {
        let cancel = CancelToken::default();
        let runs = Arc::new(Operations::new(cancel.clone()));
        let is_back = Arc::new(AtomicBool::new(false));
        let first = runs.start();
        let canceller = {
            let (runs, is_back) = (Arc::clone(&runs), Arc::clone(&is_back));
            thread::spawn(move || {
                runs.cancel();
                is_back.store(true, Ordering::SeqCst);
            })
        };
        while !cancel.is_requested() {
            thread::yield_now();
        }
        drop(first);
        // This operation is cancelled as well, and ends only when the first cancellation has returned.
        let second = runs.start();
        runs.cancel();
        while !is_back.load(Ordering::SeqCst) {
            thread::yield_now();
        }
        drop(second);
        canceller.join().unwrap();
    });
}
