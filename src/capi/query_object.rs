//! What the handle of a query holds, and its enumerations in C's form.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use super::boundary::Handle;
use super::enums::{tiledb_layout_t, tiledb_query_status_details_reason_t, tiledb_query_status_t, tiledb_query_type_t};
use super::handles::tiledb_array_t;
use crate::error::Result;
use crate::query::read::Reason;
use crate::query::{Query, Status};
use crate::types::{Layout, QueryType};

/// What a query handle holds.
pub struct QueryObject {
    pub(super) array: Arc<<tiledb_array_t as Handle>::Object>,
    pub(super) query: Mutex<Query>,
}

impl QueryObject {
    /// The query, for the length of a call.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Query> {
        self.query.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn run(&self, submit: impl FnOnce(&mut Query) -> Result<()>) -> Result<()> {
        submit(&mut self.lock())
    }

    /// Where the query stands, without waiting for a submit on another thread.
    pub(super) fn status(&self) -> Status {
        match self.query.try_lock() {
            Ok(query) => query.status(),
            Err(TryLockError::Poisoned(_)) => Status::Failed,
            Err(TryLockError::WouldBlock) => Status::InProgress,
        }
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

pub(super) fn reason_of(reason: Option<Reason>) -> tiledb_query_status_details_reason_t {
    match reason {
        None => tiledb_query_status_details_reason_t::TILEDB_REASON_NONE,
        Some(Reason::UserBufferSize) => tiledb_query_status_details_reason_t::TILEDB_REASON_USER_BUFFER_SIZE,
        Some(Reason::MemoryBudget) => tiledb_query_status_details_reason_t::TILEDB_REASON_MEMORY_BUDGET,
    }
}
