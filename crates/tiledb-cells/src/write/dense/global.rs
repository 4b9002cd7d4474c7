//! Dense writes in global order: whole space tiles arrive in tile order, cells in cell order, over any number of
//! submits; cells of an incomplete tile are buffered for the next.

use super::boxes::{attributes, check_cells, check_current_domain, tile_bytes};
use super::tile_stream::TileStream;
use crate::columns::input::{InputColumn, Inputs};
use crate::write::encode::{Encoder, PendingStats, PendingTile, TileCells, check_values, error_prefix};
use crate::write::fragments::FragmentSplitter;
use crate::write::gathered_bytes::GatheredBytes;
use crate::write::region::Region;
use crate::write::spec::{CommittedFragment, QueryWriter, WriteDraft, WriteSpec, lost_cells};
use crate::write::tile_boxes::TileBoxes;
use crate::write::tile_bytes::CellBytes;
use crate::write::tile_tail::{TileTail, check_whole, tails};
use crate::write::tiles::{TileSink, write_tiles};
use std::ops::Range;
use tiledb_array::fragment::Fragment;
use tiledb_array::schema::Field;
use tiledb_core::budget::Lease;
use tiledb_core::error::{ErrorContext, Result, bail};
use tiledb_core::limits::write::MIN_GATHERED_TILES;
use tiledb_core::stats::Timer;
use tiledb_core::types::DataOrder;
use tiledb_filters::tile::StatsOptions;

/// A dense write in global order.
pub struct DenseGlobalWriter {
    spec: WriteSpec,
    tile_cells: usize,
    /// Cells expected in all.
    expected: u64,
    written: u64,
    tail_cells: usize,
    /// Per field, the cells that do not fill a tile yet.
    waiting: Vec<PendingCells>,
    fragments: Option<FragmentSplitter>,
    /// A submit failed while its cells were stored, and those of earlier ones are lost with it.
    is_lost: bool,
}

/// The cells of a field that do not fill a tile yet.
enum PendingCells {
    /// In memory.
    Tail(Lease<TileTail>),
    /// Written as it arrives, if memory does not suffice for a whole tile.
    Written(TileStream),
}

impl DenseGlobalWriter {
    /// Prepares a write of the query's subarray, which must consist of whole tiles.
    ///
    /// # Errors
    /// If it does not, or has several ranges, or an attribute states an order.
    pub(crate) fn new(spec: WriteSpec) -> Result<DenseGlobalWriter> {
        if spec.array.schema().attributes().iter().any(|attribute| attribute.order() != DataOrder::Unordered) {
            bail!(
                "GlobalOrderWriter: Failed to initialize global order writer. Global order writes to ordered attributes \
                 are not yet supported."
            );
        }
        let region = Region::new(&spec)?;
        for (axis, span) in region.grid.axes().iter().zip(&region.spans) {
            if span.low % axis.extent != 0 || (span.high.wrapping_add(1)) % axis.extent != 0 {
                bail!(
                    "WriterBase: Cannot initialize query; In global writes for dense arrays, the subarray must coincide \
                     with the tile bounds: on a dimension with tiles of {} it starts at cell {} of the domain and ends at cell {}",
                    axis.extent,
                    span.low,
                    span.high
                );
            }
        }
        Self::over_tiles(spec, &region)
    }

    /// As [`DenseGlobalWriter::new`] for any region: all tiles that it touches are supplied as a whole, and the
    /// fragment's non-empty domain is the region.
    ///
    /// # Errors
    /// If the subarray has several ranges.
    pub fn over_region(spec: WriteSpec) -> Result<DenseGlobalWriter> {
        let region = Region::new(&spec)?;
        Self::over_tiles(spec, &region)
    }

    fn over_tiles(spec: WriteSpec, region: &Region) -> Result<DenseGlobalWriter> {
        // Cells of fragments were checked when they were written. The current domain may have shrunk since: of two concurrent
        // evolutions of a schema, the later one prevails.
        if spec.merged.is_none() {
            check_current_domain(&spec.array, &region.ranges).context(|| error_prefix(spec.layout))?;
        }
        let fragments = Some(FragmentSplitter::new(&spec, Some(TileBoxes::new(region)))?);
        let tiles = region.tile_counts().iter().try_fold(1u64, |tiles, &count| tiles.checked_mul(count));
        let tile_cells = region.grid.tile_cells;
        let Some(expected) = tiles.and_then(|tiles| tiles.checked_mul(tile_cells as u64)) else {
            bail!("WriterBase: Cannot initialize query; the subarray has more than 2^64 cells");
        };
        let waiting =
            waiting(&spec, tile_cells, fragments.as_ref().is_some_and(FragmentSplitter::allows_field_by_field))?;
        Ok(DenseGlobalWriter {
            spec,
            tile_cells,
            expected,
            written: 0,
            tail_cells: 0,
            waiting,
            fragments,
            is_lost: false,
        })
    }

