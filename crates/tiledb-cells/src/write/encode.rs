//! Encodes the cells of a tile to its stored form: statistics, then filters.

use std::ops::Range;

use super::ready_tile::{PlainCells, ReadyTile};
use super::spec::WriteSpec;
use super::tile_bytes::{CellBytes, NullsReplaced};
use crate::columns::box_rows::BoxRows;
use crate::columns::input::InputColumn;
use tiledb_array::fragment::{CoordinateBounds, FieldPart, FilteredTile, TileBytes, WritePieces};
use tiledb_array::schema::{ArraySchema, Field};
use tiledb_core::error::{Error, ErrorContext, ErrorKind, Result};
use tiledb_core::limits::cache::MAX_RETAINED_TILE_BYTES;
use tiledb_core::limits::write::{BYTES_PER_PART, MAX_GATHERED_PART};
use tiledb_core::stats::{Counter, Stats};
use tiledb_core::types::{FormatVersion, Layout};
use tiledb_filters::codec::ObjectPool;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::filter::{Pipeline, TILE_HEADER, TileInput, TileShape};
use tiledb_filters::tile::{IncrementalStats, StatsKind, StatsOptions, TileStats, stats_kind, tile_stats};

/// The cells of one tile of one field.
#[derive(Clone, Copy)]
pub(crate) struct TileCells<'a> {
    /// Fixed cells, or the values of variable ones.
    pub data: CellBytes<'a>,
    /// Starts of variable cells in `data`, the first being 0.
    pub starts: Option<&'a [u64]>,
    /// One byte per cell of a nullable field.
    pub validity: Option<&'a [u8]>,
}

impl TileCells<'_> {
    /// How many there are.
    pub(crate) fn count(&self, field: &Field) -> u64 {
        self.starts.map_or(self.data.size() / field.cell_size().max(1), <[u64]>::len) as u64
    }
}

/// The statistics of a tile that is about to be stored.
pub(crate) enum PendingStats {
    /// Those of the cells that are stored, to be computed.
    OfCells(StatsOptions),
    /// Those of the written cells, among padding.
    Known(TileStats),
}

/// A tile that is about to be stored.
pub(crate) struct PendingTile<'a, 'c> {
    pub cells: TileCells<'a>,
    /// The fixed cells in the user's buffer, if they are known to be laid out as required.
    pub rows: Option<BoxRows<'c>>,
    pub stats: PendingStats,
    /// The bounds of coordinates.
    pub bounds: Option<CoordinateBounds>,
}

/// Shared by all tiles of a write.
pub(crate) struct Encoder<'a> {
    schema: &'a ArraySchema,
    key: &'a EncryptionKey,
    version: FormatVersion,
    layout: Layout,
    stats: &'a Stats,
    /// Cells of a field of a tile that have more bytes are gathered some at a time.
    most: usize,
}

/// The prefix of errors that libtiledb's writers return during a write.
pub fn error_prefix(layout: Layout) -> &'static str {
    match layout {
        Layout::Unordered => "TileDB internal: ['UnorderedWriter::dowork] ",
        Layout::GlobalOrder => "TileDB internal: [GlobalOrderWriter::dowork] ",
        _ => "TileDB internal: [OrderedWriter::dowork] ",
    }
}

/// Adds the field to an error of its filters about cells that they reject.
pub(crate) fn of_field(error: Error, field: &Field) -> Error {
    match error.kind() {
        ErrorKind::Invalid => {
            let kind = if field.is_dimension { "dimension" } else { "attribute" };
            error.detailed(format_args!("{kind} '{}'", field.name))
        }
        _ => error,
    }
}

/// Rejects values that the filters of a field cannot store, in runs of cells of a submit, before any is taken.
///
/// # Errors
/// As when they are filtered.
pub(crate) fn check_values(
    field: &Field,
    column: &InputColumn<'_>,
    layout: Layout,
    mut runs: impl Iterator<Item = Range<usize>>,
) -> Result<()> {
    let Some(check) = field.filters.value_check(field.datatype) else { return Ok(()) };
    let run = |run: Range<usize>| check.check(column.slice(field.cell_size(), run.start, run.len()).data);
    let checked = runs.try_for_each(|cells| match column.validity.filter(|_| field.nullable) {
        None => run(cells),
        Some(validity) => {
            let mut start = cells.start;
            validity[cells].split(|&valid| valid == 0).try_for_each(|valid| {
                let (first, end) = (start, start + valid.len());
                start = end + 1;
                run(first..end)
            })
        }
    });
    checked.map_err(|error| of_field(error, field)).context(|| error_prefix(layout))
}

