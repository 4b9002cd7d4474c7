//! Writing cells.

use super::array::{Array, WRITE};
use super::context::{call, make};
use super::error::Result;
use super::handle::{Handle, text};
use super::query::{Range, subarray};
use super::schema::Field;
use super::sys;

/// Cells of one field.
pub struct WriteBuffers {
    pub field: Field,
    pub data: Vec<u8>,
    /// Where each cell begins, for fields of varying length.
    pub offsets: Vec<u64>,
    /// 1 for each cell that has a value, for nullable fields.
    pub validity: Vec<u8>,
}

impl WriteBuffers {
    /// None yet.
    pub fn new(field: Field) -> Self {
        Self { field, data: Vec::new(), offsets: Vec::new(), validity: Vec::new() }
    }

    /// Bytes of memory that they take.
    pub fn bytes(&self) -> usize {
        self.data.len() + self.offsets.len() * 8 + self.validity.len()
    }

    /// Takes all cells away.
    pub fn clear(&mut self) {
        self.data.clear();
        self.offsets.clear();
        self.validity.clear();
    }
}

const ROW_MAJOR: u32 = 0;
const COLUMN_MAJOR: u32 = 1;
const UNORDERED: u32 = 3;

/// The order of the cells of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum BlockOrder {
    /// The last index changes fastest.
    RowMajor,
    /// The first index changes fastest.
    ColumnMajor,
}

/// A query that writes cells: in any order, or into these rows of a dense array that has one dimension.
pub(super) fn begin(array: &Array, rows: Option<[i64; 2]>) -> Result<Handle<sys::tiledb_query_t>> {
    let ctx = array.ctx();
    let query = make!(ctx, tiledb_query_alloc(array.raw(), WRITE), tiledb_query_free)?;
    call!(ctx, tiledb_query_set_layout(query.raw(), if rows.is_some() { ROW_MAJOR } else { UNORDERED }))?;
    if let (Some([low, high]), Some(dimension)) = (rows, array.schema().dimensions.first()) {
        let subarray = make!(ctx, tiledb_subarray_alloc(array.raw()), tiledb_subarray_free)?;
        let name = text(&dimension.name)?;
        let (low, high) = ((&raw const low).cast(), (&raw const high).cast());
        call!(ctx, tiledb_subarray_add_range_by_name(subarray.raw(), name.as_ptr(), low, high, std::ptr::null()))?;
        call!(ctx, tiledb_query_set_subarray_t(query.raw(), subarray.raw()))?;
    }
    Ok(query)
}

/// Writes the cells of a block of a dense array as one fragment.
pub fn write_block(array: &Array, ranges: &[Range], order: BlockOrder, cells: &mut [WriteBuffers]) -> Result<()> {
    let ctx = array.ctx();
    let query = make!(ctx, tiledb_query_alloc(array.raw(), WRITE), tiledb_query_free)?;
    let layout = if order == BlockOrder::RowMajor { ROW_MAJOR } else { COLUMN_MAJOR };
    call!(ctx, tiledb_query_set_layout(query.raw(), layout))?;
    let subarray = subarray(array, ranges)?;
    call!(ctx, tiledb_query_set_subarray_t(query.raw(), subarray.raw()))?;
    submit(array, &query, cells)
}

/// Writes cells as one fragment: in any order into a sparse array, into these rows of a dense one that has one dimension.
pub fn write(array: &Array, rows: Option<[i64; 2]>, cells: &mut [WriteBuffers]) -> Result<()> {
    submit(array, &begin(array, rows)?, cells)
}

fn submit(array: &Array, query: &Handle<sys::tiledb_query_t>, cells: &mut [WriteBuffers]) -> Result<()> {
    let (ctx, raw) = (array.ctx(), query.raw());
    // The sizes have to stay where they are until the end.
    let mut sizes: Vec<[u64; 3]> = cells
        .iter()
        .map(|cells| [cells.data.len() as u64, cells.offsets.len() as u64 * 8, cells.validity.len() as u64])
        .collect();
    for (cells, sizes) in cells.iter_mut().zip(&mut sizes) {
        let name = text(&cells.field.name)?;
        let [data, offsets, validity] = sizes;
        call!(ctx, tiledb_query_set_data_buffer(raw, name.as_ptr(), cells.data.as_mut_ptr().cast(), data))?;
        if cells.field.is_var() {
            call!(ctx, tiledb_query_set_offsets_buffer(raw, name.as_ptr(), cells.offsets.as_mut_ptr(), offsets))?;
        }
        if cells.field.is_nullable {
            call!(ctx, tiledb_query_set_validity_buffer(raw, name.as_ptr(), cells.validity.as_mut_ptr(), validity))?;
        }
    }
    call!(ctx, tiledb_query_submit(raw))?;
    call!(ctx, tiledb_query_finalize(raw))
}
