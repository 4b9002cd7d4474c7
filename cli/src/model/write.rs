//! Writing cells.

use arrow_array::{RecordBatch, RecordBatchIterator};
use tiledb::{Cells, Layout, WriteQuery};

use super::array::ArrayWriter;
use super::error::Result;
use super::query::{Range, subarray};
use super::schema::Field;

/// Cells of one field.
pub(crate) struct WriteBuffers {
    pub field: Field,
    pub data: Vec<u8>,
    /// Where each cell begins, for fields of varying length.
    pub offsets: Vec<u64>,
    /// 1 for each cell that has a value, for nullable fields.
    pub validity: Vec<u8>,
}

impl WriteBuffers {
    /// None yet.
    pub(crate) fn new(field: Field) -> Self {
        Self { field, data: Vec::new(), offsets: Vec::new(), validity: Vec::new() }
    }

    /// Bytes of memory that they take.
    pub(crate) fn bytes(&self) -> usize {
        self.data.len() + self.offsets.len() * 8 + self.validity.len()
    }

    /// Takes all cells away.
    pub(crate) fn clear(&mut self) {
        self.data.clear();
        self.offsets.clear();
        self.validity.clear();
    }
}

/// The order of the cells of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockOrder {
    /// The last index changes fastest.
    RowMajor,
    /// The first index changes fastest.
    ColumnMajor,
}

/// A query that writes cells: in any order, or into these rows of a dense array that has one dimension.
fn begin<'b>(array: &'b ArrayWriter, rows: Option<[i64; 2]>) -> WriteQuery<'b> {
    let query = array.writer.write();
    match (rows, array.writer.schema().dimensions().first()) {
        (Some([low, high]), Some(dimension)) => query.layout(Layout::RowMajor).range(dimension.name(), low..=high),
        (Some(_), None) => query.layout(Layout::RowMajor),
        (None, _) => query.layout(Layout::Unordered),
    }
}

/// Writes the cells of a block of a dense array as one fragment.
pub(crate) fn write_block(
    array: &ArrayWriter,
    ranges: &[Range],
    order: BlockOrder,
    cells: &mut [WriteBuffers],
) -> Result<()> {
    let layout = if order == BlockOrder::RowMajor { Layout::RowMajor } else { Layout::ColMajor };
    let region = subarray(&array.writer.schema(), ranges)?;
    submit(array.writer.write().layout(layout).subarray(&region), cells)
}

/// Writes cells as one fragment: in any order into a sparse array, into these rows of a dense one that has one dimension.
pub(crate) fn write(array: &ArrayWriter, rows: Option<[i64; 2]>, cells: &mut [WriteBuffers]) -> Result<()> {
    submit(begin(array, rows), cells)
}

fn submit(query: WriteQuery<'_>, cells: &mut [WriteBuffers]) -> Result<()> {
    // The library takes the end of the last cell, too.
    for cells in cells.iter_mut().filter(|cells| cells.field.is_var()) {
        cells.offsets.push(cells.data.len() as u64);
    }
    let all = cells.iter().fold(Cells::new(), |all, cells| {
        let offsets = cells.field.is_var().then_some(cells.offsets.as_slice());
        let validity = cells.field.is_nullable.then_some(cells.validity.as_slice());
        all.untyped(&cells.field.name, &cells.data, offsets, validity)
    });
    // A query borrows its cells: this one as long as the call.
    let written = with_cells(query, all);
    for cells in cells.iter_mut().filter(|cells| cells.field.is_var()) {
        cells.offsets.pop();
    }
    written
}

fn with_cells<'b>(query: WriteQuery<'b>, cells: Cells<'b>) -> Result<()> {
    query.cells(cells).submit()?;
    Ok(())
}

/// Writes batches as one fragment, or as few as memory allows.
pub(crate) fn write_batches(array: &ArrayWriter, rows: Option<[i64; 2]>, batches: Vec<RecordBatch>) -> Result<()> {
    let Some(first) = batches.first() else { return Ok(()) };
    let schema = first.schema();
    begin(array, rows).record_batches(RecordBatchIterator::new(batches.into_iter().map(Ok), schema))?;
    Ok(())
}
