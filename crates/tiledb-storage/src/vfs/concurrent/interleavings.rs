//! Concurrent requests under many schedules.

use super::*;
use tiledb_core::sync::{explore, thread};

#[test]
fn results_are_in_the_order_of_the_tasks_and_each_runs_once() {
    explore(|| {
        let (pending, runs) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let task = |index| {
            runs.fetch_add(1, Ordering::SeqCst);
            assert!(pending.fetch_add(1, Ordering::SeqCst) < 3);
            thread::yield_now();
            pending.fetch_sub(1, Ordering::SeqCst);
            Ok(index * 2)
        };
        assert_eq!(map_concurrently(3, 5, task).unwrap(), [0, 2, 4, 6, 8]);
        assert_eq!(runs.into_inner(), 5);
    });
}

#[test]
fn error_of_a_task_is_returned_after_those_that_run_have_ended() {
    explore(|| {
        let (pending, runs) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let task = |index| {
            runs.fetch_add(1, Ordering::SeqCst);
            pending.fetch_add(1, Ordering::SeqCst);
            thread::yield_now();
            pending.fetch_sub(1, Ordering::SeqCst);
            if [1, 2].contains(&index) { Err(Error::internal(format!("task {index}"))) } else { Ok(()) }
        };
        let error = for_each_concurrently(3, 9, task).unwrap_err();
        assert!(["task 1", "task 2"].contains(&error.text()));
        assert_eq!(pending.into_inner(), 0);
        assert!((2..=9).contains(&runs.into_inner()));
    });
}
