//! Selects the cells that are in the ranges of a subarray: columns of coordinates are compared with ranges, which yields a
//! selection mask of one byte per cell.

use std::ops::Range;

use super::ranges::{disjoint, keys};
use super::selection_mask;
use super::subarray::Subarray;
use super::zone_map::{keys_of_blocks, texts_of_blocks};
use crate::columns::coords::Coords;
use tiledb_core::limits::selection::{CELLS_PER_SKIP, CELLS_PER_ZONE};
use tiledb_core::types::{Cell, CellRange, Datatype, NdRange, dispatch};
use tiledb_filters::codec::simd::{self, Kernel};

/// The ranges of every dimension.
pub struct RangeSelector {
    dimensions: Vec<Ranges>,
    has_several: bool,
}

/// The ranges of one dimension, sorted and disjoint; `None` selects everything.
struct Ranges {
    datatype: Datatype,
    list: Option<Vec<CellRange>>,
    /// The sort keys of the ends of several ranges of fixed cells; the heads of the ends of ranges of strings.
    keys: Vec<(u64, u64)>,
}

impl RangeSelector {
    /// The ranges of a subarray.
    pub fn new(subarray: &Subarray) -> RangeSelector {
        let dimensions = subarray.schema().domain().dimensions().iter().zip(subarray.sets());
        let ranges = dimensions.map(|(dimension, set)| {
            let list = (!set.is_default()).then(|| disjoint(dimension.datatype(), set.ranges()));
            Ranges::new(dimension.datatype(), list)
        });
        let dimensions: Vec<Ranges> = ranges.collect();
        let has_several = match subarray.merges() {
            true => dimensions.iter().any(|ranges| ranges.list.as_ref().is_some_and(|list| list.len() > 1)),
            false => subarray.sets().iter().any(|set| set.ranges().len() > 1),
        };
        RangeSelector { dimensions, has_several }
    }

    /// True if a dimension has several ranges; those that overlap count as one if they are merged.
    pub fn has_several(&self) -> bool {
        self.has_several
    }

    /// True if the dimension is restricted.
    pub fn restricts(&self, dimension: usize) -> bool {
        self.dimensions[dimension].list.is_some()
    }

    /// The ranges as an R-tree searches them: an empty list restricts nothing.
    pub fn lists(&self) -> Vec<Vec<CellRange>> {
        self.dimensions.iter().map(|ranges| ranges.list.clone().unwrap_or_default()).collect()
    }

    /// `None` if no cell of a box can be selected, else whether all are.
    pub fn meet(&self, region: &NdRange) -> Option<bool> {
        let mut all = true;
        for (ranges, side) in self.dimensions.iter().zip(region) {
            let Some(list) = &ranges.list else { continue };
            let first =
                list.partition_point(|range| CellRange::compare(ranges.datatype, range.high(), side.low()).is_lt());
            let range = list.get(first).filter(|range| range.overlaps(ranges.datatype, side))?;
            all &= range.contains(ranges.datatype, side);
        }
        Some(all)
    }

    /// Clears the mask of blocks whose zones intersect no range of a dimension. Of fixed cells no coordinates are
    /// needed.
    pub fn mark_zones(&self, dimension: usize, coords: &Coords<'_>, zones: &[u8], marks: &mut [u8]) {
        if !self.restricts(dimension) {
            return;
        }
        let mut blocks = marks.chunks_mut(CELLS_PER_ZONE.count());
        self.dimensions[dimension].meet_blocks(coords, zones, |meet| {
            if let (Some(marks), None) = (blocks.next(), meet) {
                marks.fill(0);
            }
        });
    }

