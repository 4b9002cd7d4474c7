//! Steps of a consolidation, as reported by the preview.

use tiledb_storage::vfs::Uri;

/// A set of sources that become one fragment or file, or several if `sm.consolidation.max_fragment_size` requires it.
pub struct MergeStep {
    /// Sources, by time.
    pub sources: Vec<StepSource>,
    /// Cells that there are in the end, at most.
    pub cells: u64,
    /// Bytes of the sources; the result has about the same size.
    pub bytes: u64,
}

/// A fragment or file that is merged.
#[derive(Clone)]
pub struct StepSource {
    pub origin: SourceOrigin,
    /// Number of cells; 0 for files without any.
    pub cells: u64,
    /// Bytes of its files.
    pub bytes: u64,
}

/// Origin of a fragment or file.
#[derive(Clone)]
pub enum SourceOrigin {
    /// An existing one.
    Existing(Uri),
    /// The step of this number, counted from 1, makes it.
    Step(u64),
}

impl StepSource {
    /// An existing file.
    pub(super) fn existing(uri: Uri, bytes: u64) -> StepSource {
        StepSource { origin: SourceOrigin::Existing(uri), cells: 0, bytes }
    }
}

impl MergeStep {
    /// A step whose result holds all cells of its sources.
    pub(super) fn of(sources: Vec<StepSource>) -> MergeStep {
        let cells = sources.iter().map(|source| source.cells).fold(0, u64::saturating_add);
        let bytes = sources.iter().map(|source| source.bytes).fold(0, u64::saturating_add);
        MergeStep { sources, cells, bytes }
    }
}
