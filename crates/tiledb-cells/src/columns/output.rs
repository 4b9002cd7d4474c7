//! Output columns of reads: the destination of the cells of each field.

use super::memory::OutMem;
use super::offsets::OffsetsOut;
use tiledb_core::error::Result;
use tiledb_core::types::Name;

/// The result memory of one field during one step, and how much of it the step has filled.
pub struct OutputColumn<'a> {
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

impl<'a> OutputColumn<'a> {
    /// How many cells fit according to the fixed-size buffers; `cell_size` counts only for fixed fields.
    pub fn capacity(&self, cell_size: usize) -> usize {
        let data = match &self.offsets {
            Some(offsets) => offsets.capacity(),
            None => self.data.len() / cell_size.max(1),
        };
        self.validity.as_ref().map_or(data, |validity| data.min(validity.len()))
    }

    /// If there is no capacity at all for values, writes the starts that they would have: libtiledb does so, and
    /// reports only that nothing was delivered.
    ///
    /// # Errors
    /// If an offset does not fit into 32 bits.
    pub fn show_starts(&mut self, starts: &[u64]) -> Result<()> {
        match &mut self.offsets {
            Some(offsets) if self.data.is_empty() => offsets.put(0, &starts[..starts.len().min(offsets.capacity())]),
            _ => Ok(()),
        }
    }

    /// The unfilled rest as a column of its own; variable values begin at `bytes`.
    ///
    /// # Errors
    /// If more is filled than there is.
    pub fn rest(&mut self) -> Result<OutputColumn<'_>> {
        let mut data = self.data.all();
        data.take_front(self.bytes)?;
        let offsets = self.offsets.as_mut().map(|offsets| offsets.after(self.cells)).transpose()?;
        let validity = match &mut self.validity {
            Some(validity) => Some(validity.part(self.cells..validity.len())?),
            None => None,
        };
        Ok(OutputColumn { name: self.name.clone(), data, offsets, validity, cells: 0, bytes: 0 })
    }

    /// Splits off the part for the first cells, with `bytes` bytes of data.
    ///
    /// # Errors
    /// If the capacity is exceeded.
    pub fn take_front(&mut self, cells: usize, bytes: usize) -> Result<OutputColumn<'a>> {
        let data = self.data.take_front(bytes)?;
        let offsets = self.offsets.as_mut().map(|offsets| offsets.take_front(cells)).transpose()?;
        let validity = self.validity.as_mut().map(|validity| validity.take_front(cells)).transpose()?;
        Ok(OutputColumn { name: self.name.clone(), data, offsets, validity, cells: 0, bytes: 0 })
    }
}

/// How much of a column a step has filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilledCounts {
    pub cells: usize,
    /// Bytes of the data.
    pub bytes: usize,
    /// Bytes of the offsets, including the extra element if the format has one.
    pub offsets: u64,
}

/// The result memory of one step.
#[derive(Default)]
pub struct Outputs<'a> {
    /// One column per requested field.
    pub columns: Vec<OutputColumn<'a>>,
}

impl Outputs<'_> {
    /// Releases the memory, writing the extra offset where the format has one; returns how much was filled.
    ///
    /// # Errors
    /// If an offset does not fit into 32 bits.
    pub fn close(self) -> Result<Vec<FilledCounts>> {
        let close = |column: OutputColumn<'_>| {
            let offsets = match column.offsets {
                Some(mut offsets) => offsets.close(column.cells, column.bytes as u64)?,
                None => 0,
            };
            Ok(FilledCounts { cells: column.cells, bytes: column.bytes, offsets })
        };
        self.columns.into_iter().map(close).collect()
    }
}
