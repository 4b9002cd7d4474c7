//! The least and the greatest coordinate of every block of cells, by which a look at a few of a tile's cells passes over
//! the others, in whatever order they lie.

use crate::query::columns::coords::Coords;
use crate::types::{Cell, Physical, dispatch};

/// Cells of a block.
pub const BLOCK: usize = 128;

/// Bytes that tell of all blocks of so many cells, which have `size` bytes; of strings the numbers of the cells are told.
pub fn zones_size(cells: usize, size: Option<usize>) -> usize {
    cells.div_ceil(BLOCK) * 2 * size.unwrap_or(size_of::<u32>())
}

/// Writes the ends of each block of coordinates, the least before the greatest; `cells` are less than 2^32. NaNs do not
/// count: no range has them.
pub fn find_zones(physical: Physical, coords: &Coords<'_>, cells: usize, out: &mut [u8]) {
    match coords {
        Coords::Fixed(bytes) => dispatch!(physical, T => {
            let blocks = bytes.chunks(BLOCK * size_of::<T>());
            for (block, out) in blocks.zip(out.chunks_exact_mut(2 * size_of::<T>())) {
                let (low, high) = ends::<T>(block);
                out[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(&low));
                out[size_of::<T>()..].copy_from_slice(bytemuck::bytes_of(&high));
            }
        }),
        Coords::Var { .. } => {
            for (first, out) in (0..cells).step_by(BLOCK).zip(out.chunks_exact_mut(8)) {
                let (low, high) = ends_of_texts(coords, first, cells.min(first + BLOCK));
                out[..4].copy_from_slice(&(low as u32).to_le_bytes());
                out[4..].copy_from_slice(&(high as u32).to_le_bytes());
            }
        }
    }
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

/// The cells with the least and the greatest string; mostly they lie in order, and one comparison each does.
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

/// Clears the marks of blocks whose ends `meets` does not hold of.
pub fn clear_blocks<T: Cell>(zones: &[u8], marks: &mut [u8], meets: impl Fn(T, T) -> bool) {
    for (zone, marks) in zones.chunks_exact(2 * size_of::<T>()).zip(marks.chunks_mut(BLOCK)) {
        if !meets(T::from_le(zone), T::from_le(&zone[size_of::<T>()..])) {
            marks.fill(0);
        }
    }
}
