//! Requests that are under way at the same time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use tiledb_core::error::{Error, Result};

/// Runs `task(0)` to `task(count - 1)`, at most `width` of them at a time. Requests wait, which needs no core: the threads
/// are beside those that compute, and live as long as the call.
///
/// # Errors
/// The first one, after which no further task starts.
pub(super) fn for_each_concurrently(
    width: usize,
    count: usize,
    task: impl Fn(usize) -> Result<()> + Sync,
) -> Result<()> {
    run(width, count, &task)
}

/// One function for all tasks: to call them takes no time beside a request.
fn run(width: usize, count: usize, task: &(dyn Fn(usize) -> Result<()> + Sync)) -> Result<()> {
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
    std::thread::scope(|scope| {
        for _ in 1..width.min(count) {
            // Where there are no threads left the caller does the rest.
            if std::thread::Builder::new().spawn_scoped(scope, drain).is_err() {
                break;
            }
        }
        drain();
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// As [`for_each_concurrently`], and gives what the tasks make, in their order.
///
/// # Errors
/// As [`for_each_concurrently`].
pub(super) fn map_concurrently<T: Send + Sync>(
    width: usize,
    count: usize,
    task: impl Fn(usize) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let made: Vec<OnceLock<T>> = std::iter::repeat_with(OnceLock::new).take(count).collect();
    for_each_concurrently(width, count, |index| {
        _ = made[index].set(task(index)?);
        Ok(())
    })?;
    Ok(made.into_iter().filter_map(OnceLock::into_inner).collect())
}

fn first(failed: &Mutex<Option<Error>>) -> std::sync::MutexGuard<'_, Option<Error>> {
    failed.lock().unwrap_or_else(PoisonError::into_inner)
}

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
