//! The cells of one tile, gathered from the user's buffers.

use crate::columns::box_moves::BoxMove;
use crate::columns::box_rows::BoxRows;
use crate::columns::copy::{Stride, copy_box, run_of};
use crate::columns::input::{InputColumn, InputSlice, Inputs};
use crate::columns::memory::OutMem;
use crate::space::grid::{CoordSpan, Grid, GridAxis, Odometer, strides_of};
use crate::write::encode::{Encoder, PendingStats, PendingTile, TileCells};
use crate::write::gathered_bytes::GatheredBytes;
use crate::write::tile_bytes::{CellBytes, FixedCells, VarCells};
use crate::write::tiles::TileSink;
use std::ops::Range;
use tiledb_array::schema::Field;
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::memory;
use tiledb_core::pool::{Scratch, scratch};
use tiledb_core::types::Layout;
use tiledb_filters::tile::StatsOptions;

/// The written part of a space tile.
pub(crate) struct TileCut {
    /// The cells, as distances from the domain's start.
    pub bounds: Vec<CoordSpan>,
    /// How many.
    pub cells: usize,
    /// True if these are all cells of the tile.
    pub is_whole: bool,
}

impl TileCut {
    /// The cut of a tile.
    pub(crate) fn new(grid: &Grid, bounds: Vec<CoordSpan>) -> TileCut {
        let cells = bounds.iter().map(|span| span.count() as usize).product();
        TileCut { is_whole: cells == grid.tile_cells, bounds, cells }
    }

    /// The position in the tile of its first cell.
    fn first(&self, grid: &Grid) -> usize {
        grid.cell_in_tile(self.bounds.iter().map(|span| span.low))
    }
}

/// The input cells of one field.
pub(crate) struct InputFieldCells<'a> {
    column: &'a InputColumn<'a>,
    /// The user's order of cells and how many there are per dimension.
    order: Layout,
    counts: Vec<u64>,
    /// First distance per dimension.
    lows: Vec<u64>,
    /// Cells from one coordinate to the next in the user's order.
    strides: Vec<usize>,
}

