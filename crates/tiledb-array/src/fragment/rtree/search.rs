//! R-tree search: tiles whose bounding boxes intersect a set of ranges.

use super::{BoundsColumn, RTree};
use tiledb_core::sort;
use tiledb_core::types::{Cell, CellRange, dispatch};

/// A tile whose bounding box intersects the ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileCover {
    /// The number of the tile.
    pub tile: u64,
    /// True if the ranges contain the whole box: the cells of the tile need not be filtered.
    pub full: bool,
}

/// The ranges of one dimension as sorted, disjoint pairs of keys.
enum Searched<'a> {
    Everything,
    Keys(Vec<(u64, u64)>),
    Texts(Vec<(&'a [u8], &'a [u8])>),
}

/// A node of the level being searched.
struct Candidate {
    node: usize,
    /// Contained in the ranges in all dimensions searched.
    full: bool,
    /// A box around it was inside already: nothing to test.
    settled: bool,
}

impl RTree {
    /// The tiles whose boxes intersect `ranges`, ascending. `ranges` has one list per dimension, in any
    /// order, overlapping or not; an empty or missing list restricts nothing.
    pub fn overlapping(&self, ranges: &[Vec<CellRange>]) -> Vec<TileCover> {
        let searched: Vec<Searched> =
            self.columns.iter().zip(ranges).map(|(column, list)| column.searched(list)).collect();
        let mut covered: Vec<Candidate> = Vec::new();
        for (level, bounds) in self.levels.windows(2).enumerate() {
            let mut candidates = match level {
                0 => vec![Candidate { node: 0, full: true, settled: false }],
                _ => self.children(&covered, bounds[1] - bounds[0]),
            };
            for (column, searched) in self.columns.iter().zip(&searched) {
                column.retain(bounds[0], searched, &mut candidates);
            }
            covered = candidates;
        }
        covered.iter().map(|leaf| TileCover { tile: leaf.node as u64, full: leaf.full }).collect()
    }

    /// The nodes below the found ones, in a level of `count` nodes.
    fn children(&self, parents: &[Candidate], count: usize) -> Vec<Candidate> {
        let mut children = Vec::with_capacity(count.min(parents.len() * self.fanout));
        for parent in parents {
            let first = parent.node * self.fanout;
            let nodes = first..(first + self.fanout).min(count);
            children.extend(nodes.map(|node| Candidate { node, full: true, settled: parent.full }));
        }
        children
    }
}

impl BoundsColumn {
    fn searched<'a>(&self, ranges: &'a [CellRange]) -> Searched<'a> {
        if ranges.is_empty() {
            Searched::Everything
        } else if self.is_var() {
            Searched::Texts(disjoint(ranges.iter().map(|range| (range.low(), range.high())).collect()))
        } else {
            dispatch!(self.datatype().physical(), T => {
                let keys = |range: &CellRange| {
                    let (low, high) = range.ends::<T>();
                    (low.to_key(), high.to_key())
                };
                Searched::Keys(disjoint(ranges.iter().map(keys).collect()))
            })
        }
    }

    /// Drops the candidates of the level starting at node `start` that miss the ranges.
    fn retain(&self, start: usize, searched: &Searched, candidates: &mut Vec<Candidate>) {
        match searched {
            Searched::Everything => (),
            Searched::Texts(ranges) => candidates.retain_mut(|candidate| {
                let (low, high) = self.ends(start + candidate.node);
                candidate.test(meet(ranges, low, high))
            }),
            Searched::Keys(ranges) => dispatch!(self.datatype().physical(), T => {
                let bytes = self.fixed_bytes();
                candidates.retain_mut(|candidate| {
                    let range = &bytes[2 * size_of::<T>() * (start + candidate.node)..];
                    let (low, high) = (<T as Cell>::from_le(range), <T as Cell>::from_le(&range[size_of::<T>()..]));
                    candidate.test(meet(ranges, low.to_key(), high.to_key()))
                });
            }),
        }
    }
}

