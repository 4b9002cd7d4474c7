//! Delete commits of a copy.
//!
//! A copy has the delete commits of the array. Its cells are deleted as they are read, as those of the array, by every library and
//! at every timestamp; and libtiledb shows cells that are marked as deleted if an array that allows duplicates has no delete commit.
//!
//! A condition means something else in the copy if a fragment stores other cells under the name of a compared attribute, or none:
//! the copy of the fragment has the newest schema, with fill values. There the condition is applied as the fragment is copied, and
//! the copy lists it as applied. A condition that the schema or the format version of the copy cannot express is applied to all
//! fragments; its commit in the copy is a placeholder, since readers check the conditions of all commits.

use std::collections::HashSet;

use super::target::not_of_source;
use crate::maintain::commits;
use tiledb_array::array::commits::last_part;
use tiledb_array::array::{ArrayDirectory, DeleteCommit, OpenArray, UnpublishedArray};
use tiledb_array::condition::{Comparison, ComparisonOperator, Condition, Predicate};
use tiledb_array::fragment::{Fragment, FragmentName};
use tiledb_array::schema::{ArraySchema, Field, check_feature};
use tiledb_core::budget::StructureBudget;
use tiledb_core::error::{ErrorContext, Result, bail};
use tiledb_core::types::{FormatFeature, FormatVersion};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;

/// The delete commits of an array that is copied with its fragments.
pub(super) struct CopiedDeletes {
    deletes: Vec<CopiedDelete>,
    /// The format version of the copy.
    version: FormatVersion,
}

/// A delete commit of the array.
struct CopiedDelete {
    commit: DeleteCommit,
    /// The compared fields: as they were at the time of the delete, and as they are in the copy.
    fields: Vec<(Option<Field>, Option<Field>)>,
    /// True if the copy can express the condition.
    is_expressible: bool,
}

impl CopiedDeletes {
    /// The delete commits of an array, for a copy of a format version.
    ///
    /// # Errors
    /// If a commit or a schema cannot be read.
    pub(super) fn new(array: &OpenArray, version: FormatVersion) -> Result<CopiedDeletes> {
        let newest = array.schema();
        let mut deletes = Vec::new();
        for (commit, condition) in array.deletes().zip(array.delete_conditions()?) {
            let schema = array.schemas().at(condition.time)?;
            let predicate = &condition.predicate;
            let fields = predicate.leaves().map(|leaf| leaf.field());
            let fields = fields.map(|name| (schema.field(name).cloned(), newest.field(name).cloned()));
            deletes.push(CopiedDelete {
                commit: commit.clone(),
                fields: fields.collect(),
                is_expressible: is_expressible(predicate, newest, version),
            });
        }
        Ok(CopiedDeletes { deletes, version })
    }

    /// No delete commits.
    pub(super) fn none(version: FormatVersion) -> CopiedDeletes {
        CopiedDeletes { deletes: Vec::new(), version }
    }

    /// The directory of the array with those delete commits that are applied as `fragment` is copied.
    ///
    /// # Errors
    /// If the conditions that were applied to the fragment cannot be read.
    pub(super) fn applied(&self, directory: &ArrayDirectory, fragment: &Fragment) -> Result<ArrayDirectory> {
        let start = fragment.timestamps().0;
        let processed: HashSet<&String> = fragment.processed_conditions()?.iter().collect();
        let is_applied = |delete: &&CopiedDelete| {
            delete.commit.name.timestamps().0 >= start
                && !processed.contains(&delete.commit.marker)
                && !(delete.is_expressible && delete.is_stored_alike(fragment))
        };
        let applied = self.deletes.iter().filter(is_applied).map(|delete| &delete.commit.marker);
        let applied: HashSet<&String> = applied.collect();
        Ok(directory.with_deletes(|delete| applied.contains(&delete.marker)))
    }

    /// The names in the copy of delete commits that a fragment lists.
    pub(super) fn markers(&self, markers: &[String]) -> Vec<String> {
        markers.iter().map(|marker| marker_of_version(marker, self.version)).collect()
    }

    /// Writes the commits into a copy, and removes others that an earlier attempt has left.
    ///
    /// # Errors
    /// If storage fails, or the copy is an array with a delete commit that the array does not have.
    pub(super) fn write(
        &self,
        resources: &Resources,
        array: &OpenArray,
        copy: &UnpublishedArray,
        (key, is_published): (&EncryptionKey, bool),
    ) -> Result<()> {
        let to = copy.uri();
        let vfs = resources.vfs();
        let budget = StructureBudget::of(resources.config())?;
        let markers: HashSet<String> =
            self.deletes.iter().map(|delete| marker_of_version(&delete.commit.marker, self.version)).collect();
        let present = copy.directory()?;
        let others: Vec<&DeleteCommit> =
            present.deletes().iter().filter(|delete| !markers.contains(&delete.marker)).collect();
        match others.first() {
            Some(other) if is_published => return Err(not_of_source("delete", &other.marker, to, array.uri())),
            _ => vfs.remove_files(&others.iter().map(|delete| delete.uri.clone()).collect::<Vec<_>>())?,
        }
        for delete in &self.deletes {
            let commit = &delete.commit;
            let predicate = match delete.is_expressible {
                true => Predicate::load(&commits::bytes_of(vfs, commit)?, key, budget)
                    .context(|| format!("Cannot read the delete commit '{}'", commit.marker))?,
                false => placeholder(array.schema())?,
            };
            let name = marker_of_version(&commit.marker, self.version);
            let bytes = predicate.store(&[], FragmentName::parse(last_part(&name))?.version(), key, budget)?;
            vfs.put(&to.join_relative(&name)?, &bytes)?;
        }
        Ok(())
    }
}

