//! Staged results for several submits: avoids decoding each tile again for every submit if the caller's buffers hold only a
//! small part of a batch and tiles are not cached.

use super::plan::RequestedField;
use tiledb_cells::columns::output::Outputs;
use tiledb_core::budget::Lease;
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::pool::Scratch;

/// The results of some cells of a batch.
pub struct StagedResults {
    /// The first cell, and how many there are.
    pub first: usize,
    pub cells: usize,
    /// By field.
    pub columns: Vec<StagedColumn>,
}

/// The results of one field.
pub struct StagedColumn {
    pub data: Lease<Scratch>,
    /// Starts of variable cells, and the end of the last.
    pub starts: Option<Lease<Vec<u64>>>,
    pub validity: Option<Lease<Scratch>>,
}

impl StagedResults {
    /// True if it has these cells.
    pub fn has(&self, first: usize, cells: usize) -> bool {
        self.first <= first && first.saturating_add(cells) <= self.first + self.cells
    }

    /// Copies as many of these cells as fit; returns how many, none if `all` is set and fewer fit.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn deliver(
        &self,
        fields: &[RequestedField],
        (first, cells): (usize, usize),
        out: &mut Outputs<'_>,
        all: bool,
    ) -> Result<usize> {
        let first = first - self.first;
        let mut fits = cells;
        for (staged, column) in self.columns.iter().zip(&mut out.columns) {
            let Some(starts) = &staged.starts else { continue };
            let starts = &starts[first..=first + cells];
            let available = column.data.len().saturating_sub(column.bytes);
            let within = starts.partition_point(|start| start - starts[0] <= available as u64).saturating_sub(1);
            if within < cells && column.data.is_empty() {
                column.show_starts(&moved(&starts[..cells], column.bytes)?)?;
            }
            fits = fits.min(within);
        }
        if all && fits < cells {
            return Ok(0);
        }
        for ((staged, column), requested) in self.columns.iter().zip(&mut out.columns).zip(fields) {
            match (&staged.starts, &mut column.offsets) {
                (Some(starts), Some(offsets)) => {
                    let starts = &starts[first..=first + fits];
                    let values = &staged.data[starts[0] as usize..starts[fits] as usize];
                    column.data.put(column.bytes, values)?;
                    offsets.put(column.cells, &moved(&starts[..fits], column.bytes)?)?;
                    column.bytes += values.len();
                }
                (Some(_), None) => bail!(Internal, "Variable field '{}' has no offsets buffer", column.name),
                (None, _) => {
                    let size = requested.cell_size;
                    column.data.put(column.cells * size, &staged.data[first * size..(first + fits) * size])?;
                    column.bytes += fits * size;
                }
            }
            if let (Some(staged), Some(validity)) = (&staged.validity, &mut column.validity) {
                validity.put(column.cells, &staged[first..first + fits])?;
            }
            column.cells += fits;
        }
        Ok(fits)
    }
}

/// Starts as they are where the first is `to`.
fn moved(starts: &[u64], to: usize) -> Result<Vec<u64>> {
    let base = starts.first().copied().unwrap_or(0);
    let mut moved = memory::with_capacity("offsets", starts.len())?;
    moved.extend(starts.iter().map(|start| start - base + to as u64));
    Ok(moved)
}
