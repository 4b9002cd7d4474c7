//! Filter pipelines: the ordered lists of filters of fields.

use super::scale_float::Placeholder;
use super::{Filter, FilterType};
use tiledb_core::error::Result;
use tiledb_core::memory;
use tiledb_core::types::{CellValNum, Datatype, FormatFeature, FormatVersion};
use tiledb_core::wire::{WireReader, WireWriter};

/// Bytes of a chunk, whatever a pipeline states, unless it states 0.
pub const CHUNK_SIZE: usize = 65536;

/// Properties of a tile that filters depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileShape {
    /// The type of the values at the start of the pipeline.
    pub datatype: Datatype,
    /// Bytes of a whole fixed cell; of one value of variable-sized data; 8 for offsets, 1 for validity.
    pub cell_size: usize,
    /// True for the values of variable-sized cells.
    pub is_var: bool,
    /// The format version of the tile.
    pub version: FormatVersion,
}

impl TileShape {
    /// The shape of offsets tiles.
    pub fn offsets(version: FormatVersion) -> TileShape {
        TileShape { datatype: Datatype::Uint64, cell_size: 8, is_var: false, version }
    }

    /// The shape of validity tiles.
    pub fn validity(version: FormatVersion) -> TileShape {
        TileShape { datatype: Datatype::Uint8, cell_size: 1, is_var: false, version }
    }
}

/// Filters in the order in which writes apply them.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    filters: Vec<Filter>,
    max_chunk_size: u32,
    skip_checksums: bool,
}

impl Default for Pipeline {
    fn default() -> Pipeline {
        Pipeline::new(Vec::new())
    }
}

impl Pipeline {
    /// A pipeline of these filters with the usual chunk size.
    pub fn new(filters: Vec<Filter>) -> Pipeline {
        Pipeline { filters, max_chunk_size: CHUNK_SIZE as u32, skip_checksums: false }
    }

    pub fn filters(&self) -> &[Filter] {
        &self.filters
    }

    /// The features that an array uses with this pipeline for values of a datatype, of those that some writable format
    /// version lacks.
    pub fn features(&self, datatype: Datatype) -> Vec<FormatFeature> {
        let (mut features, mut input) = (Vec::new(), datatype);
        for filter in &self.filters {
            features.extend(filter.feature());
            if filter.distinguishes(input, datatype) {
                features.push(FormatFeature::ConvertedFilterInput);
            }
            input = filter.output_datatype(input);
        }
        features
    }

    /// Appends a filter.
    pub fn push(&mut self, filter: Filter) {
        self.filters.push(filter);
    }

    /// True without filters.
    pub fn is_empty(&self) -> bool {
        self.filters.is_empty()
    }

    /// The chunk size as stored. Only 0 has a meaning: the whole tile is one chunk.
    pub fn max_chunk_size(&self) -> u32 {
        self.max_chunk_size
    }

    /// Sets the stored chunk size.
    pub fn set_max_chunk_size(&mut self, bytes: u32) {
        self.max_chunk_size = bytes;
    }

    /// Disables the comparison of checksums when reading (`sm.skip_checksum_validation`).
    pub fn skip_checksums(&mut self) {
        self.skip_checksums = true;
    }

    /// True unless digests are ignored.
    pub fn checks_checksums(&self) -> bool {
        !self.skip_checksums
    }

    /// This pipeline as an array of tiles of `y` rows of `x` bytes needs it ([`Filter::for_tiles_of`]).
    ///
    /// # Errors
    /// If such a tile is no image that a WEBP filter can make.
    pub fn for_tiles_of(&self, y: u64, x: u64) -> Result<Pipeline> {
        let filters = self.filters.iter().map(|filter| filter.for_tiles_of(y, x)).collect::<Result<_>>()?;
        Ok(Pipeline { filters, ..*self })
    }

    /// True if a filter of this kind is in the list.
    pub fn has(&self, kind: FilterType) -> bool {
        self.filters.iter().any(|filter| filter.kind() == kind)
    }

    /// Replacement for values of `datatype` that the pipeline cannot store, in cells that are never read: float scaling
    /// has a limited range.
    pub fn placeholder(&self, datatype: Datatype) -> Option<Placeholder> {
        self.filters.iter().find_map(|filter| match *filter {
            Filter::ScaleFloat { factor, offset, byte_width } => {
                Placeholder::new(datatype, factor, offset, byte_width as usize)
            }
            _ => None,
        })
    }

    /// Range check of values of `datatype`, if the pipeline cannot store all of them: float scaling that is not
    /// preceded by filters that change the values.
    pub fn value_check(&self, datatype: Datatype) -> Option<Placeholder> {
        let is_digest =
            |filter: &&Filter| matches!(filter.kind(), FilterType::ChecksumMd5 | FilterType::ChecksumSha256);
        let first = self.filters.iter().find(|filter| !is_digest(filter))?;
        self.placeholder(datatype).filter(|_| first.kind() == FilterType::ScaleFloat)
    }

    /// True if the variable-sized strings of a field are encoded as strings (RLE, DICTIONARY): then the
    /// field's offsets are not stored but rebuilt from the values.
    pub fn encodes_strings(&self, datatype: Datatype, cell_val_num: CellValNum, version: FormatVersion) -> bool {
        cell_val_num.is_var() && self.filters.iter().any(|filter| filter.encodes_text(datatype, version))
    }

    /// True if tiles are not cut into chunks because of a filter.
    pub(super) fn needs_single_chunk(&self, shape: &TileShape) -> bool {
        let is_whole = |filter: &Filter| {
            filter.kind() == FilterType::Webp || shape.is_var && filter.encodes_text(shape.datatype, shape.version)
        };
        self.filters.iter().any(is_whole)
    }

    /// Reads a pipeline from a schema or a generic tile of `version`.
    ///
    /// # Errors
    /// If the bytes are no pipeline.
    pub fn read(r: &mut WireReader<'_>, version: FormatVersion) -> Result<Pipeline> {
        let max_chunk_size = r.u32()?;
        let count = r.count32(5)?;
        let mut filters = Vec::new();
        for _ in 0..count {
            memory::push("filters", &mut filters, Filter::read(r, version)?)?;
        }
        Ok(Pipeline { filters, max_chunk_size, skip_checksums: false })
    }

    /// Writes the pipeline, as [`Pipeline::read`] reads it.
    pub fn write(&self, w: &mut WireWriter, version: FormatVersion) {
        w.u32(self.max_chunk_size).u32(self.filters.len() as u32);
        for filter in &self.filters {
            filter.write(w, version);
        }
    }
}