impl<'a> InputFieldCells<'a> {
    /// The input cells of a field.
    ///
    /// # Errors
    /// If there are none, or not as many as the region has.
    pub(crate) fn new(
        field: &Field,
        inputs: &'a Inputs<'a>,
        region: &[CoordSpan],
        order: Layout,
    ) -> Result<InputFieldCells<'a>> {
        let Some(column) = inputs.column(&field.name) else {
            bail!(Internal, "No cells were given for attribute '{}'", field.name);
        };
        let counts: Vec<u64> = region.iter().map(|span| span.count()).collect();
        let lows = region.iter().map(|span| span.low).collect();
        let strides = strides_of(&counts, order)?;
        Ok(InputFieldCells { column, order, counts, lows, strides })
    }

    /// Passes the tile of a cut on.
    ///
    /// # Errors
    /// If memory does not suffice; those of `take`.
    pub(crate) fn tile(
        &self,
        encoder: &Encoder<'_>,
        field: &Field,
        grid: &Grid,
        cut: &TileCut,
        take: TileSink<'_, 'a>,
    ) -> Result<()> {
        // The written cells in cell order without gaps: the input of statistics.
        let counts: Vec<u64> = cut.bounds.iter().map(|span| span.count()).collect();
        let packed = strides_of(&counts, grid.cell_order)?;
        let validity = match self.column.validity {
            Some(validity) => Some(self.gather(validity, 1, cut, &packed)?),
            None => None,
        };
        let validity = validity.as_deref();
        let fill = StatsOptions { padded: !cut.is_whole, run: self.run(grid, &counts) };
        let mut padding = vec![0; field.datatype.size()];
        if let Some(placeholder) = field.filters.placeholder(field.datatype) {
            placeholder.replace(&mut padding);
        }
        let hand_over = |cells: TileCells<'_>, rows: Option<BoxRows<'a>>, take: TileSink<'_, 'a>| {
            take(PendingTile { cells, rows, stats: PendingStats::OfCells(fill), bounds: None })
        };
        if !field.is_var() {
            let cell = field.cell_size();
            let place = self.place(cut, &packed);
            let rows = match cut.is_whole && encoder.is_plain(field) {
                true => BoxRows::new(self.column.data, place.to, &turned(&place.steps), cell),
                false => None,
            };
            if let Some(rows) = rows {
                let cells = TileCells { data: CellBytes::Apart(&rows), starts: None, validity };
                return hand_over(cells, Some(rows.clone()), take);
            }
            if cut.is_whole && encoder.gathers_chunks(cut.cells * cell) && run_of(&place.steps).is_none() {
                let gather =
                    |cells: Range<usize>, out: &mut [u8]| gather_some(self.column.data, cell, &place, cells, out);
                let pieces = FixedCells { cell, count: cut.cells, gather: &gather };
                return hand_over(TileCells { data: CellBytes::Apart(&pieces), starts: None, validity }, None, take);
            }
            let data = self.gather(self.column.data, cell, cut, &packed)?;
            let cells = TileCells { data: CellBytes::Here(&data), starts: None, validity };
            if cut.is_whole {
                return hand_over(cells, data.rows(), take);
            }
            let stats = encoder.stats(field, &cells, fill)?;
            let data = pad(&data, cell, grid, cut, &packed, &padding)?;
            let validity = validity.map(|validity| pad(validity, 1, grid, cut, &packed, &[0])).transpose()?;
            let cells = TileCells { data: CellBytes::Here(&data), starts: None, validity: validity.as_deref() };
            return take(PendingTile { cells, rows: None, stats: PendingStats::Known(stats), bounds: None });
        }
        if let Some(cells) = self.together(cut, &packed).filter(|cells| !encoder.takes_apart(cells.data.len())) {
            let (data, starts) = GatheredBytes::run_of(field.datatype, &cells)?;
            let cells = TileCells { data: CellBytes::Here(&data), starts: Some(&starts), validity };
            return hand_over(cells, None, take);
        }
        let extents = self.extents(grid, cut, counts)?;
        if cut.is_whole && encoder.takes_apart(extents.iter().map(|[start, end]| (end - start) as usize).sum()) {
            let (starts, size) = starts_of(&extents, None)?;
            let place = |cell: usize| extents[cell][0] as usize..extents[cell][1] as usize;
            let pieces = VarCells { starts: &starts, size, source: self.column.data, place: &place };
            return hand_over(
                TileCells { data: CellBytes::Apart(&pieces), starts: Some(&starts), validity },
                None,
                take,
            );
        }
        let (starts, data) = self.join(&extents, None)?;
        let cells = TileCells { data: CellBytes::Here(&data), starts: Some(&starts), validity };
        if cut.is_whole {
            drop(extents);
            return hand_over(cells, None, take);
        }
        let stats = encoder.stats(field, &cells, fill)?;
        // Cells that were not written have a single zero value: distinguished from empty cells by an extent that no
        // cell has.
        let mut padded = memory::filled("offsets", NOBODY, grid.tile_cells)?;
        scatter(bytemuck::cast_slice(&extents), 16, grid, cut, &packed, bytemuck::cast_slice_mut(&mut padded))?;
        let (starts, data) = self.join(&padded, Some(&padding))?;
        let validity = validity.map(|validity| pad(validity, 1, grid, cut, &packed, &[0])).transpose()?;
        let cells = TileCells { data: CellBytes::Here(&data), starts: Some(&starts), validity: validity.as_deref() };
        take(PendingTile { cells, rows: None, stats: PendingStats::Known(stats), bounds: None })
    }

    /// Start and end of the variable cells of a cut, in cell order.
    fn extents(&self, grid: &Grid, cut: &TileCut, mut counts: Vec<u64>) -> Result<Vec<[u64; 2]>> {
        let starts = self.column.starts.as_deref().unwrap_or_default();
        let end_of = |cell: usize| starts.get(cell + 1).copied().unwrap_or(self.column.data.len() as u64);
        // Cells along the fastest dimension are copied without computing their positions.
        let along = if grid.cell_order == Layout::ColMajor { 0 } else { counts.len() - 1 };
        let run = std::mem::replace(&mut counts[along], 1) as usize;
        let mut extents = memory::with_capacity("offsets", cut.cells)?;
        let mut odometer = Odometer::new(counts, grid.cell_order);
        while let Some(position) = odometer.position() {
            let axes = cut.bounds.iter().zip(&self.lows).zip(position).zip(&self.strides);
            let first: usize = axes.map(|(((span, low), at), stride)| (span.low - low + at) as usize * stride).sum();
            let cells = (0..run).map(|at| first + at * self.strides[along]);
            extents.extend(cells.map(|cell| [starts[cell], end_of(cell)]));
            odometer.advance();
        }
        Ok(extents)
    }

    /// How many cells of a cut of these counts are contiguous both in the user's buffers and in the tile.
    fn run(&self, grid: &Grid, counts: &[u64]) -> usize {
        if self.order != grid.cell_order && counts.len() > 1 {
            return 1;
        }
        let axes = grid.axes().iter().zip(&self.counts).zip(counts);
        let mut run = 1;
        let mut add = |((axis, &extent), &count): ((&GridAxis, &u64), &u64)| {
            run *= count as usize;
            count == extent && count == axis.extent
        };
        match grid.cell_order {
            Layout::ColMajor => axes.take_while(|axis| add(*axis)).count(),
            _ => axes.rev().take_while(|axis| add(*axis)).count(),
        };
        run
    }

    /// The cells of a cut in cell order without gaps; borrowed if they are already laid out so.
    fn gather(&self, source: &'a [u8], cell: usize, cut: &TileCut, packed: &[usize]) -> Result<GatheredBytes<'a>> {
        let BoxMove { to: from, steps, .. } = self.place(cut, packed);
        let size = cut.cells * cell;
        if let Some(run) = source.get(from * cell..from * cell + size).filter(|_| run_of(&steps) == Some(cut.cells)) {
            return GatheredBytes::aligned(run);
        }
        let mut bytes = scratch(size)?;
        copy_box(&mut OutMem::new(&mut bytes), 0, source, from, &turned(&steps), cell)?;
        Ok(GatheredBytes::Owned(bytes))
    }

    /// The cells of a tile where the user has them as they are needed.
    fn together(&self, cut: &TileCut, packed: &[usize]) -> Option<InputSlice<'a>> {
        let BoxMove { to: first, steps, .. } = self.place(cut, packed);
        let lies = cut.is_whole && run_of(&steps) == Some(cut.cells);
        lies.then(|| self.column.slice(1, first, cut.cells))
    }

    /// From contiguous cells of a cut in cell order to their positions in the user's buffer.
    fn place(&self, cut: &TileCut, packed: &[usize]) -> BoxMove {
        let mut place = BoxMove { from: 0, to: 0, steps: Vec::with_capacity(packed.len()) };
        for (d, span) in cut.bounds.iter().enumerate() {
            place.to += (span.low - self.lows[d]) as usize * self.strides[d];
            place.steps.push(Stride { count: span.count() as usize, from: packed[d], to: self.strides[d] });
        }
        place
    }

    /// Consecutive variable cells: their starts and values.
    fn join(&self, extents: &[[u64; 2]], padding: Option<&[u8]>) -> Result<(Vec<u64>, Vec<u8>)> {
        let (starts, total) = starts_of(extents, padding.map(<[u8]>::len))?;
        let mut data = memory::with_capacity("a tile", total)?;
        for extent in extents {
            if *extent == NOBODY {
                data.extend_from_slice(padding.unwrap_or_default());
            } else if let Some(value) = self.column.data.get(extent[0] as usize..extent[1] as usize) {
                data.extend_from_slice(value);
            }
        }
        Ok((starts, data))
    }
}

