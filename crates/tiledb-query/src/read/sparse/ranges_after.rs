//! The remainder of a read in row- or column-major order after a point, as parts of ranges in that order.

use crate::read::position::PartRanges;
use tiledb_cells::space::split;
use tiledb_cells::space::subarray::Subarray;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{CellRange, Datatype};

/// A dimension with its type and a value.
type Coordinate = (usize, Datatype, Vec<u8>);

/// The parts after a point: with its coordinates of the slower dimensions, and greater ones of one dimension, from the
/// fastest dimension to the slowest.
///
/// # Errors
/// If a coordinate is the empty string, which in ranges represents all strings.
pub fn parts_after(subarray: &Subarray, place: &[Coordinate]) -> Result<Vec<PartRanges>> {
    let mut parts = Vec::new();
    for (index, (dimension, datatype, value)) in place.iter().enumerate().rev() {
        let mut part = parts_at(subarray, &place[..index])?;
        let ranges = &mut part[*dimension];
        *ranges = ranges.iter().filter_map(|range| split::after(*datatype, range, value)).collect();
        parts.push(part);
    }
    parts.retain(|part| part.iter().all(|ranges| !ranges.is_empty()));
    Ok(parts)
}

/// The ranges with only these coordinates of some dimensions, repeated by the number of ranges that contain them.
fn parts_at(subarray: &Subarray, place: &[Coordinate]) -> Result<PartRanges> {
    let mut part: PartRanges = subarray.sets().iter().map(|set| set.ranges().to_vec()).collect();
    for (dimension, datatype, value) in place {
        if value.is_empty() {
            bail!("Cannot tell where the read stands; no range has only the empty text");
        }
        let ranges = &mut part[*dimension];
        let is_var = ranges.first().is_some_and(CellRange::is_var);
        let point = if is_var { CellRange::var(value, value) } else { CellRange::fixed(value, value)? };
        ranges.retain(|range| (is_var && range.high().is_empty()) || range.contains(*datatype, &point));
        ranges.fill(point);
    }
    Ok(part)
}