impl<'a> Encoder<'a> {
    /// An encoder for the new fragments of a write.
    pub(crate) fn new(spec: &'a WriteSpec) -> Encoder<'a> {
        let schema = spec.array.schema();
        let (version, layout) = (schema.version().of_new_fragments(), spec.layout);
        Encoder { schema, key: spec.array.key(), version, layout, stats: &spec.stats, most: usize::MAX }
    }

    /// As [`Encoder::new`], if there is little memory for a tile.
    pub(crate) fn of_little(spec: &'a WriteSpec) -> Encoder<'a> {
        let available = usize::try_from(spec.budget.available()).unwrap_or(usize::MAX);
        Encoder { most: available / MAX_GATHERED_PART.count(), ..Encoder::new(spec) }
    }

    /// True if fragments store the coordinates of the first and of the last cell of each tile.
    pub(crate) fn stores_ends(&self) -> bool {
        self.version.has_optional_footer_sections()
    }

    /// True if cells of this total size are to be gathered piece by piece.
    pub(crate) fn takes_apart(&self, bytes: usize) -> bool {
        bytes > self.most
    }

    /// True if fixed cells of a tile of this size are to be gathered a chunk at a time.
    pub(crate) fn gathers_chunks(&self, bytes: usize) -> bool {
        // Within little memory, filters read the cells after their statistics were computed: better gathered once.
        self.most == usize::MAX || self.takes_apart(bytes)
    }

    /// The statistics of a tile that is about to be stored.
    ///
    /// # Errors
    /// As [`Encoder::stats`].
    pub(crate) fn pending_stats(&self, field: &Field, tile: &mut PendingTile<'_, '_>) -> Result<TileStats> {
        let fill = match &mut tile.stats {
            PendingStats::Known(stats) => return Ok(std::mem::take(stats)),
            PendingStats::OfCells(fill) => *fill,
        };
        if let Some(rows) = tile.rows.as_ref().filter(|_| !fill.padded && self.is_plain(field))
            && let Some(stats) = self.stats_of_rows(field, rows, tile.cells.validity)?
        {
            return Ok(stats);
        }
        self.stats(field, &tile.cells, fill)
    }

    /// The statistics of a tile; empty where the format has none.
    ///
    /// # Errors
    /// If the cells are not whole.
    pub(crate) fn stats(&self, field: &Field, cells: &TileCells<'_>, fill: StatsOptions) -> Result<TileStats> {
        if !self.version.has_tile_statistics() {
            return Ok(TileStats::default());
        }
        let kind = stats_kind(field.datatype, field.cell_val_num, field.nullable, field.is_dimension);
        if let (CellBytes::Apart(data), false) = (cells.data, fill.padded) {
            let stats = stats_of_pieces(field, data, cells, kind)?;
            // A sum that overflowed continues with the next cells that were copied at a time.
            if !stats.has_overflowed() || fill.run as u64 >= cells.count(field) {
                return Ok(stats.finish());
            }
        }
        let data = cells.data.whole()?;
        tile_stats(field.datatype, field.cell_val_num, &data, cells.starts, cells.validity, fill, kind)
    }

    /// True if the cells of a field are stored unfiltered.
    pub(crate) fn is_plain(&self, field: &Field) -> bool {
        !field.is_var() && field.filters.is_empty() && *self.key == EncryptionKey::None
    }

    /// The statistics of a whole tile of cells in rows; `None` if a sum overflows its type, and continues with the next
    /// cells that are copied at a time.
    ///
    /// # Errors
    /// If the cells are not whole.
    fn stats_of_rows(
        &self,
        field: &Field,
        rows: &BoxRows<'_>,
        mut validity: Option<&[u8]>,
    ) -> Result<Option<TileStats>> {
        let mut stats = self.stats_in_parts(field);
        for row in rows.runs() {
            let count = row.len() / field.cell_size().max(1);
            let parts = validity.and_then(|validity| validity.split_at_checked(count));
            stats.add(row, None, parts.map(|parts| parts.0))?;
            validity = parts.map(|parts| parts.1);
        }
        Ok((!stats.has_overflowed()).then(|| stats.finish()))
    }

    /// The cells of a tile that are stored unfiltered, if they are laid out as required.
    fn plain<'c>(&self, field: &Field, tile: &PendingTile<'_, 'c>) -> Option<PlainCells<'c>> {
        let rows = tile.rows.clone().filter(|_| self.is_plain(field))?;
        let chunk = self.chunk_size(field, FieldPart::Data, rows.size());
        Some(PlainCells { rows, chunk })
    }

    /// The incremental statistics of a tile of fixed cells that arrives in parts; empty if the format has none.
    pub(crate) fn stats_in_parts(&self, field: &Field) -> IncrementalStats {
        let kind = match self.version.has_tile_statistics() {
            true => stats_kind(field.datatype, field.cell_val_num, field.nullable, field.is_dimension),
            false => StatsKind { min_max: false, sum: false, null_count: false },
        };
        IncrementalStats::new(field.datatype, field.cell_size(), kind)
    }

    /// The filters of a part of a field of fixed cells, and their input.
    fn filters<'f>(&'f self, field: &'f Field, part: FieldPart) -> (&'f Pipeline, TileShape) {
        match part {
            FieldPart::Validity => (self.schema.validity_filters(), TileShape::validity(self.version)),
            FieldPart::Data | FieldPart::Var => (&field.filters, field.shape(self.version)),
        }
    }

    /// Bytes of a chunk of a part of a tile of fixed cells, which has `size`.
    pub(crate) fn chunk_size(&self, field: &Field, part: FieldPart, size: usize) -> usize {
        let (filters, shape) = self.filters(field, part);
        filters.chunk_size(&shape, size)
    }

    /// The header of its chunks.
    pub(crate) fn head(&self, field: &Field, part: FieldPart, size: usize) -> [u8; TILE_HEADER] {
        let (filters, shape) = self.filters(field, part);
        filters.head(&shape, size)
    }

    /// Filters one of them.
    ///
    /// # Errors
    /// If a filter does not accept the cells.
    pub(crate) fn chunk(&self, field: &Field, part: FieldPart, bytes: &[u8]) -> Result<Vec<u8>> {
        let (filters, shape) = self.filters(field, part);
        let filtered = filters.forward_chunk(&shape, self.key, bytes).map_err(|error| of_field(error, field));
        filtered.context(|| error_prefix(self.layout))
    }

    /// The tile in stored form.
    ///
    /// # Errors
    /// If a filter does not accept the cells.
    pub(crate) fn encode<'c>(&self, field: &Field, mut tile: PendingTile<'_, 'c>) -> Result<ReadyTile<'c>> {
        let plain = self.plain(field, &tile);
        let filtered = match (&tile.stats, tile.cells.data) {
            (PendingStats::OfCells(fill), CellBytes::Apart(data))
                if plain.is_none() && self.filters_as_gathered(field, &tile.cells, *fill) =>
            {
                self.filter_gathered(field, &tile.cells, data, *fill)
            }
            _ => {
                let stats = self.pending_stats(field, &mut tile)?;
                self.filter(field, &tile.cells, plain.is_some(), stats)
            }
        };
        let mut filtered = filtered.map_err(|error| of_field(error, field)).context(|| error_prefix(self.layout))?;
        filtered.bounds = tile.bounds;
        Ok(ReadyTile { tile: filtered, plain })
    }

    /// True where the filter of strings stores the lengths.
    fn has_no_offsets(&self, field: &Field) -> bool {
        field.encodes_strings(self.version)
    }

    /// Counts the bytes that go into filters.
    pub(crate) fn count(&self, cells: &TileCells<'_>) {
        let starts = cells.starts.map_or(0, |starts| starts.len() * 8);
        let bytes = cells.data.size() + starts + cells.validity.map_or(0, <[u8]>::len);
        self.stats.add(Counter::WriterFiltered, bytes as u64);
    }

    /// The tile without its cells if these are `plain`.
    fn filter(&self, field: &Field, cells: &TileCells<'_>, plain: bool, stats: TileStats) -> Result<FilteredTile> {
        self.count(cells);
        let mut filtered = Vec::new();
        if !plain {
            let replaced = NullsReplaced::of(field, cells.data, cells.starts, cells.validity);
            let data = replaced.as_ref().map_or(cells.data, |replaced| CellBytes::Apart(replaced)).whole()?;
            filtered = buffer_with_capacity(data.len());
            field.filters.forward(&field.shape(self.version), self.key, &data, cells.starts, &mut filtered)?;
        }
        let validity = self.filter_validity(field, cells)?;
        let Some(starts) = cells.starts else {
            let cells = cells.count(field);
            return Ok(FilteredTile { data: filtered, var: None, validity, stats, cells, bounds: None });
        };
        let mut offsets = buffer_with_capacity(starts.len() * 8);
        if self.has_no_offsets(field) {
            offsets.extend_from_slice(&NO_CHUNKS);
        } else {
            let shape = TileShape::offsets(self.version);
            let bytes = bytemuck::cast_slice(starts);
            self.schema.offsets_filters().forward(&shape, self.key, bytes, None, &mut offsets)?;
        }
        let var = Some((filtered, cells.data.size() as u64));
        Ok(FilteredTile { data: offsets, var, validity, stats, cells: starts.len() as u64, bounds: None })
    }

    /// True if chunks of these cells can be filtered, and added to the statistics, as they are gathered.
    fn filters_as_gathered(&self, field: &Field, cells: &TileCells<'_>, fill: StatsOptions) -> bool {
        let has_whole_cells = || {
            let chunk = self.chunk_size(field, FieldPart::Data, cells.data.size());
            chunk.is_multiple_of(field.cell_size().max(1))
        };
        let is_replaced = || NullsReplaced::of(field, cells.data, None, cells.validity).is_some();
        !fill.padded && cells.starts.is_none() && has_whole_cells() && !is_replaced()
    }

    /// The tile whose fixed cells are gathered from `data`, a chunk at a time.
    fn filter_gathered(
        &self,
        field: &Field,
        cells: &TileCells<'_>,
        data: &dyn TileInput,
        fill: StatsOptions,
    ) -> Result<FilteredTile> {
        self.count(cells);
        let (cell, size, count) = (field.cell_size().max(1), data.size(), cells.count(field));
        let mut stats = self.stats_in_parts(field);
        let mut filtered = buffer_with_capacity(size);
        let gather = &mut |range: Range<usize>, chunk: &mut [u8]| {
            data.copy_piece(range.clone(), chunk)?;
            stats.add(chunk, None, cells.validity.map(|validity| &validity[range.start / cell..range.end / cell]))
        };
        field.filters.forward_gathered(&field.shape(self.version), self.key, size, gather, &mut filtered)?;
        // A sum that overflowed continues with the next cells that were copied at a time.
        let stats = match stats.has_overflowed() && (fill.run as u64) < count {
            true => self.stats(field, cells, fill)?,
            false => stats.finish(),
        };
        let validity = self.filter_validity(field, cells)?;
        Ok(FilteredTile { data: filtered, var: None, validity, stats, cells: count, bounds: None })
    }

    fn filter_validity(&self, field: &Field, cells: &TileCells<'_>) -> Result<Option<Vec<u8>>> {
        let Some(validity) = cells.validity.filter(|_| field.nullable) else { return Ok(None) };
        let mut out = buffer_with_capacity(validity.len());
        let shape = TileShape::validity(self.version);
        self.schema.validity_filters().forward(&shape, self.key, validity, None, &mut out)?;
        Ok(Some(out))
    }
}

fn stats_of_pieces(
    field: &Field,
    data: &dyn TileInput,
    cells: &TileCells<'_>,
    kind: StatsKind,
) -> Result<IncrementalStats> {
    let cell = if field.is_var() { 0 } else { field.cell_size().max(1) };
    let mut stats = IncrementalStats::new(field.datatype, cell, kind);
    let (mut first, count) = (0, cells.count(field) as usize);
    while first < count {
        let (end, bytes) = match cells.starts {
            Some(starts) => {
                let end =
                    starts.partition_point(|&start| start < starts[first] + BYTES_PER_PART.bytes()).max(first + 1);
                (end, starts[first] as usize..starts.get(end).map_or(data.size(), |&start| start as usize))
            }
            None => {
                let end = count.min(first + (BYTES_PER_PART.count() / cell).max(1));
                (end, first * cell..end * cell)
            }
        };
        let starts = cells.starts.map(|starts| &starts[first..end]);
        stats.add(&data.piece(bytes)?, starts, cells.validity.map(|validity| &validity[first..end]))?;
        first = end;
    }
    Ok(stats)
}

/// Filtered tiles whose bytes are on their way to disk leave their memory to those that follow.
static FILTERED: ObjectPool<Vec<u8>> = ObjectPool::new(32);

/// The capacity that a tile of `len` bytes needs if nothing compresses it.
const fn worst_case_size(len: usize) -> usize {
    len.saturating_add(len / 64 + 256)
}

/// An empty buffer with the capacity that a tile of `len` bytes needs if nothing compresses it.
fn buffer_with_capacity(len: usize) -> Vec<u8> {
    let worst_case_size = worst_case_size(len);
    let fits = worst_case_size..=worst_case_size.saturating_mul(8).max(1 << 16);
    let mut buffer = FILTERED.take(|retained| fits.contains(&retained.capacity())).unwrap_or_default();
    // If the reservation fails the filters allocate what they need, and report the error.
    _ = buffer.try_reserve_exact(worst_case_size);
    buffer
}

/// Leaves the memory of a tile whose bytes were written to those that follow.
pub(crate) fn recycle(ReadyTile { tile, .. }: ReadyTile<'_>) {
    let values = tile.var.map(|(values, _)| values);
    [Some(tile.data), tile.validity, values].into_iter().flatten().for_each(recycle_buffer);
}

fn recycle_buffer(mut buffer: Vec<u8>) {
    if (1..=worst_case_size(MAX_RETAINED_TILE_BYTES.count())).contains(&buffer.capacity()) {
        buffer.clear();
        FILTERED.put(buffer);
    }
}

/// A tile that is filtered while it is written.
pub(crate) struct UnfilteredTile<'a> {
    pub encoder: &'a Encoder<'a>,
    pub field: &'a Field,
    pub tile: PendingTile<'a, 'a>,
    pub stats: TileStats,
}

