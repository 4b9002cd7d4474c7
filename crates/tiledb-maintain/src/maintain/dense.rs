//! Consolidation of dense fragments: tiles that one fragment covers completely are copied in their stored form. The
//! others are read in global order, with fill values for unwritten cells, and rewritten.

use std::ops::Range;
use std::sync::Arc;

use super::cell_buffers::CellBuffers;
use super::memory_shares::{batch_bytes, columns, of_reader, of_writer};
use super::padding::{TilePart, has_storable_fill, pad};
use super::progress::{MergedCells, OnMerged};
use super::tile_runs::{TileRun, runs};
use tiledb_array::array::OpenArray;
use tiledb_array::fragment::Fragment;
use tiledb_array::schema::{ArraySchema, Field};
use tiledb_cells::Subarray;
use tiledb_cells::space::grid::{CoordSpan, Grid, GridAxis, Odometer, volume};
use tiledb_cells::write::dense::global::DenseGlobalWriter;
use tiledb_cells::write::region::Region;
use tiledb_cells::write::spec::{CommittedFragment, ConsolidationSpec, QueryWriter, WriteSpec};
use tiledb_cells::write::tile_boxes::TileBoxes;
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::limits::consolidation::BYTES_PER_REPORT;
use tiledb_core::pool::ProgressCounter;
use tiledb_core::stats::Timer;
use tiledb_core::types::{CellRange, Layout, NdRange};
use tiledb_query::read::dense::reader::DenseReader;
use tiledb_query::read::spec::{CellVersions, QueryReader, ReadSpec};

/// Merges the fragments of `array` into new ones of `target`, which is the same array or one with the same fields, possibly with other
/// tile extents.
///
/// # Errors
/// If a fragment cannot be read, storage fails, or `on_merged` does.
pub(super) fn merge(
    array: &Arc<OpenArray>,
    target: &Arc<OpenArray>,
    merged: ConsolidationSpec,
    on_merged: OnMerged<'_>,
) -> Result<Vec<CommittedFragment>> {
    let grid = Grid::new(target.schema())?;
    let is_retiled = differ_in_extents(array.schema(), target.schema())?;
    let region = region(array)?;
    let tiles = tiles(&grid, &region)?;
    let counts: Vec<u64> = tiles.iter().map(|span| span.count()).collect();
    let total = volume(&counts).unwrap_or(usize::MAX);
    let timer = array.resources().stats().timer(Timer::ConsolidatePrepare);
    batch_bytes(array.config())?;
    let is_single = merged.max_size == u64::MAX;
    let runs = match is_single && !is_retiled {
        true => runs(array, target, &grid, &tiles, total as u64)?,
        // With several fragments, no stored tile has a known place.
        false => vec![TileRun { tiles: 0..total as u64, stored: None }],
    };
    let spec = WriteSpec {
        array: target.clone(),
        layout: Layout::GlobalOrder,
        subarray: subarray(target.schema(), &region)?,
        config: array.config().clone(),
        budget: of_writer(target)?,
        merged: Some(merged),
        stats: array.resources().stats().clone(),
    };
    let whole = |(axis, tiles): (&GridAxis, &CoordSpan)| CoordSpan {
        low: axis.tile_start(tiles.low),
        high: axis.tile_span(tiles.high).high,
    };
    let bounds: Vec<CoordSpan> = match array.schema().fields().iter().all(has_storable_fill) {
        true => grid.axes().iter().zip(&tiles).map(whole).collect(),
        false => grid.axes().iter().zip(&region).map(|(axis, range)| axis.span(range)).collect::<Result<_>>()?,
    };
    let read = Region { grid: grid.clone(), spans: bounds.clone(), ranges: region, cells: 0 };
    let mut merge = Merge {
        array,
        boxes: TileBoxes::new(&read),
        bounds,
        counts,
        first: tiles.iter().map(|span| span.low).collect(),
        writer: DenseGlobalWriter::over_region(spec)?,
        columns: None,
        done: MergedCells { cells: 0, total: total.saturating_mul(grid.tile_cells) as u64 },
        grid,
        is_retiled,
    };
    drop(timer);
    for run in runs {
        match run.stored {
            Some((fragment, first)) => merge.copy_stored_tiles(fragment, first, run.tiles, on_merged)?,
            None => merge.rewrite(run.tiles, on_merged)?,
        }
    }
    merge.done.end(on_merged)?;
    merge.writer.finish()
}

