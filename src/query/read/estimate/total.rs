//! How large the results of a read will be: what tiles have of a field, times the share of each tile that is selected.
//!
//! A program may count on the numbers that libtiledb gives, so that sums are made in its order and rounded as it does.

use super::share::DenseTiles;
use super::sparse;
use crate::array::OpenArray;
use crate::error::{Error, Result};
use crate::fragment::Fragment;
use crate::query::space::grid::{Grid, Odometer, Span};
use crate::query::space::subarray::Subarray;
use crate::schema::{ArraySchema, Field};
use crate::stats::Counter;
use crate::types::{CellRange, Layout};
use std::sync::Arc;

/// Bytes of the results of one field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResultSize {
    /// Fixed cells, or the values of variable ones.
    pub data: u64,
    /// 64-bit starts of variable cells.
    pub offsets: u64,
    /// One byte per cell.
    pub validity: u64,
}

/// What is estimated.
#[derive(Clone, Copy, Debug)]
pub enum Estimated<'a> {
    /// A field.
    Field(&'a Field),
    /// The coordinates of all dimensions, cell by cell.
    Coordinates,
}

/// Estimates the results of a field read in a layout.
///
/// # Errors
/// If the metadata of a fragment cannot be read.
pub fn estimate(array: &OpenArray, subarray: &Subarray, layout: Layout, wanted: Estimated<'_>) -> Result<ResultSize> {
    let schema = array.schema();
    let dense = if schema.is_dense() { Some(Grid::new(schema)?) } else { None };
    let wanted = match wanted {
        Estimated::Field(field) => Wanted::of_field(field),
        Estimated::Coordinates => Wanted::of_coordinates(schema),
    };
    if let Some(grid) = dense.as_ref().filter(|_| !wanted.is_var) {
        // Every cell has a value, whatever fragments have.
        let cells = cells_of_dense(grid, subarray)?;
        return Ok(wanted.size_of_cells(cells));
    }
    let order = match layout {
        Layout::Unordered if schema.cell_order() == Layout::ColMajor => Layout::ColMajor,
        Layout::ColMajor => Layout::ColMajor,
        _ => Layout::RowMajor,
    };
    if subarray.box_count().is_none() {
        return Err(Error::invalid("Query: query estimated result size: there are more than 2^64 boxes of ranges"));
    }
    // A tile at the edge of a fragment may reach further than its cells: these decide.
    let touched = |fragment: &&Arc<Fragment>| subarray.touches(fragment.non_empty_domain());
    let fragments: Vec<&Fragment> = array.fragments().iter().filter(touched).map(|fragment| &**fragment).collect();
    let mut sum = Sum::default();
    let counts = subarray.sets().iter().map(|set| set.ranges().len() as u64).collect();
    let mut boxes = Odometer::new(counts, order);
    while let Some(position) = boxes.position() {
        let ranges: Vec<&CellRange> =
            subarray.sets().iter().zip(position).filter_map(|(set, &at)| set.ranges().get(at as usize)).collect();
        let part = match &dense {
            Some(grid) => {
                let spans = grid.axes().iter().zip(&ranges).map(|(axis, range)| axis.span(range));
                Sum::of_dense_box(grid, &fragments, &spans.collect::<Result<Vec<_>>>()?, &wanted)?
            }
            None => {
                let mut part = [Sum::default()];
                sparse::add_box(
                    schema,
                    &fragments,
                    subarray.sets(),
                    &ranges,
                    std::slice::from_ref(&wanted),
                    &mut part,
                )?;
                part[0]
            }
        };
        sum.add(&part);
        boxes.advance();
    }
    if let Some(grid) = &dense {
        sum.raise(cells_of_dense(grid, subarray)?, &wanted);
    }
    Ok(sum.rounded(&wanted))
}

