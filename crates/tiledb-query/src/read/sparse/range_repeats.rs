//! Overlapping ranges: sparse reads in row- or column-major order return a cell once for every combination of ranges
//! that contains it, consecutively.

use std::sync::Arc;

use super::cell_run::CellRun;
use super::loaded_tile::LoadedTile;
use tiledb_cells::columns::coords::Coords;
use tiledb_cells::space::subarray::Subarray;
use tiledb_core::budget::{Budget, Lease, MemoryKind};
use tiledb_core::error::Result;
use tiledb_core::types::{Cell, CellRange, Datatype, dispatch};

/// The dimensions whose ranges overlap.
pub struct RangeRepeats {
    dimensions: Vec<(usize, RangeEnds)>,
}

/// The ends of the ranges of a dimension, lower and upper ones each sorted: the number of ranges that contain a value is the
/// number that begin at or before it, less the number that end before it.
enum RangeEnds {
    Fixed { datatype: Datatype, lows: Vec<u64>, highs: Vec<u64> },
    Var { lows: Vec<Vec<u8>>, highs: Vec<Vec<u8>> },
}

/// The number of ranges that contain a value.
fn count<K: Ord + ?Sized, T: std::borrow::Borrow<K>>(lows: &[T], highs: &[T], value: &K) -> usize {
    lows.partition_point(|low| low.borrow() <= value) - highs.partition_point(|high| high.borrow() < value)
}

fn key<T: Cell>(bytes: &[u8], cell: usize) -> u64 {
    T::from_le(&bytes[cell * size_of::<T>()..(cell + 1) * size_of::<T>()]).to_key()
}

/// The ends, if any of the ranges overlap.
fn overlapping<T: Ord>(ends: impl Iterator<Item = (T, T)>) -> Option<(Vec<T>, Vec<T>)> {
    let (mut lows, mut highs): (Vec<T>, Vec<T>) = ends.unzip();
    lows.sort_unstable();
    highs.sort_unstable();
    lows.iter().skip(1).zip(&highs).any(|(low, high)| low <= high).then_some((lows, highs))
}

impl RangeEnds {
    fn new(datatype: Datatype, ranges: &[CellRange]) -> Option<RangeEnds> {
        if ranges.first()?.is_var() {
            let (lows, highs) = overlapping(ranges.iter().map(|range| (range.low().to_vec(), range.high().to_vec())))?;
            return Some(RangeEnds::Var { lows, highs });
        }
        let (lows, highs) = dispatch!(datatype.physical(), T => overlapping(ranges.iter().map(|range| {
            let (low, high) = range.ends::<T>();
            (low.to_key(), high.to_key())
        })))?;
        Some(RangeEnds::Fixed { datatype, lows, highs })
    }

    /// The number of ranges that contain a cell's coordinate.
    fn count(&self, coords: &Coords<'_>, cell: usize) -> usize {
        match (self, coords) {
            (RangeEnds::Var { lows, highs }, Coords::Var { .. }) => count::<[u8], _>(lows, highs, coords.text(cell)),
            (RangeEnds::Fixed { datatype, lows, highs }, Coords::Fixed(bytes)) => dispatch!(datatype.physical(), T => {
                count(lows, highs, &key::<T>(bytes, cell))
            }),
            _ => 1,
        }
    }
}

impl RangeRepeats {
    /// `None` if no ranges overlap.
    pub fn new(subarray: &Subarray) -> Option<RangeRepeats> {
        let dimensions = subarray.schema().domain().dimensions().iter().zip(subarray.sets()).enumerate();
        let ends = dimensions.filter_map(|(number, (dimension, set))| {
            let ends = (!set.is_default()).then(|| RangeEnds::new(dimension.datatype(), set.ranges()))?;
            Some((number, ends?))
        });
        let dimensions: Vec<_> = ends.collect();
        (!dimensions.is_empty()).then_some(RangeRepeats { dimensions })
    }

    /// The runs with every cell repeated as often as it is to be delivered. All coordinates of the tiles are in memory.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn apply(
        &self,
        tiles: &[Arc<LoadedTile>],
        cell_runs: &[CellRun],
        budget: &Budget,
    ) -> Result<Lease<Vec<CellRun>>> {
        let mut repeated = budget.lease(MemoryKind::Results, 0, || Ok(Vec::<CellRun>::new()))?;
        for &cell_run in cell_runs {
            let columns: Vec<(Coords<'_>, &RangeEnds)> = self
                .dimensions
                .iter()
                .filter_map(|(number, ends)| {
                    Some((tiles[cell_run.tile as usize].coords[*number].as_ref()?.coords(), ends))
                })
                .collect();
            for first in cell_run.first..cell_run.first + cell_run.len {
                let row = tiles[cell_run.tile as usize].row_of(first as usize);
                let copies =
                    columns.iter().map(|(coords, ends)| ends.count(coords, row)).fold(1usize, usize::saturating_mul);
                match repeated.slice_mut().last_mut() {
                    Some(last) if copies == 1 && last.tile == cell_run.tile && last.first + last.len == first => {
                        last.len += 1
                    }
                    _ => {
                        for _ in 0..copies {
                            repeated.push("repeated cells", CellRun { first, len: 1, ..cell_run })?;
                        }
                    }
                }
            }
        }
        Ok(repeated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counts_are_what_a_look_at_every_range_gives(
            values in prop::collection::vec(any::<i8>(), 0..50),
            ranges in prop::collection::vec((any::<i8>(), any::<i8>()), 1..6),
        ) {
            let list: Vec<CellRange> = ranges.iter().map(|&(a, b)| CellRange::of(a.min(b), a.max(b))).collect();
            let expected = |value: i8| ranges.iter().filter(|&&(a, b)| (a.min(b)..=a.max(b)).contains(&value)).count();
            match RangeEnds::new(Datatype::Int8, &list) {
                None => prop_assert!((i8::MIN..=i8::MAX).all(|value| expected(value) <= 1)),
                Some(ends) => for (cell, value) in values.iter().enumerate() {
                    let coords = Coords::Fixed(bytemuck::cast_slice(&values));
                    prop_assert_eq!(ends.count(&coords, cell), expected(*value));
                },
            }
        }
    }

    #[test]
    fn strings() {
        let range = |a: &str, b: &str| CellRange::var(a.as_bytes(), b.as_bytes());
        assert!(RangeEnds::new(Datatype::StringAscii, &[range("m", "p"), range("a", "c")]).is_none());
        let ends = RangeEnds::new(Datatype::StringAscii, &[range("b", "d"), range("a", "c")]).unwrap();
        let coords = Coords::Var { starts: &[0, 2, 3], data: b"ccad" };
        assert_eq!([0, 1, 2].map(|cell| ends.count(&coords, cell)), [1, 1, 1]);
        let coords = Coords::Var { starts: &[0, 1], data: b"cb" };
        assert_eq!([0, 1].map(|cell| ends.count(&coords, cell)), [2, 2]);
    }
}
