//! Buffers for cells that are copied from a reader to a writer.

use std::borrow::Cow;

use tiledb_array::schema::Field;
use tiledb_cells::columns::input::{InputColumn, Inputs};
use tiledb_cells::columns::memory::OutMem;
use tiledb_cells::columns::offsets::{OffsetFormat, OffsetsOut};
use tiledb_cells::columns::output::{OutputColumn, Outputs};
use tiledb_core::error::{Result, bail};
use tiledb_core::pool::{Scratch, scratch};
use tiledb_query::read::spec::{QueryReader, ReadProgress};

/// Offsets as writers take them.
const FORMAT: OffsetFormat = OffsetFormat { width: 8, elements: false, extra: false };

/// The buffers of one field.
pub(crate) struct FieldCellBuffers {
    pub(crate) field: Field,
    pub(crate) data: Scratch,
    pub(crate) starts: Scratch,
    pub(crate) validity: Scratch,
    /// Bytes of the data that are filled.
    pub(crate) bytes: usize,
}

impl FieldCellBuffers {
    /// Allocates buffers for a number of cells; variable-sized ones have `bytes` in total.
    pub(crate) fn new(field: &Field, cells: usize, bytes: usize) -> Result<FieldCellBuffers> {
        let size = if field.is_var() { bytes } else { cells.saturating_mul(field.cell_size()) };
        Ok(FieldCellBuffers {
            field: field.clone(),
            data: scratch(size)?,
            starts: scratch(if field.is_var() { cells.saturating_mul(8) } else { 0 })?,
            validity: scratch(if field.nullable { cells } else { 0 })?,
            bytes: 0,
        })
    }

    /// The memory of the cells from `filled` to `wanted`.
    fn output(&mut self, filled: usize, wanted: usize) -> Result<OutputColumn<'_>> {
        let size = self.field.cell_size();
        let (data, offsets) = match self.field.is_var() {
            true => {
                let starts = OutMem::new(&mut self.starts[filled * 8..wanted * 8]);
                (self.bytes..self.data.len(), Some(OffsetsOut::new(starts, FORMAT, 1)))
            }
            false => (filled * size..wanted * size, None),
        };
        let validity = self.field.nullable.then(|| OutMem::new(&mut self.validity[filled..wanted]));
        let data = OutMem::new(&mut self.data[data]);
        Ok(OutputColumn { name: self.field.name.clone(), data, offsets, validity, cells: 0, bytes: 0 })
    }

    /// Records the cells that were written after the first `filled`.
    fn note(&mut self, filled: usize, cells: usize, bytes: usize) {
        if self.field.is_var() {
            let base = self.bytes as u64;
            self.starts.cast_mut::<u64>()[filled..filled + cells].iter_mut().for_each(|start| *start += base);
        }
        self.bytes += bytes;
    }

    /// True if hardly any further variable cells fit in.
    fn is_almost_full(&self) -> bool {
        self.field.is_var() && self.bytes >= self.data.len() / 8 * 7
    }

    /// Doubles the capacity for variable-sized values.
    fn grow(&mut self) -> Result<()> {
        let mut larger = scratch(self.data.len().saturating_mul(2).max(1024))?;
        larger[..self.bytes].copy_from_slice(&self.data[..self.bytes]);
        self.data = larger;
        Ok(())
    }

    fn input(&self, cells: usize) -> InputColumn<'_> {
        let starts = bytemuck::try_cast_slice::<u8, u64>(&self.starts).unwrap_or_default();
        InputColumn {
            name: self.field.name.clone(),
            data: &self.data[..self.bytes],
            starts: self.field.is_var().then(|| Cow::Borrowed(&starts[..cells])),
            validity: self.field.nullable.then(|| &self.validity[..cells]),
        }
    }
}

/// The buffers of all fields.
pub(crate) struct CellBuffers {
    pub(crate) fields: Vec<FieldCellBuffers>,
    /// Cells that are filled.
    pub(crate) cells: usize,
    /// Cells that are to be filled.
    wanted: usize,
}