/// The cells of a dense selection.
fn cells_of_dense(grid: &Grid, subarray: &Subarray) -> Result<u64> {
    let mut cells = 1u64;
    for (axis, set) in grid.axes().iter().zip(subarray.sets()) {
        let counts = set.ranges().iter().map(|range| axis.span(range).map(Span::count));
        let count = counts.sum::<Result<u64>>()?;
        cells = cells.saturating_mul(count);
    }
    Ok(cells)
}

/// The sizes of what is estimated.
pub struct Wanted<'a> {
    field: Option<&'a Field>,
    pub is_var: bool,
    nullable: bool,
    /// Bytes of a fixed cell, or of the start of a variable one.
    cell: u64,
    /// Bytes of a value.
    value: u64,
}

impl<'a> Wanted<'a> {
    pub fn of_field(field: &'a Field) -> Wanted<'a> {
        let cell = if field.is_var() { 8 } else { field.cell_size() as u64 };
        let (is_var, nullable, value) = (field.is_var(), field.nullable, field.datatype.size() as u64);
        Wanted { field: Some(field), is_var, nullable, cell, value }
    }

    fn of_coordinates(schema: &ArraySchema) -> Wanted<'a> {
        let cell = schema.domain().dimensions().iter().map(|dimension| dimension.size() as u64).sum();
        Wanted { field: None, is_var: false, nullable: false, cell, value: cell }
    }

    fn size_of_cells(&self, cells: u64) -> ResultSize {
        let validity = if self.nullable { cells } else { 0 };
        ResultSize { data: cells.saturating_mul(self.cell), offsets: 0, validity }
    }

    /// The field as a fragment has it, and bytes of its fixed part; `None` for a fragment without it.
    pub fn stored<'f>(&self, fragment: &'f Fragment) -> Option<(Option<&'f Field>, u64)> {
        let Some(field) = self.field else { return Some((None, self.cell)) };
        let stored = fragment.field(&field.name).filter(|stored| stored.is_var() == self.is_var)?;
        Some((Some(stored), if self.is_var { 8 } else { stored.cell_size() as u64 }))
    }
}

/// Sizes on their way to an estimate: fixed cells or starts, values of variable cells, validity.
#[derive(Clone, Copy, Default)]
pub struct Sum {
    fixed: f64,
    values: f64,
    validity: f64,
}

impl Sum {
    /// What this many cells have of a fixed field.
    pub fn of_cells(cells: u64, wanted: &Wanted<'_>) -> Sum {
        let validity = if wanted.nullable { cells } else { 0 };
        Sum { fixed: cells.saturating_mul(wanted.cell) as f64, values: 0.0, validity: validity as f64 }
    }

    /// What fragments have of a box of a dense array.
    ///
    /// # Errors
    /// If their metadata cannot be read.
    pub fn of_dense_box(grid: &Grid, fragments: &[&Fragment], spans: &[Span], wanted: &Wanted<'_>) -> Result<Sum> {
        let mut sum = Sum::default();
        for fragment in fragments {
            if fragment.is_dense() {
                sum.add_dense(fragment, grid, spans, wanted)?;
                continue;
            }
            // What early releases wrote cell by cell.
            let ranges = grid.axes().iter().zip(spans).map(|(axis, span)| axis.range(*span).map(|range| vec![range]));
            let ranges = ranges.collect::<Result<Vec<_>>>()?;
            sparse::add_fragment(fragment, &ranges, std::slice::from_ref(wanted), std::slice::from_mut(&mut sum))?;
        }
        sum.cap(spans.iter().fold(1, |cells: u64, span| cells.saturating_mul(span.count())), wanted);
        Ok(sum)
    }

    /// True if it is more than there is room for.
    pub fn exceeds(&self, fixed: u64, values: u64, validity: u64) -> bool {
        self.excess(fixed, values, validity).is_some()
    }

    /// What there is too little room for, as it is counted.
    pub fn excess(&self, fixed: u64, values: u64, validity: u64) -> Option<Counter> {
        match self {
            _ if self.fixed > fixed as f64 => Some(Counter::PartitionFixed),
            _ if self.values > values as f64 => Some(Counter::PartitionVar),
            _ if self.validity > validity as f64 => Some(Counter::PartitionValidity),
            _ => None,
        }
    }

