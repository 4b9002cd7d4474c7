//! Memory requirements of the tiles of a sparse read, and how many of them fit into the budget.

use super::field_source::FieldSource;
use super::fragment_cursor::FragmentCursor;
use super::load::TileLoader;
use super::loaded_tile::CellSelection;
use tiledb_array::schema::Field;
use tiledb_cells::input::decoded::{decoded_size, staging_size};
use tiledb_cells::keys::plan::KeyPlan;
use tiledb_core::error::Result;
use tiledb_core::limits::sparse_read::{MAX_SORTED_CELLS, MIN_SORTED_CELLS};

impl TileLoader<'_> {
    /// The most bytes that a tile takes when it is loaded, with the keys of a plan.
    ///
    /// # Errors
    /// If tables of the fragment are not valid.
    pub fn need(&self, cursor: &FragmentCursor, tile: u64, full: bool, keys: Option<&KeyPlan>) -> Result<u64> {
        let fragment = &*cursor.fragment;
        let cells = fragment.cells_in_tile(tile);
        let mut fields: Vec<&Field> = Vec::new();
        for source in cursor.filters.iter().flat_map(|filter| filter.sources()) {
            let (FieldSource::Stored(field) | FieldSource::Coordinate(_, field)) = source else { continue };
            fields.push(field);
        }
        for (dimension, field) in cursor.dimensions.iter().enumerate() {
            let is_compared = self.all_coords || (!full && self.selector.restricts(dimension));
            if is_compared {
                fields.push(field);
            }
        }
        fields.sort_unstable_by_key(|field| field.index);
        fields.dedup_by_key(|field| field.index);
        let times = 8 * (u64::from(fragment.has_timestamps()) + 3 * u64::from(fragment.has_delete_metadata()));
        let times = times + if self.places.deletions && !cursor.filters.is_empty() { DELETION } else { 0 };
        let of_key = keys.map_or(0, |keys| keys.key_size() as u64);
        let mut need = cells.saturating_mul(times + of_key).saturating_add(CellSelection::most_memory(cells, cells));
        let cells = usize::try_from(cells).unwrap_or(usize::MAX);
        let mut staging = 0;
        for field in fields {
            need = need.saturating_add(decoded_size(fragment, field, tile, cells)?);
            staging = staging_size(fragment, field, tile, cells, self.access)?.max(staging);
        }
        Ok(need.saturating_add(staging))
    }
}

/// Bytes per cell of the deletions that conditions make: time, condition, and the mask of one of them.
const DELETION: u64 = 8 + 8 + 1;

/// How many of the items with these sizes fit together, one after the other.
pub fn fitting(needs: &[u64], available: u64) -> usize {
    let mut left = available;
    let fits = |need: &&u64| {
        let fits = **need <= left;
        left = left.saturating_sub(**need);
        fits
    };
    needs.iter().take_while(fits).count()
}

/// Bytes that cells take while they are put in order: codes and ranges of equal keys, then the runs that they make, in parts
/// and joined; and what the allocator holds back of those of the window before.
const SORTED: u64 = 8 + 8 + 12 + 12 + 8;
/// The same with the runs that are on their way to the results.
const ORDERED: u64 = SORTED + 24;

/// How many cells are sorted at a time, within half of the available memory.
pub fn max_ordered(available: u64) -> usize {
    let most = MAX_SORTED_CELLS.count();
    usize::try_from(available / 2 / ORDERED).unwrap_or(usize::MAX).clamp(MIN_SORTED_CELLS.count().min(most), most)
}

/// Memory for sorting `cells` cells.
pub fn of_sorting(cells: usize) -> u64 {
    (cells as u64).saturating_mul(SORTED)
}

/// Memory for determining the order of `cells` cells.
pub fn of_order(cells: usize) -> u64 {
    (cells as u64).saturating_mul(ORDERED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_counted_in_order() {
        assert_eq!(fitting(&[3, 4, 1], 7), 2);
        assert_eq!(fitting(&[8, 1], 7), 0);
        assert_eq!(fitting(&[], 7), 0);
        assert_eq!(max_ordered(0), MIN_SORTED_CELLS.count());
    }
}
