//! Background work with progress reports and cancellation: one thread works while the caller waits.

use std::sync::Arc;
use std::time::Duration;

use super::CancelToken;
use super::workers::{STACK, probe_threads};
use crate::error::{Error, Result, bail};
use crate::fork::Lock;
use crate::limits::LimitScope;
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use crate::sync::spawn_scoped;
use crate::sync::thread::{self, Thread};

/// Progress in arbitrary steps. Clones share the counters; the default counter ignores everything.
#[derive(Clone, Default)]
pub struct ProgressCounter(Option<Arc<Counts>>);

struct Counts {
    done: AtomicU64,
    total: AtomicU64,
    /// The thread to wake on progress.
    waiting: Lock<Option<Thread>>,
}

/// Maximum number of times that the waiting thread is woken.
const PARTS: u64 = 64;

impl ProgressCounter {
    fn of_work() -> ProgressCounter {
        ProgressCounter(Some(Arc::new(Counts {
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
            waiting: Lock::default(),
        })))
    }

    fn wake(&self, waiting: Option<Thread>) {
        if let Some(counts) = &self.0 {
            *counts.waiting.lock() = waiting;
        }
    }

    /// True if progress is observed.
    pub fn is_observed(&self) -> bool {
        self.0.is_some()
    }

    /// Adds to the total number of steps.
    pub fn expect(&self, steps: u64) {
        if let Some(counts) = &self.0 {
            counts.total.fetch_add(steps, Ordering::Relaxed);
        }
    }

    /// Steps are done.
    pub fn add(&self, steps: u64) {
        let Some(counts) = &self.0 else { return };
        let before = counts.done.fetch_add(steps, Ordering::Relaxed);
        let part = counts.total.load(Ordering::Relaxed) / PARTS + 1;
        if before / part != before.saturating_add(steps) / part {
            let waiting = counts.waiting.lock().clone();
            waiting.inspect(Thread::unpark);
        }
    }

    /// Number of steps done. Retried steps may count twice.
    pub fn done(&self) -> u64 {
        self.0.as_ref().map_or(0, |counts| counts.done.load(Ordering::Relaxed))
    }

    /// Sets the number of steps done.
    pub fn set(&self, steps: u64) {
        if let Some(counts) = &self.0 {
            counts.done.store(steps, Ordering::Relaxed);
        }
    }

