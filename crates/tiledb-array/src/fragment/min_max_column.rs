//! A table of values of tiles that a new fragment stores: minima, maxima or global-order bounds.

use tiledb_core::wire::WireWriter;

/// A value for each tile, in the format of the table.
#[derive(Default)]
pub(super) struct MinMaxColumn {
    /// Cells of fixed size, or the starts of variable ones.
    pub(super) fixed: Vec<u8>,
    /// Variable cells.
    pub(super) var: Vec<u8>,
}

impl MinMaxColumn {
    /// Adds the value of a tile; a fixed cell that is missing (all cells null) becomes zeros.
    pub(super) fn push(&mut self, value: &[u8], cell_size: usize, is_var: bool) {
        if is_var {
            self.fixed.extend_from_slice(&(self.var.len() as u64).to_le_bytes());
            self.var.extend_from_slice(value);
        } else {
            let end = self.fixed.len() + cell_size;
            self.fixed.extend_from_slice(&value[..value.len().min(cell_size)]);
            self.fixed.resize(end, 0);
        }
    }

    /// The value of a tile.
    pub(super) fn value(&self, tile: usize, cell_size: usize, is_var: bool) -> Option<&[u8]> {
        if !is_var {
            return self.fixed.get(tile.checked_mul(cell_size)?..(tile + 1).checked_mul(cell_size)?);
        }
        let starts = self.fixed.as_chunks::<8>().0;
        let start = |tile: usize| starts.get(tile).and_then(|start| usize::try_from(u64::from_le_bytes(*start)).ok());
        self.var.get(start(tile)?..start(tile + 1).unwrap_or(self.var.len()))
    }

    pub(super) fn write(&self, w: &mut WireWriter) {
        w.u64(self.fixed.len() as u64).u64(self.var.len() as u64).bytes(&self.fixed).bytes(&self.var);
    }
}
