//! Statistics of the selected cells of a read, by field.

use tiledb_cells::aggregate::kernel::RequiredStats;
use tiledb_cells::aggregate::summary::{CellType, FieldSummary};
use tiledb_core::types::{HasName, Name};

/// An aggregated field and its required statistics.
pub struct AggregatedField {
    pub name: Name,
    pub shape: CellType,
    pub nullable: bool,
    pub wants: RequiredStats,
}

impl HasName for AggregatedField {
    fn name(&self) -> &Name {
        &self.name
    }
}

/// Statistics of some of the cells.
pub struct CellTotals {
    /// How many.
    pub cells: u64,
    /// Per field.
    pub fields: Vec<FieldSummary>,
}

impl CellTotals {
    /// Of no cell.
    pub fn new(aggregated: &[AggregatedField]) -> CellTotals {
        CellTotals { cells: 0, fields: aggregated.iter().map(|field| FieldSummary::new(field.shape)).collect() }
    }

    /// Adds the statistics of other cells.
    pub fn merge(&mut self, aggregated: &[AggregatedField], other: CellTotals) {
        self.cells = self.cells.saturating_add(other.cells);
        for ((field, own), other) in aggregated.iter().zip(&mut self.fields).zip(other.fields) {
            own.merge(field.shape, other);
        }
    }
}