    /// Appends tiles of another fragment in stored form; the fields of both are in the order of
    /// the schema. Nothing waits when this is called.
    ///
    /// # Errors
    /// If a tile cannot be read, is detected to be corrupt, or storage fails.
    pub fn take_over(&mut self, stored: &Fragment, tiles: Range<u64>) -> Result<()> {
        let Some(fragments) = self.fragments.as_mut().filter(|_| self.tail_cells == 0) else {
            bail!(Internal, "Tiles are taken over amid another one");
        };
        let _timer = self.spec.stats.timer(Timer::WriteTiles);
        fragments.take_over(&attributes(&self.spec), stored, tiles.clone(), self.tile_cells as u64)?;
        self.written = self.written.saturating_add((tiles.end - tiles.start).saturating_mul(self.tile_cells as u64));
        Ok(())
    }

    fn count(&self, inputs: &Inputs<'_>) -> Result<usize> {
        let mut count = None;
        for field in attributes(&self.spec) {
            let Some(column) = inputs.column(&field.name) else { continue };
            let cells = column.cells(field.cell_size());
            check_cells(field, cells, column.validity, *count.get_or_insert(cells))?;
        }
        Ok(count.unwrap_or(0))
    }

    fn check_not_lost(&self) -> Result<()> {
        if self.is_lost {
            bail!("{}", lost_cells(self.written));
        }
        Ok(())
    }

    /// Stores the cells of a submit.
    fn store(&mut self, inputs: &Inputs<'_>, count: usize) -> Result<()> {
        let mut next = 0;
        if self.tail_cells > 0 {
            next = count.min(self.tile_cells - self.tail_cells);
            self.buffer_cells(inputs, 0, next)?;
            if self.tail_cells == self.tile_cells {
                self.write_tail()?;
            }
        }
        let tiles = (count - next) / self.tile_cells;
        if tiles > 0 {
            self.write_whole(inputs, next, tiles)?;
            next += tiles * self.tile_cells;
        }
        self.buffer_cells(inputs, next, count - next)
    }

    /// Takes cells `first..first + count`, which do not fill a tile.
    fn buffer_cells(&mut self, inputs: &Inputs<'_>, first: usize, count: usize) -> Result<()> {
        let Some(fragments) = self.fragments.as_mut().filter(|_| count > 0) else { return Ok(()) };
        let encoder = Encoder::new(&self.spec);
        for (field, waiting) in attributes(&self.spec).into_iter().zip(&mut self.waiting) {
            let Some(column) = inputs.column(&field.name) else { continue };
            let cells = column.slice(field.cell_size(), first, count);
            match waiting {
                PendingCells::Tail(tail) => tail.change(|tail| tail.append(cells))??,
                PendingCells::Written(stream) => stream.add(&encoder, field, cells, fragments)?,
            }
        }
        self.tail_cells += count;
        Ok(())
    }

    /// Writes the buffered tile, which is complete.
    fn write_tail(&mut self) -> Result<()> {
        let Some(fragments) = &mut self.fragments else { return Ok(()) };
        let (mut fields, mut tails) = (Vec::new(), Vec::new());
        for (field, waiting) in attributes(&self.spec).into_iter().zip(&mut self.waiting) {
            match waiting {
                PendingCells::Tail(tail) => {
                    fields.push(field);
                    tails.push(tail);
                }
                PendingCells::Written(stream) => stream.end(&Encoder::new(&self.spec), field, fragments)?,
            }
        }
        if fields.is_empty() {
            fragments.complete_tile(&[], self.tile_cells as u64)?;
        } else {
            let bytes = tails.iter().map(|tail| tail.bytes()).sum();
            write_tiles(&self.spec, fragments, &fields, 1, bytes, &|_, field, f, _, take| {
                let stats = PendingStats::OfCells(StatsOptions::WHOLE);
                take(PendingTile { cells: tails[f].cells(field), rows: None, stats, bounds: None })
            })?;
            tails.into_iter().try_for_each(|tail| tail.change(TileTail::clear))?;
        }
        self.tail_cells = 0;
        Ok(())
    }

