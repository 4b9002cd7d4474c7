//! Tiles of a dense array as boxes: extents of about a size, how many tiles and cells a query reads, and the modeled time to copy cells.
//!
//! `counts` are the lengths of the box around all cells.

use super::settings::SliceSides;
use tiledb_core::sort;
use tiledb_core::types::Layout;

/// Picoseconds to copy a run of contiguous cells, besides those for its bytes, and a cell whose neighbours are in another row.
const RUN_TIME: u128 = 25_000;
const TRANSPOSED_TIME: u128 = 1_000;

/// Number of cells of a box.
pub(super) fn product(sides: &[u64]) -> u128 {
    sides.iter().fold(1, |product: u128, &side| product.saturating_mul(side.into()))
}

/// The sides of a cube of about this many cells in a box.
pub(super) fn cube(counts: &[u64], cells: u64) -> Vec<u64> {
    let mut sides = vec![1; counts.len()];
    let mut order: Vec<usize> = (0..counts.len()).collect();
    sort::by_key(&mut order, |&dimension| counts[dimension]);
    let mut left = u128::from(cells);
    // Short dimensions first: what they lack is added to the longer ones.
    for (position, &dimension) in order.iter().enumerate() {
        let power = (counts.len() - position) as u32;
        let mut side = 0u64;
        for bit in (0..64).rev() {
            let more = side | 1 << bit;
            let is_small = u128::from(more - 1).checked_pow(power).is_some_and(|product| product < left);
            side = if is_small { more } else { side };
        }
        sides[dimension] = side.clamp(1, counts[dimension].max(1));
        left = left.div_ceil(sides[dimension].into());
    }
    sides
}

/// Extents of about a number of cells that are all of the last dimensions: rows are contiguous in them.
pub(super) fn slab(counts: &[u64], cells: u64) -> Vec<u64> {
    let mut sides = counts.to_vec();
    for dimension in 0..sides.len() {
        let rest = product(&sides[dimension + 1..]).max(1);
        let most = u64::try_from(u128::from(cells) / rest).unwrap_or(u64::MAX).max(1);
        // Tiles of equal size.
        let tiles = sides[dimension].div_ceil(most).max(1);
        sides[dimension] = sides[dimension].div_ceil(tiles).max(1);
    }
    sides
}

/// Picoseconds to copy the cells of tiles of a cell order to the rows of a reader.
pub(super) fn copy_time(order: Layout, extents: &[u64], counts: &[u64]) -> u128 {
    let cells = product(counts);
    let mut others = extents.iter().take(extents.len().saturating_sub(1));
    if order == Layout::ColMajor && others.any(|&extent| extent > 1) {
        return cells.saturating_mul(TRANSPOSED_TIME);
    }
    let mut run = 1u128;
    for (&extent, &count) in extents.iter().zip(counts).rev() {
        run = run.saturating_mul(extent.min(count).into());
        if extent < count {
            break;
        }
    }
    (cells / run.max(1)).saturating_mul(RUN_TIME)
}

/// Cells that a box with these sides decodes: the chunks between the first and the last of its cells in each tile that it
/// intersects, of which there are so many thousandths.
pub(super) fn cells_decoded(order: Layout, extents: &[u64], sides: &[u64], tiles: u64, chunk: u64) -> u64 {
    let mut axes: Vec<(u128, u128)> =
        extents.iter().zip(sides).map(|(&e, &s)| (e.max(1).into(), s.max(1).into())).collect();
    if order == Layout::ColMajor {
        axes.reverse();
    }
    let cells = product(extents);
    // From the first to the last cell, by the mean length of the part of the box that is in a tile.
    let mut span = 1u128;
    let mut stride = cells;
    for (extent, side) in axes {
        stride /= extent;
        let part = (side * extent / (extent + side - 1)).max(1);
        span = span.saturating_add((part - 1).saturating_mul(stride));
    }
    let decoded = span.saturating_add(chunk.into()).min(cells);
    u64::try_from(decoded.saturating_mul(tiles.into()) / 1000).unwrap_or(u64::MAX)
}

