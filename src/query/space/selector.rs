//! Which cells lie in the ranges of a subarray: columns of coordinates are compared with ranges, giving one
//! byte per cell.

use super::ranges::disjoint;
use super::subarray::Subarray;
use crate::query::columns::coords::Coords;
use crate::types::{Cell, CellRange, Datatype, NdRange, dispatch};

/// The ranges of every dimension.
pub struct Selector {
    dimensions: Vec<Ranges>,
    has_several: bool,
}

/// The ranges of one dimension, sorted and without overlaps; no list stands for everything.
struct Ranges {
    datatype: Datatype,
    list: Option<Vec<CellRange>>,
}

impl Selector {
    /// The ranges of a subarray.
    pub fn new(subarray: &Subarray) -> Selector {
        let dimensions = subarray.schema().domain().dimensions().iter().zip(subarray.sets());
        let ranges = dimensions.map(|(dimension, set)| {
            let list = (!set.is_default()).then(|| disjoint(dimension.datatype(), set.ranges()));
            Ranges { datatype: dimension.datatype(), list }
        });
        let dimensions: Vec<Ranges> = ranges.collect();
        let has_several = match subarray.merges() {
            true => dimensions.iter().any(|ranges| ranges.list.as_ref().is_some_and(|list| list.len() > 1)),
            false => subarray.sets().iter().any(|set| set.ranges().len() > 1),
        };
        Selector { dimensions, has_several }
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

    /// `None` if no cell of a box can be wanted, else whether all are.
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

    /// Clears the marks of cells that lie in no range of a dimension.
    pub fn mark(&self, dimension: usize, coords: &Coords<'_>, marks: &mut [u8]) {
        let ranges = &self.dimensions[dimension];
        let Some(list) = &ranges.list else { return };
        match coords {
            Coords::Var { .. } => {
                for (cell, mark) in marks.iter_mut().enumerate().filter(|(_, mark)| **mark != 0) {
                    let text = coords.text(cell);
                    let first = list.partition_point(|range| range.high() < text);
                    *mark = u8::from(list.get(first).is_some_and(|range| range.low() <= text));
                }
            }
            Coords::Fixed(bytes) => dispatch!(ranges.datatype.physical(), T => match list.as_slice() {
                [range] => mark_one::<T>(bytes, range, marks),
                list => mark_any::<T>(bytes, list, marks),
            }),
        }
    }
}

fn mark_one<T: Cell>(bytes: &[u8], range: &CellRange, marks: &mut [u8]) {
    let (low, high) = range.ends::<T>();
    for (marks, values) in marks.chunks_mut(BLOCK).zip(bytes.chunks(BLOCK * size_of::<T>())) {
        if marks.iter().fold(0, |any, mark| any | mark) == 0 {
            continue;
        }
        for (mark, value) in marks.iter_mut().zip(values.chunks_exact(size_of::<T>())) {
            let value = T::from_le(value);
            *mark &= u8::from(low <= value) & u8::from(value <= high);
        }
    }
}

/// Cells passed over together where none is marked.
const BLOCK: usize = 64;

fn mark_any<T: Cell>(bytes: &[u8], list: &[CellRange], marks: &mut [u8]) {
    let keys: Vec<(u64, u64)> = list
        .iter()
        .map(|range| {
            let (low, high) = range.ends::<T>();
            (low.to_key(), high.to_key())
        })
        .collect();
    // The first range that does not end before the key; neighbouring cells mostly have the same.
    let mut first = 0;
    for (mark, value) in marks.iter_mut().zip(bytes.chunks_exact(size_of::<T>())) {
        if *mark != 0 {
            let key = T::from_le(value).to_key();
            let is_behind = first == 0 || keys[first - 1].1 < key;
            if !(is_behind && keys.get(first).is_none_or(|range| key <= range.1)) {
                first = keys.partition_point(|range| range.1 < key);
            }
            *mark = u8::from(keys.get(first).is_some_and(|range| range.0 <= key));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn selector(datatype: Datatype, ranges: &[CellRange]) -> Selector {
        let list = disjoint(datatype, ranges);
        Selector { has_several: list.len() > 1, dimensions: vec![Ranges { datatype, list: Some(list) }] }
    }

    proptest! {
        #[test]
        fn marks_are_what_a_look_at_every_cell_gives(
            values in prop::collection::vec(any::<i8>(), 0..300),
            ranges in prop::collection::vec((any::<i8>(), any::<i8>()), 1..6),
        ) {
            let list: Vec<CellRange> = ranges.iter().map(|&(a, b)| CellRange::of(a.min(b), a.max(b))).collect();
            let selector = selector(Datatype::Int8, &list);
            let mut marks = vec![1; values.len()];
            selector.mark(0, &Coords::Fixed(bytemuck::cast_slice(&values)), &mut marks);
            for (value, mark) in values.iter().zip(marks) {
                let wanted = ranges.iter().any(|&(a, b)| (a.min(b)..=a.max(b)).contains(value));
                prop_assert_eq!(mark == 1, wanted);
                let meet = selector.meet(&vec![CellRange::of(*value, *value)]);
                prop_assert_eq!(meet, wanted.then_some(true));
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
        selector.mark(0, &coords, &mut marks);
        assert_eq!(marks, [1, 0, 0, 1]);
        assert_eq!(selector.meet(&vec![range("b", "d")]), Some(true));
        assert_eq!(selector.meet(&vec![range("d", "z")]), Some(false));
        assert_eq!(selector.meet(&vec![range("e", "l")]), None);
        assert!(selector.restricts(0));
    }
}