    /// Writes whole tiles straight from the user's buffers.
    fn write_whole(&mut self, inputs: &Inputs<'_>, first: usize, tiles: usize) -> Result<()> {
        let fields = attributes(&self.spec);
        let Some(fragments) = &mut self.fragments else { return Ok(()) };
        let cells = self.tile_cells;
        let bytes = tile_bytes(&fields, inputs, cells);
        write_tiles(&self.spec, fragments, &fields, tiles, bytes, &|_, field, _, tile, take| {
            let Some(column) = inputs.column(&field.name) else {
                bail!(Internal, "No cells were given for attribute '{}'", field.name);
            };
            take_slice(field, column, (first + tile * cells, cells), take)
        })
    }
}

/// Buffers for the pending cells of the fields of a write: if fewer than [`MIN_GATHERED_TILES`] tiles fit into memory, fixed
/// cells are written as they arrive, if all tiles belong to one fragment.
fn waiting(spec: &WriteSpec, tile_cells: usize, is_single: bool) -> Result<Vec<PendingCells>> {
    let fields = attributes(spec);
    let cell: usize = fields.iter().map(|field| field.cell_size()).sum();
    let available = usize::try_from(spec.budget.available()).unwrap_or(usize::MAX);
    let is_large = is_single && available / MIN_GATHERED_TILES.count() < tile_cells.saturating_mul(cell);
    let of_field = |(field, tail): (&Field, Lease<TileTail>)| match is_large && !field.is_var() {
        true => TileStream::new(spec, field, tile_cells).map(PendingCells::Written),
        false => Ok(PendingCells::Tail(tail)),
    };
    fields.iter().copied().zip(tails(spec, fields.len())?).map(of_field).collect()
}

fn take_slice<'c>(
    field: &Field,
    column: &'c InputColumn<'_>,
    (first, count): (usize, usize),
    take: TileSink<'_, 'c>,
) -> Result<()> {
    let slice = column.slice(field.cell_size(), first, count);
    let (data, starts) = match slice.starts {
        Some(_) => GatheredBytes::run_of(field.datatype, &slice).map(|(data, starts)| (data, Some(starts)))?,
        None => (GatheredBytes::aligned(slice.data)?, None),
    };
    let cells = TileCells { data: CellBytes::Here(&data), starts: starts.as_deref(), validity: slice.validity };
    take(PendingTile { cells, rows: data.rows(), stats: PendingStats::OfCells(StatsOptions::WHOLE), bounds: None })
}

impl QueryWriter for DenseGlobalWriter {
    fn check(&self, inputs: &Inputs<'_>) -> Result<()> {
        self.check_not_lost()?;
        self.count(inputs).map(|_| ())
    }

    fn write(&mut self, inputs: &Inputs<'_>) -> Result<Vec<CommittedFragment>> {
        let count = self.count(inputs)?;
        let written = self.written.saturating_add(count as u64);
        // Excess cells are reported when the write is finished, as their number is then known.
        if written <= self.expected {
            if self.spec.merged.is_none() {
                let columns =
                    attributes(&self.spec).into_iter().map(|field| Some((field, inputs.column(&field.name)?)));
                columns.flatten().try_for_each(|(field, column)| {
                    check_values(field, column, self.spec.layout, std::iter::once(0..count))
                })?;
            }
            self.store(inputs, count).inspect_err(|_| self.is_lost = true)?;
        }
        self.written = written;
        Ok(Vec::new())
    }

    fn has_accepted(&self) -> bool {
        self.written > 0
    }

    fn check_complete(&self) -> Result<()> {
        self.check_not_lost()
    }

    fn suspend(&mut self) -> Result<Option<WriteDraft>> {
        self.check_not_lost()?;
        check_whole(self.tail_cells, self.tile_cells)?;
        let fragment = self.fragments.take().map_or(Ok(None), |mut fragments| fragments.suspend())?;
        Ok(Some(WriteDraft { fragment, cells: self.written, last: None, separate: None }))
    }

    fn resume_with(&mut self, draft: WriteDraft) -> Result<()> {
        self.written = draft.cells;
        match (draft.fragment, &mut self.fragments) {
            (Some(fragment), Some(fragments)) => fragments.resume_with(fragment),
            _ => Ok(()),
        }
    }

    fn finish(&mut self) -> Result<Vec<CommittedFragment>> {
        let Some(fragments) = self.fragments.take() else { return Ok(Vec::new()) };
        if self.written != self.expected {
            bail!(
                "TileDB internal: [GlobalOrderWriter::dowork]  ([TileDB::Writer] Error: Failed to finalize global write \
                 state; Number of cells written ({}) is different from the number of cells expected ({}) for the query \
                 subarray)",
                self.written,
                self.expected
            );
        }
        fragments.commit(&attributes(&self.spec))
    }
}
