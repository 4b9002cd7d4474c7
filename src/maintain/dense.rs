//! Merging dense fragments: whole space tiles are read in global order, cells that nobody wrote having the fill value,
//! and written as they come.

use std::sync::Arc;

use super::columns::Columns;
use super::edges::pad;
use super::progress::{MergedCells, OnMerged};
use super::room::{columns, of_reader, of_writer};
use crate::array::OpenArray;
use crate::error::{Error, Result, bail};
use crate::query::Subarray;
use crate::query::read::dense::reader::DenseReader;
use crate::query::read::spec::{ReadSpec, Reader, Versions};
use crate::query::space::grid::{Grid, Odometer, Span, volume};
use crate::query::write::dense::global::DenseGlobalWriter;
use crate::query::write::spec::{Merged, WriteSpec, Writer, Written};
use crate::schema::{ArraySchema, Field};
use crate::stats::Timer;
use crate::types::{CellRange, Layout, NdRange};

/// Merges the fragments of `array`.
///
/// # Errors
/// If a fragment cannot be read, storage fails, or `on_merged` does.
pub(super) fn merge(array: &Arc<OpenArray>, merged: Merged, on_merged: OnMerged<'_>) -> Result<Vec<Written>> {
    let schema = array.schema();
    let grid = Grid::new(schema)?;
    let region = region(array)?;
    let tiles = tiles(&grid, &region)?;
    let names = schema.fields().iter().filter(|field| !field.is_dimension);
    let fields: Vec<Field> = names.cloned().collect();
    let timer = array.resources().stats().timer(Timer::ConsolidatePrepare);
    let mut reader = DenseReader::new(&ReadSpec {
        array: array.clone(),
        layout: Layout::GlobalOrder,
        subarray: subarray(schema, &whole_tiles(&grid, &tiles)?)?,
        config: array.config().clone(),
        share: of_reader(array.config())?,
        fields: fields.iter().map(|field| field.name.clone()).collect(),
        condition: None,
        versions: Versions::Latest,
        stats: array.resources().stats().clone(),
    })?;
    let mut writer = DenseGlobalWriter::over_region(WriteSpec {
        array: array.clone(),
        layout: Layout::GlobalOrder,
        subarray: subarray(schema, &region)?,
        config: array.config().clone(),
        budget: of_writer(array.config())?,
        merged: Some(merged),
        stats: array.resources().stats().clone(),
    })?;
    drop(timer);
    let counts: Vec<u64> = tiles.iter().map(|span| span.count()).collect();
    let tiles_in_all = volume(&counts).unwrap_or(usize::MAX);
    let mut done = MergedCells { cells: 0, total: tiles_in_all.saturating_mul(grid.tile_cells) as u64 };
    let mut columns = columns(array, &fields, grid.tile_cells as u64, done.total)?;
    let batch = (columns.capacity() / grid.tile_cells).max(1);
    let mut odometer = Odometer::new(counts, grid.tile_order);
    loop {
        array.resources().cancel().check()?;
        let mut shapes: Vec<Vec<u64>> = Vec::with_capacity(batch);
        while let Some(position) = odometer.position().filter(|_| shapes.len() < batch) {
            let axes = grid.axes().iter().zip(&tiles).zip(position);
            shapes.push(axes.map(|((axis, span), &tile)| axis.tile_span(span.low + tile).count()).collect());
            odometer.advance();
        }
        if shapes.is_empty() {
            done.end(on_merged)?;
            return writer.finish();
        }
        let cells = shapes.iter().try_fold(0usize, |sum, shape| Ok::<_, Error>(sum + volume(shape)?))?;
        if cells < shapes.len() * grid.tile_cells {
            let mut cut = Columns::new(&fields, cells, &columns.share_of(cells))?;
            cut.fill(&mut reader)?;
            writer.write(&pad(&grid, &shapes, &cut)?.inputs())?;
        } else {
            carry(&mut reader, &mut columns, &mut writer, cells)?;
        }
        done.add((shapes.len() * grid.tile_cells) as u64, on_merged)?;
    }
}

/// Carries a number of cells over, as many at a time as the buffers hold.
fn carry(reader: &mut dyn Reader, columns: &mut Columns, writer: &mut dyn Writer, cells: usize) -> Result<()> {
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
fn region(array: &OpenArray) -> Result<NdRange> {
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

/// The space tiles that a region touches, per dimension.
fn tiles(grid: &Grid, region: &[CellRange]) -> Result<Vec<Span>> {
    let axes = grid.axes().iter().zip(region);
    axes.map(|(axis, range)| {
        let span = axis.span(range)?;
        Ok(Span { low: axis.tile(span.low), high: axis.tile(span.high) })
    })
    .collect()
}

/// The coordinates of these tiles, cut to the domain.
fn whole_tiles(grid: &Grid, tiles: &[Span]) -> Result<NdRange> {
    let axes = grid.axes().iter().zip(tiles);
    axes.map(|(axis, span)| axis.range(Span { low: axis.tile_start(span.low), high: axis.tile_span(span.high).high }))
        .collect()
}

fn subarray(schema: &Arc<ArraySchema>, region: &[CellRange]) -> Result<Subarray> {
    let mut subarray = Subarray::new(schema);
    for (dimension, range) in region.iter().enumerate() {
        let missing = || Error::internal("A region has more dimensions than the array");
        subarray = subarray.within(dimension, range).ok_or_else(missing)?;
    }
    Ok(subarray)
}