/// The lengths of a query in cells, at most those of the array.
pub(super) fn cells_of_sides(counts: &[u64], sides: &SliceSides) -> Vec<u64> {
    counts.iter().zip(sides).map(|(&count, side)| side.map_or(count, |side| (side.ceil() as u64).min(count))).collect()
}

/// How many tiles a box with these sides intersects on average, in thousandths.
pub(super) fn tiles_read(extents: &[u64], counts: &[u64], sides: &[u64]) -> u64 {
    let mut tiles = 1000u128;
    for ((&extent, &count), &side) in extents.iter().zip(counts).zip(sides) {
        let extent = extent.max(1);
        let most = u128::from(count.div_ceil(extent)) * 1000;
        let along = 1000 + u128::from(side.max(1) - 1) * 1000 / u128::from(extent);
        tiles = tiles.saturating_mul(along.min(most)) / 1000;
    }
    u64::try_from(tiles).unwrap_or(u64::MAX)
}

/// Cells of whole tiles around a box.
pub(super) fn padded(counts: &[u64], extents: &[u64]) -> u128 {
    let sides = counts.iter().zip(extents).map(|(count, &extent)| count.div_ceil(extent.max(1)).saturating_mul(extent));
    product(&sides.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_cubes() {
        assert_eq!(cube(&[1 << 40, 1 << 40], 1000), [32, 32]);
        assert_eq!(cube(&[u64::MAX; 2], u64::MAX), [1 << 32; 2]);
        assert_eq!(cube(&[0, 7], 0), [1, 1]);
        assert_eq!(cube(&[2, 1 << 40], 1000), [2, 500]);
        assert_eq!(cube(&[3, 3], 1000), [3, 3]);
        assert_eq!(cube(&[1000], 1000), [1000]);
        assert_eq!(tiles_read(&[10], &[1000], &[1]), 1000);
        assert_eq!(tiles_read(&[10], &[1000], &[11]), 2000);
        assert_eq!(tiles_read(&[10, 10], &[1000, 10], &[11, 11]), 2000);
        assert_eq!(tiles_read(&[1], &[u64::MAX], &[u64::MAX]), u64::MAX);
    }

    /// The mean over all positions of a box in a grid, of which the tiles are counted.
    #[test]
    fn query_reads_the_tiles_that_a_box_intersects_on_average() {
        for (extent, side) in [(1u64, 1u64), (1, 5), (4, 1), (4, 2), (4, 4), (4, 5), (4, 9), (5, 3)] {
            let count = 20 * extent;
            let tiles_at = |start: u64| (start + side - 1) / extent - start / extent + 1;
            let mean = 1000 * (0..extent).map(tiles_at).sum::<u64>() / extent;
            assert_eq!(tiles_read(&[extent], &[count], &[side]), mean, "{extent} {side}");
            let both = tiles_read(&[extent, 3], &[count, 60], &[side, 1]);
            assert_eq!(both, mean, "a single row of another dimension");
        }
        assert_eq!(tiles_read(&[4], &[7], &[100]), 2000, "no more tiles than there are");
        assert_eq!(tiles_read(&[4], &[8], &[100]), 2000);
        assert_eq!(tiles_read(&[4, 4], &[8, 100], &[1, 5]), 2000);
    }

    #[test]
    fn slab_has_whole_rows_and_tiles_of_equal_size() {
        for (counts, cells, expected) in [
            (&[100u64, 10, 10][..], 250, &[2u64, 10, 10][..]),
            (&[100, 10, 10], 199, &[1, 10, 10]),
            (&[100, 10, 10], 50, &[1, 5, 10]),
            (&[100, 10, 10], 5, &[1, 1, 5]),
            (&[10], 4, &[4]),
            (&[10], 6, &[5]),
            (&[10], 10, &[10]),
            (&[10], 1000, &[10]),
            (&[10, 10], 0, &[1, 1]),
            (&[7, 3], 21, &[7, 3]),
            (&[7, 3], 20, &[4, 3]),
        ] {
            assert_eq!(slab(counts, cells), expected, "{counts:?} {cells}");
        }
    }

    #[test]
    fn padded_tiles_are_whole() {
        assert_eq!(padded(&[10, 10], &[5, 10]), 100);
        assert_eq!(padded(&[10, 10], &[4, 11]), 132);
        assert_eq!(padded(&[1], &[1000]), 1000);
        assert_eq!(padded(&[u64::MAX, 2], &[1, 2]), 2 * u128::from(u64::MAX));
    }

    #[test]
    fn lengths_of_queries_are_whole_cells_of_the_array() {
        let sides = |sides: &[Option<f64>]| cells_of_sides(&[10, 20], &sides.to_vec());
        assert_eq!(sides(&[Some(2.5), None]), [3, 20]);
        assert_eq!(sides(&[Some(2.0), Some(20.5)]), [2, 20]);
        assert_eq!(sides(&[None, Some(19.5)]), [10, 20]);
    }

    /// Runs of contiguous cells: the last dimension, and as long as tiles have all of one, also the one before it.
    #[test]
    fn copies_take_time_for_each_run_of_contiguous_cells() {
        let runs = |order, extents: &[u64], counts: &[u64]| {
            let time = copy_time(order, extents, counts);
            assert_eq!(time % RUN_TIME, 0, "{extents:?} {counts:?}");
            time / RUN_TIME
        };
        for (extents, counts, expected) in [
            (&[2u64, 3][..], &[4u64, 6][..], 8),
            (&[2, 6], &[4, 6], 2),
            (&[4, 6], &[4, 6], 1),
            (&[4, 7], &[4, 6], 1),
            (&[1, 6], &[4, 6], 4),
            (&[4, 1], &[4, 6], 24),
            (&[2, 2, 5], &[4, 2, 5], 2),
            (&[2, 1, 5], &[4, 2, 5], 8),
            (&[6], &[6], 1),
        ] {
            assert_eq!(runs(Layout::RowMajor, extents, counts), expected, "{extents:?} {counts:?}");
            // Cells of a column-major tile with a single row are in the order of the reader.
            if extents[..extents.len() - 1].iter().all(|&extent| extent == 1) {
                assert_eq!(runs(Layout::ColMajor, extents, counts), expected, "{extents:?} {counts:?}");
            } else {
                let cells = product(counts);
                assert_eq!(copy_time(Layout::ColMajor, extents, counts), cells * TRANSPOSED_TIME, "{extents:?}");
            }
        }
    }

    #[test]
    fn query_decodes_from_the_first_to_the_last_of_its_cells_in_a_tile() {
        let decoded = |order, extents: &[u64], sides: &[u64]| cells_decoded(order, extents, sides, 1000, 0);
        // One cell; a row; a column.
        assert_eq!(decoded(Layout::RowMajor, &[8, 8], &[1, 1]), 1);
        // The part of a row of eight cells that is in a tile has four on average.
        assert_eq!(decoded(Layout::RowMajor, &[2, 8], &[1, 8]), 4);
        assert_eq!(decoded(Layout::ColMajor, &[2, 8], &[1, 8]), 1 + 3 * 2);
        assert_eq!(decoded(Layout::RowMajor, &[8, 2], &[8, 1]), 1 + 3 * 2);
        assert_eq!(decoded(Layout::ColMajor, &[8, 2], &[8, 1]), 4);
        assert_eq!(decoded(Layout::RowMajor, &[4, 4], &[4, 4]), 1 + 4 + 1);
        assert_eq!(decoded(Layout::RowMajor, &[4, 4], &[1000, 1000]), 1 + 2 * 4 + 2);
        // Whole chunks, at most the tile, of each tile.
        assert_eq!(cells_decoded(Layout::RowMajor, &[4, 4], &[4, 4], 1000, 5), 11);
        assert_eq!(cells_decoded(Layout::RowMajor, &[4, 4], &[4, 4], 1000, 50), 16);
        assert_eq!(cells_decoded(Layout::RowMajor, &[4, 4], &[4, 4], 2500, 50), 40);
        assert_eq!(cells_decoded(Layout::RowMajor, &[u64::MAX; 2], &[u64::MAX; 2], u64::MAX, u64::MAX), u64::MAX);
    }
}
