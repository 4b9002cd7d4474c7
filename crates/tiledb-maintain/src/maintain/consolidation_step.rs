//! Steps of a consolidation, as reported by the preview.

use tiledb_storage::vfs::Uri;

/// What becomes one, or is divided again where `sm.consolidation.max_fragment_size` says so.
pub struct MergeStep {
    /// What is merged, by time.
    pub sources: Vec<StepSource>,
    /// Cells that there are in the end, at most.
    pub cells: u64,
    /// Bytes of the sources; what is merged has about as many.
    pub bytes: u64,
}

/// A fragment or file that is merged.
#[derive(Clone)]
pub struct StepSource {
    /// Where it comes from.
    pub origin: SourceOrigin,
    /// Its cells; 0 for files that hold none.
    pub cells: u64,
    /// Bytes of its files.
    pub bytes: u64,
}

/// Where a fragment or file comes from.
#[derive(Clone)]
pub enum SourceOrigin {
    /// It is there.
    Existing(Uri),
    /// The step of this number, counted from 1, makes it.
    Step(u64),
}

impl StepSource {
    /// A file that is there.
    pub(super) fn existing(uri: Uri, bytes: u64) -> StepSource {
        StepSource { origin: SourceOrigin::Existing(uri), cells: 0, bytes }
    }
}

impl MergeStep {
    /// One that keeps all that its sources have.
    pub(super) fn of(sources: Vec<StepSource>) -> MergeStep {
        let cells = sources.iter().map(|source| source.cells).fold(0, u64::saturating_add);
        let bytes = sources.iter().map(|source| source.bytes).fold(0, u64::saturating_add);
        MergeStep { sources, cells, bytes }
    }
}
