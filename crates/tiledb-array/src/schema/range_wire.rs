//! Serialization of one-dimensional ranges, as stored in bounding boxes, non-empty domains and current domains.

use super::Dimension;
use tiledb_core::error::Result;
use tiledb_core::types::CellRange;
use tiledb_core::wire::{WireReader, WireWriter};

/// Reads the range of one dimension: two values or, for strings, the length of both ends, the
/// length of the low end and the bytes.
///
/// # Errors
/// If the bytes do not follow the format.
pub fn read_range(r: &mut WireReader, dimension: &Dimension) -> Result<CellRange> {
    if !dimension.is_var() {
        let size = dimension.size();
        return CellRange::fixed(r.bytes(size)?, r.bytes(size)?);
    }
    let total = r.u64()?;
    let low = r.u64()?;
    let room = r.remaining() as u64;
    if total > room || low > total {
        return Err(r.corrupt(format_args!("a string range of {total} bytes, {low} of them in its low end")));
    }
    let ends = r.bytes(total as usize)?;
    let (low, high) = ends.split_at(low as usize);
    Ok(CellRange::var(low, high))
}

/// Writes the range of one dimension.
pub fn write_range(w: &mut WireWriter, range: &CellRange) {
    let (low, high) = (range.low(), range.high());
    if range.is_var() {
        w.u64((low.len() + high.len()) as u64).u64(low.len() as u64);
    }
    w.bytes(low).bytes(high);
}
