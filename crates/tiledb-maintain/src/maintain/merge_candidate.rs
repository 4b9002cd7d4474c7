//! Facts about the fragments of an array by which a policy selects those to be merged.

use super::candidates::{Candidate, Candidates};
use super::dense_tile_box::DenseTileBox;
use super::fragments::exclude_unstorable;
use tiledb_array::fragment::{FragmentName, timestamp_now};
use tiledb_array::schema::ArraySchema;
use tiledb_core::error::Result;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// A visible fragment.
#[derive(Clone, Debug)]
pub(crate) struct MergeCandidate {
    pub(crate) name: FragmentName,
    /// Bytes of all its files.
    pub(crate) bytes: u64,
    /// Number of cells, in dense arrays those of whole tiles.
    pub(crate) cells: u64,
    /// Tiles of a fragment of a dense array; none of others.
    pub(crate) tiles: Option<DenseTileBox>,
    /// False if consolidation leaves it as it is: cells in the future, or a fill value that filters cannot store.
    pub(crate) is_mergeable: bool,
}

/// The visible fragments of an array, by time.
pub(super) fn load(resources: &Resources, uri: &Uri, schema: &ArraySchema) -> Result<Vec<MergeCandidate>> {
    let mut candidates = Candidates::load(resources, uri, (0, timestamp_now()))?;
    let all = [candidates.inside.clone(), candidates.after.clone()].concat();
    exclude_unstorable(&mut candidates, schema);
    let mut mergeable = candidates.inside.iter().map(|candidate| candidate.fragment.name()).peekable();
    let describe = |candidate: &Candidate| MergeCandidate {
        name: candidate.fragment.name().clone(),
        bytes: candidate.size,
        cells: candidate.dense_cells().unwrap_or(candidate.fragment.cell_count()),
        tiles: candidate.dense_tiles(),
        // Both lists have the same order.
        is_mergeable: mergeable.next_if_eq(&candidate.fragment.name()).is_some(),
    };
    Ok(all.iter().map(describe).collect())
}