/// A consolidation in progress.
struct Merge<'a> {
    array: &'a Arc<OpenArray>,
    /// That of the target.
    grid: Grid,
    /// Whether the array has other tile extents.
    is_retiled: bool,
    /// Tiles per dimension, and the first of them.
    counts: Vec<u64>,
    first: Vec<u64>,
    /// Which of the tiles are boxes.
    boxes: TileBoxes,
    /// Region that is read; the rest of the tiles is padding. Whole tiles, since libtiledb stores the fill value in all
    /// unwritten cells; only the bounding box of all fragments if a filter cannot store a fill value, since cells
    /// outside are never read.
    bounds: Vec<CoordSpan>,
    writer: DenseGlobalWriter,
    /// The cells between reader and writer, once there are some.
    columns: Option<(Vec<Field>, CellBuffers)>,
    done: MergedCells,
}

impl Merge<'_> {
    /// Copies stored tiles of a fragment, starting with this number.
    fn copy_stored_tiles(
        &mut self,
        fragment: &Fragment,
        first: u64,
        tiles: Range<u64>,
        on_merged: OnMerged<'_>,
    ) -> Result<()> {
        let cell: usize = self.array.schema().fields().iter().map(Field::cell_size).sum();
        let step = (BYTES_PER_REPORT.count() / self.grid.tile_cells.saturating_mul(cell).max(1)).max(1);
        let end = first + (tiles.end - tiles.start);
        for first in (first..end).step_by(step) {
            let some = first..end.min(first + step as u64);
            self.writer.take_over(fragment, some.clone())?;
            self.done.add((some.end - some.start) * self.grid.tile_cells as u64, on_merged)?;
        }
        Ok(())
    }

    /// Reads tiles and writes them.
    fn rewrite(&mut self, tiles: Range<u64>, on_merged: OnMerged<'_>) -> Result<()> {
        let (fields, mut columns) = match self.columns.take() {
            Some(columns) => columns,
            None => {
                let names = self.array.schema().fields().iter().filter(|field| !field.is_dimension);
                let fields: Vec<Field> = names.cloned().collect();
                let columns = columns(self.array, &fields, self.grid.tile_cells as u64, self.done.total)?;
                (fields, columns)
            }
        };
        let mut next = tiles.start;
        while next < tiles.end {
            // In global order the array has the cells of several tiles in another order, those of one in row-major or column-major order
            // alike.
            let end = if self.is_retiled { next + 1 } else { self.boxes.end_within(next, tiles.end) };
            self.rewrite_box(next..end, &fields, &mut columns, on_merged)?;
            next = end;
        }
        self.columns = Some((fields, columns));
        Ok(())
    }

    /// Reads tiles that are a box, and writes them.
    fn rewrite_box(
        &mut self,
        tiles: Range<u64>,
        fields: &[Field],
        columns: &mut CellBuffers,
        on_merged: OnMerged<'_>,
    ) -> Result<()> {
        let grid = &self.grid;
        let mut reader = DenseReader::new(&ReadSpec {
            array: self.array.clone(),
            layout: if self.is_retiled { grid.cell_order } else { Layout::GlobalOrder },
            subarray: subarray(self.array.schema(), &self.boxes.domain(tiles.start, tiles.end)?)?,
            config: self.array.config().clone(),
            share: of_reader(self.array.config())?,
            fields: fields.iter().map(|field| field.name.clone()).collect(),
            condition: None,
            versions: CellVersions::Latest,
            stats: self.array.resources().stats().clone(),
            tally: ProgressCounter::default(),
        })?;
        let batch = (columns.capacity() / grid.tile_cells).max(1);
        let mut odometer = Odometer::at(self.counts.clone(), grid.tile_order, tiles.start);
        let mut left = (tiles.end - tiles.start) as usize;
        while left > 0 {
            self.array.resources().cancel().check()?;
            let mut parts: Vec<TilePart> = Vec::with_capacity(batch.min(left));
            while let Some(position) = odometer.position().filter(|_| parts.len() < batch.min(left)) {
                let tiles = self.first.iter().zip(position).map(|(first, tile)| first + tile);
                parts.push(TilePart::new(grid, tiles, &self.bounds));
                odometer.advance();
            }
            left = if parts.is_empty() { 0 } else { left - parts.len() };
            let cells = parts.iter().try_fold(0usize, |sum, part| Ok::<_, Error>(sum + volume(&part.shape)?))?;
            if cells < parts.len() * grid.tile_cells {
                let mut cut = CellBuffers::new(fields, cells, &columns.share_of(cells))?;
                cut.fill(&mut reader)?;
                self.writer.write(&pad(grid, &parts, &cut)?.inputs())?;
            } else {
                copy_cells(&mut reader, columns, &mut self.writer, cells)?;
            }
            self.done.add((parts.len() * grid.tile_cells) as u64, on_merged)?;
        }
        Ok(())
    }
}

