//! Deletion of cells.

use std::sync::Arc;

use super::session::QuerySession;
use crate::condition::Condition;
use crate::error::{AtUri, Result};
use crate::handle::ArrayHandle;
use tiledb_core::types::QueryType;

/// Deletes the cells that meet a condition.
pub(crate) fn delete_cells(handle: &Arc<ArrayHandle>, condition: &Condition) -> Result<()> {
    let mut session = QuerySession::new(handle, QueryType::Delete)?;
    let engine = condition.engine(session.query.array().schema()).at(handle.uri())?;
    session.query.set_condition(Some(engine)).at(handle.uri())?;
    session.run(|query, submit| submit(query))
}
