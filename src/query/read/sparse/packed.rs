//! Cells as single integers: the sort key, which holds the coordinates in full, the number of the tile, and the number of
//! the cell in it. Integers compare as the cells do, and nothing else has to be in memory to put these in order.

use std::cmp::Ordering;
use std::ops::Range;

use crate::budget::Leased;
use crate::error::Result;
use crate::memory;
use crate::query::keys::unpack::Unpack;
use crate::types::{CellRange, Datatype};

/// A packed cell.
pub trait Packed: Copy + Ord + Send + Sync + 'static {
    /// Above all packed cells.
    const MAX: Self;

    /// A key above `shift` bits of tile and cell.
    fn pack(key: u64, shift: u32, code: u64) -> Self;
    /// The key.
    fn key(self, shift: u32) -> u64;
    /// The bits below the key.
    fn code(self, shift: u32) -> u64;
}

macro_rules! packed {
    ($($type:ident)+) => {$(
        impl Packed for $type {
            const MAX: Self = $type::MAX;

            #[inline]
            fn pack(key: u64, shift: u32, code: u64) -> Self {
                ($type::from(key) << shift) | $type::from(code)
            }

            #[inline]
            fn key(self, shift: u32) -> u64 {
                (self >> shift) as u64
            }

            #[inline]
            fn code(self, shift: u32) -> u64 {
                (self as u64) & !(u64::MAX << shift)
            }
        }
    )+};
}

packed! { u64 u128 }

/// How tile and cell are packed below the key: the number of the tile, the number of the cell in it, and in the lowest bit
/// whether the cell meets the conditions.
#[derive(Clone, Copy, Debug)]
pub struct CodeLayout {
    cell_bits: u32,
    /// Bits below the key.
    pub shift: u32,
}

impl CodeLayout {
    /// For so many tiles, of at most so many cells.
    pub fn new(tiles: usize, cells: u64) -> CodeLayout {
        let bits = |count: u64| 64 - count.saturating_sub(1).leading_zeros();
        let cell_bits = bits(cells);
        CodeLayout { cell_bits, shift: bits(tiles as u64) + cell_bits + 1 }
    }

    /// The bits below the key.
    #[inline]
    pub fn code(&self, tile: usize, cell: usize, passes: bool) -> u64 {
        ((tile as u64) << self.cell_bits | cell as u64) << 1 | u64::from(passes)
    }

    /// True if the cell meets the conditions.
    #[inline]
    pub fn passes(code: u64) -> bool {
        code & 1 != 0
    }

    /// The tile and the cell.
    #[inline]
    pub fn split(&self, code: u64) -> (usize, usize) {
        let code = code >> 1;
        ((code >> self.cell_bits) as usize, (code & !(u64::MAX << self.cell_bits)) as usize)
    }
}

/// Sorted cells, whose coordinates are unpacked from their keys.
pub struct SortedCells<P> {
    pub cells: Leased<Vec<P>>,
    pub layout: CodeLayout,
    pub dimensions: Vec<Unpack>,
}

/// The coordinates of sorted cells.
pub trait SortedCoordinates: Send + Sync {
    /// Copies those of some of the cells along a dimension.
    fn copy(&self, cells: Range<usize>, dimension: usize, out: &mut [u8]);

    /// How many of some of the cells do not come behind a corner: a coordinate of each dimension, the slowest first.
    fn count_up_to(&self, cells: Range<usize>, corner: &[(usize, Datatype, Vec<u8>)]) -> usize;
}

impl<P: Packed> SortedCoordinates for SortedCells<P> {
    fn copy(&self, cells: Range<usize>, dimension: usize, out: &mut [u8]) {
        let keys = self.cells[cells].iter().map(|cell| cell.key(self.layout.shift));
        self.dimensions[dimension].copy(keys, out);
    }

    fn count_up_to(&self, cells: Range<usize>, corner: &[(usize, Datatype, Vec<u8>)]) -> usize {
        self.cells[cells].partition_point(|cell| {
            let key = cell.key(self.layout.shift);
            let compared = corner.iter().map(|(dimension, datatype, end)| {
                let unpack = &self.dimensions[*dimension];
                CellRange::compare(*datatype, &unpack.value(key)[..unpack.size], end)
            });
            compared.fold(Ordering::Equal, Ordering::then).is_le()
        })
    }
}

/// The lowest of many cells, as many as memory holds.
pub struct Lowest<P> {
    cells: Leased<Vec<P>>,
    capacity: usize,
    shift: u32,
    /// Cells with equal keys stay together.
    together: bool,
    /// The upper bound: lower cells are all held.
    pub to: P,
}

impl<P: Packed> Lowest<P> {
    /// None of those below a bound, in memory for so many.
    pub fn new(cells: Leased<Vec<P>>, shift: u32, together: bool, to: P) -> Lowest<P> {
        let capacity = cells.capacity();
        Lowest { cells, capacity, shift, together, to }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.cells.len()
    }

    /// Adds cells, and lowers the upper bound when there are more than memory holds.
    ///
    /// # Errors
    /// If these are cells with equal keys, which stay together, and the budget does not suffice.
    pub fn add(&mut self, cells: &[P]) -> Result<()> {
        let mut left = cells;
        while !left.is_empty() {
            if self.cells.len() == self.capacity {
                self.cut()?;
            }
            let (now, later) = left.split_at(left.len().min(self.capacity - self.cells.len()));
            let to = self.to;
            self.cells.grow(0, |cells| {
                cells.extend(now.iter().filter(|&&cell| cell < to));
                Ok(())
            })?;
            left = later;
        }
        Ok(())
    }