    /// All is done.
    pub fn end(&self) {
        if let Some(counts) = &self.0 {
            counts.done.store(counts.total.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }

    /// Steps done, and all steps known so far.
    fn numbers(&self) -> (u64, u64) {
        let Some(counts) = &self.0 else { return (0, 0) };
        let total = counts.total.load(Ordering::Relaxed);
        (counts.done.load(Ordering::Relaxed).min(total), total)
    }
}

/// Shared state of background work and the thread that waits for it.
#[derive(Clone)]
pub struct ProgressMonitor {
    /// Stops the work.
    pub cancel: CancelToken,
    pub tally: ProgressCounter,
    stop: Arc<Lock<StopState>>,
}

/// Changed together with the token.
#[derive(Default)]
struct StopState {
    /// Whether the work must complete: it could not be resumed after a cancellation.
    must_end: bool,
    /// Whether the callback asked to stop the work.
    is_requested: bool,
}

/// Maximum time between two progress callbacks.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

impl ProgressMonitor {
    /// Monitors work that `above` cancels.
    pub fn new(above: &CancelToken) -> ProgressMonitor {
        ProgressMonitor { cancel: above.part(), tally: ProgressCounter::of_work(), stop: Arc::default() }
    }

    /// Sets whether the work ignores cancellation; if no longer, it stops on a request that came meanwhile.
    pub fn set_must_end(&self, must_end: bool) {
        let mut stop = self.stop.lock();
        stop.must_end = must_end;
        if must_end {
            self.cancel.reset();
        } else if stop.is_requested {
            self.cancel.request();
        }
    }

    /// Stops the work, or as soon as it may be stopped.
    fn request_stop(&self) {
        let mut stop = self.stop.lock();
        stop.is_requested = true;
        if !stop.must_end {
            self.cancel.request();
        }
    }

    /// Forgets a request, for the next work.
    fn revoke_stop(&self) {
        let mut stop = self.stop.lock();
        stop.is_requested = false;
        self.cancel.reset();
    }

    /// Does `work` on a thread of its own. Meanwhile, and once when it is done, this thread calls `on_progress` with the
    /// steps done and all steps; an error of it stops the work, if it may.
    ///
    /// # Errors
    /// Those of `work`, of `on_progress` if the work was not done before it was stopped, and if there is no thread.
    pub fn run(
        &self,
        work: impl FnOnce() -> Result<()> + Send,
        on_progress: &mut dyn FnMut(u64, u64) -> Result<()>,
    ) -> Result<()> {
        probe_threads(1)?;
        self.tally.wake(Some(thread::current()));
        let (is_done, waiting) = (AtomicBool::new(false), thread::current());
        let mut stopped = None;
        let done = thread::scope(|scope| {
            let ended = CompletionSignal { is_done: &is_done, waiting: &waiting };
            let limits = LimitScope::current();
            let work = move || {
                let _ended = ended;
                limits.run(work)
            };
            let worker = match spawn_scoped(scope, "tiledb-watched", STACK, work) {
                Ok(worker) => worker,
                Err(error) => bail!(OutOfMemory, "Cannot start a thread to read on: {error}"),
            };
            while !is_done.load(Ordering::Acquire) {
                thread::park_timeout(POLL_INTERVAL);
                let (done, total) = self.tally.numbers();
                if stopped.is_none() && !is_done.load(Ordering::Acquire) {
                    stopped = on_progress(done, total).err();
                    if stopped.is_some() {
                        self.request_stop();
                    }
                }
            }
            worker.join().unwrap_or_else(|_| Err(Error::internal("A thread that was watched panicked")))
        });
        self.tally.wake(None);
        self.revoke_stop();
        match (done, stopped) {
            (Err(_), Some(stopped)) => Err(stopped),
            (Ok(()), None) => {
                let (done, total) = self.tally.numbers();
                // Completed work cannot be cancelled.
                let _ = on_progress(done, total);
                Ok(())
            }
            (done, _) => done,
        }
    }
}

/// Signals completion to the waiting thread on drop, even after a panic.
struct CompletionSignal<'a> {
    is_done: &'a AtomicBool,
    waiting: &'a Thread,
}

impl Drop for CompletionSignal<'_> {
    fn drop(&mut self) {
        self.is_done.store(true, Ordering::Release);
        self.waiting.unpark();
    }
}

#[cfg(test)]
#[cfg(shuttle)]
mod interleavings;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn waiting_thread_gets_progress_and_may_cancel() {
        let watch = ProgressMonitor::new(&CancelToken::default());
        let tally = watch.tally.clone();
        let work = || {
            tally.expect(1000);
            loop {
                watch.cancel.check()?;
                tally.add(1);
                thread::yield_now();
            }
        };
        let mut reports = Vec::new();
        let stopped = watch.run(work, &mut |done, total| {
            reports.push((done, total));
            if done > 100 { bail!(Cancelled, "enough") } else { Ok(()) }
        });
        let error = stopped.unwrap_err();
        assert_eq!((error.kind(), error.text()), (ErrorKind::Cancelled, "enough"));
        assert!(reports.is_sorted() && reports.iter().all(|(done, total)| done <= total), "{reports:?}");
        watch.cancel.check().unwrap();
    }

    #[test]
    fn finished_work_is_reported_once_and_not_cancelled() {
        let watch = ProgressMonitor::new(&CancelToken::default());
        let mut reports = Vec::new();
        let work = || {
            watch.tally.expect(5);
            watch.tally.end();
            Ok(())
        };
        watch
            .run(work, &mut |done, total| {
                reports.push((done, total));
                if done == total && total > 0 { bail!("too late") } else { Ok(()) }
            })
            .unwrap();
        assert_eq!(reports.last(), Some(&(5, 5)));
    }

    #[test]
    fn errors_and_panics_of_the_work_reach_the_caller() {
        let watch = ProgressMonitor::new(&CancelToken::default());
        let failed = watch.run(|| bail!(Corrupt, "broken"), &mut |_, _| Ok(()));
        assert_eq!(failed.unwrap_err().text(), "broken");
        let failed = watch.run(|| panic!("of a test"), &mut |_, _| Ok(()));
        assert_eq!(failed.unwrap_err().kind(), ErrorKind::Internal);
    }
}
