//! What a filter does to one chunk.

use tiledb_core::error::{Result, bail};

/// A chunk on its way through the filters: the metadata of the filters so far, newest first, in
/// `parts` of these lengths, and the data. In reverse the parts are unknown and not needed.
#[derive(Clone, Copy)]
pub(super) struct Input<'a> {
    pub(super) meta: &'a [u8],
    pub(super) parts: &'a [usize],
    pub(super) data: &'a [u8],
}

impl<'a> Input<'a> {
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

/// What a filter makes of a chunk.
#[derive(Default)]
pub(super) struct Output {
    pub(super) meta: Vec<u8>,
    pub(super) parts: Vec<usize>,
    pub(super) data: Vec<u8>,
}

impl Output {
    pub(super) fn as_input(&self) -> Input<'_> {
        Input { meta: &self.meta, parts: &self.parts, data: &self.data }
    }

    /// Ends the filter's own metadata and puts that of earlier filters behind it.
    pub(super) fn pass_on(&mut self, input: &Input<'_>) {
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
pub(super) trait Stage {
    /// True for filters that only add metadata. They leave the data of the output alone, and are given
    /// no room for the data in reverse.
    fn keeps_data(&self) -> bool {
        false
    }

    /// True for filters that tell on reading whether the bytes are those that were written.
    fn seals(&self) -> bool {
        false
    }

    /// Filters a chunk into `output`, which is empty.
    fn forward(&self, input: Input<'_>, output: &mut Output) -> Result<()>;

    /// Appends metadata and data of a chunk that no other filter touches, as they lie on disk, and tells
    /// how long the metadata are; `None`, and nothing appended, if the filter has no such shortcut.
    fn forward_alone(&self, _data: &[u8], _out: &mut Vec<u8>) -> Result<Option<usize>> {
        Ok(None)
    }

    /// The size of the data before this stage, as the metadata state it.
    fn original_size(&self, input: Input<'_>) -> Result<usize>;

    /// Undoes the stage: fills `dst` exactly and appends the earlier filters' metadata to `meta`, at
    /// most `meta_limit` bytes.
    fn reverse(&self, input: Input<'_>, meta_limit: usize, meta: &mut Vec<u8>, dst: &mut [u8]) -> Result<()>;

    /// True if this stage encodes the cells of a whole tile as strings, so that their offsets are not stored.
    fn encodes_text(&self) -> bool {
        false
    }

    /// The starts of the cells of a tile of `tile_size` bytes, of stages that encode text.
    fn reverse_starts(&self, _input: Input<'_>, _tile_size: usize, _starts: &mut [u64]) -> Result<()> {
        bail!(Internal, "No filter of the tile encodes strings")
    }
}