    /// Clears the mask of cells that are in no range of a dimension. Blocks whose zones intersect no range, or are within
    /// one, are skipped: [`RangeSelector::mark_zones`] has cleared the former.
    pub fn mark(&self, dimension: usize, coords: &Coords<'_>, zones: Option<&[u8]>, marks: &mut [u8]) {
        let ranges = &self.dimensions[dimension];
        let Some(list) = &ranges.list else { return };
        let cells = marks.len();
        let mut look = |run: Range<usize>| match coords {
            Coords::Var { .. } => ranges.mark_texts(coords, run, marks),
            Coords::Fixed(bytes) => dispatch!(ranges.datatype.physical(), T => {
                let part = bytes.get(run.start * size_of::<T>()..run.end * size_of::<T>()).unwrap_or_default();
                match list.as_slice() {
                    [range] => mark_one::<T>(part, range, &mut marks[run]),
                    _ => mark_any::<T>(part, &ranges.keys, &mut marks[run]),
                }
            }),
        };
        let Some(zones) = zones else { return look(0..cells) };
        let zone = CELLS_PER_ZONE.count();
        let (mut from, mut to) = (0, 0);
        ranges.meet_blocks(coords, zones, |meet| {
            if meet != Some(false) {
                if from < to {
                    look(from..to);
                }
                from = to + zone;
            }
            to += zone;
        });
        if from < cells {
            look(from..cells);
        }
    }
}

impl Ranges {
    fn new(datatype: Datatype, list: Option<Vec<CellRange>>) -> Ranges {
        let listed = list.as_deref().filter(|list| list.len() > 1 || list.iter().any(CellRange::is_var));
        let keys = listed.unwrap_or_default().iter().map(|range| keys(datatype, range)).collect();
        Ranges { datatype, list, keys }
    }

    /// Reports for each block of the zone map: `None` if its zone intersects no range, else whether all its cells are
    /// in one. Zones do not cover NaNs.
    fn meet_blocks(&self, coords: &Coords<'_>, zones: &[u8], mut report: impl FnMut(Option<bool>)) {
        let list = self.list.as_deref().unwrap_or_default();
        if let Coords::Var { .. } = coords {
            return texts_of_blocks(zones).for_each(|ends| {
                match ends.map(|cell| self.find_head(coords.text_head(cell))) {
                    [Place::Before(first), Place::Before(next)] if first == next => return report(None),
                    [Place::In(first), Place::In(next)] if first == next => return report(Some(true)),
                    _ => {}
                }
                let [low, high] = ends.map(|cell| coords.text(cell));
                let range = list.get(list.partition_point(|range| range.high() < low));
                let range = range.filter(|range| range.low() <= high);
                report(range.map(|range| range.low() <= low && high <= range.high()));
            });
        }
        let is_exact = !self.datatype.is_float();
        let meet = |(first, last): (u64, u64), low: u64, high: u64| {
            (low <= last && first <= high).then_some(first <= low && high <= last && is_exact)
        };
        if let [range] = list {
            let ends = keys(self.datatype, range);
            return keys_of_blocks(zones).for_each(|[low, high]| report(meet(ends, low, high)));
        }
        keys_of_blocks(zones).for_each(|[low, high]| {
            let range = self.keys.get(self.keys.partition_point(|range| range.1 < low));
            report(range.and_then(|&ends| meet(ends, low, high)));
        });
    }

    /// Clears the mask of strings that are in no range.
    fn mark_texts(&self, coords: &Coords<'_>, run: Range<usize>, marks: &mut [u8]) {
        let list = self.list.as_deref().unwrap_or_default();
        let skip = CELLS_PER_SKIP.count();
        for (block, marks) in (run.start..).step_by(skip).zip(marks[run].chunks_mut(skip)) {
            if !selection_mask::any_of_block(marks) {
                continue;
            }
            for (cell, mark) in (block..).zip(marks).filter(|(_, mark)| **mark != 0) {
                *mark = u8::from(match self.find_head(coords.text_head(cell)) {
                    Place::In(_) => true,
                    Place::Before(_) => false,
                    Place::AtEnd => {
                        let text = coords.text(cell);
                        let first = list.partition_point(|range| range.high() < text);
                        list.get(first).is_some_and(|range| range.low() <= text)
                    }
                });
            }
        }
    }

    /// Where strings with this head are.
    #[inline]
    fn find_head(&self, head: u64) -> Place {
        let first = self.keys.partition_point(|range| range.1 < head);
        match self.keys.get(first) {
            Some(&(low, high)) if head == low || head == high => Place::AtEnd,
            Some(&(low, _)) if low < head => Place::In(first),
            _ => Place::Before(first),
        }
    }
}

