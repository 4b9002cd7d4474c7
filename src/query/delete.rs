//! Conditions of queries, and queries that delete.

use std::sync::Arc;

use super::condition::Program;
use super::state::{Query, Status};
use crate::condition::{Condition, Leaf, Operator, Predicate, Value};
use crate::error::{Result, bail};
use crate::fragment::{FragmentName, TIMESTAMPS, special_fields, timestamp_now};
use crate::tile::generic;
use crate::types::QueryType;

impl Query {
    /// Sets what cells must meet to be read or deleted; `None` stands for a condition without content.
    ///
    /// # Errors
    /// For writes, after the first submit, and without content.
    pub fn set_condition(&mut self, condition: Option<Condition>) -> Result<()> {
        if matches!(self.kind, QueryType::Write | QueryType::ModifyExclusive) {
            bail!("[TileDB::Query] Error: Cannot set query condition; Operation not applicable to write queries");
        }
        if self.status() != Status::Uninitialized {
            bail!(
                "[TileDB::Query] Error: Cannot set query condition; Setting a query condition on an alreadyinitialized \
                 query is not supported."
            );
        }
        match condition {
            Some(condition) => self.condition = Some(condition.predicate()?),
            None => bail!("TileDB internal: Query conditions must not be empty"),
        }
        Ok(())
    }

    /// The condition with values of enumerations replaced by their indexes.
    fn resolved(&self) -> Result<Option<Predicate>> {
        let Some(mut predicate) = self.condition.clone() else { return Ok(None) };
        predicate.resolve(self.array.schema(), |name| self.array.enumeration(name))?;
        Ok(Some(predicate))
    }

    /// The condition made ready for reading.
    pub(super) fn program(&self) -> Result<Option<Arc<Program>>> {
        let Some(predicate) = self.resolved()? else { return Ok(None) };
        let schema = self.array.schema();
        let special = special_fields(schema, !schema.is_dense(), false);
        let program = Program::new(&predicate, |name| match name {
            TIMESTAMPS => special.first(),
            name => schema.field(name),
        })?;
        Ok(Some(Arc::new(program)))
    }

    /// Commits the deletion of all cells that meet the condition and were written up to the array's time.
    pub(super) fn submit_delete(&mut self) -> Result<()> {
        if self.array.schema().is_dense() {
            bail!("Deletes: Cannot initialize deletes; Only supported for sparse arrays");
        }
        if self.condition.is_none() {
            bail!("Deletes: Cannot initialize deletes; One condition is needed");
        }
        let committed = self.commit_delete();
        self.status = if committed.is_ok() { Status::Completed } else { Status::Failed };
        committed
    }

    fn commit_delete(&self) -> Result<()> {
        let Some(predicate) = self.resolved()? else { return Ok(()) };
        let schema = self.array.schema();
        predicate.check(|name| schema.field(name))?;
        let is_settled = |leaf: &Leaf| match leaf.value() {
            // Cells that cannot be null settle tests for null.
            Value::Null => schema.field(leaf.field()).is_some_and(|field| !field.nullable),
            _ => matches!(leaf.operator, Operator::AlwaysTrue | Operator::AlwaysFalse),
        };
        if predicate.leaves().any(is_settled) {
            bail!("TileDB internal: Invalid negation of rewritten query.");
        }
        let time = match self.array.timestamps().1 {
            0 => timestamp_now(),
            time => time,
        };
        let mut bytes = Vec::new();
        generic::write(&predicate.negated()?.write(), self.array.key(), &mut bytes)?;
        let name = FragmentName::new(time, time, schema.version().of_new_fragments());
        let file = self.array.uri().join("__commits").join(&format!("{}.del", name.as_str()));
        self.array.resources().vfs().put(&file, &bytes)
    }
}
