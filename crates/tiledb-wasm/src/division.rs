//! Division of reads whose files exceed the cache of the host program's files.
//!
//! A batch of a sparse read with a condition that few cells meet takes the files of all cells that it looks at, and all of them must be
//! cached while it is read. Such a read is divided into parts whose results come one after another in the order of the whole.

use serde_json::Value as Json;
use tiledb::{Array, Field, Result, Subarray, Value};

use crate::convert::{integer_of_value, value_of_integer};
use crate::selection::query;

/// Approximate size of the cells of a part: a share of the cache, in which other reads have theirs.
const PART_BYTES: u64 = 64 << 20;

/// Maximum number of parts.
const MAX_PARTS: u64 = 1 << 12;

/// The parts of a read, in their order.
///
/// # Errors
/// If metadata of the array cannot be read.
pub fn parts(
    array: &Array,
    request: &Json,
    whole: Option<Subarray>,
    fields: &[Field],
) -> Result<Vec<Option<Subarray>>> {
    let schema = array.schema();
    let Some(condition) = request["where"].as_str().filter(|_| !schema.is_dense()) else { return Ok(vec![whole]) };
    let mut names: Vec<&str> = fields.iter().map(Field::name).collect();
    let all = schema.dimensions().into_iter().map(|dimension| dimension.name().to_owned());
    let all: Vec<String> =
        all.chain(schema.attributes().into_iter().map(|attribute| attribute.name().to_owned())).collect();
    names.extend(all.iter().map(String::as_str).filter(|name| condition.contains(name)));
    names.sort_unstable();
    names.dedup();
    let mut bytes = 0_u64;
    for name in names {
        let estimate = query(array, request, whole.as_ref())?.estimate(name)?;
        bytes = estimate.into_iter().fold(bytes, u64::saturating_add);
    }
    match bytes.div_ceil(PART_BYTES) {
        0..=2 => Ok(vec![whole]),
        count => divide(array, request, whole, count.min(MAX_PARTS)),
    }
}

/// Divides a part of a read into about `count` parts, or fewer if it cannot be divided that far.
///
/// # Errors
/// If metadata of the array cannot be read.
pub fn divide(array: &Array, request: &Json, part: Option<Subarray>, count: u64) -> Result<Vec<Option<Subarray>>> {
    let is_labelled = array.schema().labels().iter().any(|label| !request["ranges"][label.name()].is_null());
    match request["order"].as_str() {
        _ if is_labelled => Ok(vec![part]),
        Some("row-major" | "col-major") => bands(array, request, part, count),
        Some("global") => Ok(vec![part]),
        _ => {
            let parts = query(array, request, part.as_ref())?.partitions(count)?;
            match parts.len() {
                0 | 1 => Ok(vec![part]),
                _ => Ok(parts.into_iter().map(|part| Some(part.subarray)).collect()),
            }
        }
    }
}

/// Divides along the dimension that comes first in the order of the cells, of those that select several coordinates.
fn bands(array: &Array, request: &Json, part: Option<Subarray>, count: u64) -> Result<Vec<Option<Subarray>>> {
    let schema = array.schema();
    let selected = part.clone().unwrap_or_else(|| Subarray::new(&schema));
    let Some(domain) = array.non_empty_domain()? else { return Ok(vec![part]) };
    let mut dimensions: Vec<String> =
        schema.dimensions().into_iter().map(|dimension| dimension.name().to_owned()).collect();
    if request["order"] == "col-major" {
        dimensions.reverse();
    }
    for name in &dimensions {
        let ranges = selected.ranges(name)?;
        let [(low, high)] = ranges.as_slice() else { return Ok(vec![part]) };
        let (Some(low), Some(high)) = (integer_of_value(low), integer_of_value(high)) else { return Ok(vec![part]) };
        let written = domain.iter().find(|(own, ..)| own == name).map(|(_, low, high)| (low, high));
        let Some((Some(first), Some(last))) =
            written.map(|(first, last)| (integer_of_value(first), integer_of_value(last)))
        else {
            return Ok(vec![part]);
        };
        let (first, last) = (first.max(low), last.min(high));
        if first < last {
            let width = (last - first).div_euclid(i128::from(count)) + 1;
            let starts: Vec<i128> = (first..=last).step_by(usize::try_from(width).unwrap_or(usize::MAX)).collect();
            let mut bands = Vec::with_capacity(starts.len());
            for start in &starts {
                let band = value_of_integer(*start)..=value_of_integer((start + width - 1).min(last));
                let mut subarray = Subarray::new(&schema);
                for other in &dimensions {
                    if other == name {
                        subarray.add_range::<Value>(name, band.clone())?;
                    } else {
                        for (low, high) in selected.ranges(other)? {
                            subarray.add_range(other, low..=high)?;
                        }
                    }
                }
                bands.push(Some(subarray));
            }
            return Ok(bands);
        }
    }
    Ok(vec![part])
}
