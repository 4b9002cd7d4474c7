//! The user's buffers: recorded addresses, result memory for readers, checked slices for writers.
//!
//! # Safety contract
//!
//! A C caller hands over the addresses of a buffer and of its size variable. Both stay valid, and the
//! buffer is used by nobody else during a submit, until the query is freed or the buffer replaced.
//! For reads the capacity is the size variable's value when the buffer was set; for writes the size is
//! read at submit. A size variable is written only after a submit that succeeded. Rust callers get a
//! [`UserPtr`] only through [`UserPtr::new`], which takes on the same duty.
#![expect(unsafe_code, reason = "results are written to and cells read from memory that belongs to a C caller")]

use std::borrow::Cow;

use super::copy::OutMem;
use super::offsets::starts;
pub use super::offsets::{OffsetFormat, OffsetsOut};
use super::zipped::{COORDS, Zip};
use crate::error::{Result, bail};
use crate::pool::Scratch;
use crate::types::Name;

/// An address in a caller's memory.
pub struct UserPtr<T>(*mut T);

impl<T> Clone for UserPtr<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for UserPtr<T> {}

// SAFETY: a plain address; who follows it keeps the contract of this file.
unsafe impl<T> Send for UserPtr<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for UserPtr<T> {}

impl<T> UserPtr<T> {
    /// Records an address; the contract of this file begins to hold for it.
    pub fn new(address: *mut T) -> UserPtr<T> {
        UserPtr(address)
    }

    /// True for the null address.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The address.
    pub fn address(self) -> *mut T {
        self.0
    }
}

impl UserPtr<u64> {
    fn value(self) -> u64 {
        // SAFETY: not null (checked when recorded) and valid by the contract of this file.
        unsafe { self.0.read_unaligned() }
    }

    fn set(self, value: u64) {
        // SAFETY: as above.
        unsafe { self.0.write_unaligned(value) }
    }
}

/// Bytes of a buffer that are believed. Some callers name a size beyond all memory for "as much as it takes".
pub const MOST: u64 = 1 << 40;

/// One recorded buffer.
#[derive(Clone, Copy)]
pub struct UserBuffer {
    start: UserPtr<u8>,
    size: UserPtr<u64>,
    capacity: u64,
}

impl UserBuffer {
    /// Records a buffer and its size variable; `what` names it in errors. A null buffer is accepted where
    /// `may_be_empty` says so and the size is 0.
    ///
    /// # Errors
    /// For a null address.
    pub fn record(what: &str, start: UserPtr<u8>, size: UserPtr<u64>, may_be_empty: bool) -> Result<UserBuffer> {
        if start.is_null() && !(may_be_empty && !size.is_null() && size.value() == 0) {
            bail!("[TileDB::Query] Error: Cannot set buffer; {what} buffer is null");
        }
        if size.is_null() {
            bail!("[TileDB::Query] Error: Cannot set buffer; {what} buffer size is null");
        }
        Ok(UserBuffer { start, size, capacity: size.value() })
    }

    /// The buffer's address.
    pub fn start(&self) -> UserPtr<u8> {
        self.start
    }

    /// The size variable's address.
    pub fn size(&self) -> UserPtr<u64> {
        self.size
    }

    /// Bytes of the buffer when it was set.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    fn out<'a>(&self) -> OutMem<'a> {
        let len = usize::try_from(self.capacity).unwrap_or(usize::MAX).min(isize::MAX as usize);
        // SAFETY: the memory is the caller's, writable for the recorded capacity (contract of this file).
        unsafe { OutMem::from_raw(self.start.0, len) }
    }

    fn bytes<'a>(&self) -> Result<&'a [u8]> {
        self.first_bytes(self.size.value())
    }

    /// The first bytes; no more are looked at.
    fn first_bytes<'a>(&self, size: u64) -> Result<&'a [u8]> {
        let Ok(len) = isize::try_from(size) else {
            bail!("[TileDB::Query] Error: Cannot set buffer; {size} bytes are beyond all memory");
        };
        if len == 0 {
            return Ok(&[]);
        }
        if self.start.is_null() {
            bail!("[TileDB::Query] Error: Cannot set buffer; a buffer is null");
        }
        // SAFETY: not null; readable for the stated size during the submit (contract of this file).
        Ok(unsafe { std::slice::from_raw_parts(self.start.0, len as usize) })
    }

    /// The addresses that the buffer is known to have: of a size that nobody has memory for, its first.
    fn span(&self) -> (usize, usize) {
        let start = self.start.0 as usize;
        let size = if self.capacity > MOST { 1 } else { self.capacity as usize };
        (start, start.saturating_add(size))
    }
}

