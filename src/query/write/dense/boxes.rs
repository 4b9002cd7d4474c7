//! Dense writes in row- and column-major order: the region is cut along the space tiles, the cells of each
//! tile are gathered from the user's buffers into the tile's cell order, and every submit makes a fragment.

use super::cells::{FieldCells, TileCut};
use super::order;
use crate::array::OpenArray;
use crate::error::{Context, Result, bail};
use crate::query::columns::input::Inputs;
use crate::query::space::grid::Odometer;
use crate::query::write::encode::at_work;
use crate::query::write::fragments::Fragments;
use crate::query::write::region::Region;
use crate::query::write::spec::{WriteSpec, Writer, Written};
use crate::query::write::tile_boxes::TileBoxes;
use crate::query::write::tiles::write_tiles;
use crate::schema::Field;
use crate::stats::Timer;
use crate::types::{CellRange, Layout};

/// The attributes a dense write stores.
pub fn attributes(spec: &WriteSpec) -> Vec<&Field> {
    spec.array.schema().fields().iter().filter(|field| !field.is_dimension).collect()
}

/// Bytes of a tile over all fields, as long as those of other cells on average.
pub fn tile_bytes(fields: &[&Field], inputs: &Inputs<'_>, cells: usize) -> usize {
    let bytes = |field: &&Field| match inputs.column(&field.name) {
        Some(column) if field.is_var() => 8 + column.data.len() / column.cells(0).max(1) + 1,
        _ => field.cell_size(),
    };
    let bytes = |field: &&Field| cells.saturating_mul(bytes(field) + usize::from(field.nullable));
    fields.iter().map(bytes).fold(0, usize::saturating_add)
}

/// A write in row- or column-major order.
pub struct DenseWriter {
    spec: WriteSpec,
    region: Region,
}

impl DenseWriter {
    /// Prepares a write.
    ///
    /// # Errors
    /// If the subarray has several ranges.
    pub fn new(spec: WriteSpec) -> Result<DenseWriter> {
        let region = Region::new(&spec)?;
        Ok(DenseWriter { spec, region })
    }
}

/// Checks that a column has a number of cells, and as many validity values where there are any.
pub fn check_cells(field: &Field, given: usize, validity: Option<&[u8]>, wanted: usize) -> Result<()> {
    let validity = validity.map_or(wanted, <[u8]>::len);
    for (kind, given) in [("validity cells", validity), ("cells", given)] {
        if given != wanted {
            bail!(
                "WriterBase: Buffer sizes check failed; Invalid number of {kind} given for attribute '{}' ({given} != \
                 {wanted})",
                field.name
            );
        }
    }
    Ok(())
}

/// A region must lie inside the current domain.
pub fn check_current_domain(array: &OpenArray, region: &[CellRange]) -> Result<()> {
    let current = array.current_domain().rectangle().and_then(|rectangle| rectangle.complete());
    let mut axes = array.schema().domain().dimensions().iter().zip(region).zip(current.iter().flatten());
    if axes.any(|((dimension, range), bounds)| !bounds.contains(dimension.datatype(), range)) {
        bail!("FragmentMetadata: Cells are written outside of the defined current domain.");
    }
    Ok(())
}

impl Writer for DenseWriter {
    fn check(&self, inputs: &Inputs<'_>) -> Result<()> {
        for field in attributes(&self.spec) {
            if let Some(column) = inputs.column(&field.name) {
                check_cells(field, column.cells(field.cell_size()), column.validity, self.region.cells)?;
            }
        }
        let _timer = self.spec.stats.timer(Timer::CheckAttributes);
        for attribute in self.spec.array.schema().attributes() {
            if let Some(column) = inputs.column(attribute.name()) {
                order::check(attribute, column)?;
            }
        }
        Ok(())
    }

    fn write(&mut self, inputs: &Inputs<'_>) -> Result<Vec<Written>> {
        let _timer = self.spec.stats.timer(Timer::WriteOrdered);
        let Region { grid, spans, ranges, .. } = &self.region;
        let array = &self.spec.array;
        check_current_domain(array, ranges).context(|| at_work(self.spec.layout))?;
        let order = if self.spec.layout == Layout::ColMajor { Layout::ColMajor } else { Layout::RowMajor };
        let fields = attributes(&self.spec);
        let columns = fields.iter().map(|field| FieldCells::new(field, inputs, spans, order));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let cuts = cuts(&self.region);
        let mut fragments = Fragments::new(&self.spec, Some(TileBoxes::new(&self.region)))?;
        let _timer = self.spec.stats.timer(Timer::WriteOrderedTiles);
        let bytes = tile_bytes(&fields, inputs, grid.tile_cells);
        write_tiles(&self.spec, &mut fragments, &fields, cuts.len(), bytes, |encoder, field, f, tile, take| {
            columns[f].tile(encoder, field, grid, &cuts[tile], take)
        })?;
        fragments.commit(&fields)
    }

    fn finish(&mut self) -> Result<Vec<Written>> {
        Ok(Vec::new())
    }
}

/// The tiles of a region in tile order, with what of them is written.
fn cuts(region: &Region) -> Vec<TileCut> {
    let mut cuts = Vec::new();
    let mut odometer = Odometer::new(region.tile_counts(), region.grid.tile_order);
    while let Some(position) = odometer.position() {
        let axes = region.grid.axes().iter().zip(&region.spans).zip(position);
        let bounds =
            axes.filter_map(|((axis, span), &tile)| axis.tile_span(axis.tile(span.low) + tile).intersect(*span));
        cuts.push(TileCut::new(&region.grid, bounds.collect()));
        odometer.advance();
    }
    cuts
}
