//! The object of a query handle, and the C enumerations of queries.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use super::boundary::Handle;
use super::enums::{tiledb_layout_t, tiledb_query_status_details_reason_t, tiledb_query_status_t, tiledb_query_type_t};
use super::handles::tiledb_array_t;
use tiledb::location::{self, RemoteQueryState};
use tiledb_array::array::Array;
use tiledb_core::error::Result;
use tiledb_core::types::{Layout, QueryType};
use tiledb_query::{EstimatedSize, Query, Status};

/// The object of a query handle.
pub struct QueryObject {
    pub(super) array: Arc<<tiledb_array_t as Handle>::Object>,
    query: Mutex<Query>,
    /// Client-side state between submits, if a server executes the query.
    remote_state: Mutex<RemoteQueryState>,
    /// How many calls run the query, or wait for each other to run it.
    running: AtomicUsize,
    /// Whether the last run on a thread of its own failed, perhaps before the query began.
    has_failed: AtomicBool,
}

impl QueryObject {
    /// The content of a new handle.
    pub(super) fn new(array: Arc<<tiledb_array_t as Handle>::Object>, query: Query) -> QueryObject {
        QueryObject {
            array,
            query: Mutex::new(query),
            remote_state: Mutex::default(),
            running: AtomicUsize::new(0),
            has_failed: AtomicBool::new(false),
        }
    }

    /// The query, for the length of a call.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Query> {
        self.query.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the query; its status is in progress meanwhile. After a commit the array is maintained, if so configured.
    pub(super) fn run(
        &self,
        submit: impl FnOnce(&Array, &mut Query, &mut RemoteQueryState) -> Result<()>,
    ) -> Result<()> {
        let running = Running::new(&self.running);
        self.has_failed.store(false, Ordering::Release);
        let mut query = self.lock();
        self.array.share_current_domain(query.array());
        let before = commits_of(&query);
        submit(&self.array, &mut query, &mut self.remote_state())?;
        self.end_run(query, running, before);
        Ok(())
    }

    /// Ends a successful run; if more is committed than before, maintains the array.
    fn end_run(&self, query: MutexGuard<'_, Query>, running: Running<'_>, before: (usize, bool)) {
        if commits_of(&query) != before {
            let resources = query.array().resources().clone();
            drop(query);
            drop(running);
            location::maintain_after_write(&self.array, &resources);
        }
    }

    /// Marks the query as in progress while the guard lives.
    pub(super) fn in_progress(self: Arc<Self>) -> InProgress {
        self.running.fetch_add(1, Ordering::AcqRel);
        InProgress(self)
    }

    /// Client-side state, if a server executes the query.
    fn remote_state(&self) -> MutexGuard<'_, RemoteQueryState> {
        self.remote_state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Estimates the bytes of a field's results.
    ///
    /// # Errors
    /// As [`Query::estimate`].
    pub(super) fn estimate(&self, name: &str, var: bool, nullable: bool) -> Result<EstimatedSize> {
        let mut query = self.lock();
        location::estimate(&self.array, &mut query, &mut self.remote_state(), name, (var, nullable))
    }

    /// What it is going to do, as JSON.
    ///
    /// # Errors
    /// As [`Query::plan`].
    pub(super) fn plan(&self) -> Result<String> {
        location::query_plan(&self.array, &mut self.lock())
    }

    /// The status of the query, without waiting for a submit on another thread.
    pub(super) fn status(&self) -> Status {
        while self.running.load(Ordering::Acquire) == 0 {
            if self.has_failed.load(Ordering::Acquire) {
                return Status::Failed;
            }
            match self.query.try_lock() {
                Ok(query) => return query.status(),
                Err(TryLockError::Poisoned(query)) => return query.into_inner().status(),
                // A call that does not run the query has it; it is short.
                Err(TryLockError::WouldBlock) => std::thread::yield_now(),
            }
        }
        Status::InProgress
    }
}

/// What a query has committed: fragments, and a deletion or an update.
fn commits_of(query: &Query) -> (usize, bool) {
    let is_condition = matches!(query.kind(), QueryType::Delete | QueryType::Update);
    (query.written().len(), is_condition && query.status() == Status::Completed)
}

/// A query that is in progress from before a thread runs it until that thread is done with it.
pub(super) struct InProgress(Arc<QueryObject>);

impl InProgress {
    /// Runs the query.
    ///
    /// # Errors
    /// What the query reports.
    pub(super) fn run(
        &self,
        submit: impl FnOnce(&Array, &mut Query, &mut RemoteQueryState) -> Result<()>,
    ) -> Result<()> {
        let outcome = self.0.run(submit);
        self.0.has_failed.store(outcome.is_err(), Ordering::Release);
        outcome
    }

    /// True if the last run has returned all results, or written all cells.
    pub(super) fn is_completed(&self) -> bool {
        self.0.lock().status() == Status::Completed
    }
}

impl Drop for InProgress {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Counts a run while it lives.
struct Running<'a>(&'a AtomicUsize);

impl Running<'_> {
    fn new(count: &AtomicUsize) -> Running<'_> {
        count.fetch_add(1, Ordering::AcqRel);
        Running(count)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

pub(super) fn layout_of(layout: Layout) -> tiledb_layout_t {
    match layout {
        Layout::RowMajor => tiledb_layout_t::TILEDB_ROW_MAJOR,
        Layout::ColMajor => tiledb_layout_t::TILEDB_COL_MAJOR,
        Layout::GlobalOrder => tiledb_layout_t::TILEDB_GLOBAL_ORDER,
        Layout::Unordered => tiledb_layout_t::TILEDB_UNORDERED,
        Layout::Hilbert => tiledb_layout_t::TILEDB_HILBERT,
    }
}

pub(super) fn type_of(kind: QueryType) -> tiledb_query_type_t {
    match kind {
        QueryType::Read => tiledb_query_type_t::TILEDB_READ,
        QueryType::Write => tiledb_query_type_t::TILEDB_WRITE,
        QueryType::Delete => tiledb_query_type_t::TILEDB_DELETE,
        QueryType::Update => tiledb_query_type_t::TILEDB_UPDATE,
        QueryType::ModifyExclusive => tiledb_query_type_t::TILEDB_MODIFY_EXCLUSIVE,
    }
}

pub(super) fn status_of(status: Status) -> tiledb_query_status_t {
    match status {
        Status::Failed => tiledb_query_status_t::TILEDB_FAILED,
        Status::Completed => tiledb_query_status_t::TILEDB_COMPLETED,
        Status::InProgress => tiledb_query_status_t::TILEDB_INPROGRESS,
        Status::Incomplete => tiledb_query_status_t::TILEDB_INCOMPLETE,
        Status::Uninitialized => tiledb_query_status_t::TILEDB_UNINITIALIZED,
        Status::Initialized => tiledb_query_status_t::TILEDB_INITIALIZED,
    }
}

pub(super) fn reason_of(needs_buffers: bool) -> tiledb_query_status_details_reason_t {
    match needs_buffers {
        true => tiledb_query_status_details_reason_t::TILEDB_REASON_USER_BUFFER_SIZE,
        false => tiledb_query_status_details_reason_t::TILEDB_REASON_NONE,
    }
}
