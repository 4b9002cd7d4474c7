//! Zone maps: minimum and maximum coordinate of every block of cells, by which blocks are pruned if few of a tile's
//! cells are selected, whatever the order of the cells.

use crate::columns::coords::Coords;
use tiledb_core::limits::selection::CELLS_PER_ZONE;
use tiledb_core::types::{Cell, PhysicalType, dispatch};

/// Bytes of a zone: the keys of its ends, of strings the numbers of the cells.
const FIXED: usize = 2 * size_of::<u64>();
const TEXT: usize = 2 * size_of::<u32>();

/// Bytes of the zone map of `cells` cells.
pub fn zones_size(cells: usize, is_var: bool) -> usize {
    cells.div_ceil(CELLS_PER_ZONE.count()) * if is_var { TEXT } else { FIXED }
}

/// Writes the zone of each block of coordinates, the minimum before the maximum; `cells` are less than 2^32. NaNs are
/// ignored: no range contains them.
pub fn find_zones(physical: PhysicalType, coords: &Coords<'_>, cells: usize, out: &mut [u8]) {
    let zone = CELLS_PER_ZONE.count();
    match coords {
        Coords::Fixed(bytes) => dispatch!(physical, T => {
            let blocks = bytes.chunks(zone * size_of::<T>());
            for (block, out) in blocks.zip(out.as_chunks_mut::<8>().0.as_chunks_mut::<2>().0) {
                let (low, high) = ends::<T>(block);
                *out = [low.to_key().to_le_bytes(), high.to_key().to_le_bytes()];
            }
        }),
        Coords::Var { .. } => {
            for (first, out) in (0..cells).step_by(zone).zip(out.as_chunks_mut::<4>().0.as_chunks_mut::<2>().0) {
                let (low, high) = ends_of_texts(coords, first, cells.min(first + zone));
                *out = [(low as u32).to_le_bytes(), (high as u32).to_le_bytes()];
            }
        }
    }
}

/// The keys of the ends of blocks of fixed cells.
pub(crate) fn keys_of_blocks(zones: &[u8]) -> impl Iterator<Item = [u64; 2]> {
    zones.as_chunks::<8>().0.as_chunks::<2>().0.iter().map(|ends| ends.map(u64::from_le_bytes))
}

/// The cells with the ends of blocks of strings.
pub(crate) fn texts_of_blocks(zones: &[u8]) -> impl Iterator<Item = [usize; 2]> {
    let ends = zones.as_chunks::<4>().0.as_chunks::<2>().0.iter();
    ends.map(|ends| ends.map(|cell| u32::from_le_bytes(cell) as usize))
}

fn ends<T: Cell>(block: &[u8]) -> (T, T) {
    let values = block.chunks_exact(size_of::<T>()).map(T::from_le);
    let mut values = values.filter(|value| value.partial_cmp(value).is_some());
    // Of nothing but NaNs both ends are one of them, which no comparison finds in a range.
    let Some(first) = values.next() else { return (T::from_le(block), T::from_le(block)) };
    values.fold((first, first), |(low, high), value| {
        (if value < low { value } else { low }, if value > high { value } else { high })
    })
}

/// The cells with the minimum and the maximum string; they are often sorted, and one comparison each suffices.
fn ends_of_texts(coords: &Coords<'_>, first: usize, end: usize) -> (usize, usize) {
    let (mut low, mut high) = (first, first);
    for cell in first + 1..end {
        if coords.text(cell) >= coords.text(high) {
            high = cell;
        } else if coords.text(cell) < coords.text(low) {
            low = cell;
        }
    }
    (low, high)
}