/// The buffers of one field.
#[derive(Clone)]
pub struct FieldBuffers {
    /// The field's name as the caller gave it.
    pub name: Name,
    /// Fixed cells, or the values of variable ones.
    pub data: Option<UserBuffer>,
    /// Starts of variable cells.
    pub offsets: Option<UserBuffer>,
    /// One byte per cell of a nullable field.
    pub validity: Option<UserBuffer>,
}

impl FieldBuffers {
    /// Memory for data; none where no buffer was set.
    fn data_out<'a>(&self) -> OutMem<'a> {
        self.data.map_or_else(|| OutMem::new(&mut []), |data| data.out())
    }

    /// Writes the only cell of a result.
    ///
    /// # Errors
    /// If it does not fit.
    pub fn put_one(&self, value: &[u8], valid: bool) -> Result<()> {
        if let Some(data) = self.data {
            data.out().put(0, value)?;
            // A cell of fixed size counts even if nothing is written to it.
            data.size.set(if self.offsets.is_some() { value.len() as u64 } else { data.capacity });
        }
        if let Some(offsets) = self.offsets {
            offsets.out().put(0, &[0; 8])?;
            offsets.size.set(8);
        }
        if let Some(validity) = self.validity {
            validity.out().put(0, &[u8::from(valid)])?;
            validity.size.set(1);
        }
        Ok(())
    }
}

/// What a field asks of its buffers.
#[derive(Clone, Copy)]
pub struct Needs {
    /// Cells of variable length.
    pub var: bool,
    /// Cells may be null.
    pub nullable: bool,
}

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

/// The cells of one field in a write.
#[derive(Clone)]
pub struct InputColumn<'a> {
    /// The field.
    pub name: Name,
    /// Fixed cells, or the values of variable ones.
    pub data: &'a [u8],
    /// Starts of variable cells in bytes; ascending and inside `data`.
    pub starts: Option<Cow<'a, [u64]>>,
    /// One byte per cell of a nullable field.
    pub validity: Option<&'a [u8]>,
}

/// Some of the cells of a column.
#[derive(Clone, Copy)]
pub struct InputSlice<'a> {
    /// Fixed cells, or the values of variable ones.
    pub data: &'a [u8],
    /// Starts of variable cells; `data` begins at the start `origin`.
    pub starts: Option<&'a [u64]>,
    /// See `starts`.
    pub origin: u64,
    /// One byte per cell of a nullable field.
    pub validity: Option<&'a [u8]>,
}

impl InputColumn<'_> {
    /// How many cells there are; `cell_size` counts only for fixed fields.
    pub fn cells(&self, cell_size: usize) -> usize {
        self.starts.as_ref().map_or(self.data.len() / cell_size.max(1), |starts| starts.len())
    }

    /// The cells `first..first + count`, as far as they exist.
    pub fn slice(&self, cell_size: usize, first: usize, count: usize) -> InputSlice<'_> {
        let part = |len: usize, unit: usize| {
            first.saturating_mul(unit).min(len)..(first + count).saturating_mul(unit).min(len)
        };
        let validity = self.validity.map(|validity| &validity[part(validity.len(), 1)]);
        let Some(starts) = self.starts.as_deref() else {
            let data = &self.data[part(self.data.len(), cell_size)];
            return InputSlice { data, starts: None, origin: 0, validity };
        };
        let end = starts.get(first + count).map_or(self.data.len(), |&start| start as usize);
        let origin = starts.get(first).map_or(end, |&start| start as usize);
        let data = self.data.get(origin..end).unwrap_or_default();
        InputSlice { data, starts: Some(&starts[part(starts.len(), 1)]), origin: origin as u64, validity }
    }
}

/// The cells of one submit of a write.
#[derive(Clone, Default)]
pub struct Inputs<'a> {
    /// One column per field set.
    pub columns: Vec<InputColumn<'a>>,
}

impl<'a> Inputs<'a> {
    /// The column of a field.
    pub fn column(&self, name: &str) -> Option<&InputColumn<'a>> {
        self.columns.iter().find(|column| &*column.name == name)
    }
}

