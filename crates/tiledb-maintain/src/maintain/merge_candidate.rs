//! Facts about the fragments of an array by which a policy selects those to be merged.

use super::candidates::{Candidate, Candidates};
use super::dense_tile_box::DenseTileBox;
use super::fragments::exclude_unstorable;
use super::merge_rule::{CellPrecedence, FragmentBox};
use tiledb_array::array::FragmentInfo;
use tiledb_array::fragment::{FragmentName, timestamp_now};
use tiledb_array::schema::ArraySchema;
use tiledb_cells::space::grid::CoordSpan;
use tiledb_core::error::Result;
use tiledb_core::sort;

/// A fragment that readers see.
#[derive(Clone, Debug)]
pub(crate) struct MergeCandidate {
    pub(crate) name: FragmentName,
    /// Bytes of all its files.
    pub(crate) bytes: u64,
    /// Number of cells, in dense arrays those of whole tiles.
    pub(crate) cells: u64,
    /// Tiles of a fragment of a dense array; none of others.
    pub(crate) tiles: Option<DenseTileBox>,
    /// The box around its cells, for the rule of merges.
    pub(crate) region: Vec<CoordSpan>,
    /// The last time of the fragment that replaced it, if it is visible to readers as of earlier times only.
    pub(crate) replaced_by: Option<u64>,
    /// Which of several fragments of the array supplies a cell.
    pub(crate) precedence: CellPrecedence,
    /// False if consolidation leaves it as it is: cells in the future, or a fill value that filters cannot store.
    pub(crate) is_mergeable: bool,
}

/// The fragments of an array that readers see, by time, of those that `info` has.
pub(super) fn load(info: &FragmentInfo, schema: &ArraySchema) -> Result<Vec<MergeCandidate>> {
    let mut candidates = Candidates::of_loaded(info, (0, timestamp_now()))?;
    exclude_unstorable(&mut candidates, schema);
    let precedence = candidates.precedence;
    let describe = |candidate: Candidate, is_mergeable: bool| MergeCandidate {
        bytes: candidate.size,
        cells: candidate.dense_cells().unwrap_or(candidate.fragment.cell_count()),
        tiles: candidate.dense_tiles(),
        name: candidate.name,
        region: candidate.region,
        replaced_by: None,
        precedence,
        is_mergeable,
    };
    let hidden = |replaced: FragmentBox| MergeCandidate {
        name: replaced.name,
        bytes: 0,
        cells: 0,
        tiles: None,
        region: replaced.region,
        replaced_by: replaced.replaced_by,
        precedence,
        is_mergeable: false,
    };
    let Candidates { before, inside, after, excluded, replaced, .. } = candidates;
    let fixed = [before, after, excluded].into_iter().flatten().map(|candidate| describe(candidate, false));
    let mut all: Vec<MergeCandidate> = fixed.collect();
    all.extend(inside.into_iter().map(|candidate| describe(candidate, true)));
    all.extend(replaced.into_iter().map(hidden));
    sort::by(&mut all, |a, b| a.name.cmp(&b.name));
    Ok(all)
}
