//! Operations on queries: those on arrays at `tiledb://` URIs are executed by the server.

use super::arrays::dispatch_remote;
#[cfg(feature = "rest")]
use super::rest;
use tiledb_array::array::Array;
use tiledb_core::error::Result;
use tiledb_query::{EstimatedSize, Query};

#[cfg(feature = "rest")]
pub use rest::queries::RemoteQueryState;

/// Client-side state of a query that a server runs: none in a build without the REST client.
#[cfg(not(feature = "rest"))]
#[derive(Default)]
pub struct NoRemoteQueryState;
#[cfg(not(feature = "rest"))]
pub use NoRemoteQueryState as RemoteQueryState;

/// Runs a query on the array of a handle.
///
/// # Errors
/// As [`Query::submit`].
pub fn submit(array: &Array, query: &mut Query, state: &mut RemoteQueryState) -> Result<()> {
    dispatch_remote!(array.uri(), rest::queries::submit(array, query, state));
    let _ = state;
    query.submit()
}

/// Ends a query.
///
/// # Errors
/// As [`Query::finalize`].
pub fn finalize(array: &Array, query: &mut Query, _: &mut RemoteQueryState) -> Result<()> {
    dispatch_remote!(array.uri(), rest::queries::finalize(array, query));
    query.finalize()
}

/// Writes the last cells in global order and ends the write.
///
/// # Errors
/// As [`Query::submit_and_finalize`].
pub fn submit_and_finalize(array: &Array, query: &mut Query, state: &mut RemoteQueryState) -> Result<()> {
    dispatch_remote!(array.uri(), rest::queries::submit_and_finalize(array, query, state));
    let _ = state;
    query.submit_and_finalize()
}

/// Estimates the bytes of a field's results.
///
/// # Errors
/// As [`Query::estimate`].
pub fn estimate(
    array: &Array,
    query: &mut Query,
    state: &mut RemoteQueryState,
    name: &str,
    (var, nullable): (bool, bool),
) -> Result<EstimatedSize> {
    dispatch_remote!(array.uri(), rest::queries::estimate(array, query, state, name, var));
    let _ = (array, state);
    query.estimate(name, var, nullable)
}

/// The query plan as JSON.
///
/// # Errors
/// As [`Query::plan`].
pub fn query_plan(array: &Array, query: &mut Query) -> Result<String> {
    dispatch_remote!(array.uri(), rest::queries::query_plan(array, query));
    let _ = array;
    Ok(query.plan()?.text())
}
