//! Packed cells as single integers: the sort key, which holds the coordinates in full, the number of the tile, and the
//! number of the cell in it. Integers compare like the cells, and nothing else has to be in memory to sort them.

use std::cmp::Ordering;
use std::ops::Range;

use super::loaded_tile::SelectedCells;
use super::records::{KeyedCells, Point, Records};
use tiledb_cells::input::decode_context::DecodeContext;
use tiledb_cells::keys::unpack::CoordUnpack;
use tiledb_core::budget::{Lease, MemoryKind, MemoryUsage};
use tiledb_core::error::Result;
use tiledb_core::memory;
use tiledb_core::types::CellRange;

pub(super) trait PackedCell: Copy + Ord + Send + Sync + 'static {
    /// Above all packed cells.
    const MAX: Self;

    /// A key above `shift` bits of tile and cell.
    fn pack(key: u64, shift: u32, code: u64) -> Self;
    fn key(self, shift: u32) -> u64;
    /// The bits below the key.
    fn code(self, shift: u32) -> u64;
}

macro_rules! packed {
    ($($type:ident)+) => {$(
        impl PackedCell for $type {
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
/// whether the cell matches the conditions.
#[derive(Clone, Copy, Debug)]
pub(super) struct CodeLayout {
    cell_bits: u32,
    /// Bits below the key.
    pub shift: u32,
}

impl CodeLayout {
    /// The layout for `tiles` tiles of at most `cells` cells each.
    pub(super) fn new(tiles: usize, cells: u64) -> CodeLayout {
        let bits = |count: u64| 64 - count.saturating_sub(1).leading_zeros();
        let cell_bits = bits(cells);
        CodeLayout { cell_bits, shift: bits(tiles as u64) + cell_bits + 1 }
    }

    /// The bits below the key.
    #[inline]
    pub(super) fn code(&self, tile: usize, cell: usize, passes: bool) -> u64 {
        ((tile as u64) << self.cell_bits | cell as u64) << 1 | u64::from(passes)
    }

    /// True if the cell matches the conditions.
    #[inline]
    pub(super) fn passes(code: u64) -> bool {
        code & 1 != 0
    }

    /// The tile and the cell.
    #[inline]
    pub(super) fn split(&self, code: u64) -> (usize, usize) {
        let code = code >> 1;
        ((code >> self.cell_bits) as usize, (code & !(u64::MAX << self.cell_bits)) as usize)
    }
}

/// How packed cells are made, and unpacked.
pub(super) struct PackedLayout {
    pub codes: CodeLayout,
    pub dimensions: Vec<CoordUnpack>,
    /// The bounds of the keys of each tile.
    pub tiles: Vec<(u64, u64)>,
}

impl PackedLayout {
    fn key<P: PackedCell>(&self, cell: P) -> u64 {
        cell.key(self.codes.shift)
    }
}

impl<P: PackedCell> Records for Vec<P> {
    type Layout = PackedLayout;
    type Bound = P;

    fn has_keys(_: &PackedLayout) -> bool {
        true
    }

    fn size(_: &PackedLayout) -> u64 {
        size_of::<P>() as u64
    }

    fn with_layout(_: &PackedLayout, count: usize) -> Result<Self> {
        memory::with_capacity("sort keys", count)
    }

    fn more(&self) -> u64 {
        self.memory_usage()
    }

    fn grow(&mut self) -> Result<()> {
        let more = 2 * self.capacity() - self.len();
        memory::reserve("sort keys", self, more)
    }

    fn shrink(&mut self) {
        self.shrink_to_fit();
    }

    fn count(&self) -> usize {
        self.len()
    }

    fn remaining_capacity(&self) -> usize {
        self.capacity()
    }

    fn code(&self, layout: &PackedLayout, at: usize) -> u64 {
        self[at].code(layout.codes.shift)
    }

    fn is_same_place(&self, layout: &PackedLayout, a: usize, b: usize) -> bool {
        layout.key(self[a]) == layout.key(self[b])
    }

    fn assign(&mut self, to: usize, from: usize) {
        self[to] = self[from];
    }

    fn truncate(&mut self, count: usize) {
        self.truncate(count);
    }

    fn compact(&mut self, _: &PackedLayout) {}

    fn sort(&mut self, _: &PackedLayout) {
        self.sort_unstable();
    }

    fn select_nth(&mut self, _: &PackedLayout, at: usize) {
        self.select_nth_unstable(at);
    }

    fn partition(&mut self, _: &PackedLayout, bound: &P) -> usize {
        let mut below = 0;
        for at in 0..self.len() {
            if self[at] < *bound {
                self.swap(at, below);
                below += 1;
            }
        }
        below
    }

    fn append_before(&mut self, _: &PackedLayout, other: &Self, start: usize, to: Option<&P>) -> usize {
        let to = to.copied().unwrap_or(P::MAX);
        let remaining_capacity = self.capacity() - self.len();
        let end = other.len().min(start + remaining_capacity);
        self.extend(other[start..end].iter().filter(|&&cell| cell < to));
        end
    }

    fn bound(&self, layout: &PackedLayout, at: usize, group_equal: bool) -> Result<P> {
        Ok(if group_equal { P::pack(layout.key(self[at]), layout.codes.shift, 0) } else { self[at] })
    }

    fn bound_after(&self, layout: &PackedLayout, at: usize) -> Result<Option<P>> {
        Ok(layout.key(self[at]).checked_add(1).map(|key| P::pack(key, layout.codes.shift, 0)))
    }

    fn is_above(_: &PackedLayout, bound: &P, other: &P) -> bool {
        bound > other
    }

    fn begins_before(layout: &PackedLayout, tile: usize, bound: &P) -> bool {
        P::pack(layout.tiles[tile].0, layout.codes.shift, 0) < *bound
    }

    fn ends_after(layout: &PackedLayout, tile: usize, bound: &P) -> bool {
        layout.tiles[tile].1 >= layout.key(*bound)
    }

    fn select(
        layout: &PackedLayout,
        cells: &KeyedCells<'_>,
        (from, to): (Option<&P>, Option<&P>),
        access: DecodeContext<'_>,
    ) -> Result<Lease<Self>> {
        let KeyedCells { tile, number, cells, keys, places, .. } = cells;
        let first = keys.first();
        let codes = layout.codes;
        let most = places.len();
        let within = from.copied().unwrap_or(P::pack(0, codes.shift, 0))..to.copied().unwrap_or(P::MAX);
        access.lease(MemoryKind::Results, ((most + 1) * size_of::<P>()) as u64, || {
            let mut packed = memory::filled("sort keys", P::MAX, most + 1)?;
            let mut count = 0;
            let mut put = |cell: usize, passes: bool| {
                let record = P::pack(first[cell - cells.start], codes.shift, codes.code(*number, cell, passes));
                // Branchless: every cell is written to the position of the next selected one.
                packed[count.min(most)] = record;
                count += usize::from(within.contains(&record));
            };
            match (tile.selected(), tile.has_tombstones()) {
                (SelectedCells::All, false) => places.clone().for_each(|cell| put(cell, true)),
                _ => places.clone().for_each(|at| put(tile.selected_at(at), tile.passes_at(at))),
            }
            packed.truncate(count);
            Ok(packed)
        })
    }

    fn sample(
        layout: &PackedLayout,
        cells: &KeyedCells<'_>,
        which: impl ExactSizeIterator<Item = usize> + Clone,
        from: Option<&P>,
    ) -> Result<Self> {
        let first = cells.keys.first();
        let codes = layout.codes;
        let pack =
            |cell: usize| P::pack(first[cell - cells.cells.start], codes.shift, codes.code(cells.number, cell, false));
        let is_after = |cell: &P| from.is_none_or(|from| cell >= from);
        memory::collect("sort keys", which.map(pack).filter(is_after))
    }

    fn copy(&self, layout: &PackedLayout, cells: Range<usize>, dimension: usize, out: &mut [u8]) {
        layout.dimensions[dimension].copy(self[cells].iter().map(|cell| layout.key(*cell)), out);
    }

    fn lengths(&self, _: &PackedLayout, _: Range<usize>, _: usize, out: &mut [u64]) {
        // Strings are not packed.
        out.fill(0);
    }

    fn compare(&self, layout: &PackedLayout, at: usize, point: &Point) -> Ordering {
        let key = layout.key(self[at]);
        let compared = point.iter().map(|(dimension, datatype, end)| {
            let unpack = &layout.dimensions[*dimension];
            CellRange::compare(*datatype, &unpack.value(key)[..unpack.size], end)
        });
        compared.fold(Ordering::Equal, Ordering::then)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::sparse::records::LowestRecords;
    use proptest::prelude::*;
    use std::sync::Arc;
    use tiledb_core::budget::Budget;

    type KeyAndCode = (u64, u64);

    fn lowest<P: PackedCell>(
        cells: &[(u64, u64)],
        capacity: usize,
        group_equal: bool,
    ) -> (Vec<KeyAndCode>, Option<KeyAndCode>) {
        let layout = PackedLayout { codes: CodeLayout::new(16, 8), dimensions: Vec::new(), tiles: Vec::new() };
        let budget = Budget::new(1 << 20);
        let shift = layout.codes.shift;
        let bytes = (capacity * size_of::<P>()) as u64;
        let memory = budget.lease(MemoryKind::Results, bytes, || Vec::<P>::with_layout(&layout, capacity)).unwrap();
        let mut lowest = LowestRecords::new(memory, Arc::new(layout), group_equal, None);
        let packed: Vec<P> = cells.iter().map(|&(key, code)| P::pack(key, shift, code)).collect();
        packed.chunks(7).for_each(|cells| lowest.add(&cells.to_vec()).unwrap());
        let unpack = |cell: P| (cell.key(shift), cell.code(shift));
        let to = lowest.to.as_deref().map(|to| unpack(*to));
        let sorted = lowest.sorted(|_| ()).unwrap();
        assert_eq!(budget.used(), (sorted.capacity() * size_of::<P>()) as u64);
        (sorted.iter().map(|cell| unpack(*cell)).collect(), to)
    }

    proptest! {
        #[test]
        fn lowest_cells_are_retained(
            keys in prop::collection::vec(prop_oneof![0..1000u64, 0..3u64], 0..200),
            capacity in 16..64usize,
            group_equal: bool,
        ) {
            let cells: Vec<(u64, u64)> = keys.iter().zip(0..).map(|(&key, code)| (key, code)).collect();
            let (narrow, to) = lowest::<u64>(&cells, capacity, group_equal);
            let (wide, wide_to) = lowest::<u128>(&cells, capacity, group_equal);
            prop_assert_eq!(&narrow, &wide);
            prop_assert_eq!(to, wide_to);
            let mut expected: Vec<(u64, u64)> =
                cells.iter().copied().filter(|cell| to.is_none_or(|to| *cell < to)).collect();
            expected.sort_unstable();
            prop_assert_eq!(&narrow, &expected);
            prop_assert!(group_equal || narrow.len() <= capacity);
            let least = if group_equal { 1 } else { capacity - capacity.div_ceil(8) };
            prop_assert!(narrow.len() == cells.len() || narrow.len() >= least);
            prop_assert!(!group_equal || to.is_none_or(|to| to.1 == 0));
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
