//! Returns ranges to C: non-empty domains and bounding boxes.

use super::boundary::{Buffer, Out};
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{CellRange, NdRange};

/// Refuses null where ends of ranges are to go.
///
/// # Errors
/// For a null pointer.
pub(crate) fn check_buffers(buffers: &[&Buffer]) -> Result<()> {
    if buffers.iter().any(|buffer| buffer.is_null()) {
        bail!("C API: Invalid output pointer for object");
    }
    Ok(())
}

/// Returns the low and the high end, one after the other.
///
/// # Errors
/// For a null pointer.
pub(crate) fn put_fixed(range: &CellRange, out: Buffer) -> Result<()> {
    out.fill("domain", &[range.low(), range.high()].concat())
}

/// Returns the low and the high end separately.
///
/// # Errors
/// For a null pointer.
pub(crate) fn put_var(range: &CellRange, start: Buffer, end: Buffer) -> Result<()> {
    start.fill("start", range.low())?;
    end.fill("end", range.high())
}

/// Gives out the sizes of low and high end.
///
/// # Errors
/// For a null pointer.
pub(crate) fn put_sizes(range: Option<&CellRange>, start: Out<u64>, end: Out<u64>) -> Result<()> {
    start.set(range.map_or(0, |range| range.low().len() as u64))?;
    end.set(range.map_or(0, |range| range.high().len() as u64))
}

/// Returns the ends of all dimensions, one after the other.
///
/// # Errors
/// For a null pointer.
pub(crate) fn put_box(ranges: &NdRange, out: Buffer) -> Result<()> {
    let ends: Vec<&[u8]> = ranges.iter().flat_map(|range| [range.low(), range.high()]).collect();
    out.fill("domain", &ends.concat())
}

/// Gives out a range if there is one, and whether there is none.
///
/// # Errors
/// For a null pointer, and what `put` gives.
pub(crate) fn put_if_any<T>(range: Option<T>, is_empty: Out<i32>, put: impl FnOnce(T) -> Result<()>) -> Result<()> {
    is_empty.set(range.is_none().into())?;
    range.map_or(Ok(()), put)
}
