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
