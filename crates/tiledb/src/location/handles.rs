//! Operations on handles, which know where their array is, and on queries on them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Location, at_location};
use tiledb_array::array::{Array, FragmentInfo, OpenArray};
use tiledb_core::error::{Error, Result};
use tiledb_core::log;
use tiledb_core::stats::Counter;
use tiledb_maintain::maintain::ConsolidationPlan;
use tiledb_maintain::policy;
use tiledb_query::{EstimatedSize, Query};
#[cfg(feature = "rest")]
use tiledb_rest::client;
use tiledb_storage::resources::Resources;

#[cfg(feature = "rest")]
pub use tiledb_rest::client::queries::RemoteQueryState;

/// State between the submits of a query that a server runs: none in a build without the client of servers.
#[cfg(not(feature = "rest"))]
#[derive(Debug, Default)]
pub struct RemoteQueryState;

/// Opens the array of a handle. `query_type` is the number of C.
///
/// # Errors
/// As [`Array::open`].
pub fn open(array: &Array, query_type: u32) -> Result<()> {
    at_location!(Location::of(array.uri()), _uri => array.open(query_type), client::arrays::open(array, query_type))
}

/// Opens the array of a handle again.
///
/// # Errors
/// As [`Array::reopen`].
pub fn reopen(array: &Array) -> Result<()> {
    at_location!(Location::of(array.uri()), _uri => array.reopen(), client::arrays::reopen(array))
}

/// Loads the fragments of a handle.
///
/// # Errors
/// If there is no array, or its fragments cannot be read.
pub fn load_fragments(info: &FragmentInfo) -> Result<()> {
    at_location!(Location::of(info.uri()), _uri => info.load(), client::fragments::load(info))
}

/// A consolidation plan for fragments of about `bytes`.
///
/// # Errors
/// If the size of a fragment cannot be found out.
pub fn consolidation_plan(open: &OpenArray, bytes: u64) -> Result<ConsolidationPlan> {
    at_location!(Location::of(open.uri()), _uri =>
        ConsolidationPlan::new(open, bytes),
        client::fragments::consolidation_plan(open, bytes))
}

/// Maintains an array after a write if `sm.maintenance.after_write` is set. The write has succeeded whatever comes of
/// it: a failure is logged and counted.
pub fn maintain_after_write(array: &Array, resources: &Resources) {
    let Ok(uri) = Location::of(array.uri()).stored("maintenance") else { return };
    // The array may have a configuration of its own, with its encryption key.
    let maintain = || policy::maintain_after_write(resources, array.config(), uri);
    let panicked = || Err(Error::internal("maintenance panicked; please report it"));
    if let Err(error) = catch_unwind(AssertUnwindSafe(maintain)).unwrap_or_else(|_| panicked()) {
        resources.stats().add(Counter::MaintenanceFailures, 1);
        log::line(log::Level::Warn, || {
            format!("The write succeeded, but not the maintenance after it: {}", error.text())
        });
    }
}

/// Runs a query on the array of a handle.
///
/// # Errors
/// As [`Query::submit`].
pub fn submit(array: &Array, query: &mut Query, _state: &mut RemoteQueryState) -> Result<()> {
    at_location!(Location::of(array.uri()), _uri => query.submit(), client::queries::submit(array, query, _state))
}

/// Ends a query.
///
/// # Errors
/// As [`Query::finalize`].
pub fn finalize(array: &Array, query: &mut Query, _: &mut RemoteQueryState) -> Result<()> {
    at_location!(Location::of(array.uri()), _uri => query.finalize(), client::queries::finalize(array, query))
}

/// Writes the last cells in global order and ends the write.
///
/// # Errors
/// As [`Query::submit_and_finalize`].
pub fn submit_and_finalize(array: &Array, query: &mut Query, _state: &mut RemoteQueryState) -> Result<()> {
    at_location!(Location::of(array.uri()), _uri =>
        query.submit_and_finalize(),
        client::queries::submit_and_finalize(array, query, _state))
}

/// Estimates the bytes of a field's results.
///
/// # Errors
/// As [`Query::estimate`].
pub fn estimate(
    array: &Array,
    query: &mut Query,
    _state: &mut RemoteQueryState,
    name: &str,
    (is_var, is_nullable): (bool, bool),
) -> Result<EstimatedSize> {
    at_location!(Location::of(array.uri()), _uri =>
        query.estimate(name, is_var, is_nullable),
        client::queries::estimate(array, query, _state, name, is_var))
}

/// The query plan as JSON.
///
/// # Errors
/// As [`Query::plan`].
pub fn query_plan(array: &Array, query: &mut Query) -> Result<String> {
    at_location!(Location::of(array.uri()), _uri => Ok(query.plan()?.text()), client::queries::query_plan(array, query))
}