    pub fn add(&mut self, other: &Sum) {
        self.fixed += other.fixed;
        self.values += other.values;
        self.validity += other.validity;
    }

    /// Adds shares of the tiles of a dense fragment: runs of whole tiles first.
    fn add_dense(&mut self, fragment: &Fragment, grid: &Grid, spans: &[Span], wanted: &Wanted<'_>) -> Result<()> {
        let Some(stored) = wanted.stored(fragment) else { return Ok(()) };
        let Some(tiles) = DenseTiles::new(fragment, grid, spans) else { return Ok(()) };
        let mut waiting = Vec::new();
        // The whole tile before this one, and whether it was added.
        let mut last: Option<(u64, bool)> = None;
        for (tile, share) in tiles {
            let follows = share == 1.0 && last.is_some_and(|(last, _)| last + 1 == tile);
            if let Some((alone, false)) = last.take() {
                match follows {
                    true => self.add_tile(fragment, stored, alone, 1.0, wanted)?,
                    false => waiting.push((alone, 1.0)),
                }
            }
            if follows {
                self.add_tile(fragment, stored, tile, 1.0, wanted)?;
            }
            match share == 1.0 {
                true => last = Some((tile, follows)),
                false => waiting.push((tile, share)),
            }
        }
        waiting.extend(last.filter(|(_, added)| !added).map(|(tile, _)| (tile, 1.0)));
        waiting.iter().try_for_each(|&(tile, share)| self.add_tile(fragment, stored, tile, share, wanted))
    }

    pub fn add_tile(
        &mut self,
        fragment: &Fragment,
        (field, cell): (Option<&Field>, u64),
        tile: u64,
        share: f64,
        wanted: &Wanted<'_>,
    ) -> Result<()> {
        let fixed = fragment.cells_in_tile(tile).saturating_mul(cell);
        self.fixed += fixed as f64 * share;
        if let Some(field) = field.filter(|_| wanted.is_var) {
            self.values += fragment.var_tile_size(field, tile)? as f64 * share;
        }
        if wanted.nullable {
            // Of cells with several values libtiledb counts each.
            let cells = fixed / if wanted.is_var { 8 } else { wanted.value.max(1) };
            self.validity += cells as f64 * share;
        }
        Ok(())
    }

    /// No more than what this many cells have.
    pub fn cap(&mut self, cells: u64, wanted: &Wanted<'_>) {
        self.fixed = self.fixed.min(cells.saturating_mul(wanted.cell) as f64);
        self.validity = self.validity.min(cells as f64);
    }

    /// No less than what this many cells of a dense array have that nobody wrote.
    pub fn raise(&mut self, cells: u64, wanted: &Wanted<'_>) {
        let fill = wanted.field.map_or(0, |field| field.fill.len() as u64);
        self.fixed = self.fixed.max(cells.saturating_mul(wanted.cell) as f64);
        self.values = self.values.max(cells.saturating_mul(fill) as f64);
        if wanted.nullable {
            self.validity = self.validity.max(cells as f64);
        }
    }

    /// Whole bytes; of what there is at all one cell at least.
    pub fn rounded(&self, wanted: &Wanted<'_>) -> ResultSize {
        let whole = |size: f64| size.ceil() as u64;
        let (fixed, values, validity) = (whole(self.fixed), whole(self.values), whole(self.validity));
        match wanted.is_var {
            true if values == 0 => ResultSize::default(),
            true => {
                let validity = if wanted.nullable { validity.max(1) } else { 0 };
                ResultSize { data: values.max(wanted.value), offsets: fixed.max(8), validity }
            }
            false if fixed > 0 && fixed < wanted.cell => wanted.size_of_cells(1),
            false => ResultSize { data: fixed, offsets: 0, validity },
        }
    }
}
