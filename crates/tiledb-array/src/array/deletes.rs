//! Conditions of delete commits.

use super::DeleteCommit;
use crate::condition::Predicate;
use tiledb_core::budget::StructureBudget;
use tiledb_core::error::{ErrorContext, Result, bail};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;

/// A deletion: of the cells written up to its time only those remain that match the predicate.
#[derive(Debug)]
pub struct DeleteCondition {
    /// The relative name of the commit, which fragments list once they are free of the deleted cells.
    pub marker: String,
    /// Timestamp of the deletion.
    pub time: u64,
    /// The negated condition of the delete query, as its commit stores it. Null cells, and NaN in inequalities, match neither
    /// the condition nor its negation, and are deleted, as libtiledb deletes them.
    pub predicate: Predicate,
}

/// Reads the conditions of delete commits.
///
/// # Errors
/// If a commit cannot be read.
pub(super) fn read(
    resources: &Resources,
    key: &EncryptionKey,
    commits: &[&DeleteCommit],
) -> Result<Vec<DeleteCondition>> {
    let vfs = resources.vfs();
    let budget = StructureBudget::of(resources.config())?;
    let Some(first) = commits.first() else { return Ok(Vec::new()) };
    vfs.map(&first.uri, commits.len(), |index| {
        let commit = commits[index];
        let file = vfs.read(&commit.uri)?;
        let of_commit = || format!("Cannot read the delete commit '{}' in '{}'", commit.marker, commit.uri);
        let range = commit.range.clone().unwrap_or(0..file.len() as u64);
        // The end of a range that comes from a message is unknown.
        let end = if range.end == u64::MAX { file.len() } else { range.end as usize };
        let Some(bytes) = file.get(range.start as usize..end) else {
            bail!(Corrupt, "{}: the file has only {} bytes", of_commit(), file.len());
        };
        let predicate = Predicate::load(bytes, key, budget).context(of_commit)?;
        Ok(DeleteCondition { marker: commit.marker.clone(), time: commit.name.timestamps().0, predicate })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::{Comparison, ComparisonOperator, Condition};
    use crate::fragment::FragmentName;
    use tiledb_core::config::Config;
    use tiledb_core::types::CURRENT_VERSION;
    use tiledb_storage::vfs::Uri;

    #[test]
    fn condition_is_read_from_its_part_of_a_file() {
        let resources = Resources::new(Config::new()).unwrap();
        let budget = StructureBudget::of(resources.config()).unwrap();
        let comparison = Comparison::new("a", Some(&[7]), ComparisonOperator::Less).unwrap();
        let predicate = Condition::new(comparison).predicate().unwrap();
        let condition = predicate.store(&[], CURRENT_VERSION, &EncryptionKey::None, budget).unwrap();
        let end = 5 + condition.len() as u64;
        // Bytes before and after the condition, and its range; an unknown end is that of the file.
        for (number, (before, after, range, is_read)) in [
            (0, 0, None, true),
            (5, 3, Some(5..end), true),
            (5, 0, Some(5..u64::MAX), true),
            (5, 3, Some(5..end + 4), false),
            (5, 3, Some(4..end), false),
        ]
        .into_iter()
        .enumerate()
        {
            let uri = Uri::parse(&format!("mem://delete_commits/{number}")).unwrap();
            let bytes = [&vec![9; before][..], &condition, &vec![9; after]].concat();
            resources.vfs().put(&uri, &bytes).unwrap();
            let name = FragmentName::new(3, 3, CURRENT_VERSION);
            let commit = DeleteCommit { name, marker: "marker".to_owned(), uri, range };
            match read(&resources, &EncryptionKey::None, &[&commit]) {
                Ok(conditions) => {
                    assert!(is_read, "{number}");
                    assert_eq!((conditions[0].time, conditions[0].marker.as_str()), (3, "marker"));
                    assert_eq!(conditions[0].predicate.leaves().count(), 1, "{number}");
                }
                Err(error) => assert!(!is_read && error.text().contains("delete commit 'marker'"), "{error:?}"),
            }
        }
    }
}
