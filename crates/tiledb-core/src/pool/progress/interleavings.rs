//! Observed work under many schedules.

use super::*;
use crate::sync::{Condvar, Mutex, explore};

/// The end of a scoped thread would wake the thread of the scope as well: the thread that signals ends after the one that waits has seen it.
#[test]
fn completion_wakes_the_thread_that_waits() {
    explore(|| {
        let (is_done, waiting) = (AtomicBool::new(false), thread::current());
        let (is_noticed, noticed) = (Mutex::new(false), Condvar::new());
        thread::scope(|scope| {
            scope.spawn(|| {
                drop(CompletionSignal { is_done: &is_done, waiting: &waiting });
                let guard = is_noticed.lock().unwrap();
                drop(noticed.wait_while(guard, |is_noticed| !*is_noticed).unwrap());
            });
            while !is_done.load(Ordering::Acquire) {
                thread::park_timeout(POLL_INTERVAL);
            }
            *is_noticed.lock().unwrap() = true;
            noticed.notify_one();
        });
    });
}

#[test]
fn progress_grows_and_ends_with_all_steps() {
    explore(|| {
        let monitor = ProgressMonitor::new(&CancelToken::default());
        let mut last = (0, 0);
        let work = || {
            monitor.tally.expect(3);
            (0..3).for_each(|_| monitor.tally.add(1));
            Ok(())
        };
        monitor
            .run(work, &mut |done, total| {
                assert!(done <= total && done >= last.0);
                last = (done, total);
                Ok(())
            })
            .unwrap();
        assert_eq!(last, (3, 3));
    });
}

#[test]
fn error_of_the_callback_stops_the_work() {
    explore(|| {
        let monitor = ProgressMonitor::new(&CancelToken::default());
        let work = || {
            monitor.tally.expect(1);
            loop {
                monitor.cancel.check()?;
                monitor.tally.add(1);
                thread::yield_now();
            }
        };
        let stopped = monitor.run(work, &mut |done, _| if done > 0 { bail!(Cancelled, "enough") } else { Ok(()) });
        assert_eq!(stopped.unwrap_err().text(), "enough");
        assert!(!monitor.cancel.is_requested());
    });
}

#[test]
fn work_that_must_end_is_not_cancelled_until_it_may_be() {
    explore(|| {
        let monitor = ProgressMonitor::new(&CancelToken::default());
        let (is_cancelled, is_cut) = (AtomicBool::new(false), AtomicBool::new(false));
        let work = || {
            monitor.tally.expect(1);
            monitor.tally.add(1);
            monitor.set_must_end(true);
            while !is_cancelled.load(Ordering::SeqCst) {
                is_cut.fetch_or(monitor.cancel.is_requested(), Ordering::SeqCst);
                thread::yield_now();
            }
            (0..3).for_each(|_| _ = is_cut.fetch_or(monitor.cancel.is_requested(), Ordering::SeqCst));
            monitor.set_must_end(false);
            loop {
                monitor.cancel.check()?;
                thread::yield_now();
            }
        };
        let stopped = monitor.run(work, &mut |_, _| {
            is_cancelled.store(true, Ordering::SeqCst);
            bail!(Cancelled, "enough")
        });
        assert_eq!(stopped.unwrap_err().text(), "enough");
        assert!(!is_cut.into_inner(), "cancelled where it must end");
        assert!(!monitor.cancel.is_requested(), "the request outlives the work");
    });
}
