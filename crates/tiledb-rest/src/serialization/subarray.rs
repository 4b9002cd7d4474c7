//! Serialization of subarrays and of their parts.

use std::sync::Arc;

use super::format::{in_field, required};
use crate::encoding::{Builder, View};
use crate::messages::{self, LabelSubarrayRanges, SubarrayRanges};
use tiledb_array::schema::ArraySchema;
use tiledb_cells::Subarray;
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::{CellRange, Datatype, Layout};
use tiledb_query::read::position::PartRanges;

/// Puts a subarray into a message, of a read or write in this order.
pub(super) fn fill(out: &mut Builder<'_, messages::Subarray>, subarray: &Subarray, layout: Layout) -> Result<()> {
    // Libtiledb's server expects sorted ranges for unordered sparse reads, as its client sends them.
    let sorted = (layout == Layout::Unordered && !subarray.schema().is_dense()).then(|| subarray.ascending());
    let ranges = subarray.sets().iter().enumerate().map(|(dimension, set)| {
        let sorted = sorted.as_ref().and_then(|sorted| sorted.get(dimension));
        (sorted.map_or(set.ranges(), Vec::as_slice), set.is_default())
    });
    fill_ranges(out, subarray, layout, ranges)?;
    let labels = subarray.chosen_labels().count();
    if labels == 0 {
        return Ok(());
    }
    let mut list = out.list(messages::Subarray::LABEL_RANGES, labels)?;
    for (index, (dimension, chosen)) in subarray.chosen_labels().enumerate() {
        let mut message = list.get(index)?;
        message.set(LabelSubarrayRanges::DIMENSION_ID, dimension as u32);
        message.set_text(LabelSubarrayRanges::NAME, chosen.name())?;
        let datatype = datatype_of(subarray.schema(), dimension)?;
        fill_one(&mut message.child(LabelSubarrayRanges::RANGES)?, datatype, chosen.ranges(), false)?;
    }
    Ok(())
}

/// Puts a part of a subarray into a message.
pub(super) fn fill_part(
    out: &mut Builder<'_, messages::Subarray>,
    subarray: &Subarray,
    layout: Layout,
    part: &PartRanges,
) -> Result<()> {
    let ranges = part.iter().zip(subarray.sets());
    let ranges = ranges.map(|(ranges, whole)| (&ranges[..], whole.is_default() && ranges[..] == *whole.ranges()));
    fill_ranges(out, subarray, layout, ranges)
}

fn fill_ranges<'a>(
    out: &mut Builder<'_, messages::Subarray>,
    subarray: &Subarray,
    layout: Layout,
    ranges: impl ExactSizeIterator<Item = (&'a [CellRange], bool)>,
) -> Result<()> {
    out.set_text(messages::Subarray::LAYOUT, layout.name())?;
    out.set(messages::Subarray::COALESCE_RANGES, subarray.coalesces());
    let mut list = out.list(messages::Subarray::RANGES, ranges.len())?;
    for (index, (ranges, is_default)) in ranges.enumerate() {
        fill_one(&mut list.get(index)?, datatype_of(subarray.schema(), index)?, ranges, is_default)?;
    }
    Ok(())
}

fn datatype_of(schema: &ArraySchema, dimension: usize) -> Result<Datatype> {
    match schema.domain().dimensions().get(dimension) {
        Some(dimension) => Ok(dimension.datatype()),
        None => bail!("There is no dimension {dimension}"),
    }
}

/// Puts the ranges of a dimension into a message: their bytes one after the other, and the sizes of strings' low ends.
fn fill_one(
    out: &mut Builder<'_, SubarrayRanges>,
    datatype: Datatype,
    ranges: &[CellRange],
    is_default: bool,
) -> Result<()> {
    let bytes = ranges.iter().map(|range| range.low().len() + range.high().len()).sum();
    let mut buffer = memory::with_capacity("ranges", bytes)?;
    let mut sizes = memory::with_capacity("ranges", ranges.len())?;
    let mut starts = memory::with_capacity("ranges", ranges.len())?;
    for range in ranges {
        buffer.extend_from_slice(range.low());
        buffer.extend_from_slice(range.high());
        sizes.push((range.low().len() + range.high().len()) as u64);
        starts.push(if range.is_var() { range.low().len() as u64 } else { 0 });
    }
    out.set_text(SubarrayRanges::TYPE, datatype.name())?;
    out.set(SubarrayRanges::HAS_DEFAULT_RANGE, is_default);
    out.set_data(SubarrayRanges::BUFFER, &buffer)?;
    out.set_numbers(SubarrayRanges::BUFFER_SIZES, &sizes)?;
    out.set_numbers(SubarrayRanges::BUFFER_START_SIZES, &starts)
}

