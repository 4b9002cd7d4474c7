//! Recommends the order of the cells of sparse arrays: the sample is sorted in each order, and filtered anew.

use std::sync::Arc;

use super::array_type::of_type;
use super::cost::Objective;
use super::extents::{DenseSample, with_extents};
use super::layout::{AdvisedCapacity, AdvisedLayout, LayoutCost, LayoutProblem, SparseSample};
use super::property::{Property, PropertyReason};
use super::refilter::refiltered;
use super::slices::{Slice, WindowRanks, slices};
use super::trial;
use crate::maintain::cell_buffers::CellBuffers;
use tiledb_array::array::OpenArray;
use tiledb_array::schema::{ArraySchema, Dimension};
use tiledb_cells::columns::input::Inputs;
use tiledb_cells::space::grid::Grid;
use tiledb_core::error::Result;
use tiledb_core::types::{ArrayType, Layout};
use tiledb_filters::filter::Pipeline;

/// Another order is recommended if a query, or reading all cells, takes less than this share of the time, in percent, or the files
/// have less than this share of the bytes.
const SLICE_SHARE: u64 = 80;
const SCAN_SHARE: u64 = 95;
/// Unless the size alone decides, a query may take this share of the time, in percent.
const SLOWEST_SHARE: u64 = 150;

/// The cells of the sample with an order and extents, and filters that suit them.
struct OrderTrial {
    array: Arc<OpenArray>,
    schema: ArraySchema,
    cost: LayoutCost,
}

/// Compares the orders of arrays of several dimensions with the capacity that the recommended schema has, with the extents as they
/// are and, where extents are asked for, without space tiles.
///
/// # Errors
/// If memory does not suffice.
pub(super) fn advise(problem: &LayoutProblem<'_>, capacity: AdvisedCapacity) -> Result<AdvisedLayout> {
    let AdvisedCapacity { property, schema, sample, sizes } = capacity;
    let mut advised = orders(problem, &sample, &schema, sizes)?;
    if property.is_applied && advised.schema.is_none() {
        advised.schema = Some(schema);
    }
    advised.properties.insert(0, property);
    Ok(advised)
}

/// Compares orders; `sizes` are those of the sampled data and of all metadata with the current one.
fn orders(
    problem: &LayoutProblem<'_>,
    sample: &SparseSample,
    schema: &ArraySchema,
    sizes: [u64; 2],
) -> Result<AdvisedLayout> {
    let settings = problem.settings;
    let own = schema.cell_order();
    if !settings.compares("cell_order") || schema.domain().len() < 2 || own == Layout::Hilbert {
        return Ok(AdvisedLayout::default());
    }
    let Some(current) = sorted(problem, sample, schema)? else { return Ok(AdvisedLayout::default()) };
    let ranks = [WindowRanks::new(schema, &current)];
    let queries = slices(&ranks, settings.slice_cells, &settings.slice_sides);
    let cost = sample.cost_in(problem, sizes, schema.capacity(), (&ranks[0], &queries), problem.decode);
    let without_tiles = if settings.applies("tile_extents") { without_space_tiles(problem, schema)? } else { None };
    let mut trials = Vec::new();
    for order in [Layout::RowMajor, Layout::ColMajor, Layout::Hilbert] {
        for base in [Some(schema), without_tiles.as_ref()].into_iter().flatten() {
            let has_tiles = std::ptr::eq(base, schema);
            // The current layout was measured, and an order that is only reported has no other extents.
            let is_known = order == own && has_tiles;
            let is_unwanted =
                !has_tiles && (order == Layout::Hilbert || order != own && !settings.applies("cell_order"));
            if is_known || is_unwanted {
                continue;
            }
            let mut ordered = base.clone();
            ordered.set_cell_order(order)?;
            trials.extend(trial_of(problem, sample, &ordered, &queries, sizes[1])?);
        }
    }
    if problem.objective != Objective::Smallest {
        trials.retain(|trial| is_less(trial.cost.slice, cost.slice, SLOWEST_SHARE));
    }
    let mut costs = vec![cost];
    costs.extend(trials.iter().map(|trial| trial.cost));
    let best = problem.best(&costs, 0);
    let chosen = if is_better(&costs[best], &cost) {
        best.checked_sub(1).and_then(|index| trials.into_iter().nth(index))
    } else {
        None
    };
    let (order, then) = match &chosen {
        Some(chosen) => (chosen.schema.cell_order(), chosen.cost),
        None => (own, cost),
    };
    let texts = [own, order].map(|order| order.name().to_owned());
    let mut advised = AdvisedLayout::default();
    let mut property = problem.property(Property::CellOrder, texts, [cost, then], sample.bytes);
    property.is_applied = property.reason == PropertyReason::Better && settings.applies("cell_order");
    let extents = |schema: &ArraySchema| {
        let of = |dimension: &Arc<Dimension>| {
            dimension.cells_per_tile().map_or_else(String::new, |extent| extent.to_string())
        };
        schema.domain().dimensions().iter().map(of).collect::<Vec<_>>().join(", ")
    };
    let is_applied = property.is_applied || order == own;
    advised.properties.push(property);
    if let Some(chosen) = chosen {
        let texts = [extents(schema), extents(&chosen.schema)];
        if texts[0] != texts[1] {
            let mut property = problem.property(Property::TileExtents, texts, [cost, then], sample.bytes);
            property.is_applied = is_applied;
            advised.properties.push(property);
        }
        if is_applied {
            (advised.schema, advised.sample) = (Some(chosen.schema), Some(chosen.array));
        }
    }
    Ok(advised)
}

