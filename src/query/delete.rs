//! Conditions of queries, and queries that delete cells or give them other values.

use std::sync::Arc;

use super::state::{Query, Status};
use crate::array::ArrayDirectory;
use crate::condition::{Condition, Leaf, Operator, Predicate, Value};
use crate::error::{Result, bail};
use crate::fragment::{FragmentName, TIMESTAMPS, claim, special_fields};
use crate::query::predicate::program::Program;
use crate::stats::Timer;
use crate::tile::generic;
use crate::types::{Name, QueryType};
use crate::wire::Writer;

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

    /// Sets the value that an attribute gets in all cells that meet the condition; `None` for null.
    ///
    /// # Errors
    /// For queries that do not update, and where the attribute has a value already.
    pub fn add_update_value(&mut self, name: &str, value: Option<&[u8]>) -> Result<()> {
        if self.kind != QueryType::Update {
            bail!("[TileDB::Query] Error: Cannot add query update value; Operation only applicable to update queries");
        }
        if self.updates.iter().any(|(other, _)| &**other == name) {
            bail!("[TileDB::Query] Error: Update value already set for attribute");
        }
        self.updates.push((Name::new(name), value.map(<[u8]>::to_vec)));
        Ok(())
    }

    fn check_updates(&self) -> Result<()> {
        for (name, value) in &self.updates {
            let Some(field) = self.array.schema().field(name) else { bail!("UpdateValue: Field name doesn't exist") };
            if field.is_dimension {
                bail!("UpdateValue: Can only update attributes");
            }
            let given = value.as_ref().map_or(0, Vec::len);
            match value {
                _ if field.is_var() => (),
                None if field.nullable => (),
                None => bail!("UpdateValue: Null value can only be used with nullable attributes"),
                Some(_) if given == field.cell_size() => (),
                Some(_) => {
                    let wanted = field.cell_size();
                    bail!("UpdateValue: Value node condition value size mismatch: {wanted} != {given}")
                }
            }
        }
        Ok(())
    }

    /// Commits the deletion of all cells that meet the condition and were written up to the array's time, or, if there
    /// are values, that these cells get them.
    pub(super) fn submit_delete(&mut self) -> Result<()> {
        if self.array.schema().is_dense() {
            bail!("Deletes: Cannot initialize deletes; Only supported for sparse arrays");
        }
        if self.condition.is_none() {
            bail!("Deletes: Cannot initialize deletes; One condition is needed");
        }
        let stats = self.stats.clone();
        let _timer = stats.timer(Timer::Delete);
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
            0 => claim(self.array.uri()),
            time => time,
        };
        self.check_updates()?;
        self.check_moment(time)?;
        let mut content = predicate.negated()?.write()?;
        if !self.updates.is_empty() {
            content.extend_from_slice(&self.update_values()?);
        }
        let mut bytes = Vec::new();
        generic::write(&content, self.array.key(), &mut bytes)?;
        let name = FragmentName::new(time, time, schema.version().of_new_fragments());
        let extension = if self.updates.is_empty() { "del" } else { "upd" };
        let file = self.array.uri().join("__commits").join(&format!("{}.{extension}", name.as_str()));
        self.array.resources().vfs().put(&file, &bytes)
    }

    /// Refuses a time in the middle of what older formats merged without keeping the times of cells.
    fn check_moment(&self, time: u64) -> Result<()> {
        let directory = ArrayDirectory::load(self.array.resources().vfs(), self.array.uri())?;
        let without_times = directory.fragments().iter().filter(|name| !name.version().has_touching_visibility());
        for name in without_times {
            let (start, end) = name.timestamps();
            if (start..=end).contains(&time) {
                bail!("Deletes: Cannot write a delete in the middle of a fragment consolidated without timestamps.");
            }
        }
        Ok(())
    }

    /// The values as an update commit has them behind the condition: how many, then names and bytes.
    fn update_values(&self) -> Result<Vec<u8>> {
        let mut w = Writer::new();
        w.u64(self.updates.len() as u64);
        for (name, value) in &self.updates {
            let value = value.as_deref().unwrap_or_default();
            w.str64(name).u64(value.len() as u64).bytes(value);
        }
        w.finish()
    }
}
