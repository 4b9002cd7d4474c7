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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use tiledb_array::schema::{ArraySchema, Attribute};
    use tiledb_core::types::{ArrayType, Datatype};
    use tiledb_query::read::position::{ReadPosition, RemainingParts};

    /// Delivers a number and a text of each cell, as many cells as fit, at most `step` at a time.
    struct TextReader {
        texts: Vec<String>,
        next: usize,
        step: usize,
    }

    impl QueryReader for TextReader {
        fn step(&mut self, out: &mut Outputs<'_>) -> Result<ReadProgress> {
            let [numbers, texts] = &mut out.columns[..] else { bail!("The reader has two fields") };
            let fit = numbers.capacity(4).min(texts.capacity(1)).min(self.step);
            for text in self.texts[self.next..].iter().take(fit) {
                if texts.bytes + text.len() > texts.data.len() {
                    break;
                }
                numbers.data.put(numbers.bytes, &(self.next as i32).to_le_bytes())?;
                texts.data.put(texts.bytes, text.as_bytes())?;
                let start = texts.bytes as u64;
                texts.offsets.as_mut().map_or(Ok(()), |offsets| offsets.put(texts.cells, &[start]))?;
                (numbers.cells, numbers.bytes) = (numbers.cells + 1, numbers.bytes + 4);
                (texts.cells, texts.bytes) = (texts.cells + 1, texts.bytes + text.len());
                self.next += 1;
            }
            Ok(if self.next == self.texts.len() { ReadProgress::Done } else { ReadProgress::Incomplete })
        }

        fn steps(&self) -> u64 {
            1
        }

        fn position(&self) -> Result<ReadPosition> {
            Ok(ReadPosition::Parts(RemainingParts::default()))
        }

        fn resume_from(&mut self, _position: &ReadPosition) -> Result<()> {
            Ok(())
        }
    }

    fn fields() -> Vec<Field> {
        let mut text = Attribute::new("t", Datatype::StringAscii);
        text.set_cell_val_num(u32::MAX).unwrap();
        let mut schema = ArraySchema::new(ArrayType::Sparse);
        for attribute in [Attribute::new("a", Datatype::Int32), text] {
            schema.add_attribute(Arc::new(attribute)).unwrap();
        }
        schema.fields().to_vec()
    }

    fn reader(lengths: &[usize], step: usize) -> TextReader {
        let texts = lengths.iter().zip('a'..).map(|(&length, letter)| letter.to_string().repeat(length)).collect();
        TextReader { texts, next: 0, step }
    }

    /// The number and the text of each cell, as a writer takes them.
    fn cells(buffers: &CellBuffers) -> Vec<(i32, String)> {
        let inputs = buffers.inputs();
        let [numbers, texts] = &inputs.columns[..] else { panic!("two fields") };
        let starts = texts.starts.as_ref().unwrap();
        let ends = starts[1..].iter().copied().chain([texts.data.len() as u64]);
        let texts = starts.iter().zip(ends).map(|(&start, end)| &texts.data[start as usize..end as usize]);
        let numbers = bytemuck::cast_slice::<u8, i32>(numbers.data).iter().copied();
        numbers.zip(texts).map(|(number, text)| (number, String::from_utf8(text.to_vec()).unwrap())).collect()
    }

    fn expected(reader: &TextReader, range: std::ops::Range<usize>) -> Vec<(i32, String)> {
        range.map(|number| (number as i32, reader.texts[number].clone())).collect()
    }

    #[test]
    fn fill_grows_buffers_and_keeps_the_cells_that_are_there() {
        for (lengths, bytes) in [
            (&[15, 2, 30, 0, 900, 3][..], 16),
            (&[5000, 1, 1], 0),
            (&[14, 1, 1, 1], 16),
            (&[0, 0, 0], 0),
            (&[1000, 1100, 1], 8),
        ] {
            for step in [1, 2, 100] {
                let mut reader = reader(lengths, step);
                let mut buffers = CellBuffers::new(&fields(), lengths.len(), &[0, bytes]).unwrap();
                buffers.fill(&mut reader).unwrap();
                assert_eq!(cells(&buffers), expected(&reader, 0..lengths.len()), "{lengths:?}, {step} at a time");
            }
        }
    }

    #[test]
    fn fill_reads_as_many_cells_as_are_requested() {
        let mut reader = reader(&[1, 2, 3, 4, 5], 2);
        let mut buffers = CellBuffers::new(&fields(), 4, &[0, 100]).unwrap();
        buffers.clear(3);
        buffers.fill(&mut reader).unwrap();
        assert_eq!(cells(&buffers), expected(&reader, 0..3));
        buffers.clear(usize::MAX);
        buffers.fill(&mut reader).unwrap();
        assert_eq!(cells(&buffers), expected(&reader, 3..5));
        buffers.clear(1);
        buffers.fill(&mut reader).unwrap();
        assert_eq!(buffers.cells, 0);
    }

    /// Seven eighths of the bytes: what remains is too little for most cells, and is not filled cell by cell.
    #[test]
    fn fill_once_ends_where_buffers_are_almost_full_and_grows_them_for_one_cell_only() {
        for (lengths, bytes, filled) in
            [(&[5, 2, 1][..], 8, 2), (&[5, 1, 2], 8, 3), (&[5, 1, 3], 8, 3), (&[9, 1000, 1200, 1], 8, 2)]
        {
            let mut reader = reader(lengths, 1);
            let mut buffers = CellBuffers::new(&fields(), 4, &[0, bytes]).unwrap();
            let progress = buffers.fill_once(&mut reader).unwrap();
            assert_eq!(cells(&buffers), expected(&reader, 0..filled), "{lengths:?}");
            assert_eq!(progress == ReadProgress::Done, filled == lengths.len(), "{lengths:?}");
        }
    }

    /// Buffers of fixed cells are full when all cells are there.
    #[test]
    fn fill_once_reads_all_cells_while_there_is_memory_for_texts() {
        let mut reader = reader(&[1; 20], 1);
        let mut buffers = CellBuffers::new(&fields(), 16, &[0, 100]).unwrap();
        buffers.fill_once(&mut reader).unwrap();
        assert_eq!(cells(&buffers), expected(&reader, 0..16));
    }

    #[test]
    fn reader_of_fixed_cells_that_delivers_none_is_an_error() {
        struct Stuck;
        impl QueryReader for Stuck {
            fn step(&mut self, _out: &mut Outputs<'_>) -> Result<ReadProgress> {
                Ok(ReadProgress::Incomplete)
            }

            fn steps(&self) -> u64 {
                1
            }

            fn position(&self) -> Result<ReadPosition> {
                Ok(ReadPosition::Parts(RemainingParts::default()))
            }

            fn resume_from(&mut self, _position: &ReadPosition) -> Result<()> {
                Ok(())
            }
        }
        let mut buffers = CellBuffers::new(&fields()[..1], 4, &[0]).unwrap();
        assert!(buffers.fill(&mut Stuck).unwrap_err().text().contains("delivers no cells"));
    }
}
