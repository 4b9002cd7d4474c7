//! The object of a subarray handle, and code that its functions share.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::boundary::{Buffer, Bytes, Out, OutPtr, Str};
use super::range_out::{check_buffers, put_sizes, put_var};
use super::subarray_ranges::{lend, named, no_stride, sized};
use tiledb_cells::Subarray;
use tiledb_core::error::{Result, bail};

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

impl SubarrayObject {
    /// Adds a range of values of a label.
    pub(super) fn add_label_range(&self, name: Str, start: Bytes, end: Bytes, stride: Bytes) -> Result<()> {
        no_stride(stride)?;
        let mut subarray = self.lock();
        let name = named(name)?;
        if start.is_null() || end.is_null() {
            bail!("Subarray: [add_label_range] Invalid range: start and end of a range of '{name}' must not be null");
        }
        let size = subarray.label_size(name)? as u64;
        let start = start.opt("start", size)?.unwrap_or_default();
        subarray.add_label_range(name, start, end.opt("end", size)?.unwrap_or_default())
    }

    /// Adds a range of strings of a label; each comes with its size.
    pub(super) fn add_label_range_var(&self, name: Str, start: (Bytes, u64), end: (Bytes, u64)) -> Result<()> {
        let mut subarray = self.lock();
        match (sized("start", start)?, sized("end", end)?) {
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
