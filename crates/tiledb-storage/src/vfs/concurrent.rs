//! Concurrent requests to remote storage.

use std::sync::OnceLock;

use tiledb_core::error::{Error, ErrorKind, Result};
use tiledb_core::pool::run_with_helpers;
use tiledb_core::sync::atomic::{AtomicUsize, Ordering};
use tiledb_core::sync::{Mutex, MutexGuard, PoisonError};

/// Runs `task(0)` to `task(count - 1)`, at most `concurrency` of them at a time.
///
/// # Errors
/// The first one, after which no further task starts.
pub(super) fn for_each_concurrently(
    concurrency: usize,
    count: usize,
    task: impl Fn(usize) -> Result<()> + Sync,
) -> Result<()> {
    run(concurrency, count, &task)
}

/// Not generic over the task: an indirect call costs nothing compared to a request.
fn run(concurrency: usize, count: usize, task: &(dyn Fn(usize) -> Result<()> + Sync)) -> Result<()> {
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(None));
    let drain = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return;
            }
            if let Err(error) = task(index) {
                next.store(count, Ordering::Relaxed);
                first(&failed).get_or_insert(error);
            }
        }
    };
    run_with_helpers(concurrency.min(count).saturating_sub(1), "tiledb-request", &drain, drain);
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// As [`for_each_concurrently`]; returns the results in the order of the tasks.
///
/// # Errors
/// As [`for_each_concurrently`].
pub(super) fn map_concurrently<T: Send + Sync>(
    concurrency: usize,
    count: usize,
    task: impl Fn(usize) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let made: Vec<OnceLock<T>> = std::iter::repeat_with(OnceLock::new).take(count).collect();
    for_each_concurrently(concurrency, count, |index| {
        _ = made[index].set(task(index)?);
        Ok(())
    })?;
    Ok(made.into_iter().filter_map(OnceLock::into_inner).collect())
}

/// The first error, after which only those follow that are `Pending`: all that is missing is requested together.
pub(super) fn first_error(results: impl IntoIterator<Item = Result<()>>) -> Result<()> {
    let mut first = Ok(());
    for result in results {
        match result {
            Err(error) if error.kind() == ErrorKind::Pending => first = first.and(Err(error)),
            result => result?,
        }
    }
    first
}

fn first(failed: &Mutex<Option<Error>>) -> MutexGuard<'_, Option<Error>> {
    failed.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[cfg(shuttle)]
mod interleavings;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_tasks_run_and_the_first_error_ends_them() {
        let done = AtomicUsize::new(0);
        for_each_concurrently(7, 100, |_| {
            done.fetch_add(1, Ordering::Relaxed);
            Ok(())
        })
        .unwrap();
        assert_eq!(done.load(Ordering::Relaxed), 100);
        for_each_concurrently(3, 0, |_| Err(Error::internal("none"))).unwrap();
        assert_eq!(map_concurrently(4, 9, |index| Ok(index * 2)).unwrap(), [0, 2, 4, 6, 8, 10, 12, 14, 16]);
        let error = for_each_concurrently(1, 9, |index| Err(Error::internal(format!("task {index}")))).unwrap_err();
        assert_eq!(error.text(), "task 0");
    }
}
