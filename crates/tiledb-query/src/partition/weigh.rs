//! Weights of a subarray: the boxes of the tiles that it intersects, with the number of cells of each in it.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::axis::PartitionAxis;
use super::divide::{THROUGH_DENSE, THROUGH_SPARSE, Weight, WeightedTiles};
use crate::read::sparse::filter::CellFilter;
use crate::tiles::{all_ranges, dense_tiles, dense_verdict, selected};
use tiledb_array::array::OpenArray;
use tiledb_array::fragment::Fragment;
use tiledb_cells::predicate::program::Program;
use tiledb_cells::predicate::verdict::Verdict;
use tiledb_cells::space::grid::{CoordSpan, Grid};
use tiledb_cells::space::subarray::Subarray;
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::{CellRange, Datatype, NdRange};

/// Estimated metadata bytes per fragment, for the division of work among threads.
const FRAGMENT_WORK: usize = 64 << 10;

/// The axes of the divided space, and the distribution of its cells.
pub(super) struct WeightedSpace {
    pub axes: Vec<PartitionAxis>,
    pub weight: Weight,
}

/// The tiles of a fragment that are selected: their boxes and cells.
type TileWeights = Vec<(NdRange, u64)>;

/// Weighs the selection of a subarray in a sparse array. `None` if it is empty in all fragments.
///
/// # Errors
/// If the metadata of a fragment cannot be read.
pub(super) fn of_sparse(
    array: &OpenArray,
    subarray: &Subarray,
    program: Option<&Arc<Program>>,
) -> Result<Option<WeightedSpace>> {
    let selected = selected(subarray);
    let touched: Vec<&Arc<Fragment>> =
        array.fragments()?.iter().filter(|fragment| subarray.touches(fragment.non_empty_domain())).collect();
    let resources = array.resources();
    let work = touched.len().saturating_mul(FRAGMENT_WORK);
    let tile_weights: Vec<TileWeights> = resources
        .pools()
        .map(touched.len(), work, resources.cancel(), |index| boxes_of(touched[index], &selected, program))?;
    of_boxes(subarray, &memory::collect("boxes", tile_weights.iter().flatten())?)
}

/// Weighs the boxes of tiles with their cells.
///
/// # Errors
/// If memory does not suffice.
pub(super) fn of_boxes(subarray: &Subarray, boxes: &[&(NdRange, u64)]) -> Result<Option<WeightedSpace>> {
    if boxes.is_empty() {
        return Ok(None);
    }
    let dimensions = subarray.schema().domain().dimensions();
    let mut axes = Vec::new();
    for (d, (dimension, ranges)) in dimensions.iter().zip(&selected(subarray)).enumerate() {
        axes.push(match dimension.is_var() {
            true => text_axis(boxes, d, ranges)?,
            false if ranges.is_empty() => of_occupied(dimension.datatype(), subarray.sets()[d].ranges(), boxes, d),
            false => of_occupied(dimension.datatype(), ranges, boxes, d),
        });
    }
    if axes.iter().any(|axis| axis.ends().is_none()) {
        return Ok(None);
    }
    let (mut keys, mut weights) = (memory::with_capacity("boxes", boxes.len() * axes.len())?, Vec::new());
    memory::reserve("boxes", &mut weights, boxes.len())?;
    for (sides, cells) in boxes {
        let mut share = 1.0;
        let start = keys.len();
        for (axis, side) in axes.iter().zip(sides) {
            let (low, high) = axis.keys(side);
            let Some((first, last)) = axis.ends() else { bail!(Internal, "A dimension without ranges") };
            share *= (axis.measure((low, high)) / axis.length_of((low, high))).clamp(0.0, 1.0);
            keys.push((low.clamp(first, last), high.clamp(first, last)));
        }
        match share > 0.0 {
            true => weights.push(*cells as f64 * share),
            false => keys.truncate(start),
        }
    }
    Ok((!weights.is_empty()).then_some(WeightedSpace {
        axes,
        weight: Weight::Tiles(WeightedTiles { keys, weights, through: THROUGH_SPARSE }),
    }))
}

fn boxes_of(fragment: &Fragment, selected: &[Vec<CellRange>], program: Option<&Arc<Program>>) -> Result<TileWeights> {
    let tree = fragment.rtree()?;
    let filter = program.map(|program| CellFilter::of_condition(program, fragment));
    let mut boxes = Vec::new();
    for cover in tree.overlapping(selected) {
        if let Some(filter) = &filter
            && filter.verdict(fragment, cover.tile)? == Verdict::Never
        {
            continue;
        }
        let Some(sides) = usize::try_from(cover.tile).ok().and_then(|tile| tree.leaf(tile)) else { continue };
        memory::push("boxes", &mut boxes, (sides, fragment.cells_in_tile(cover.tile)))?;
    }
    Ok(boxes)
}