impl CellBuffers {
    /// Buffers for a number of `cells`, whose values have `bytes` per field.
    pub(crate) fn new(fields: &[Field], cells: usize, bytes: &[u64]) -> Result<CellBuffers> {
        let of = |(field, &bytes)| FieldCellBuffers::new(field, cells, usize::try_from(bytes).unwrap_or(usize::MAX));
        Ok(CellBuffers { fields: fields.iter().zip(bytes).map(of).collect::<Result<_>>()?, cells: 0, wanted: cells })
    }

    /// Bytes of the values of a number of cells, as long as those that these buffers are made for.
    pub(crate) fn share_of(&self, cells: usize) -> Vec<u64> {
        let share = |field: &FieldCellBuffers| field.data.len() as u64 / self.capacity().max(1) as u64 * cells as u64;
        self.fields.iter().map(share).collect()
    }

    /// Full buffers.
    pub(crate) fn filled(fields: Vec<FieldCellBuffers>, cells: usize) -> CellBuffers {
        CellBuffers { fields, cells, wanted: cells }
    }

    /// Empties the buffers and sets how many cells the next read fills, up to the capacity.
    pub(crate) fn clear(&mut self, wanted: usize) {
        (self.cells, self.wanted) = (0, wanted.min(self.capacity()));
        self.fields.iter_mut().for_each(|field| field.bytes = 0);
    }

    /// Reads until the requested number of cells is reached, growing the buffers as needed, or all are read.
    ///
    /// # Errors
    /// Those of the reader.
    pub(crate) fn fill(&mut self, reader: &mut dyn QueryReader) -> Result<()> {
        while self.cells < self.wanted && self.fill_once(reader)? != ReadProgress::Done {
            if self.cells < self.wanted {
                self.fields.iter_mut().filter(|field| field.is_almost_full()).try_for_each(FieldCellBuffers::grow)?;
            }
        }
        Ok(())
    }

    /// Reads until the requested number of cells is reached or the buffers are full, but at least one cell; or all are
    /// read.
    ///
    /// # Errors
    /// Those of the reader.
    pub(crate) fn fill_once(&mut self, reader: &mut dyn QueryReader) -> Result<ReadProgress> {
        loop {
            let filled = self.cells;
            let wanted = self.wanted;
            let columns = self.fields.iter_mut().map(|field| field.output(filled, wanted)).collect::<Result<_>>()?;
            let mut out = Outputs { columns };
            let progress = reader.step(&mut out)?;
            let got: Vec<(usize, usize)> = out.columns.iter().map(|column| (column.cells, column.bytes)).collect();
            drop(out);
            let cells = got.first().map_or(0, |got| got.0);
            for (field, (cells, bytes)) in self.fields.iter_mut().zip(got) {
                field.note(filled, cells, bytes);
            }
            self.cells += cells;
            let is_full = self.cells > 0 && self.fields.iter().any(FieldCellBuffers::is_almost_full);
            if progress == ReadProgress::Done || self.cells == self.wanted || is_full {
                return Ok(progress);
            }
            if cells == 0 {
                if !self.fields.iter().any(|field| field.field.is_var()) {
                    bail!(Internal, "A reader delivers no cells and has more");
                }
                self.fields.iter_mut().filter(|field| field.field.is_var()).try_for_each(FieldCellBuffers::grow)?;
            }
        }
    }

    /// Number of cells that fit.
    pub(crate) fn capacity(&self) -> usize {
        let room = |field: &FieldCellBuffers| match field.field.is_var() {
            true => field.starts.len() / 8,
            false => field.data.len() / field.field.cell_size().max(1),
        };
        self.fields.iter().map(room).min().unwrap_or(0)
    }

    /// The cells as a writer takes them.
    pub(crate) fn inputs(&self) -> Inputs<'_> {
        Inputs { columns: self.fields.iter().map(|field| field.input(self.cells)).collect() }
    }
}
