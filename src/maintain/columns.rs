//! Cells on their way from a reader to a writer.

use std::borrow::Cow;

use crate::error::{Result, bail};
use crate::pool::{Scratch, scratch};
use crate::query::columns::input::{InputColumn, Inputs};
use crate::query::columns::memory::OutMem;
use crate::query::columns::offsets::{OffsetFormat, OffsetsOut};
use crate::query::columns::output::{Column, Outputs};
use crate::query::read::spec::{Progress, Reader};
use crate::schema::Field;

/// Offsets as writers take them.
const FORMAT: OffsetFormat = OffsetFormat { width: 8, elements: false, extra: false };

/// The buffers of one field.
pub(super) struct FieldCells {
    pub(super) field: Field,
    pub(super) data: Scratch,
    pub(super) starts: Scratch,
    pub(super) validity: Scratch,
    /// Bytes of the data that are filled.
    pub(super) bytes: usize,
}

impl FieldCells {
    /// Room for a number of cells; variable ones have `bytes` in all.
    pub(super) fn new(field: &Field, cells: usize, bytes: usize) -> Result<FieldCells> {
        let size = if field.is_var() { bytes } else { cells.saturating_mul(field.cell_size()) };
        Ok(FieldCells {
            field: field.clone(),
            data: scratch(size)?,
            starts: scratch(if field.is_var() { cells.saturating_mul(8) } else { 0 })?,
            validity: scratch(if field.nullable { cells } else { 0 })?,
            bytes: 0,
        })
    }

    /// The free memory behind `filled` cells.
    fn output(&mut self, filled: usize) -> Result<Column<'_>> {
        let from = if self.field.is_var() { self.bytes } else { filled * self.field.cell_size() };
        let offsets = match self.field.is_var() {
            true => Some(OffsetsOut::new(OutMem::new(&mut self.starts[filled * 8..]), FORMAT, 1)),
            false => None,
        };
        let validity = self.field.nullable.then(|| OutMem::new(&mut self.validity[filled..]));
        let data = OutMem::new(&mut self.data[from..]);
        Ok(Column { name: self.field.name.clone(), data, offsets, validity, cells: 0, bytes: 0 })
    }

    /// Notes what was filled behind `filled` cells.
    fn note(&mut self, filled: usize, cells: usize, bytes: usize) {
        if self.field.is_var() {
            let base = self.bytes as u64;
            self.starts.cast_mut::<u64>()[filled..filled + cells].iter_mut().for_each(|start| *start += base);
        }
        self.bytes += bytes;
    }

    /// Doubles the room for the values of variable cells.
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
pub(super) struct Columns {
    pub(super) fields: Vec<FieldCells>,
    /// Cells that are filled.
    pub(super) cells: usize,
}

impl Columns {
    /// Empties the buffers.
    pub(super) fn clear(&mut self) {
        self.cells = 0;
        self.fields.iter_mut().for_each(|field| field.bytes = 0);
    }

    /// Reads until there are as many cells as fit, or all are read.
    ///
    /// # Errors
    /// What the reader meets.
    pub(super) fn fill(&mut self, reader: &mut dyn Reader) -> Result<Progress> {
        loop {
            let filled = self.cells;
            let columns = self.fields.iter_mut().map(|field| field.output(filled)).collect::<Result<_>>()?;
            let mut out = Outputs { columns };
            let progress = reader.step(&mut out)?;
            let got: Vec<(usize, usize)> = out.columns.iter().map(|column| (column.cells, column.bytes)).collect();
            drop(out);
            let cells = got.first().map_or(0, |got| got.0);
            for (field, (cells, bytes)) in self.fields.iter_mut().zip(got) {
                field.note(filled, cells, bytes);
            }
            self.cells += cells;
            if progress == Progress::Done || self.room() == 0 {
                return Ok(progress);
            }
            if cells == 0 {
                if !self.fields.iter().any(|field| field.field.is_var()) {
                    bail!(Internal, "A reader delivers no cells and has more");
                }
                self.fields.iter_mut().filter(|field| field.field.is_var()).try_for_each(FieldCells::grow)?;
            }
        }
    }

    /// How many cells fit in.
    fn room(&self) -> usize {
        let room = |field: &FieldCells| match field.field.is_var() {
            true => field.starts.len() / 8,
            false => field.data.len() / field.field.cell_size().max(1),
        };
        self.fields.iter().map(room).min().unwrap_or(0).saturating_sub(self.cells)
    }

    /// The cells as a writer takes them.
    pub(super) fn inputs(&self) -> Inputs<'_> {
        Inputs { columns: self.fields.iter().map(|field| field.input(self.cells)).collect() }
    }
}