impl Candidate {
    fn test(&mut self, meeting: Option<bool>) -> bool {
        if !self.settled {
            self.full &= meeting == Some(true);
        }
        self.settled || meeting.is_some()
    }
}

/// `None` if no range intersects `low..=high`, else whether one contains all of it.
#[inline]
fn meet<K: Ord + Copy>(ranges: &[(K, K)], low: K, high: K) -> Option<bool> {
    let first = ranges.partition_point(|range| range.1 < low);
    let range = ranges.get(first).filter(|range| range.0 <= high)?;
    Some(range.0 <= low && high <= range.1)
}

/// Sorts ranges and joins those that share values.
fn disjoint<K: Ord + Copy>(mut ranges: Vec<(K, K)>) -> Vec<(K, K)> {
    sort::by(&mut ranges, Ord::cmp);
    ranges.dedup_by(|next, range| {
        let joins = next.0 <= range.1;
        if joins {
            range.1 = range.1.max(next.1);
        }
        joins
    });
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tiledb_core::types::{Datatype, NdRange};

    /// Expected result, by comparing every box.
    fn by_hand(boxes: &[NdRange], types: &[Datatype], ranges: &[Vec<CellRange>]) -> Vec<u64> {
        let meets = |mbr: &NdRange| {
            (0..types.len()).all(|d| ranges[d].is_empty() || ranges[d].iter().any(|r| r.overlaps(types[d], &mbr[d])))
        };
        (0..boxes.len() as u64).filter(|&tile| meets(&boxes[tile as usize])).collect()
    }

    fn ranges_of(pairs: &[(i8, i8)]) -> Vec<CellRange> {
        pairs.iter().map(|&(a, b)| CellRange::of(a.min(b), a.max(b))).collect()
    }

    fn text_range(a: &str, b: &str) -> CellRange {
        CellRange::var(a.min(b).as_bytes(), a.max(b).as_bytes())
    }

    proptest! {
        #[test]
        fn finds_what_a_scan_finds(
            boxes in prop::collection::vec(((any::<i8>(), any::<i8>()), ("[a-c]{0,3}", "[a-c]{0,3}")), 0..200),
            numbers in prop::collection::vec((any::<i8>(), any::<i8>()), 0..4),
            texts in prop::collection::vec(("[a-c]{0,3}", "[a-c]{0,3}"), 0..3),
        ) {
            let types = [Datatype::Int8, Datatype::StringAscii];
            let boxes: Vec<NdRange> = boxes
                .iter()
                .map(|((a, b), (s, t))| vec![CellRange::of(*a.min(b), *a.max(b)), text_range(s, t)])
                .collect();
            let mut builder = RTree::builder(&[(types[0], false), (types[1], true)]);
            for mbr in &boxes {
                builder.push(mbr).unwrap();
            }
            let ranges = [ranges_of(&numbers), texts.iter().map(|(s, t)| text_range(s, t)).collect()];
            let covers = builder.build().unwrap().overlapping(&ranges);
            let tiles: Vec<u64> = covers.iter().map(|cover| cover.tile).collect();
            prop_assert_eq!(tiles, by_hand(&boxes, &types, &ranges));
            for cover in covers.iter().filter(|cover| cover.full) {
                let mbr = &boxes[cover.tile as usize];
                for value in mbr[0].ends::<i8>().0..=mbr[0].ends::<i8>().1 {
                    let inside = |r: &CellRange| r.ends::<i8>().0 <= value && value <= r.ends::<i8>().1;
                    prop_assert!(ranges[0].is_empty() || ranges[0].iter().any(inside));
                }
            }
        }
    }

    #[test]
    fn a_box_inside_one_range_is_full() {
        let mut builder = RTree::builder(&[(Datatype::Float64, false)]);
        for i in 0..30 {
            builder.push(&[CellRange::of(f64::from(i), f64::from(i) + 0.5)]).unwrap();
        }
        let covers = builder.build().unwrap().overlapping(&[vec![CellRange::of(2.25f64, 4.0)]]);
        let expected = [(2, false), (3, true), (4, false)];
        assert_eq!(covers, expected.map(|(tile, full)| TileCover { tile, full }));
    }
}