/// The starts of consecutive variable cells, and their bytes in all.
fn starts_of(extents: &[[u64; 2]], padding: Option<usize>) -> Result<(Vec<u64>, usize)> {
    let mut starts = memory::with_capacity("offsets", extents.len())?;
    let mut end = 0;
    for extent in extents {
        starts.push(end);
        end += if *extent == NOBODY { padding.unwrap_or(0) as u64 } else { extent[1] - extent[0] };
    }
    Ok((starts, end as usize))
}

/// The same way back.
fn turned(steps: &[Stride]) -> Vec<Stride> {
    steps.iter().map(|&Stride { count, from, to }| Stride { count, from: to, to: from }).collect()
}

/// Some of the cells that are at `place` in `source`.
fn gather_some(source: &[u8], cell: usize, place: &BoxMove, cells: Range<usize>, out: &mut [u8]) -> Result<()> {
    let mut out = OutMem::new(out);
    place.clip(&cells, &mut |at, from, steps| copy_box(&mut out, at - cells.start, source, from, &turned(steps), cell))
}

/// The extent of a cell that was not written.
const NOBODY: [u64; 2] = [u64::MAX; 2];

/// The whole tile of a partial cut, with the same value in all cells around it.
fn pad(cells: &[u8], cell: usize, grid: &Grid, cut: &TileCut, packed: &[usize], padding: &[u8]) -> Result<Scratch> {
    let size = grid.tile_cells.checked_mul(cell).ok_or_else(|| {
        let cells = grid.tile_cells;
        Error::invalid(format!(
            "A tile of {cells} cells of {cell} bytes exceeds the address space; reduce the tile extents"
        ))
    })?;
    let mut tile = scratch(size)?;
    match padding.iter().all(|&byte| byte == 0) {
        true => tile.fill(0),
        false => tile.chunks_exact_mut(padding.len()).for_each(|value| value.copy_from_slice(padding)),
    }
    scatter(cells, cell, grid, cut, packed, &mut tile)?;
    Ok(tile)
}

fn scatter(cells: &[u8], cell: usize, grid: &Grid, cut: &TileCut, packed: &[usize], tile: &mut [u8]) -> Result<()> {
    let dims = cut.bounds.iter().enumerate();
    let steps: Vec<Stride> =
        dims.map(|(d, span)| Stride { count: span.count() as usize, from: packed[d], to: grid.strides()[d] }).collect();
    copy_box(&mut OutMem::new(tile), cut.first(grid), cells, 0, &steps, cell)
}
