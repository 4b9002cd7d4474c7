//! The result column of a variable field: where the starts of its cells are computed.

use super::var::{VarBatch, VarRead};
use super::var_tiles::VarTiles;
use tiledb_cells::columns::output::OutputColumn;
use tiledb_core::budget::Lease;
use tiledb_core::error::{Result, bail};

/// The measured values of a field, whose column is not filled yet.
pub(super) struct VarColumn<'b> {
    batch: VarBatch<'b>,
    pub read: VarRead,
    /// The starts of the cells in bytes; `None` if the caller's offsets buffer has them.
    starts: Option<Lease<Vec<u64>>>,
}

impl<'b> VarColumn<'b> {
    /// True if the starts of the cells of a column need memory of their own.
    pub(super) fn has_own_starts(column: &mut OutputColumn<'_>, cells: usize) -> bool {
        column.offsets.as_mut().is_some_and(|offsets| offsets.words(cells).is_none())
    }

    /// Computes the starts of the cells: in the caller's buffer if its offsets are such words, since they would be copied there.
    ///
    /// # Errors
    /// As [`VarBatch::measure`].
    pub(super) fn measure(
        batch: VarBatch<'b>,
        cached_tiles: &VarTiles,
        column: &mut OutputColumn<'_>,
    ) -> Result<VarColumn<'b>> {
        let cells = batch.plan.cells;
        if let Some(starts) = column.offsets.as_mut().and_then(|offsets| offsets.words(cells)) {
            return Ok(VarColumn { batch, read: batch.measure(cached_tiles, starts)?, starts: None });
        }
        let mut starts = batch.context.access().words(cells)?;
        let read = batch.measure(cached_tiles, starts.slice_mut())?;
        Ok(VarColumn { batch, read, starts: Some(starts) })
    }

    /// Writes the starts that the cells would have if there were capacity for values.
    ///
    /// # Errors
    /// As [`OutputColumn::show_starts`].
    pub(super) fn show_starts(&self, column: &mut OutputColumn<'_>) -> Result<()> {
        self.starts.as_ref().map_or(Ok(()), |starts| column.show_starts(starts))
    }

    /// Writes values and offsets, the first of which is `first`; returns the bytes of the values.
    ///
    /// # Errors
    /// As [`VarRead::copy_values`], or if an offset does not fit into 32 bits.
    pub(super) fn deliver(mut self, column: &mut OutputColumn<'_>, first: u64) -> Result<usize> {
        let cells = self.batch.plan.cells;
        let name = &self.batch.field.name;
        let Some(offsets) = &mut column.offsets else {
            bail!(Internal, "Variable field '{name}' has no offsets buffer")
        };
        match &mut self.starts {
            Some(starts) => {
                self.read.copy_values(&self.batch, starts, &mut column.data)?;
                raise(starts.slice_mut(), first);
                offsets.put(0, starts)?;
            }
            None => match offsets.words(cells) {
                Some(starts) => {
                    self.read.copy_values(&self.batch, starts, &mut column.data)?;
                    raise(starts, first);
                }
                None => bail!(Internal, "The offsets of variable field '{name}' are not words"),
            },
        }
        Ok(self.read.size())
    }
}

/// Adds `first` to starts that were counted from zero.
fn raise(starts: &mut [u64], first: u64) {
    if first > 0 {
        starts.iter_mut().for_each(|start| *start += first);
    }
}