/// Carries a number of cells over, as many at a time as the buffers hold.
fn copy_cells(
    reader: &mut dyn QueryReader,
    columns: &mut CellBuffers,
    writer: &mut dyn QueryWriter,
    cells: usize,
) -> Result<()> {
    let mut left = cells;
    while left > 0 {
        columns.clear(left);
        columns.fill_once(reader)?;
        if columns.cells == 0 {
            bail!(Internal, "A reader delivers {left} cells less than tiles have");
        }
        writer.write(&columns.inputs())?;
        left -= columns.cells;
    }
    Ok(())
}

/// The box around all fragments.
pub(crate) fn region(array: &OpenArray) -> Result<NdRange> {
    let dimensions = array.schema().domain().dimensions();
    let mut domains = array.fragments()?.iter().map(|fragment| fragment.non_empty_domain());
    let mut region = domains.next().cloned().unwrap_or_default();
    for domain in domains {
        for ((side, other), dimension) in region.iter_mut().zip(domain).zip(dimensions) {
            side.expand(dimension.datatype(), other);
        }
    }
    Ok(region)
}

fn extents(grid: &Grid) -> impl Iterator<Item = u64> {
    grid.axes().iter().map(|axis| axis.extent)
}

/// True if the tiles of two dense schemas with the same domain differ.
///
/// # Errors
/// If a schema has no grid of tiles.
pub(crate) fn differ_in_extents(schema: &ArraySchema, other: &ArraySchema) -> Result<bool> {
    Ok(extents(&Grid::new(schema)?).ne(extents(&Grid::new(other)?)))
}

/// The space tiles that a region touches, per dimension.
fn tiles(grid: &Grid, region: &[CellRange]) -> Result<Vec<CoordSpan>> {
    let axes = grid.axes().iter().zip(region);
    axes.map(|(axis, range)| {
        let span = axis.span(range)?;
        Ok(CoordSpan { low: axis.tile(span.low), high: axis.tile(span.high) })
    })
    .collect()
}

pub(crate) fn subarray(schema: &Arc<ArraySchema>, region: &[CellRange]) -> Result<Subarray> {
    let mut subarray = Subarray::new(schema);
    for (dimension, range) in region.iter().enumerate() {
        let missing = || Error::internal("A region has more dimensions than the array");
        subarray = subarray.within(dimension, range).ok_or_else(missing)?;
    }
    Ok(subarray)
}
