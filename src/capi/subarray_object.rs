//! The object of a subarray handle, and code that its functions share.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::boundary::{Buffer, Bytes, Out, OutPtr, Str};
use super::range_out::{check_buffers, put_sizes, put_var};
use tiledb_core::error::{Error, Result, bail};
use tiledb_query::Subarray;

/// The object of a subarray handle.
pub struct SubarrayObject(Mutex<Subarray>);

impl SubarrayObject {
    /// The content of a subarray handle.
    pub(crate) fn new(subarray: Subarray) -> SubarrayObject {
        SubarrayObject(Mutex::new(subarray))
    }

    /// A snapshot of the subarray.
    pub(crate) fn snapshot(&self) -> Subarray {
        self.lock().clone()
    }

    /// The subarray, for the length of a call.
    pub(super) fn lock(&self) -> MutexGuard<'_, Subarray> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A count of the caller as a length in memory.
pub(super) fn length(count: u64) -> Result<usize> {
    usize::try_from(count).map_err(|_| Error::invalid(format!("C API: {count} bytes are beyond all memory")))
}

fn no_stride(stride: Bytes) -> Result<()> {
    if !stride.is_null() {
        bail!("C API: Stride is currently unsupported");
    }
    Ok(())
}

/// How the caller names a dimension.
#[derive(Clone, Copy)]
pub(super) enum By<'a> {
    Index(u32),
    Name(Str<'a>),
}

impl By<'_> {
    fn index(self, subarray: &Subarray) -> Result<u32> {
        match self {
            By::Index(index) => Ok(index),
            By::Name(name) => subarray.dimension_index(named(name)?),
        }
    }
}

fn named<'a>(name: Str<'a>) -> Result<&'a str> {
    match name.opt()? {
        Some(name) => Ok(name),
        None => bail!("TileDB internal: basic_string: construction from null is not valid"),
    }
}

/// The bytes of a string that comes with its size.
fn sized<'a>((bytes, size): (Bytes<'a>, u64)) -> Result<Option<&'a [u8]>> {
    Ok(match bytes.opt(length(size)?)? {
        None if size == 0 => Some(&[]),
        bytes => bytes,
    })
}

fn lend(out: OutPtr, value: &[u8]) -> Result<()> {
    if value.is_empty() { out.set_null() } else { out.set(value) }
}

impl SubarrayObject {
    /// Adds a range of fixed-size values.
    pub(super) fn add_range(&self, by: By, start: Bytes, end: Bytes, stride: Bytes) -> Result<()> {
        no_stride(stride)?;
        let mut subarray = self.lock();
        let index = by.index(&subarray)?;
        let size = subarray.value_size(index)?;
        match (start.opt(size)?, end.opt(size)?) {
            (Some(start), Some(end)) => subarray.add_range(index, start, end),
            _ => bail!("Subarray: Cannot add range; Invalid range: start and end must not be null"),
        }
    }

    /// Adds a range of strings; each comes with its size.
    pub(super) fn add_range_var(&self, by: By, start: (Bytes, u64), end: (Bytes, u64)) -> Result<()> {
        let mut subarray = self.lock();
        let index = by.index(&subarray)?;
        subarray
            .range_num(index)
            .or_else(|_| bail!("Subarray: Cannot add range; Invalid dimension index: there is no dimension {index}"))?;
        match (sized(start)?, sized(end)?) {
            (Some(start), Some(end)) => subarray.add_range_var(index, start, end),
            _ => bail!("Subarray: Cannot add range; Invalid range: start and end must not be null"),
        }
    }

    /// The number of ranges.
    pub(super) fn range_num(&self, by: By) -> Result<u64> {
        let subarray = self.lock();
        subarray.range_num(by.index(&subarray)?)
    }

    /// Returns the addresses of the ends of a range, and null for the stride.
    pub(super) fn lend_range(&self, by: By, number: u64, out: (OutPtr, OutPtr, OutPtr)) -> Result<()> {
        out.0.check()?;
        out.1.check()?;
        out.2.clear();
        let subarray = self.lock();
        let range = subarray.range(by.index(&subarray)?, number)?;
        lend(out.0, range.low())?;
        lend(out.1, range.high())
    }

    /// Gives out copies of the ends of a range of strings.
    pub(super) fn copy_range_var(&self, by: By, number: u64, out: (Buffer, Buffer)) -> Result<()> {
        let subarray = self.lock();
        let index = by.index(&subarray)?;
        check_buffers(&[&out.0, &out.1])?;
        put_var(subarray.range_var(index, number)?, out.0, out.1)
    }

    /// Gives out the bytes of the ends of a range of strings.
    pub(super) fn size_of_range_var(&self, by: By, number: u64, out: (Out<u64>, Out<u64>)) -> Result<()> {
        let subarray = self.lock();
        let index = by.index(&subarray)?;
        out.0.check()?;
        out.1.check()?;
        put_sizes(Some(subarray.range_var(index, number)?), out.0, out.1)
    }
}

impl SubarrayObject {
    /// Adds a range of values of a label.
    pub(super) fn add_label_range(&self, name: Str, start: Bytes, end: Bytes, stride: Bytes) -> Result<()> {
        no_stride(stride)?;
        let mut subarray = self.lock();
        let name = named(name)?;
        if start.is_null() || end.is_null() {
            bail!("Subarray: [add_label_range] Invalid range: start and end of a range of '{name}' must not be null");
        }
        let size = subarray.label_size(name)?;
        subarray.add_label_range(name, start.opt(size)?.unwrap_or_default(), end.opt(size)?.unwrap_or_default())
    }

    /// Adds a range of strings of a label; each comes with its size.
    pub(super) fn add_label_range_var(&self, name: Str, start: (Bytes, u64), end: (Bytes, u64)) -> Result<()> {
        let mut subarray = self.lock();
        match (sized(start)?, sized(end)?) {
            (Some(start), Some(end)) => subarray.add_label_range_var(named(name)?, start, end),
            _ => bail!("Subarray: [add_label_range_var] Invalid range"),
        }
    }

    /// The number of ranges of a label.
    pub(super) fn label_range_num(&self, name: Str) -> Result<u64> {
        self.lock().label_range_num(named(name)?)
    }

    /// Returns the addresses of the ends of a range of a label, and null for the stride.
    pub(super) fn lend_label_range(&self, name: Str, number: u64, out: (OutPtr, OutPtr, OutPtr)) -> Result<()> {
        out.0.check()?;
        out.1.check()?;
        out.2.clear();
        let subarray = self.lock();
        let range = subarray.label_range(named(name)?, number, "get_label_range")?;
        lend(out.0, range.low())?;
        lend(out.1, range.high())
    }

    /// Gives out copies of the ends of a range of strings of a label.
    pub(super) fn copy_label_range_var(&self, name: Str, number: u64, out: (Buffer, Buffer)) -> Result<()> {
        check_buffers(&[&out.0, &out.1])?;
        put_var(self.lock().label_range(named(name)?, number, "get_label_range_var")?, out.0, out.1)
    }

    /// Gives out the bytes of the ends of a range of strings of a label.
    pub(super) fn size_of_label_range_var(&self, name: Str, number: u64, out: (Out<u64>, Out<u64>)) -> Result<()> {
        let subarray = self.lock();
        put_sizes(Some(subarray.label_range(named(name)?, number, "get_label_range_var_size")?), out.0, out.1)
    }
}
