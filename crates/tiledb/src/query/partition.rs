//! Division of reads.

use super::session::QuerySession;
use crate::error::Result;
use crate::subarray::Subarray;
use tiledb_query::partition;

/// A part of a read that was divided by [`ReadQuery::partitions`](crate::ReadQuery::partitions).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Partition {
    /// The cells of the part.
    pub subarray: Subarray,
    /// The estimated number of cells; 0 if it is not known.
    pub cells: u64,
}

pub(super) fn partitions(session: &QuerySession, parts: u64) -> Result<Vec<Partition>> {
    let _running = session.handle.ctx.running()?;
    let query = &session.query;
    let parts = partition(query.array(), query.subarray(), query.condition(), parts)?;
    Ok(parts.into_iter().map(|part| Partition { subarray: Subarray(part.subarray), cells: part.cells }).collect())
}