impl TileBytes for UnfilteredTile<'_> {
    fn var_size(&self) -> Option<u64> {
        self.tile.cells.starts.map(|_| self.tile.cells.data.size() as u64)
    }

    fn has_validity(&self) -> bool {
        self.field.nullable && self.tile.cells.validity.is_some()
    }

    fn stats(&self) -> &TileStats {
        &self.stats
    }

    fn write(&self, part: FieldPart, to: WritePieces<'_>) -> Result<()> {
        let Encoder { schema, key, version, layout, .. } = *self.encoder;
        let (filters, TileCells { data, starts, validity }) = (&self.field.filters, self.tile.cells);
        let replaced = NullsReplaced::of(self.field, data, starts, validity);
        let data = replaced.as_ref().map_or(data, |replaced| CellBytes::Apart(replaced));
        let (offsets, validities) = (schema.offsets_filters(), schema.validity_filters());
        if let Some(plain) = self.encoder.plain(self.field, &self.tile).filter(|_| part == FieldPart::Data) {
            return plain.put(to);
        }
        let to = &mut |bytes: &[u8]| to(&[bytes]);
        let written = match (part, starts) {
            (FieldPart::Data, Some(_)) if self.encoder.has_no_offsets(self.field) => to(&NO_CHUNKS),
            (FieldPart::Data, Some(starts)) => {
                let starts = CellBytes::Here(bytemuck::cast_slice(starts));
                offsets.forward_to(&TileShape::offsets(version), key, &starts, None, to)
            }
            (FieldPart::Data | FieldPart::Var, _) => {
                filters.forward_to(&self.field.shape(version), key, &data, starts, to)
            }
            (FieldPart::Validity, _) => {
                let validity = CellBytes::Here(validity.unwrap_or_default());
                validities.forward_to(&TileShape::validity(version), key, &validity, None, to)
            }
        };
        written.map_err(|error| of_field(error, self.field)).context(|| error_prefix(layout))
    }
}