/// Where a string is, as far as its head tells.
enum Place {
    /// In the range with this number.
    In(usize),
    /// Before the range with this number, and after the one before it.
    Before(usize),
    /// Its head is also that of an end of a range.
    AtEnd,
}

fn mark_one<T: Cell>(bytes: &[u8], range: &CellRange, marks: &mut [u8]) {
    simd::run(MarkRange { bytes, ends: range.ends::<T>(), marks });
}

/// Clears the mask of cells that are not between two values.
struct MarkRange<'a, T> {
    bytes: &'a [u8],
    ends: (T, T),
    marks: &'a mut [u8],
}

impl<T: Cell> Kernel for MarkRange<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let (low, high) = self.ends;
        let skip = CELLS_PER_SKIP.count();
        for (marks, values) in self.marks.chunks_mut(skip).zip(self.bytes.chunks(skip * size_of::<T>())) {
            if !selection_mask::any_of_block(marks) {
                continue;
            }
            for (mark, value) in marks.iter_mut().zip(values.chunks_exact(size_of::<T>())) {
                let value = T::from_le(value);
                *mark &= u8::from(low <= value) & u8::from(value <= high);
            }
        }
    }
}

fn mark_any<T: Cell>(bytes: &[u8], keys: &[(u64, u64)], marks: &mut [u8]) {
    // The first range that does not end before the key; neighbouring cells mostly have the same, or the next one.
    let mut first = 0;
    let is_first =
        |at: usize, key: u64| (at == 0 || keys[at - 1].1 < key) && keys.get(at).is_none_or(|range| key <= range.1);
    for (mark, value) in marks.iter_mut().zip(bytes.chunks_exact(size_of::<T>())) {
        if *mark != 0 {
            let key = T::from_le(value).to_key();
            if !is_first(first, key) {
                let next = (first + 1).min(keys.len());
                first = if is_first(next, key) { next } else { keys.partition_point(|range| range.1 < key) };
            }
            *mark = u8::from(keys.get(first).is_some_and(|range| range.0 <= key));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::zone_map::{find_zones, zones_size};
    use proptest::prelude::*;
    use tiledb_core::limits::simulation::SimulatedLimits;
    use tiledb_core::types::PhysicalType;

    fn selector(datatype: Datatype, ranges: &[CellRange]) -> RangeSelector {
        let list = disjoint(datatype, ranges);
        RangeSelector { has_several: list.len() > 1, dimensions: vec![Ranges::new(datatype, Some(list))] }
    }

    proptest! {
        #[test]
        fn marks_are_what_a_look_at_every_cell_gives(
            values in prop::collection::vec(any::<i8>(), 0..700),
            ranges in prop::collection::vec((any::<i8>(), any::<i8>()), 1..6),
            sorted: bool,
            limits in prop::option::of(any::<u64>()),
        ) {
            let mut values = values;
            if sorted {
                values.sort_unstable();
            }
            let list: Vec<CellRange> = ranges.iter().map(|&(a, b)| CellRange::of(a.min(b), a.max(b))).collect();
            let selector = selector(Datatype::Int8, &list);
            let (mut marks, cells) = (vec![1; values.len()], Coords::Fixed(bytemuck::cast_slice(&values)));
            SimulatedLimits::of_option(limits).run(|| {
                let mut zones = vec![0; zones_size(values.len(), false)];
                find_zones(PhysicalType::I8, &cells, values.len(), &mut zones);
                selector.mark_zones(0, &cells, &zones, &mut marks);
                selector.mark(0, &cells, Some(&zones), &mut marks);
            });
            for (value, mark) in values.iter().zip(marks) {
                let expected = ranges.iter().any(|&(a, b)| (a.min(b)..=a.max(b)).contains(value));
                prop_assert_eq!(mark == 1, expected);
                let meet = selector.meet(&vec![CellRange::of(*value, *value)]);
                prop_assert_eq!(meet, expected.then_some(true));
            }
        }
    }

    #[test]
    fn blocks_of_floats_are_passed_over_but_for_zeros_of_either_sign() {
        let zone = CELLS_PER_ZONE.count();
        let mut cells = vec![f64::NAN; 4 * zone];
        cells[zone] = -0.0;
        cells[2 * zone..3 * zone].fill(7.0);
        let mut zones = vec![0; zones_size(cells.len(), false)];
        find_zones(PhysicalType::F64, &Coords::Fixed(bytemuck::cast_slice(&cells)), cells.len(), &mut zones);
        for list in [vec![CellRange::of(0.0, 1.0)], vec![CellRange::of(0.0, 1.0), CellRange::of(8.0, 9.0)]] {
            let mut marks = vec![1u8; 4 * zone];
            selector(Datatype::Float64, &list).mark_zones(0, &Coords::Fixed(&[]), &zones, &mut marks);
            let blocks: Vec<bool> = marks.chunks(zone).map(|marks| marks.contains(&1)).collect();
            assert_eq!(blocks, [false, true, false, false]);
        }
        let within = selector(Datatype::Float64, &[CellRange::of(-1.0, 1.0)]);
        let mut marks = vec![1u8; 4 * zone];
        let coords = Coords::Fixed(bytemuck::cast_slice(&cells));
        within.mark_zones(0, &coords, &zones, &mut marks);
        within.mark(0, &coords, Some(&zones), &mut marks);
        assert_eq!(marks.iter().map(|mark| usize::from(*mark)).sum::<usize>(), 1, "no range has a NaN");
    }

    proptest! {
        #[test]
        fn blocks_of_strings_in_any_order_are_selected(
            cells in prop::collection::vec("[a-c]{0,3}", 0..700),
            ranges in prop::collection::vec(("[a-c]{0,3}", "[a-c]{0,3}"), 1..4),
            sorted: bool,
            limits in prop::option::of(any::<u64>()),
        ) {
            let mut cells = cells;
            if sorted {
                cells.sort();
            }
            let starts: Vec<u64> = cells.iter().scan(0, |end, cell| Some(std::mem::replace(end, *end + cell.len() as u64))).collect();
            let text = cells.concat();
            let coords = Coords::Var { starts: &starts, data: text.as_bytes() };
            let list: Vec<CellRange> =
                ranges.iter().map(|(a, b)| CellRange::var(a.min(b).as_bytes(), a.max(b).as_bytes())).collect();
            let selector = selector(Datatype::StringAscii, &list);
            let mut marks = vec![1; cells.len()];
            SimulatedLimits::of_option(limits).run(|| {
                let mut zones = vec![0; zones_size(cells.len(), true)];
                find_zones(PhysicalType::U8, &coords, cells.len(), &mut zones);
                selector.mark_zones(0, &coords, &zones, &mut marks);
                selector.mark(0, &coords, Some(&zones), &mut marks);
            });
            for (cell, mark) in cells.iter().zip(marks) {
                let expected = ranges.iter().any(|(a, b)| a.min(b) <= cell && cell <= a.max(b));
                prop_assert_eq!(mark == 1, expected);
            }
        }
    }

    #[test]
    fn neighbours_become_one() {
        let ints = selector(Datatype::Int32, &[CellRange::of(3, 9), CellRange::of(-16, 2), CellRange::of(11, 12)]);
        assert_eq!(ints.lists()[0], [CellRange::of(-16, 9), CellRange::of(11, 12)]);
        let floats = selector(Datatype::Float64, &[CellRange::of(3.0, 9.0), CellRange::of(-16.0, 2.0)]);
        assert!(floats.has_several());
    }

    #[test]
    fn strings_and_boxes() {
        let range = |a: &str, b: &str| CellRange::var(a.as_bytes(), b.as_bytes());
        let selector = selector(Datatype::StringAscii, &[range("m", "p"), range("a", "c"), range("b", "d")]);
        let mut marks = [1, 1, 0, 1];
        let coords = Coords::Var { starts: &[0, 2, 3, 4], data: b"ccennz" };
        selector.mark(0, &coords, None, &mut marks);
        assert_eq!(marks, [1, 0, 0, 1]);
        assert_eq!(selector.meet(&vec![range("b", "d")]), Some(true));
        assert_eq!(selector.meet(&vec![range("d", "z")]), Some(false));
        assert_eq!(selector.meet(&vec![range("e", "l")]), None);
        assert!(selector.restricts(0));
    }
}
