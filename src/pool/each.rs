//! Parallel loops.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::Cancel;
use super::workers::Workers;
use crate::error::{Error, Result};

/// Work below this many bytes is done by the calling thread: handing it over would cost more.
const SMALL_WORK: usize = 128 * 1024;

/// The most threads one call may ask for, whatever the configuration says.
const MAX_CAP: usize = 1024;

/// How many threads a call may use. Only numbers: the threads are process-wide and start at first need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pools {
    compute: usize,
    io: usize,
}

impl Pools {
    /// At most `compute` threads for computing and `io` for waiting on storage, the caller's
    /// included (parameters `sm.compute_concurrency_level` and `sm.io_concurrency_level`). 0 counts as 1.
    pub fn new(compute: usize, io: usize) -> Self {
        Pools { compute: compute.clamp(1, MAX_CAP), io: io.clamp(1, MAX_CAP) }
    }

    /// The cap on computing threads.
    pub fn compute(&self) -> usize {
        self.compute
    }

    /// The cap on threads that wait for storage.
    pub fn io(&self) -> usize {
        self.io
    }

    /// Runs `task(0)` to `task(count - 1)`, in any order, in parallel where that pays: `work` is an
    /// estimate of the bytes touched by all of them. The calling thread takes part. Called from
    /// within a task, everything stays on that thread.
    ///
    /// # Errors
    /// The first error of a task, after which no further task starts; `Cancelled` after a request;
    /// `Internal` for a task that panicked.
    pub fn for_each(
        &self,
        count: usize,
        work: usize,
        cancel: &Cancel,
        task: impl Fn(usize) -> Result<()> + Sync,
    ) -> Result<()> {
        let next = AtomicUsize::new(0);
        let claim = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&index| index < count);
        run(self.compute, count, work, cancel, claim, task)
    }

    /// As [`Pools::for_each`], with a distinct mutable item per task.
    ///
    /// # Errors
    /// As [`Pools::for_each`].
    pub fn for_each_mut<T: Send>(
        &self,
        items: &mut [T],
        work: usize,
        cancel: &Cancel,
        task: impl Fn(usize, &mut T) -> Result<()> + Sync,
    ) -> Result<()> {
        let count = items.len();
        let items = Mutex::new(items.iter_mut().enumerate());
        let claim = || items.lock().ok().and_then(|mut items| items.next());
        run(self.compute, count, work, cancel, claim, |(index, item)| task(index, item))
    }

    /// As [`Pools::for_each`], collecting what the tasks return in the order of their numbers.
    ///
    /// # Errors
    /// As [`Pools::for_each`].
    pub fn map<T: Send>(
        &self,
        count: usize,
        work: usize,
        cancel: &Cancel,
        task: impl Fn(usize) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let mut results: Vec<Option<T>> = std::iter::repeat_with(|| None).take(count).collect();
        self.for_each_mut(&mut results, work, cancel, |index, slot| {
            *slot = Some(task(index)?);
            Ok(())
        })?;
        Ok(results.into_iter().flatten().collect())
    }
}

/// Drains `claim` on the calling thread and on idle workers.
fn run<I>(
    cap: usize,
    count: usize,
    work: usize,
    cancel: &Cancel,
    claim: impl Fn() -> Option<I> + Sync,
    task: impl Fn(I) -> Result<()> + Sync,
) -> Result<()> {
    let helpers = cap.min(count).saturating_sub(1);
    let workers = if helpers == 0 || work < SMALL_WORK { None } else { Workers::get(helpers) };
    match workers.filter(|workers| !workers.is_current()) {
        None => alone(cancel, claim, task),
        Some(workers) => {
            let state = State { stop: AtomicBool::new(false), error: Mutex::new(None) };
            let drain = || state.drain(cancel, &claim, &task);
            workers.run(helpers, drain, drain);
            state.error.into_inner().unwrap_or_else(|poison| poison.into_inner()).map_or(Ok(()), Err)
        }
    }
}

fn alone<I>(cancel: &Cancel, claim: impl Fn() -> Option<I>, task: impl Fn(I) -> Result<()>) -> Result<()> {
    while let Some(item) = claim() {
        cancel.check()?;
        task(item)?;
    }
    Ok(())
}

struct State {
    stop: AtomicBool,
    error: Mutex<Option<Error>>,
}

impl State {
    fn drain<I>(&self, cancel: &Cancel, claim: &impl Fn() -> Option<I>, task: &impl Fn(I) -> Result<()>) {
        let work = AssertUnwindSafe(|| {
            while !self.stop.load(Ordering::Relaxed)
                && let Some(item) = claim()
            {
                cancel.check()?;
                task(item)?;
            }
            Ok(())
        });
        if let Err(error) = catch_unwind(work).unwrap_or_else(|panic| Err(panicked(&*panic))) {
            self.stop.store(true, Ordering::Relaxed);
            let mut first = self.error.lock().unwrap_or_else(|poison| poison.into_inner());
            first.get_or_insert(error);
        }
    }
}

#[cold]
fn panicked(panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
    Error::internal(format!("A parallel task panicked: {text}"))
}
