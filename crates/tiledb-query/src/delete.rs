//! Delete and update queries.

use crate::transfer::progress::Status;
use crate::transfer::request::QueryRequest;
use crate::transfer::state::Transfer;
use tiledb_array::array::ArrayDirectory;
use tiledb_array::condition::{ComparisonOperator, ComparisonValue, Leaf, Predicate, Simplified};
use tiledb_array::fragment::{FragmentName, claim};
use tiledb_array::schema::check_feature;
use tiledb_core::budget::StructureBudget;
use tiledb_core::error::{Result, bail};
use tiledb_core::stats::Timer;
use tiledb_core::types::{FormatFeature, FormatVersion, Name, NamedList, QueryType};
use tiledb_core::wire::WireWriter;

/// The values that attributes get in an update.
#[derive(Default)]
pub(crate) struct Updates(NamedList<(Name, Option<Vec<u8>>)>);

impl Updates {
    /// Sets the value that an attribute gets in all cells that match the condition; `None` for null.
    ///
    /// # Errors
    /// For queries that do not update, and where the attribute has a value already.
    pub(crate) fn add(&mut self, request: &QueryRequest, name: &str, value: Option<&[u8]>) -> Result<()> {
        if request.kind != QueryType::Update {
            bail!(
                "[TileDB::Query] Error: Cannot add query update value; Operation only applicable to update queries: that of \
                 '{name}' is of type {}",
                request.kind.name()
            );
        }
        if self.0.get(name).is_some() {
            bail!("[TileDB::Query] Error: Update value already set for attribute '{name}'");
        }
        self.0.push((Name::new(name), value.map(<[u8]>::to_vec)));
        Ok(())
    }

    fn check(&self, request: &QueryRequest) -> Result<()> {
        for (name, value) in &self.0 {
            let Some(field) = request.array.schema().field(name) else {
                bail!("UpdateValue: Field name doesn't exist: there is no attribute '{name}'")
            };
            if field.is_dimension {
                bail!("UpdateValue: Can only update attributes: '{name}' is a dimension");
            }
            let actual_size = value.as_ref().map_or(0, Vec::len);
            match value {
                _ if field.is_var() => (),
                None if field.nullable => (),
                None => {
                    bail!("UpdateValue: Null value can only be used with nullable attributes: '{name}' is not nullable")
                }
                Some(_) if actual_size == field.cell_size() => (),
                Some(_) => {
                    let expected_size = field.cell_size();
                    bail!(
                        "UpdateValue: Value node condition value size mismatch: {expected_size} != {actual_size}; attribute: '{name}'"
                    )
                }
            }
        }
        Ok(())
    }

    /// The values as an update commit stores them after the condition: their number, then names and bytes.
    fn bytes(&self) -> Result<Vec<u8>> {
        let mut w = WireWriter::new();
        w.u64(self.0.len() as u64);
        for (name, value) in &self.0 {
            let value = value.as_deref().unwrap_or_default();
            w.str64(name).u64(value.len() as u64).bytes(value);
        }
        w.finish()
    }
}

/// Commits the deletion of all cells that match the condition and were written up to the array's time, or, if there
/// are values, that these cells get them.
///
/// # Errors
/// If the condition does not fit the array, or storage fails.
pub(crate) fn submit(deletion: &mut Transfer, updates: &Updates) -> Result<()> {
    let request = &deletion.request;
    if request.array.schema().is_dense() {
        bail!(
            "Deletes: Cannot initialize deletes; Only supported for sparse arrays: '{}' is dense; write fill values instead",
            request.array.uri()
        );
    }
    if !deletion.filter.is_set() {
        bail!("Deletes: Cannot initialize deletes; One condition is needed: call tiledb_query_set_condition");
    }
    let stats = request.stats.clone();
    let _timer = stats.timer(Timer::Delete);
    let committed = commit(deletion, updates);
    deletion.run.status = if committed.is_ok() { Status::Completed } else { Status::Failed };
    committed
}

