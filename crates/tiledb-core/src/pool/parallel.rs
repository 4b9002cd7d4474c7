//! Parallel loops.

use std::any::Any;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::CancelToken;
use super::workers::Workers;
use crate::error::{Error, Result};
use crate::limits::compute::MIN_SHARED_WORK;
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::{Mutex, PoisonError};

/// Maximum number of threads of one call, whatever the configuration.
const MAX_CAP: usize = 1024;

/// Maximum number of threads of a call. Only numbers: the threads are process-wide and started on first use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pools {
    compute: usize,
    io: usize,
}

impl Pools {
    /// At most `compute` threads for computing and `io` for waiting on storage, including the calling thread
    /// (parameters `sm.compute_concurrency_level` and `sm.io_concurrency_level`). 0 counts as 1.
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
    /// estimate of the bytes touched by all of them. The calling thread takes part; threads
    /// that are busy are not waited for, so a task may itself call this.
    ///
    /// # Errors
    /// The first error of a task, after which no further task starts; `Cancelled` after a request;
    /// `Internal` for a task that panicked.
    pub fn for_each(
        &self,
        count: usize,
        work: usize,
        cancel: &CancelToken,
        task: impl Fn(usize) -> Result<()> + Sync,
    ) -> Result<()> {
        let next = AtomicUsize::new(0);
        run(self.compute, count, work, &|| match next.fetch_add(1, Ordering::Relaxed) {
            index if index < count => cancel.check().and_then(|()| task(index)).map(|()| true),
            _ => Ok(false),
        })
    }

    /// As [`Pools::for_each`], with a distinct mutable item per task.
    ///
    /// # Errors
    /// As [`Pools::for_each`].
    pub fn for_each_mut<T: Send>(
        &self,
        items: &mut [T],
        work: usize,
        cancel: &CancelToken,
        task: impl Fn(usize, &mut T) -> Result<()> + Sync,
    ) -> Result<()> {
        let count = items.len();
        let items = Mutex::new(items.iter_mut().enumerate());
        let claim = || items.lock().ok().and_then(|mut items| items.next());
        run(self.compute, count, work, &|| match claim() {
            Some((index, item)) => cancel.check().and_then(|()| task(index, item)).map(|()| true),
            None => Ok(false),
        })
    }

    /// As [`Pools::for_each`], collecting what the tasks return in the order of their numbers.
    ///
    /// # Errors
    /// As [`Pools::for_each`].
    pub fn map<T: Send>(
        &self,
        count: usize,
        work: usize,
        cancel: &CancelToken,
        task: impl Fn(usize) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let mut results: Vec<Option<T>> = std::iter::repeat_with(|| None).take(count).collect();
        self.for_each_mut(&mut results, work, cancel, |index, slot| {
            *slot = Some(task(index)?);
            Ok(())
        })?;
        Ok(results.into_iter().flatten().collect())
    }

    /// Into how many parts `count` items are cut for all threads, if a part is worth handing over from `least` items on.
    pub fn parts(&self, count: usize, least: usize) -> usize {
        self.compute.min(count / least).max(1)
    }

    /// As [`Pools::map`], for `count` items that are cut into `parts` of even size.
    ///
    /// # Errors
    /// As [`Pools::for_each`].
    pub fn map_parts<T: Send>(
        &self,
        count: usize,
        parts: usize,
        work: usize,
        cancel: &CancelToken,
        task: impl Fn(Range<usize>) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let start = |part: usize| (count as u128 * part as u128 / parts as u128) as usize;
        self.map(parts, work, cancel, |part| task(start(part)..start(part + 1)))
    }
}

/// Claims the next task and runs it; false where none is left.
pub(super) type NextTask<'s> = &'s (dyn Fn() -> Result<bool> + Sync);