/// All buffers of a query, in the order they were set first.
#[derive(Clone, Default)]
pub struct Buffers {
    /// One entry per field.
    pub fields: Vec<FieldBuffers>,
}

impl Buffers {
    /// The buffers of a field.
    pub fn get(&self, name: &str) -> Option<&FieldBuffers> {
        self.fields.iter().find(|field| &*field.name == name)
    }

    /// The buffers of a field, made empty if there are none yet.
    pub fn entry(&mut self, name: &str) -> &mut FieldBuffers {
        let index = self.fields.iter().position(|field| &*field.name == name).unwrap_or(self.fields.len());
        if index == self.fields.len() {
            self.fields.push(FieldBuffers { name: Name::new(name), data: None, offsets: None, validity: None });
        }
        &mut self.fields[index]
    }

    /// True if no buffer was set.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Checks that every field has the buffers it needs.
    ///
    /// # Errors
    /// Naming the first field that lacks one.
    pub fn check_complete(&self, needs: impl Fn(&str) -> Needs) -> Result<()> {
        for field in &self.fields {
            let (name, needs) = (&field.name, needs(&field.name));
            if needs.var && field.data.is_none() {
                bail!(
                    "[TileDB::Query] Error: Var-Sized input attribute/dimension '{name}' is not set correctly. \n\
                     Var size buffer is not set."
                );
            }
            if needs.var && field.offsets.is_none() {
                bail!(
                    "[TileDB::Query] Error: Var-Sized input attribute/dimension '{name}' is not set correctly. \n\
                     Offsets buffer is not set."
                );
            }
            if field.data.is_none() {
                bail!(
                    "[TileDB::Query] Error: Fix-Sized input attribute/dimension '{name}' is not set correctly. \n\
                     Fix size buffer is not set."
                );
            }
            if needs.nullable && field.validity.is_none() {
                bail!(
                    "[TileDB::Query] Error: Nullable input attribute/dimension '{name}' is not set correctly \n\
                     Validity buffer is not set"
                );
            }
        }
        Ok(())
    }

    /// Refuses validity buffers of results with less room than their field's cells have, or of variable ones their
    /// offsets of 64 bits. `cell_size` gives the bytes of a cell of a nullable field, 0 where they vary.
    ///
    /// # Errors
    /// Naming the field.
    pub fn check_validity(&self, extra_offset: bool, cell_size: impl Fn(&str) -> Option<usize>) -> Result<()> {
        for field in &self.fields {
            let capacity = |buffer: Option<UserBuffer>| buffer.map_or(0, |buffer| buffer.capacity());
            let Some(size) = cell_size(&field.name) else { continue };
            let cells = match size as u64 {
                0 => (capacity(field.offsets) / 8).saturating_sub(u64::from(extra_offset)),
                size => capacity(field.data) / size,
            };
            let room = capacity(field.validity);
            if room < cells {
                bail!(
                    "ReaderBase: Buffer sizes check failed; Invalid number of validity cells given for attribute '{}' \
                     ({room} < {cells})",
                    field.name
                );
            }
        }
        Ok(())
    }

    /// Refuses buffers, these or others of the query, that overlap: results would overwrite one another.
    ///
    /// # Errors
    /// Naming both fields.
    pub fn check_disjoint(&self, others: &Buffers) -> Result<()> {
        let parts = |field: &FieldBuffers| [field.data, field.offsets, field.validity];
        let spans = |field: &FieldBuffers| parts(field).into_iter().flatten().map(|buffer| buffer.span());
        let fields: Vec<&FieldBuffers> = self.fields.iter().chain(&others.fields).collect();
        let mut all: Vec<_> =
            fields.iter().enumerate().flat_map(|(index, field)| spans(field).map(move |span| (span, index))).collect();
        all.retain(|((start, end), _)| start < end);
        all.sort_unstable();
        for pair in all.windows(2) {
            let (((_, end), a), ((start, _), b)) = (pair[0], pair[1]);
            if start < end {
                let (a, b) = (&fields[a].name, &fields[b].name);
                bail!("[TileDB::Query] Error: Cannot submit query; The buffers of '{a}' and '{b}' overlap");
            }
        }
        Ok(())
    }