    /// Drops the highest, and lowers the upper bound to the lowest of these.
    fn cut(&mut self) -> Result<()> {
        let (shift, kept) = (self.shift, self.capacity / 8 * 7);
        let (_, &mut lowest, _) = self.cells.slice_mut().select_nth_unstable(kept);
        if !self.together {
            self.to = lowest;
            return self.drop_from(kept);
        }
        let key = lowest.key(shift);
        for key in [Some(key), key.checked_add(1)].into_iter().flatten() {
            let to = P::pack(key, shift, 0);
            let below = self.partition(to);
            if below > 0 {
                self.to = to;
                self.drop_from(below)?;
                break;
            }
        }
        if self.cells.len() == self.capacity {
            // Nothing but cells with equal keys.
            let more = self.capacity;
            let bytes = more.saturating_mul(size_of::<P>()) as u64;
            self.cells.grow(bytes, |cells| memory::reserve("sort keys", cells, more))?;
            self.capacity += more;
        }
        Ok(())
    }

    /// Moves the cells below a bound before the others, and counts them.
    fn partition(&mut self, to: P) -> usize {
        let (cells, mut below) = (self.cells.slice_mut(), 0);
        for at in 0..cells.len() {
            if cells[at] < to {
                cells.swap(at, below);
                below += 1;
            }
        }
        below
    }

    fn drop_from(&mut self, count: usize) -> Result<()> {
        self.cells.grow(0, |cells| {
            cells.truncate(count);
            Ok(())
        })
    }

    /// The cells in order, after a `change`.
    ///
    /// # Errors
    /// If the change takes more memory.
    pub fn sorted(mut self, change: impl FnOnce(&mut Vec<P>)) -> Result<Leased<Vec<P>>> {
        self.cells.slice_mut().sort_unstable();
        self.cells.grow(0, |cells| {
            change(cells);
            if cells.len() < cells.capacity() / 2 {
                cells.shrink_to_fit();
            }
            Ok(())
        })?;
        Ok(self.cells.fit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::{Budget, Kind};
    use proptest::prelude::*;

    const SHIFT: u32 = 8;

    fn lowest<P: Packed>(cells: &[(u64, u64)], capacity: usize, together: bool) -> (Vec<(u64, u64)>, (u64, u64)) {
        let budget = Budget::new(1 << 20);
        let memory =
            budget.lease(Kind::Results, (capacity * size_of::<P>()) as u64, || memory::with_room("", capacity));
        let mut lowest = Lowest::<P>::new(memory.unwrap(), SHIFT, together, P::MAX);
        let packed: Vec<P> = cells.iter().map(|&(key, code)| P::pack(key, SHIFT, code)).collect();
        packed.chunks(7).for_each(|cells| lowest.add(cells).unwrap());
        let unpack = |cell: P| (cell.key(SHIFT), cell.code(SHIFT));
        let to = unpack(lowest.to);
        let sorted = lowest.sorted(|_| ()).unwrap();
        assert_eq!(budget.used(), (sorted.capacity() * size_of::<P>()) as u64);
        (sorted.iter().map(|cell| unpack(*cell)).collect(), to)
    }

    proptest! {
        #[test]
        fn the_lowest_cells_are_held(
            keys in prop::collection::vec(prop_oneof![0..1000u64, 0..3u64], 0..200),
            capacity in 16..64usize,
            together: bool,
        ) {
            let cells: Vec<(u64, u64)> = keys.iter().zip(0..).map(|(&key, code)| (key, code)).collect();
            let (narrow, to) = lowest::<u64>(&cells, capacity, together);
            let (wide, wide_to) = lowest::<u128>(&cells, capacity, together);
            prop_assert_eq!(&narrow, &wide);
            let mut wanted: Vec<(u64, u64)> = cells.iter().copied().filter(|cell| *cell < to).collect();
            wanted.sort_unstable();
            prop_assert_eq!(&narrow, &wanted);
            prop_assert!(together || narrow.len() <= capacity);
            let least = if together { 1 } else { capacity / 8 * 7 };
            prop_assert!(narrow.len() == cells.len() || narrow.len() >= least);
            if narrow.len() < cells.len() {
                prop_assert_eq!(to, wide_to);
                prop_assert!(!together || to.1 == 0);
            }
        }
    }

    #[test]
    fn codes_tell_tile_and_cell() {
        for (tiles, cells) in [(1, 1), (1, 2), (300, 10_000), (5, 1 << 32)] {
            let layout = CodeLayout::new(tiles, cells);
            for (tile, cell) in [(0, 0), (tiles - 1, cells as usize - 1), (tiles / 2, cells as usize / 2)] {
                for passes in [true, false] {
                    let code = layout.code(tile, cell, passes);
                    assert!(code >> layout.shift == 0);
                    assert_eq!((layout.split(code), CodeLayout::passes(code)), ((tile, cell), passes));
                    let packed = u128::pack(u64::MAX, layout.shift, code);
                    assert_eq!((packed.key(layout.shift), packed.code(layout.shift)), (u64::MAX, code));
                }
            }
        }
    }
}
