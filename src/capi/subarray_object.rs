//! What the handle of a subarray holds, and what its functions share.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::boundary::{Buffer, Bytes, Out, OutPtr, Str};
use crate::error::{Error, Result, bail};
use crate::query::Subarray;

/// What a subarray handle holds.
pub struct SubarrayObject(Mutex<Subarray>);

impl SubarrayObject {
    /// The content of a subarray handle.
    pub(crate) fn new(subarray: Subarray) -> SubarrayObject {
        SubarrayObject(Mutex::new(subarray))
    }

    /// A copy of the subarray as it is now.
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

pub(super) fn no_stride(stride: Bytes) -> Result<()> {
    if !stride.is_null() {
        bail!("C API: Stride is currently unsupported");
    }
    Ok(())
}

pub(super) fn dimension(subarray: &Subarray, name: Str) -> Result<u32> {
    match name.opt()? {
        Some(name) => subarray.dimension_index(name),
        None => bail!("TileDB internal: basic_string: construction from null is not valid"),
    }
}

pub(super) fn add_range(subarray: &mut Subarray, index: u32, start: Bytes, end: Bytes) -> Result<()> {
    let size = subarray.value_size(index)?;
    match (start.opt(size)?, end.opt(size)?) {
        (Some(start), Some(end)) => subarray.add_range(index, start, end),
        _ => bail!("Subarray: Cannot add range; Invalid range"),
    }
}

pub(super) fn add_range_var(subarray: &mut Subarray, index: u32, start: (Bytes, u64), end: (Bytes, u64)) -> Result<()> {
    subarray.range_num(index).or_else(|_| bail!("Subarray: Cannot add range; Invalid dimension index"))?;
    let value = |(bytes, size): (Bytes, u64)| match bytes.opt(length(size)?)? {
        Some(bytes) => Ok(bytes),
        None if size == 0 => Ok(&[][..]),
        None => bail!("Subarray: Cannot add range; Invalid range"),
    };
    subarray.add_range_var(index, value(start)?, value(end)?)
}

pub(super) fn lend_range(subarray: &Subarray, index: u32, number: u64, out: (OutPtr, OutPtr, OutPtr)) -> Result<()> {
    out.0.set_null()?;
    out.1.set_null()?;
    let range = subarray.range(index, number)?;
    let lend = |out: OutPtr, value: &[u8]| if value.is_empty() { out.set_null() } else { out.set(value) };
    lend(out.0, range.low())?;
    lend(out.1, range.high())?;
    out.2.set_null()
}

pub(super) fn copy_range_var(subarray: &Subarray, index: u32, number: u64, out: (Buffer, Buffer)) -> Result<()> {
    if out.0.is_null() || out.1.is_null() {
        bail!("C API: Invalid output pointer for object");
    }
    let range = subarray.range_var(index, number)?;
    out.0.fill("start", range.low())?;
    out.1.fill("end", range.high())
}

pub(super) fn size_of_range_var(subarray: &Subarray, index: u32, number: u64, out: (Out<u64>, Out<u64>)) -> Result<()> {
    out.0.check()?;
    out.1.check()?;
    let range = subarray.range_var(index, number)?;
    out.1.set(range.high().len() as u64)?;
    out.0.set(range.low().len() as u64)
}
