//! Interface of a filter that processes one chunk.

use crate::codec::StringTarget;
use tiledb_core::error::{Result, bail};

/// Input of a stage: the metadata of earlier filters, newest first, in `parts` of these lengths, and the data. When
/// reading, the parts are unknown and not needed.
#[derive(Clone, Copy)]
pub(super) struct StageInput<'a> {
    pub(super) meta: &'a [u8],
    pub(super) parts: &'a [usize],
    pub(super) data: &'a [u8],
}

impl<'a> StageInput<'a> {
    /// Every part: those of the metadata, then the data.
    pub(super) fn parts(&self) -> impl Iterator<Item = &'a [u8]> {
        let mut rest = self.meta;
        let data = self.data;
        let meta_parts = self.parts.iter().map(move |&len| {
            let (part, tail) = rest.split_at_checked(len).unwrap_or((rest, &[]));
            rest = tail;
            part
        });
        meta_parts.chain(std::iter::once(data))
    }
}

/// Metadata and data that a filter produces from a chunk.
#[derive(Default)]
pub(super) struct StageOutput {
    pub(super) meta: Vec<u8>,
    pub(super) parts: Vec<usize>,
    pub(super) data: Vec<u8>,
}

impl StageOutput {
    pub(super) fn as_input(&self) -> StageInput<'_> {
        StageInput { meta: &self.meta, parts: &self.parts, data: &self.data }
    }

    /// Completes the filter's own metadata and appends that of earlier filters.
    pub(super) fn append_earlier_metadata(&mut self, input: &StageInput<'_>) {
        self.parts.push(self.meta.len());
        self.meta.extend_from_slice(input.meta);
        self.parts.extend_from_slice(input.parts);
    }

    pub(super) fn clear(&mut self) {
        self.meta.clear();
        self.parts.clear();
        self.data.clear();
    }
}

/// A filter with all it needs to work on the chunks of one tile.
pub(super) trait FilterStage {
    /// True for filters that only add metadata. They leave the data of the output alone, and get no buffer for the data
    /// when reading.
    fn leaves_data_unchanged(&self) -> bool {
        false
    }

    /// True for filters that detect corruption when reading.
    fn verifies_integrity(&self) -> bool {
        false
    }

    /// Filters a chunk into `output`, which is empty.
    fn forward(&self, input: StageInput<'_>, output: &mut StageOutput) -> Result<()>;

    /// Appends metadata and data of a chunk that no other filter processes, and returns the length of the metadata;
    /// `None`, with nothing appended, if the filter has no such shortcut.
    fn forward_as_only_stage(&self, _data: &[u8], _out: &mut Vec<u8>) -> Result<Option<usize>> {
        Ok(None)
    }

    /// The size of the data before this stage, as the metadata state it.
    fn original_size(&self, input: StageInput<'_>) -> Result<usize>;

    /// Decodes the stage: fills `dst` exactly and appends the earlier filters' metadata to `meta`, at most `meta_limit`
    /// bytes.
    fn reverse(&self, input: StageInput<'_>, meta_limit: usize, meta: &mut Vec<u8>, dst: &mut [u8]) -> Result<()>;

    /// True if this stage encodes the cells of a whole tile as strings, so that their offsets are not stored.
    fn encodes_text(&self) -> bool {
        false
    }

    /// Decodes the cells of a tile, of stages that encode text.
    fn reverse_strings(&self, _input: StageInput<'_>, _target: StringTarget<'_>) -> Result<()> {
        bail!(Internal, "No filter of the tile encodes strings")
    }
}
