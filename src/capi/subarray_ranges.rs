//! The ranges of a subarray, which has a handle of its own or belongs to a query.

use super::boundary::{Buffer, Bytes, Out, OutPtr, Str};
use super::range_out::{check_buffers, put_sizes, put_var};
use tiledb_cells::Subarray;
use tiledb_core::error::{Result, bail};

pub(super) fn no_stride(stride: Bytes) -> Result<()> {
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

pub(super) fn named<'a>(name: Str<'a>) -> Result<&'a str> {
    match name.opt()? {
        Some(name) => Ok(name),
        None => bail!("TileDB internal: basic_string: construction from null is not valid"),
    }
}

/// The bytes of a string that comes with its size.
pub(super) fn sized<'a>(what: &str, (bytes, size): (Bytes<'a>, u64)) -> Result<Option<&'a [u8]>> {
    Ok(match bytes.opt(what, size)? {
        None if size == 0 => Some(&[]),
        bytes => bytes,
    })
}

pub(super) fn lend(out: OutPtr, value: &[u8]) -> Result<()> {
    if value.is_empty() { out.set_null() } else { out.set(value) }
}

/// Adds a range of fixed-size values.
pub(super) fn add_range(subarray: &mut Subarray, by: By, start: Bytes, end: Bytes, stride: Bytes) -> Result<()> {
    no_stride(stride)?;
    let index = by.index(subarray)?;
    let size = subarray.value_size(index)? as u64;
    match (start.opt("start", size)?, end.opt("end", size)?) {
        (Some(start), Some(end)) => subarray.add_range(index, start, end),
        _ => bail!("Subarray: Cannot add range; Invalid range: start and end must not be null"),
    }
}

/// Adds a range of strings; each comes with its size.
pub(super) fn add_range_var(subarray: &mut Subarray, by: By, start: (Bytes, u64), end: (Bytes, u64)) -> Result<()> {
    let index = by.index(subarray)?;
    subarray
        .range_num(index)
        .or_else(|_| bail!("Subarray: Cannot add range; Invalid dimension index: there is no dimension {index}"))?;
    match (sized("start", start)?, sized("end", end)?) {
        (Some(start), Some(end)) => subarray.add_range_var(index, start, end),
        _ => bail!("Subarray: Cannot add range; Invalid range: start and end must not be null"),
    }
}

/// The number of ranges.
pub(super) fn range_num(subarray: &Subarray, by: By) -> Result<u64> {
    subarray.range_num(by.index(subarray)?)
}

/// Gives out where the ends of a range lie, and null for the stride.
pub(super) fn lend_range(subarray: &Subarray, by: By, number: u64, out: (OutPtr, OutPtr, OutPtr)) -> Result<()> {
    out.0.check()?;
    out.1.check()?;
    out.2.clear();
    let range = subarray.range(by.index(subarray)?, number)?;
    lend(out.0, range.low())?;
    lend(out.1, range.high())
}

/// Gives out copies of the ends of a range of strings.
pub(super) fn copy_range_var(subarray: &Subarray, by: By, number: u64, out: (Buffer, Buffer)) -> Result<()> {
    let index = by.index(subarray)?;
    check_buffers(&[&out.0, &out.1])?;
    put_var(subarray.range_var(index, number)?, out.0, out.1)
}

/// Gives out the bytes of the ends of a range of strings.
pub(super) fn size_of_range_var(subarray: &Subarray, by: By, number: u64, out: (Out<u64>, Out<u64>)) -> Result<()> {
    let index = by.index(subarray)?;
    out.0.check()?;
    out.1.check()?;
    put_sizes(Some(subarray.range_var(index, number)?), out.0, out.1)
}

/// Adds a range for each of `count` values.
pub(super) fn add_points(subarray: &mut Subarray, index: u32, values: Bytes, count: u64) -> Result<()> {
    if values.is_null() {
        bail!("Subarray: Cannot add ranges; Invalid start pointer");
    }
    let size = subarray.point_size(index)? as u64;
    let values = values.opt("start", count.saturating_mul(size))?.unwrap_or_default();
    subarray.add_points(index, values)
}

/// Replaces the ranges by one per dimension.
pub(super) fn set_box(subarray: &mut Subarray, values: Bytes) -> Result<()> {
    let values = values.opt("subarray", subarray.box_size() as u64)?;
    subarray.set_box(values)
}