impl CopiedDelete {
    /// True if the copy of `fragment` stores all compared fields as the fragment does.
    fn is_stored_alike(&self, fragment: &Fragment) -> bool {
        let time = self.commit.name.timestamps().0;
        self.fields.iter().all(|fields| match fields {
            (Some(of_then), Some(newest)) => {
                newest.is_like(of_then)
                    && fragment.stored(newest).is_some()
                    && fragment.stored_at(of_then, time).is_some()
            }
            _ => false,
        })
    }
}

/// True if a condition fits a schema, and a format version has all its operators.
fn is_expressible(predicate: &Predicate, schema: &ArraySchema, version: FormatVersion) -> bool {
    let of_set = |operator| matches!(operator, ComparisonOperator::In | ComparisonOperator::NotIn);
    let has_set = predicate.leaves().any(|leaf| of_set(leaf.operator));
    predicate.check(|name| schema.field(name)).is_ok()
        && !(has_set && check_feature(FormatFeature::DeleteBySet, "", version).is_err())
}

/// A condition that deletes nothing, as delete commits store it: a comparison that all cells meet, as far as a single one can.
fn placeholder(schema: &ArraySchema) -> Result<Predicate> {
    let dimensions = schema.domain().dimensions();
    let Some(dimension) = dimensions.first() else { bail!(Internal, "A schema without dimensions") };
    let value = match dimension.is_var() {
        true => Vec::new(),
        false => dimension.domain_bytes().unwrap_or_default()[..dimension.size()].to_vec(),
    };
    let comparison = Comparison::new(dimension.name(), Some(&value), ComparisonOperator::GreaterOrEqual)?;
    Condition::new(comparison).predicate()
}

/// The relative name of a delete commit in a copy of `version`, if it is older than the commit.
fn marker_of_version(marker: &str, version: FormatVersion) -> String {
    let is_newer = FragmentName::parse(last_part(marker))
        .is_ok_and(|name| name.version() > version && version.has_commits_folder());
    match marker.rsplit_once('_') {
        Some((stem, _)) if is_newer => format!("{stem}_{}.del", version.number()),
        _ => marker.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tiledb_array::schema::{Attribute, Dimension, Domain};
    use tiledb_core::types::{ArrayType, Datatype};

    fn version(number: u32) -> FormatVersion {
        FormatVersion::from_number(number).unwrap()
    }

    #[test]
    fn marker_of_a_copy_has_its_version_if_that_is_older() {
        let marker = |number: u32| format!("__commits/__3_4_0123456789abcdef0123456789abcdef_{number}.del");
        for (stored, copied, expected) in
            [(22, 20, 20), (21, 20, 20), (20, 20, 20), (20, 22, 20), (22, 12, 12), (22, 11, 22)]
        {
            assert_eq!(marker_of_version(&marker(stored), version(copied)), marker(expected), "{stored} in {copied}");
        }
        assert_eq!(marker_of_version("__commits/of_others.del", version(20)), "__commits/of_others.del");
    }

    #[test]
    fn condition_is_expressible_if_the_schema_and_the_version_have_all_of_it() {
        let dimension = Dimension::new("d", Datatype::Uint8, Some(&[1, 8]), Some(&[4])).unwrap();
        let mut schema = ArraySchema::new(ArrayType::Sparse);
        schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
        schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Uint8))).unwrap();
        let compared = |name: &str| Comparison::new(name, Some(&[5]), ComparisonOperator::Less).unwrap();
        let comparison = |name: &str| Condition::new(compared(name)).predicate().unwrap();
        let is_expressible = |predicate: &Predicate, number: u32| is_expressible(predicate, &schema, version(number));
        assert!(is_expressible(&comparison("a"), 22) && is_expressible(&comparison("a"), 16));
        assert!(!is_expressible(&comparison("b"), 22), "an attribute that was dropped");
        let set = Comparison::set("a", &[5, 6], &[0, 1], ComparisonOperator::In).unwrap();
        let set = Condition::new(set).predicate().unwrap();
        assert_eq!([22, 20, 19, 16].map(|number| is_expressible(&set, number)), [true, true, false, false]);
        let placeholder = placeholder(&schema).unwrap();
        assert!(is_expressible(&placeholder, 16), "libraries check the conditions of all commits");
    }
}
