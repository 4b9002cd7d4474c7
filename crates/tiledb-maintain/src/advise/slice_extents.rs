//! Tile extents of a dense array for slices of one shape that are read over a network, where requests cost more than bytes: a slice
//! touches few tiles, which are few ranges of a file.

use std::sync::Arc;

use super::extents::with_extents;
use super::tile_geometry::{cells_of_sides, product};
use crate::maintain::dense;
use tiledb_array::array::OpenArray;
use tiledb_array::schema::ArraySchema;
use tiledb_cells::space::grid::Grid;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{Layout, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Bytes of the values of the largest attribute in a tile, before filters. Smaller tiles compress worse and fill the metadata of
/// fragments, larger ones are read in vain by slices that touch their edges.
const MIN_TILE_BYTES: u128 = 64 << 10;
const MAX_TILE_BYTES: u128 = 4 << 20;

/// Length that is assumed of values of variable length.
const VAR_VALUE_BYTES: usize = 16;

/// The schema of the dense array at `uri` with tiles for slices with these lengths along each dimension, none for all of it.
///
/// # Errors
/// If the array is sparse or has another number of dimensions, cannot be read, or its domain has no place for whole tiles.
pub fn with_extents_for_slices(
    resources: &Resources,
    uri: &Uri,
    schema: &ArraySchema,
    sides: &[Option<f64>],
) -> Result<ArraySchema> {
    if !schema.is_dense() || sides.len() != schema.domain().len() {
        bail!("Tile extents for slices are for dense arrays with {} dimensions, and '{uri}' is none", sides.len());
    }
    let key = EncryptionKey::for_opening(resources.config())?;
    let array = Arc::new(OpenArray::open(resources, uri, QueryType::Read, (0, u64::MAX), &key)?);
    let grid = Grid::new(schema)?;
    let written = dense::region(&array)?;
    let mut counts: Vec<u64> = grid.axes().iter().map(|axis| axis.last.saturating_add(1)).collect();
    for ((count, axis), range) in counts.iter_mut().zip(grid.axes()).zip(&written) {
        *count = axis.span(range)?.count();
    }
    let value_bytes = |size: usize, is_var: bool| if is_var { VAR_VALUE_BYTES } else { size };
    let fields = schema.fields().iter().filter(|field| !field.is_dimension);
    let cell_bytes = fields.map(|field| value_bytes(field.cell_size(), field.is_var())).max().unwrap_or(1);
    let is_row_major = schema.tile_order() == Layout::RowMajor;
    let extents = extents_for(&counts, &cells_of_sides(&counts, &sides.to_vec()), cell_bytes as u64, is_row_major);
    // The last tile may extend beyond the domain, but not beyond the datatype: powers of two divide its range.
    with_extents(schema, &extents, None).or_else(|_| {
        let powers: Vec<u64> = extents.iter().map(|extent| 1 << extent.ilog2()).collect();
        with_extents(schema, &powers, None)
    })
}

/// Extents for slices with these sides of an array with these lengths.
fn extents_for(counts: &[u64], slice: &[u64], cell_bytes: u64, is_row_major: bool) -> Vec<u64> {
    let mut extents: Vec<u64> = slice.iter().zip(counts).map(|(&side, &count)| side.clamp(1, count.max(1))).collect();
    let bytes = |extents: &[u64]| product(extents).saturating_mul(cell_bytes.max(1).into());
    // In proportion to the slice.
    while bytes(&extents) < MIN_TILE_BYTES {
        let growth = |&dimension: &usize| extents[dimension] / slice[dimension].max(1);
        let growing = (0..extents.len()).filter(|&dimension| extents[dimension] < counts[dimension]).min_by_key(growth);
        let Some(dimension) = growing else { break };
        extents[dimension] = extents[dimension].saturating_mul(2).min(counts[dimension]);
    }
    // Along the dimension of which consecutive tiles follow one another in the file: the slice stays one range of it.
    let mut fastest_first: Vec<usize> = (0..extents.len()).collect();
    if is_row_major {
        fastest_first.reverse();
    }
    for dimension in fastest_first {
        while bytes(&extents) > MAX_TILE_BYTES && extents[dimension] > 1 {
            extents[dimension] = extents[dimension].div_ceil(2);
        }
    }
    extents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_have_the_shape_of_the_slice_and_a_reasonable_size() {
        let of = |counts: &[u64], slice: &[u64], bytes| extents_for(counts, slice, bytes, true);
        assert_eq!(of(&[10_000, 10_000], &[256, 256], 4), [256, 256]);
        // Small slices get larger tiles of about their shape.
        assert_eq!(of(&[10_000, 10_000], &[10, 20], 4), [160, 160]);
        // A series at a point: all of it, and neighbours.
        assert_eq!(of(&[1_000, 1_000, 365], &[1, 1, 365], 4), [8, 8, 365]);
        // Large slices are divided where their tiles are contiguous.
        assert_eq!(of(&[10_000, 10_000], &[2_000, 2_000], 8), [2_000, 250]);
        assert_eq!(extents_for(&[10_000, 10_000], &[2_000, 2_000], 8, false), [250, 2_000]);
        // No tile is larger than the array.
        assert_eq!(of(&[7, 9], &[100, 1], 1), [7, 9]);
        assert_eq!(of(&[0], &[5], 1), [1]);
        assert_eq!(of(&[100_000_000], &[100_000_000], 8), [390_625]);
    }
}