fn commit(deletion: &Transfer, updates: &Updates) -> Result<()> {
    let request = &deletion.request;
    let array = &request.array;
    let Some(predicate) = deletion.filter.resolved(request)? else { return Ok(()) };
    let schema = array.schema();
    predicate.check(|name| schema.field(name))?;
    let has_nulls = |leaf: &Leaf| schema.field(leaf.field()).is_some_and(|field| field.nullable);
    // Comparisons that are met by all cells or by none, which no commit can store.
    let is_constant = |leaf: &Leaf| match leaf.value() {
        ComparisonValue::Set { offsets, .. } => offsets.is_empty(),
        ComparisonValue::Null => !has_nulls(leaf),
        ComparisonValue::Bytes(_) => {
            matches!(leaf.operator, ComparisonOperator::AlwaysTrue | ComparisonOperator::AlwaysFalse)
        }
    };
    let known = |leaf: &Leaf| match leaf.operator {
        _ if !is_constant(leaf) => None,
        ComparisonOperator::AlwaysFalse | ComparisonOperator::In | ComparisonOperator::Equal => Some(false),
        // Null cells may meet it or not.
        _ if has_nulls(leaf) => None,
        ComparisonOperator::AlwaysTrue | ComparisonOperator::NotIn | ComparisonOperator::NotEqual => Some(true),
        _ => None,
    };
    let predicate = match predicate.simplified(known) {
        Simplified::Known(false) => return updates.check(request),
        Simplified::Predicate(predicate) if !predicate.leaves().any(is_constant) => predicate,
        _ => bail!(
            "TileDB internal: Invalid negation of rewritten query. All cells meet the condition, or all that are not null, since an \
             enumeration lacks a value or a field cannot be null; compare with null, or delete the fragments"
        ),
    };
    let time = match array.timestamps().1 {
        0 => claim(array.uri()),
        time => time,
    };
    updates.check(request)?;
    check_moment(request, time)?;
    let version = schema.version().of_new_fragments();
    let stored = predicate.stored_negation(|name| schema.field(name))?;
    check_operators(&stored, array.config().write_format_version()?, version)?;
    let values = if updates.0.is_empty() { Vec::new() } else { updates.bytes()? };
    let bytes = stored.store(&values, version, array.key(), StructureBudget::of(array.config())?)?;
    let name = FragmentName::new(time, time, version);
    let extension = if updates.0.is_empty() { "del" } else { "upd" };
    let file = array.uri().join("__commits").join(&format!("{}.{extension}", name.as_str()));
    array.resources().vfs().put(&file, &bytes)
}

/// Rejects operators that the requested version, or that of the array if it is newer, cannot express.
fn check_operators(predicate: &Predicate, requested: Option<FormatVersion>, version: FormatVersion) -> Result<()> {
    let Some(requested) = requested else { return Ok(()) };
    let of_set = |leaf: &&Leaf| matches!(leaf.operator, ComparisonOperator::In | ComparisonOperator::NotIn);
    match predicate.leaves().find(of_set) {
        Some(leaf) => {
            let part = format!("the delete condition on '{}'", leaf.field());
            check_feature(FormatFeature::DeleteBySet, &part, requested.max(version))
        }
        None => Ok(()),
    }
}

/// Rejects a time within a fragment that older formats consolidated without the times of cells.
fn check_moment(request: &QueryRequest, time: u64) -> Result<()> {
    let directory = ArrayDirectory::load(request.array.resources().vfs(), request.array.uri())?;
    let without_times = directory.fragments().iter().filter(|name| !name.version().has_touching_visibility());
    for name in without_times {
        let (start, end) = name.timestamps();
        if (start..=end).contains(&time) {
            bail!("Deletes: Cannot write a delete in the middle of a fragment consolidated without timestamps.");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_an_update_are_counted_and_have_their_lengths() {
        let mut updates = Updates::default();
        updates.0.push((Name::new("a"), Some(vec![1, 2, 3])));
        updates.0.push((Name::new("bc"), None));
        let word = |number: u64| number.to_le_bytes().to_vec();
        let expected = [word(2), word(1), b"a".to_vec(), word(3), vec![1, 2, 3], word(2), b"bc".to_vec(), word(0)];
        assert_eq!(updates.bytes().unwrap(), expected.concat());
    }
}
