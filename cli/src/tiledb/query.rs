//! Read queries that return cells in batches.

use super::array::{Array, READ};
use super::condition::Condition;
use super::context::{Context, ask, call, make};
use super::datatype::Datatype;
use super::error::{Error, Result};
use super::handle::{Handle, text};
use super::schema::{Enumeration, Field};
use super::sys;
use super::value::Value;

/// The order of the results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    RowMajor = 0,
    Global = 2,
    Unordered = 3,
}

/// A range of a dimension.
pub struct Range {
    pub dimension: String,
    pub is_var: bool,
    pub low: Vec<u8>,
    pub high: Vec<u8>,
}

/// Results of a submit.
const COMPLETED: u32 = 1;
const INCOMPLETE: u32 = 3;

/// A buffer of one field.
struct Buffer {
    field: Field,
    data: Vec<u8>,
    data_size: u64,
    offsets: Vec<u64>,
    offsets_size: u64,
    validity: Vec<u8>,
    validity_size: u64,
}

/// A read query with its buffers.
pub struct Reader<'a> {
    array: &'a Array,
    query: Handle<sys::tiledb_query_t>,
    buffers: Vec<Buffer>,
    is_done: bool,
}

/// Cells of one field.
pub struct ResultColumn {
    datatype: Datatype,
    is_var: bool,
    cell_size: usize,
    data: Vec<u8>,
    offsets: Vec<u64>,
    validity: Vec<u8>,
    enumeration: Option<Enumeration>,
}

/// Some cells of all fields.
pub struct CellBatch {
    pub cells: usize,
    pub columns: Vec<ResultColumn>,
}

impl ResultColumn {
    /// The bytes of all cells.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// The bytes of a cell.
    fn bytes(&self, at: usize) -> &[u8] {
        let (start, end) = if self.is_var {
            let end = self.offsets.get(at + 1).map_or(self.data.len(), |&end| end as usize);
            (self.offsets.get(at).map_or(end, |&start| start as usize), end)
        } else {
            (at * self.cell_size, (at + 1) * self.cell_size)
        };
        self.data.get(start..end).unwrap_or_default()
    }

    /// The value of a cell; an enumeration index is replaced by its value.
    pub fn value(&self, at: usize) -> Value {
        if self.validity.get(at) == Some(&0) {
            return Value::Null;
        }
        let value = Value::of_cell(self.datatype, self.bytes(at), self.is_var);
        let Some(enumeration) = &self.enumeration else { return value };
        // An invalid index is shown as a number.
        value.index().and_then(|number| enumeration.values.get(number).cloned()).unwrap_or(value)
    }
}

/// Ranges of an array as the C interface takes them.
pub(super) fn subarray(array: &Array, ranges: &[Range]) -> Result<Handle<sys::tiledb_subarray_t>> {
    let ctx = array.ctx();
    let subarray = make!(ctx, tiledb_subarray_alloc(array.raw()), tiledb_subarray_free)?;
    for range in ranges {
        let name = text(&range.dimension)?;
        let (low, high) = (range.low.as_ptr().cast(), range.high.as_ptr().cast());
        if range.is_var {
            let (low_size, high_size) = (range.low.len() as u64, range.high.len() as u64);
            call!(
                ctx,
                tiledb_subarray_add_range_var_by_name(subarray.raw(), name.as_ptr(), low, low_size, high, high_size)
            )?;
        } else {
            call!(ctx, tiledb_subarray_add_range_by_name(subarray.raw(), name.as_ptr(), low, high, std::ptr::null()))?;
        }
    }
    Ok(subarray)
}

/// Counts the cells in these ranges that meet the condition, without returning any.
pub fn count(array: &Array, layout: Layout, ranges: &[Range], condition: Option<&Condition>) -> Result<u64> {
    let ctx = array.ctx();
    let query = make!(ctx, tiledb_query_alloc(array.raw(), READ), tiledb_query_free)?;
    call!(ctx, tiledb_query_set_layout(query.raw(), layout as u32))?;
    let subarray = subarray(array, ranges)?;
    call!(ctx, tiledb_query_set_subarray_t(query.raw(), subarray.raw()))?;
    if let Some(condition) = condition {
        call!(ctx, tiledb_query_set_condition(query.raw(), condition.raw()))?;
    }
    let operation = ask!(ctx, std::ptr::null(), tiledb_aggregate_count_get())?;
    let mut channel = ask!(ctx, std::ptr::null_mut(), tiledb_query_get_default_channel(query.raw()))?;
    let applied = call!(ctx, tiledb_channel_apply_aggregate(channel, c"count".as_ptr(), operation));
    call!(ctx, tiledb_query_channel_free(&raw mut channel))?;
    applied?;
    let (mut cells, mut size) = (0_u64, size_of::<u64>() as u64);
    let place = (&raw mut cells).cast();
    call!(ctx, tiledb_query_set_data_buffer(query.raw(), c"count".as_ptr(), place, &raw mut size))?;
    loop {
        call!(ctx, tiledb_query_submit(query.raw()))?;
        match ask!(ctx, 0, tiledb_query_get_status(query.raw()))? {
            COMPLETED => return Ok(cells),
            INCOMPLETE => {}
            status => return Err(Error::failed(format!("the query ended with status {status}"))),
        }
    }
}