/// The offsets tile of strings whose filter stores the lengths.
const NO_CHUNKS: [u8; 8] = [0; 8];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::testing::spec;
    use crate::write::tile_bytes::FixedCells;
    use proptest::prelude::*;
    use std::sync::Arc;
    use tiledb_array::array::{OpenArray, create};
    use tiledb_array::schema::{Attribute, Dimension, Domain};
    use tiledb_core::limits::simulation::SimulatedLimits;
    use tiledb_core::types::{ArrayType, Datatype, QueryType};
    use tiledb_filters::filter::{Filter, FilterType};
    use tiledb_storage::resources::Resources;
    use tiledb_storage::vfs::Uri;

    const TYPES: [Datatype; 4] = [Datatype::Uint8, Datatype::Int64, Datatype::Float64, Datatype::StringAscii];

    /// A write to an array with an attribute of each type: `a0` without filters, the others compressed.
    fn write_spec() -> WriteSpec {
        let resources = Resources::new(tiledb_core::config::Config::new()).unwrap();
        let mut schema = ArraySchema::new(ArrayType::Dense);
        let extent = 100_000i64.to_le_bytes();
        let domain = [0i64, 99_999].map(i64::to_le_bytes).concat();
        let dimension = Dimension::new("d", Datatype::Int64, Some(&domain), Some(&extent)).unwrap();
        schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
        for (number, datatype) in TYPES.into_iter().enumerate() {
            let mut attribute = Attribute::new(&format!("a{number}"), datatype);
            if number > 0 {
                attribute.set_filters(Pipeline::new(vec![Filter::new(FilterType::Lz4)])).unwrap();
            }
            attribute.set_cell_val_num(if datatype == Datatype::StringAscii { 3 } else { 1 }).unwrap();
            attribute.set_nullable(number != 2);
            schema.add_attribute(Arc::new(attribute)).unwrap();
        }
        let uri = Uri::parse("mem://encode").unwrap();
        create(&resources, &uri, &schema, &EncryptionKey::None).unwrap();
        let array = OpenArray::open(&resources, &uri, QueryType::Write, (0, 9), &EncryptionKey::None).unwrap();
        spec(array, Layout::RowMajor, &[], u64::MAX)
    }

    proptest! {
        #[test]
        fn gathered_cells_are_encoded_as_whole_ones(
            which in 0..TYPES.len(),
            bytes in prop::collection::vec(prop::sample::select(vec![0u8, 1, 0x7f, 0xff]), 24..300),
            repeats in 1usize..1000,
            nulls in prop::option::of(1u8..5),
            run in prop::sample::select(vec![1usize, 5, usize::MAX]),
            limits in prop::option::of(any::<u64>()),
        ) {
            let spec = write_spec();
            let encoder = Encoder::new(&spec);
            let field = spec.array.schema().field(&format!("a{which}")).unwrap();
            let cell = field.cell_size();
            let mut data = bytes.repeat(repeats);
            data.truncate(data.len() / cell * cell);
            let count = data.len() / cell;
            let validity: Option<Vec<u8>> = field.nullable.then(|| {
                (0..count).map(|at| u8::from(nulls.is_none_or(|nulls| data[at * cell] % nulls != 1))).collect()
            });
            let encode = |data: CellBytes<'_>| {
                let cells = TileCells { data, starts: None, validity: validity.as_deref() };
                let stats = PendingStats::OfCells(StatsOptions { padded: false, run });
                let tile = PendingTile { cells, rows: None, stats, bounds: None };
                SimulatedLimits::of_option(limits).run(|| encoder.encode(field, tile)).unwrap().tile
            };
            let gather = |cells: Range<usize>, out: &mut [u8]| {
                out.copy_from_slice(&data[cells.start * cell..cells.end * cell]);
                Ok(())
            };
            let whole = encode(CellBytes::Here(&data));
            let gathered = encode(CellBytes::Apart(&FixedCells { cell, count, gather: &gather }));
            prop_assert_eq!(gathered.stats, whole.stats);
            prop_assert!(gathered.data == whole.data && gathered.validity == whole.validity);
            prop_assert_eq!(gathered.cells, whole.cells);
        }
    }
}