/// The subarray of a message.
pub(super) fn of(view: View<'_, messages::Subarray>, schema: &Arc<ArraySchema>) -> Result<Subarray> {
    let mut subarray = Subarray::new(schema);
    subarray.set_coalesce(view.get(messages::Subarray::COALESCE_RANGES))?;
    let labels = view.items(messages::Subarray::LABEL_RANGES)?;
    for message in labels.iter() {
        let name = required("LabelSubarrayRanges.name", message.text(LabelSubarrayRanges::NAME)?)?;
        let label = schema.existing_label(name).map_err(in_field("LabelSubarrayRanges.name"))?;
        let ranges = required("LabelSubarrayRanges.ranges", message.child(LabelSubarrayRanges::RANGES)?)?;
        let is_var = label.cell_val_num.is_var();
        for range in ranges_of(ranges, label.datatype, is_var)? {
            let added = match is_var {
                true => subarray.add_label_range_var(name, range.low(), range.high()),
                false => subarray.add_label_range(name, range.low(), range.high()),
            };
            added.map_err(in_field("LabelSubarrayRanges.ranges"))?;
        }
    }
    for (index, ranges) in message_ranges(view, schema)?.into_iter().enumerate() {
        // Indexes that labels stood for where the message was written.
        if subarray.has_label_ranges(index as u32) {
            if !ranges.is_empty() {
                subarray.resolve_labels(index, &ranges)?;
            }
            continue;
        }
        for range in ranges {
            let added = match range.is_var() {
                true => subarray.add_range_var(index as u32, range.low(), range.high()),
                false => subarray.add_range(index as u32, range.low(), range.high()),
            };
            added.map_err(in_field("SubarrayRanges.buffer"))?;
        }
    }
    Ok(subarray)
}

/// The ranges of a part of a subarray.
pub(super) fn part_of(view: View<'_, messages::Subarray>, schema: &Arc<ArraySchema>) -> Result<PartRanges> {
    let mut part = message_ranges(view, schema)?;
    for (ranges, dimension) in part.iter_mut().zip(schema.domain().dimensions()) {
        if ranges.is_empty() {
            ranges.push(dimension.domain().cloned().unwrap_or_else(|| CellRange::var(&[], &[])));
        }
    }
    Ok(part)
}

/// The ranges of each dimension; none where it was not restricted.
fn message_ranges(view: View<'_, messages::Subarray>, schema: &ArraySchema) -> Result<Vec<Vec<CellRange>>> {
    let list = view.items(messages::Subarray::RANGES)?;
    let dimensions = schema.domain().dimensions();
    if list.len() != dimensions.len() {
        bail!(Corrupt, "Subarray.ranges: {} for {} dimensions", list.len(), dimensions.len());
    }
    let per_dimension = list.iter().zip(dimensions).map(|(ranges, dimension)| {
        let is_default = ranges.get(SubarrayRanges::HAS_DEFAULT_RANGE);
        if is_default { Ok(Vec::new()) } else { ranges_of(ranges, dimension.datatype(), dimension.is_var()) }
    });
    per_dimension.collect()
}

/// The ranges of a dimension or label.
fn ranges_of(view: View<'_, SubarrayRanges>, datatype: Datatype, is_var: bool) -> Result<Vec<CellRange>> {
    let bytes = view.data(SubarrayRanges::BUFFER)?.unwrap_or_default();
    let sizes = match view.list(SubarrayRanges::BUFFER_SIZES)? {
        Some(sizes) => sizes.to_vec()?,
        // Old clients sent a single range without its size.
        None => vec![bytes.len() as u64],
    };
    let starts = view.items(SubarrayRanges::BUFFER_START_SIZES)?;
    let mut ranges = memory::with_capacity("ranges", sizes.len())?;
    let mut rest = bytes;
    for (index, size) in sizes.into_iter().enumerate() {
        let split = usize::try_from(size).ok().and_then(|size| rest.split_at_checked(size));
        let Some((range, others)) = split else {
            bail!(Corrupt, "SubarrayRanges.bufferSizes: range {index} has {size} bytes and {} are left", rest.len());
        };
        rest = others;
        let low = if is_var { starts.get(index).unwrap_or(0) } else { datatype.size() as u64 };
        let ends = usize::try_from(low).ok().and_then(|low| range.split_at_checked(low));
        let Some((low, high)) = ends.filter(|(low, high)| is_var || low.len() == high.len()) else {
            bail!(Corrupt, "SubarrayRanges.buffer: range {index} of {size} bytes is none of {}", datatype.name());
        };
        ranges.push(if is_var { CellRange::var(low, high) } else { CellRange::fixed(low, high)? });
    }
    Ok(ranges)
}
