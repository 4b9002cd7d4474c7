//! Columns of results: where the cells of fields go.

use super::memory::OutMem;
use super::offsets::OffsetsOut;
use crate::error::Result;
use crate::types::Name;

/// The result memory of one field during one step, and how much of it the step has filled.
#[derive(Clone)]
pub struct Column<'a> {
    /// The field.
    pub name: Name,
    /// Fixed cells, or the values of variable ones.
    pub data: OutMem<'a>,
    /// Starts of variable cells.
    pub offsets: Option<OffsetsOut<'a>>,
    /// One byte per cell of a nullable field.
    pub validity: Option<OutMem<'a>>,
    /// Cells filled.
    pub cells: usize,
    /// Bytes of `data` filled.
    pub bytes: usize,
}

impl Column<'_> {
    /// How many cells fit as far as fixed sizes tell; `cell_size` counts only for fixed fields.
    pub fn capacity(&self, cell_size: usize) -> usize {
        let data = match &self.offsets {
            Some(offsets) => offsets.capacity(),
            None => self.data.len() / cell_size.max(1),
        };
        self.validity.as_ref().map_or(data, |validity| data.min(validity.len()))
    }

    /// Where values have no room at all, shows where they would begin: libtiledb does, and tells no more than that
    /// nothing was delivered.
    ///
    /// # Errors
    /// If an offset does not fit into 32 bits.
    pub fn show_starts(&self, starts: &[u64]) -> Result<()> {
        match &self.offsets {
            Some(offsets) if self.data.is_empty() => offsets.put(0, &starts[..starts.len().min(offsets.capacity())]),
            _ => Ok(()),
        }
    }
}

/// The result memory of one step.
#[derive(Clone, Default)]
pub struct Outputs<'a> {
    /// One column per requested field.
    pub columns: Vec<Column<'a>>,
}
