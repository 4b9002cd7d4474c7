//! Size estimates of a box of a sparse array, which estimates add up, and by which reads are partitioned.

use super::share::{product, share};
use super::sum::{CellSizes, SizeSum};
use tiledb_array::fragment::Fragment;
use tiledb_array::schema::ArraySchema;
use tiledb_cells::space::ranges::RangeSet;
use tiledb_core::error::Result;
use tiledb_core::types::CellRange;

/// Adds the size of a box of a sparse array in all fragments, one sum for each of `sizes`.
///
/// # Errors
/// If the metadata of a fragment cannot be read.
pub fn add_box(
    schema: &ArraySchema,
    fragments: &[&Fragment],
    sets: &[RangeSet],
    ranges: &[&CellRange],
    sizes: &[CellSizes<'_>],
    sums: &mut [SizeSum],
) -> Result<()> {
    let chosen = sets.iter().zip(ranges).map(|(set, range)| match set.is_default() {
        true => Vec::new(),
        false => vec![CellRange::clone(range)],
    });
    let chosen: Vec<Vec<CellRange>> = chosen.collect();
    let mut parts = vec![SizeSum::default(); sums.len()];
    for fragment in fragments {
        add_fragment(fragment, &chosen, sizes, &mut parts)?;
    }
    let most = max_cells(schema, ranges);
    for ((sum, mut part), sizes) in sums.iter_mut().zip(parts).zip(sizes) {
        most.into_iter().for_each(|cells| part.cap(cells, sizes));
        sum.add(&part);
    }
    Ok(())
}

/// Adds shares of the tiles of a sparse fragment, whole tiles first. A dimension has one range or all.
///
/// # Errors
/// If its metadata cannot be read.
pub fn add_fragment(
    fragment: &Fragment,
    ranges: &[Vec<CellRange>],
    sizes: &[CellSizes<'_>],
    sums: &mut [SizeSum],
) -> Result<()> {
    let tree = fragment.rtree()?;
    let tiles = tree.overlapping(ranges);
    let dimensions = fragment.schema().domain().dimensions();
    let share_of = |tile: u64| {
        let shares = dimensions.iter().zip(ranges).enumerate().filter_map(|(d, (dimension, range))| {
            Some(share(dimension.datatype(), range.first()?, tree.leaf_ends(d, tile as usize)?))
        });
        product(shares)
    };
    let whole = tiles.iter().filter(|cover| cover.full).map(|cover| (cover.tile, 1.0));
    let parts = tiles.iter().filter(|cover| !cover.full).map(|cover| (cover.tile, share_of(cover.tile)));
    for (tile, share) in whole.chain(parts) {
        for (sizes, sum) in sizes.iter().zip(&mut *sums) {
            if let Some(stored) = sizes.stored(fragment) {
                sum.add_tile(fragment, stored, tile, share, sizes)?;
            }
        }
    }
    Ok(())
}

/// The most cells that a box of ranges can have: without duplicates, in a domain that can be counted.
fn max_cells(schema: &ArraySchema, ranges: &[&CellRange]) -> Option<u64> {
    let dimensions = schema.domain().dimensions();
    if schema.allows_dups() || dimensions.iter().any(|dimension| dimension.is_var()) {
        return None;
    }
    let mut cells = 1u64;
    for (dimension, range) in dimensions.iter().zip(ranges) {
        cells = cells.checked_mul(range.distance(dimension.datatype())?.checked_add(1)?)?;
    }
    Some(cells)
}