/// The selection of a dimension of numbers between the first and the last box: in a domain of all floating-point numbers
/// all boxes would be points.
fn of_occupied(datatype: Datatype, ranges: &[CellRange], boxes: &[&(NdRange, u64)], dimension: usize) -> PartitionAxis {
    let axis = PartitionAxis::of_numbers(datatype, ranges);
    let ends = boxes.iter().map(|(sides, _)| axis.keys(&sides[dimension]));
    match ends.reduce(|all, own| (all.0.min(own.0), all.1.max(own.1))) {
        Some(ends) => axis.clamped(ends),
        None => axis,
    }
}

/// Strings are distinguished by the ends of the boxes and of the ranges.
fn text_axis(boxes: &[&(NdRange, u64)], dimension: usize, ranges: &[CellRange]) -> Result<PartitionAxis> {
    let sides = boxes.iter().map(|(sides, _)| &sides[dimension]);
    let mut texts: BTreeSet<&[u8]> = sides.chain(ranges).flat_map(|range| [range.low(), range.high()]).collect();
    // Without ranges the first part begins with the empty string.
    let least: &[u8] = &[];
    if ranges.is_empty() {
        texts.insert(least);
    }
    let greatest = texts.last().copied().unwrap_or_default().to_vec();
    let whole = [CellRange::var(least, &greatest)];
    let texts = memory::collect("strings", texts.into_iter().map(Box::<[u8]>::from))?;
    Ok(PartitionAxis::of_texts(texts, if ranges.is_empty() { &whole } else { ranges }))
}

/// Weighs the selection of a subarray in a dense array: every cell equally, with a condition those of the tiles that it
/// does not exclude. `None` if there are none.
///
/// # Errors
/// If the metadata of a fragment cannot be read.
pub(super) fn of_dense(
    array: &OpenArray,
    subarray: &Subarray,
    program: Option<&Arc<Program>>,
) -> Result<Option<WeightedSpace>> {
    let schema = array.schema();
    let grid = Grid::new(schema)?;
    let ranges = all_ranges(subarray);
    let axes: Vec<PartitionAxis> = grid
        .axes()
        .iter()
        .zip(&ranges)
        .map(|(axis, ranges)| PartitionAxis::of_numbers(axis.datatype, ranges))
        .collect();
    let fragments: Vec<&Arc<Fragment>> =
        array.fragments()?.iter().filter(|fragment| subarray.touches(fragment.non_empty_domain())).collect();
    // Fragments of single cells, written by early releases, have statistics of other tiles.
    let Some(program) = program.filter(|_| fragments.iter().all(|fragment| fragment.is_dense())) else {
        let ends = grid.axes().iter().zip(&axes).map(|(axis, own)| {
            let first = axis.range(CoordSpan { low: 0, high: axis.tile_span(0).high })?;
            Ok((own.keys(&first).1, axis.extent))
        });
        return Ok(Some(WeightedSpace { weight: Weight::Even(ends.collect::<Result<_>>()?), axes }));
    };
    let mut chosen: BTreeSet<Vec<u64>> = BTreeSet::new();
    for fragment in fragments {
        array.resources().cancel().check()?;
        collect_tiles(fragment, &grid, &ranges, program, &mut chosen)?;
    }
    let (mut keys, mut weights) = (Vec::new(), Vec::new());
    for index in chosen {
        let mut cells = 1.0;
        let start = keys.len();
        for ((axis, own), tile) in grid.axes().iter().zip(&axes).zip(index) {
            let (low, high) = own.keys(&axis.range(axis.tile_span(tile))?);
            let Some((first, last)) = own.ends() else { bail!(Internal, "A dimension without ranges") };
            cells *= own.measure((low, high));
            memory::push("tiles", &mut keys, (low.clamp(first, last), high.clamp(first, last)))?;
        }
        match cells > 0.0 {
            true => memory::push("tiles", &mut weights, cells)?,
            false => keys.truncate(start),
        }
    }
    Ok((!weights.is_empty()).then_some(WeightedSpace {
        axes,
        weight: Weight::Tiles(WeightedTiles { keys, weights, through: THROUGH_DENSE }),
    }))
}

/// Adds the tiles of a fragment of which cells may match the condition.
fn collect_tiles(
    fragment: &Fragment,
    grid: &Grid,
    ranges: &[Vec<CellRange>],
    program: &Program,
    chosen: &mut BTreeSet<Vec<u64>>,
) -> Result<()> {
    dense_tiles(fragment, grid, ranges, &mut |index, number| {
        if !chosen.contains(index) && dense_verdict(fragment, grid, program, index, number)? != Verdict::Never {
            chosen.insert(index.to_vec());
        }
        Ok(true)
    })
    .map(drop)
}