    /// The names of the columns that the buffers stand for.
    pub fn columns(&self, zip: &Zip<'_>) -> Vec<Name> {
        self.fields.iter().flat_map(|field| zip.names_of(field).into_iter().cloned()).collect()
    }

    /// The result memory for one step. `value_size` gives the bytes of one value of a field.
    ///
    /// # Errors
    /// As `Zip::columns`.
    pub fn outputs(
        &self,
        format: OffsetFormat,
        zip: &Zip<'_>,
        value_size: impl Fn(&str) -> usize,
    ) -> Result<Outputs<'_>> {
        let mut columns = Vec::with_capacity(self.fields.len());
        for field in &self.fields {
            if field.name.as_str() == COORDS {
                columns.extend(zip.columns(&field.data_out())?);
                continue;
            }
            columns.push(Column {
                name: field.name.clone(),
                data: field.data_out(),
                offsets: field.offsets.map(|offsets| OffsetsOut::new(offsets.out(), format, value_size(&field.name))),
                validity: field.validity.map(|validity| validity.out()),
                cells: 0,
                bytes: 0,
            });
        }
        Ok(Outputs { columns })
    }

    /// Tells the caller how much a step has filled.
    ///
    /// # Errors
    /// If the closing offset cannot be written or memory is lacking; no size variable has changed then.
    pub fn report(&self, outputs: &Outputs<'_>, zip: &Zip<'_>) -> Result<()> {
        let mut rest = outputs.columns.as_slice();
        let mut sizes = Vec::with_capacity(self.fields.len());
        for field in &self.fields {
            let (own, others) = rest.split_at(zip.columns_of(field).min(rest.len()));
            rest = others;
            let Some(column) = own.first() else { continue };
            let bytes = match field.name.as_str() {
                COORDS => zip.zip(&field.data_out(), own)?,
                _ => column.bytes,
            };
            let offsets = match &column.offsets {
                Some(offsets) => offsets.close(column.cells, column.bytes as u64)?,
                None => 0,
            };
            sizes.push([bytes as u64, offsets, column.cells as u64]);
        }
        for (field, sizes) in self.fields.iter().zip(sizes) {
            let buffers = [field.data, field.offsets, field.validity];
            buffers.into_iter().zip(sizes).for_each(|(buffer, size)| {
                if let Some(buffer) = buffer {
                    buffer.size.set(size);
                }
            });
        }
        Ok(())
    }

    /// Sets every size variable to 0: a step that delivered nothing.
    pub fn report_nothing(&self) {
        for field in &self.fields {
            for buffer in [field.data, field.offsets, field.validity].into_iter().flatten() {
                buffer.size.set(0);
            }
        }
    }

    /// Zipped coordinates taken apart, column by column.
    ///
    /// # Errors
    /// If memory is lacking.
    pub fn unzipped(&self, zip: &Zip<'_>) -> Result<Vec<Scratch>> {
        match self.get(COORDS).and_then(|field| field.data) {
            Some(coords) => zip.unzip(coords.bytes()?),
            None => Ok(Vec::new()),
        }
    }

    /// The cells of a write, offsets brought to bytes in 64 bits and checked; `unzipped` are the coordinates that were
    /// zipped. `value_size` gives the bytes of one value of a field.
    ///
    /// # Errors
    /// If offsets do not ascend inside the data.
    pub fn inputs<'a>(
        &'a self,
        format: OffsetFormat,
        (zip, unzipped): (&Zip<'_>, &'a [Scratch]),
        value_size: impl Fn(&str) -> usize,
    ) -> Result<Inputs<'a>> {
        let mut columns = Vec::with_capacity(self.fields.len());
        for field in &self.fields {
            let data = field.data.map_or(Ok(&[][..]), |data| data.bytes())?;
            if field.name.as_str() == COORDS {
                columns.extend(zip.inputs(data, unzipped));
                continue;
            }
            let starts = match field.offsets {
                Some(offsets) => {
                    let given = offsets.first_bytes(format.memory(offsets.size.value()))?;
                    Some(starts(&field.name, given, data, format, value_size(&field.name))?)
                }
                None => None,
            };
            let validity = field.validity.map(|validity| validity.bytes()).transpose()?;
            columns.push(InputColumn { name: field.name.clone(), data, starts, validity });
        }
        Ok(Inputs { columns })
    }
}