/// True if a query or reading all cells takes clearly less time, or the files have clearly fewer bytes.
fn is_better(then: &LayoutCost, now: &LayoutCost) -> bool {
    is_less(then.slice, now.slice, SLICE_SHARE)
        || is_less(then.stored, now.stored, SCAN_SHARE)
        || is_less(then.scan, now.scan, SCAN_SHARE)
}

/// True if one cost is less than this share of another, in percent.
fn is_less(then: u64, now: u64, share: u64) -> bool {
    u128::from(then) * 100 < u128::from(now) * u128::from(share)
}

/// The schema with one space tile around all cells; `None` unless all dimensions are integers, or if it has one already.
fn without_space_tiles(problem: &LayoutProblem<'_>, schema: &ArraySchema) -> Result<Option<ArraySchema>> {
    let Some(dense) = of_type(schema, ArrayType::Dense)? else { return Ok(None) };
    let Ok(grid) = Grid::new(&dense) else { return Ok(None) };
    let Ok(sample) = DenseSample::unread(problem, &grid) else { return Ok(None) };
    let (counts, own) = (sample.counts(), grid.axes().iter().map(|axis| axis.extent));
    let extents: Vec<u64> = own.clone().zip(&counts).map(|(own, &count)| own.max(count)).collect();
    Ok(if extents.iter().copied().eq(own) { None } else { with_extents(schema, &extents, None).ok() })
}

/// Sorts the sample, selects filters for it, and measures it; `None` if the schema does not accept the cells.
fn trial_of(
    problem: &LayoutProblem<'_>,
    sample: &SparseSample,
    schema: &ArraySchema,
    queries: &[Slice],
    metadata: u64,
) -> Result<Option<OrderTrial>> {
    let Some(sorted) = sorted(problem, sample, schema)? else { return Ok(None) };
    let fragments = [sorted.inputs()];
    let Some(array) = trial::write(problem.resources, schema, &fragments, None)? else { return Ok(None) };
    let filtered = refiltered(problem, &array, sorted.cells as u64, schema)?;
    let Some(array) = trial::write(problem.resources, &filtered.schema, &fragments, None)? else { return Ok(None) };
    // The sample has the same coordinates, and therefore ranks, in every order.
    let ranks = WindowRanks::new(schema, &sorted);
    let sizes = [trial::size_of(&array)?.data, metadata];
    let cost = sample.cost_in(problem, sizes, schema.capacity(), (&ranks, queries), filtered.decode);
    Ok(Some(OrderTrial { array, schema: filtered.schema, cost }))
}

/// The cells of all windows in the order of a schema.
fn sorted(problem: &LayoutProblem<'_>, sample: &SparseSample, schema: &ArraySchema) -> Result<Option<CellBuffers>> {
    let none = Pipeline::default();
    let plain = schema.with_filters(&|_| Some(none.clone()), [&none, &none])?;
    let windows: Vec<Inputs<'_>> = sample.windows.iter().map(CellBuffers::inputs).collect();
    let Some(array) = trial::write(problem.resources, &plain, &windows, None)? else { return Ok(None) };
    let cells = trial::read_cells(&array, None, Layout::GlobalOrder, sample.cells)?;
    Ok((cells.cells as u64 == sample.cells).then_some(cells))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cost_alone_makes_an_order_better() {
        let now = LayoutCost { stored: 1000, scan: 1000, slice: 1000 };
        for (then, expected) in [
            (now, false),
            (LayoutCost { slice: 799, ..now }, true),
            (LayoutCost { slice: 800, ..now }, false),
            (LayoutCost { stored: 949, slice: 1400, ..now }, true),
            (LayoutCost { stored: 950, ..now }, false),
            (LayoutCost { scan: 949, ..now }, true),
            (LayoutCost { scan: 950, ..now }, false),
        ] {
            assert_eq!(is_better(&then, &now), expected, "{then:?}");
        }
    }
}
