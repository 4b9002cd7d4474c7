//! Accumulation of size estimates. Programs may depend on the exact numbers of libtiledb, so sums are computed in the same
//! order and rounded in the same way.

use tiledb_array::fragment::Fragment;
use tiledb_array::schema::{ArraySchema, Field};
use tiledb_core::error::Result;
use tiledb_core::stats::Counter;

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

/// The cell sizes of an estimated field.
pub struct CellSizes<'a> {
    field: Option<&'a Field>,
    pub is_var: bool,
    nullable: bool,
    /// Bytes of a fixed cell, or of the start of a variable one.
    cell: u64,
    /// Bytes of a value.
    value: u64,
}

impl<'a> CellSizes<'a> {
    /// Those of a field.
    pub fn of_field(field: &'a Field) -> CellSizes<'a> {
        let cell = if field.is_var() { 8 } else { field.cell_size() as u64 };
        let is_var = field.is_var();
        let nullable = field.nullable;
        let value = field.datatype.size() as u64;
        CellSizes { field: Some(field), is_var, nullable, cell, value }
    }

    /// Those of zipped coordinates.
    pub fn of_coordinates(schema: &ArraySchema) -> CellSizes<'a> {
        let cell = schema.domain().dimensions().iter().map(|dimension| dimension.size() as u64).sum();
        CellSizes { field: None, is_var: false, nullable: false, cell, value: cell }
    }

    /// The size of `cells` cells, without the values of variable ones.
    pub fn size_of_cells(&self, cells: u64) -> ResultSize {
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
pub struct SizeSum {
    fixed: f64,
    values: f64,
    validity: f64,
}

impl SizeSum {
    /// The size of `cells` cells of a fixed field.
    pub fn of_cells(cells: u64, sizes: &CellSizes<'_>) -> SizeSum {
        let validity = if sizes.nullable { cells } else { 0 };
        SizeSum { fixed: cells.saturating_mul(sizes.cell) as f64, values: 0.0, validity: validity as f64 }
    }

    /// True if it exceeds the capacity.
    pub fn exceeds(&self, fixed: u64, values: u64, validity: u64) -> bool {
        self.excess(fixed, values, validity).is_some()
    }

    /// The counter of the buffer whose capacity is exceeded.
    pub fn excess(&self, fixed: u64, values: u64, validity: u64) -> Option<Counter> {
        match self {
            _ if self.fixed > fixed as f64 => Some(Counter::PartitionFixed),
            _ if self.values > values as f64 => Some(Counter::PartitionVar),
            _ if self.validity > validity as f64 => Some(Counter::PartitionValidity),
            _ => None,
        }
    }

    /// Adds another sum.
    pub fn add(&mut self, other: &SizeSum) {
        self.fixed += other.fixed;
        self.values += other.values;
        self.validity += other.validity;
    }

    /// Adds the share of a tile.
    ///
    /// # Errors
    /// If the metadata of its fragment cannot be read.
    pub fn add_tile(
        &mut self,
        fragment: &Fragment,
        (field, cell): (Option<&Field>, u64),
        tile: u64,
        share: f64,
        sizes: &CellSizes<'_>,
    ) -> Result<()> {
        let fixed = fragment.cells_in_tile(tile).saturating_mul(cell);
        self.fixed += fixed as f64 * share;
        if let Some(field) = field.filter(|_| sizes.is_var) {
            self.values += fragment.var_tile_size(field, tile)? as f64 * share;
        }
        if sizes.nullable {
            // Of cells with several values libtiledb counts each.
            let cells = fixed / if sizes.is_var { 8 } else { sizes.value.max(1) };
            self.validity += cells as f64 * share;
        }
        Ok(())
    }

    /// Limits the sum to the size of `cells` cells.
    pub fn cap(&mut self, cells: u64, sizes: &CellSizes<'_>) {
        self.fixed = self.fixed.min(cells.saturating_mul(sizes.cell) as f64);
        self.validity = self.validity.min(cells as f64);
    }

    /// Raises the sum to the minimum size of `cells` unwritten cells of a dense array.
    pub fn raise(&mut self, cells: u64, sizes: &CellSizes<'_>) {
        let fill = sizes.field.map_or(0, |field| field.fill.len() as u64);
        self.fixed = self.fixed.max(cells.saturating_mul(sizes.cell) as f64);
        self.values = self.values.max(cells.saturating_mul(fill) as f64);
        if sizes.nullable {
            self.validity = self.validity.max(cells as f64);
        }
    }

    /// Whole bytes; at least one cell unless it is empty.
    pub fn rounded(&self, sizes: &CellSizes<'_>) -> ResultSize {
        let whole = |size: f64| size.ceil() as u64;
        let (fixed, values, validity) = (whole(self.fixed), whole(self.values), whole(self.validity));
        match sizes.is_var {
            true if values == 0 => ResultSize::default(),
            true => {
                let validity = if sizes.nullable { validity.max(1) } else { 0 };
                ResultSize { data: values.max(sizes.value), offsets: fixed.max(8), validity }
            }
            false if fixed > 0 && fixed < sizes.cell => sizes.size_of_cells(1),
            false => ResultSize { data: fixed, offsets: 0, validity },
        }
    }
}
