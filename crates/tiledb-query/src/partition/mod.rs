//! Partitions a subarray into parts with about the same number of cells each, to balance the work of several readers.
//!
//! Only metadata is read: the R-trees of sparse fragments, the grid of dense ones, the statistics of tiles. The parts
//! are boxes of the selection, each a subarray.

mod axis;
mod bytes;
mod divide;
#[cfg(test)]
mod tests;
mod weigh;

use crate::tiles::check;
use crate::transfer::filter::program_of;
use axis::PartitionAxis;
use divide::{PartBounds, divide};
use tiledb_array::array::OpenArray;
use tiledb_array::condition::Predicate;
use tiledb_cells::space::subarray::Subarray;
use tiledb_core::error::{Result, bail};
use weigh::{WeightedSpace, of_dense, of_sparse};

/// A part of a subarray, and its estimated number of cells.
pub struct SubarrayPartition {
    pub subarray: Subarray,
    pub cells: u64,
}

/// Divides a subarray of an array that is open for reading into `max_parts` parts, or fewer if there are too few cells to
/// divide. Together they cover each cell of the subarray once. Equal arguments yield equal parts while the array is
/// open at the same timestamp.
///
/// # Errors
/// For arrays that are not open for reading or are remote, subarrays of another array or with ranges of labels, no
/// parts, an invalid condition; and if metadata cannot be read.
pub fn partition(
    array: &OpenArray,
    subarray: &Subarray,
    condition: Option<&Predicate>,
    max_parts: u64,
) -> Result<Vec<SubarrayPartition>> {
    if max_parts == 0 {
        bail!("Partition: 0 parts are wanted; ask for 1 or more");
    }
    let subarray = &subarray.without_reversed();
    let whole = || vec![SubarrayPartition { subarray: subarray.clone(), cells: 0 }];
    let Some(WeightedSpace { axes, weight }) = weigh(array, subarray, condition)? else { return Ok(whole()) };
    let parts = divide(&axes, &weight, max_parts, array.resources().cancel())?;
    parts.iter().map(|part| cut_out(subarray, &axes, part)).collect()
}

/// The number of parts of a subarray, at least 1, such that each has about `bytes` of results of some fields, or of
/// those that [`bytes::of_cell`] assumes if none are named.
///
/// # Errors
/// As [`partition`], for unknown fields, and for 0 bytes.
pub fn part_count(
    array: &OpenArray,
    subarray: &Subarray,
    condition: Option<&Predicate>,
    fields: Option<&[String]>,
    bytes: u64,
) -> Result<u64> {
    if bytes == 0 {
        bail!("Partition: parts of 0 bytes are wanted; ask for 1 or more");
    }
    let subarray = subarray.without_reversed();
    let Some(WeightedSpace { axes, weight }) = weigh(array, &subarray, condition)? else { return Ok(1) };
    let whole = divide(&axes, &weight, 1, array.resources().cancel())?;
    let cells: f64 = whole.iter().map(|part| part.weight).sum();
    let parts = cells * bytes::of_cell(array, fields)? / bytes as f64;
    Ok((parts.ceil() as u64).max(1))
}

/// The distribution of the cells of a subarray; `None` if there are none.
fn weigh(array: &OpenArray, subarray: &Subarray, condition: Option<&Predicate>) -> Result<Option<WeightedSpace>> {
    check("Partition", array, subarray)?;
    let program = condition.map(|condition| program_of(array, condition)).transpose()?;
    match array.schema().is_dense() {
        true => of_dense(array, subarray, program.as_ref()),
        false => of_sparse(array, subarray, program.as_ref()),
    }
}

/// The ranges of a subarray inside a part.
fn cut_out(subarray: &Subarray, axes: &[PartitionAxis], part: &PartBounds) -> Result<SubarrayPartition> {
    let mut inside = subarray.clone();
    for (d, axis) in axes.iter().enumerate() {
        let (ends, (is_low_cut, is_high_cut)) = (part.ends[d], part.is_cut[d]);
        if is_low_cut || is_high_cut {
            let band = axis.band(ends, (is_low_cut, is_high_cut))?;
            match inside.within(d, &band) {
                Some(part) => inside = part,
                None => bail!(Internal, "A part has none of the ranges of its dimension"),
            }
        }
    }
    Ok(SubarrayPartition { subarray: inside, cells: part.weight.round() as u64 })
}