/// Runs all tasks on the calling thread and on idle workers. One function for all loops, whatever they do: a task is a tile or more.
pub(super) fn run(cap: usize, count: usize, work: usize, step: NextTask<'_>) -> Result<()> {
    let helpers = cap.min(count).saturating_sub(1);
    let workers = if helpers == 0 || work < MIN_SHARED_WORK.count() { None } else { Workers::get(helpers) };
    let state = State { stop: AtomicBool::new(false), error: Mutex::new(None) };
    let drain = || state.drain(step);
    match workers.filter(|workers| !workers.is_current()) {
        Some(workers) => workers.run(helpers, drain, drain),
        None => drain(),
    }
    state.error.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

struct State {
    stop: AtomicBool,
    error: Mutex<Option<Error>>,
}

impl State {
    fn drain(&self, step: NextTask<'_>) {
        let work = AssertUnwindSafe(|| {
            while !self.stop.load(Ordering::Relaxed) {
                if !step()? {
                    break;
                }
            }
            Ok(())
        });
        if let Err(error) = catch_unwind(work).unwrap_or_else(|panic| Err(panicked(&*panic))) {
            self.stop.store(true, Ordering::Relaxed);
            let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
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

#[cfg(test)]
#[cfg(shuttle)]
mod interleavings;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use std::collections::HashSet;

    const MUCH: usize = 1 << 30;
    const MANY: usize = if cfg!(miri) { 40 } else { 1000 };

    #[test]
    fn every_task_runs_exactly_once() {
        for (cap, count, work) in [(1, 10, MUCH), (4, MANY, MUCH), (4, 3, MUCH), (4, MANY, 0), (4, 0, MUCH)] {
            let runs: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
            Pools::new(cap, 1)
                .for_each(count, work, &CancelToken::default(), |index| {
                    runs[index].fetch_add(1, Ordering::Relaxed);
                    Ok(())
                })
                .unwrap();
            assert!(runs.iter().all(|count| count.load(Ordering::Relaxed) == 1), "cap {cap}, {count} tasks");
        }
    }

    #[test]
    fn results_come_in_order_and_items_are_distinct() {
        let pools = Pools::new(3, 1);
        let squares = pools.map(MANY, MUCH, &CancelToken::default(), |index| Ok(index * index)).unwrap();
        assert_eq!(squares, (0..MANY).map(|index| index * index).collect::<Vec<_>>());
        let mut items = vec![1u32; MANY];
        let add = |index, item: &mut u32| {
            *item += index as u32;
            Ok(())
        };
        pools.for_each_mut(&mut items, MUCH, &CancelToken::default(), add).unwrap();
        assert!(items.into_iter().eq(1..=MANY as u32));
    }

    #[test]
    fn even_parts_are_all_there_is() {
        let pools = Pools::new(4, 1);
        assert_eq!([0, 9, 10, 39, 1000].map(|count| pools.parts(count, 10)), [1, 1, 1, 3, 4]);
        for count in [0, 1, 3, 4, 5, 1001] {
            let parts = pools.map_parts(count, 4, 0, &CancelToken::default(), Ok).unwrap();
            assert!(parts.iter().all(|part| (count / 4..=count.div_ceil(4)).contains(&part.len())), "{parts:?}");
            assert!(parts.into_iter().flatten().eq(0..count));
        }
    }

    #[test]
    fn small_work_stays_on_the_calling_thread() {
        let caller = std::thread::current().id();
        let check = |_| if std::thread::current().id() == caller { Ok(()) } else { Err(Error::internal("moved")) };
        Pools::new(8, 1).for_each(MANY, MIN_SHARED_WORK.count() - 1, &CancelToken::default(), check).unwrap();
        Pools::new(8, 1).for_each(1, MUCH, &CancelToken::default(), check).unwrap();
    }

    #[test]
    fn large_work_uses_other_threads() {
        let threads = Mutex::new(HashSet::new());
        let linger = |_| {
            threads.lock().unwrap().insert(std::thread::current().id());
            std::thread::sleep(std::time::Duration::from_millis(1));
            Ok(())
        };
        // Other tests may occupy the idle threads briefly.
        for _ in 0..1000 {
            Pools::new(2, 1).for_each(4, MUCH, &CancelToken::default(), linger).unwrap();
            if threads.lock().unwrap().len() > 1 {
                return;
            }
        }
        panic!("no other thread ever took part");
    }

    #[test]
    fn the_first_error_stops_the_rest() {
        let ran = AtomicUsize::new(0);
        let error = Pools::new(4, 1)
            .for_each(100_000, MUCH, &CancelToken::default(), |index| {
                ran.fetch_add(1, Ordering::Relaxed);
                if index == 7 { Err(Error::corrupt("seven")) } else { Ok(()) }
            })
            .unwrap_err();
        assert_eq!(error.text(), "seven");
        assert!(ran.load(Ordering::Relaxed) < 100_000);
    }

    #[test]
    fn a_panic_becomes_an_error() {
        for work in [0, MUCH] {
            let task = |index| if index == 3 { panic!("task {index}") } else { Ok(()) };
            let error = Pools::new(4, 1).for_each(10, work, &CancelToken::default(), task).unwrap_err();
            assert_eq!((error.kind(), error.text()), (ErrorKind::Internal, "A parallel task panicked: task 3"));
        }
    }

    #[test]
    fn cancellation_ends_every_loop() {
        let cancel = CancelToken::default();
        let task = |index| {
            if index == 5 {
                cancel.request();
            }
            Ok(())
        };
        let error = Pools::new(2, 1).for_each(100_000, MUCH, &cancel, task).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled);
        cancel.reset();
        cancel.check().unwrap();
    }

    #[test]
    fn loops_may_nest_and_callers_may_be_many() {
        const CALLERS: usize = if cfg!(miri) { 3 } else { 8 };
        let pools = Pools::new(3, 1);
        let total = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..CALLERS {
                scope.spawn(|| {
                    let inner = |_| {
                        pools.for_each(10, MUCH, &CancelToken::default(), |_| {
                            total.fetch_add(1, Ordering::Relaxed);
                            Ok(())
                        })
                    };
                    pools.for_each(20, MUCH, &CancelToken::default(), inner).unwrap();
                });
            }
        });
        assert_eq!(total.into_inner(), CALLERS * 20 * 10);
    }
}