impl<'a> Reader<'a> {
    /// A query for these fields, with buffers of this size.
    pub fn new(
        array: &'a Array,
        fields: Vec<Field>,
        layout: Layout,
        ranges: &[Range],
        condition: Option<&Condition>,
        room: usize,
    ) -> Result<Self> {
        let ctx = array.ctx();
        let query = make!(ctx, tiledb_query_alloc(array.raw(), READ), tiledb_query_free)?;
        call!(ctx, tiledb_query_set_layout(query.raw(), layout as u32))?;
        let subarray = subarray(array, ranges)?;
        call!(ctx, tiledb_query_set_subarray_t(query.raw(), subarray.raw()))?;
        if let Some(condition) = condition {
            call!(ctx, tiledb_query_set_condition(query.raw(), condition.raw()))?;
        }
        let buffers = fields.into_iter().map(|field| Buffer::new(field, room)).collect();
        Ok(Self { array, query, buffers, is_done: false })
    }

    /// The context it is in.
    pub(super) fn ctx(&self) -> &Context {
        self.array.ctx()
    }

    /// The object as the C interface takes it.
    pub(super) fn raw(&self) -> *mut sys::tiledb_query_t {
        self.query.raw()
    }

    /// The next cells; none at the end.
    pub fn next(&mut self) -> Result<Option<CellBatch>> {
        let ctx = self.array.ctx();
        while !self.is_done {
            for buffer in &mut self.buffers {
                buffer.lend(self.array, &self.query)?;
            }
            call!(ctx, tiledb_query_submit(self.query.raw()))?;
            let status = ask!(ctx, 0, tiledb_query_get_status(self.query.raw()))?;
            self.is_done = status == COMPLETED;
            if !self.is_done && status != INCOMPLETE {
                return Err(Error::failed(format!("the query ended with status {status}")));
            }
            let cells = self.buffers.first().map_or(0, Buffer::cells);
            if cells > 0 {
                return Ok(Some(CellBatch { cells, columns: self.buffers.iter().map(Buffer::column).collect() }));
            }
            // Not one cell fits.
            for buffer in &mut self.buffers {
                buffer.grow()?;
            }
        }
        Ok(None)
    }
}

impl Buffer {
    fn new(field: Field, room: usize) -> Self {
        // As many offsets as take the bytes of the values.
        let size = if field.is_var() { size_of::<u64>() } else { field.cell_size().max(1) };
        let cells = (room / size).max(1);
        let data = if field.is_var() { room } else { cells * size };
        let offsets = if field.is_var() { cells } else { 0 };
        let validity = if field.is_nullable { cells } else { 0 };
        Self {
            data: vec![0; data],
            data_size: 0,
            offsets: vec![0; offsets],
            offsets_size: 0,
            validity: vec![0; validity],
            validity_size: 0,
            field,
        }
    }

    /// Doubles the buffers of variable-length fields; fixed ones have enough space.
    fn grow(&mut self) -> Result<()> {
        if !self.field.is_var() {
            return Ok(());
        }
        let (name, double) = (&self.field.name, self.data.len() * 2);
        if double > 1 << 33 {
            return Err(Error::failed(format!("a cell of {name:?} has more than 4 GiB")));
        }
        let mut data = Vec::new();
        let reserved = data.try_reserve_exact(double);
        reserved.map_err(|_| Error::failed(format!("there is no memory for a cell of {name:?} of {double} bytes")))?;
        data.resize(double, 0);
        self.data = data;
        Ok(())
    }

    /// Sets the buffers of the query, which stay valid until the next call.
    fn lend(&mut self, array: &Array, query: &Handle<sys::tiledb_query_t>) -> Result<()> {
        let (ctx, raw, name) = (array.ctx(), query.raw(), text(&self.field.name)?);
        self.data_size = self.data.len() as u64;
        let (data, size) = (self.data.as_mut_ptr().cast(), &raw mut self.data_size);
        call!(ctx, tiledb_query_set_data_buffer(raw, name.as_ptr(), data, size))?;
        if self.field.is_var() {
            self.offsets_size = self.offsets.len() as u64 * 8;
            let (offsets, size) = (self.offsets.as_mut_ptr(), &raw mut self.offsets_size);
            call!(ctx, tiledb_query_set_offsets_buffer(raw, name.as_ptr(), offsets, size))?;
        }
        if self.field.is_nullable {
            self.validity_size = self.validity.len() as u64;
            let (validity, size) = (self.validity.as_mut_ptr(), &raw mut self.validity_size);
            call!(ctx, tiledb_query_set_validity_buffer(raw, name.as_ptr(), validity, size))?;
        }
        Ok(())
    }

    fn cells(&self) -> usize {
        if self.field.is_var() {
            self.offsets_size as usize / 8
        } else {
            self.data_size as usize / self.field.cell_size().max(1)
        }
    }

    fn column(&self) -> ResultColumn {
        ResultColumn {
            datatype: self.field.datatype,
            is_var: self.field.is_var(),
            cell_size: self.field.cell_size(),
            data: self.data[..(self.data_size as usize).min(self.data.len())].to_vec(),
            offsets: self.offsets[..(self.offsets_size as usize / 8).min(self.offsets.len())].to_vec(),
            validity: self.validity[..(self.validity_size as usize).min(self.validity.len())].to_vec(),
            enumeration: self.field.enumeration.clone(),
        }
    }
}
