//! The source fragment of a dense cell: the latest whose non-empty domain contains the cell.

use super::box_index::BoxIndex;
use super::grid::CoordSpan;

/// Cuts the box `bounds` into disjoint boxes by source: the index of a fragment in the list, or `None` for cells that
/// were not written. `fragments` are ordered from the earliest to the latest.
pub fn cover(bounds: &[CoordSpan], fragments: &BoxIndex) -> Vec<(Option<usize>, Vec<CoordSpan>)> {
    let mut covers = Vec::new();
    let mut open = vec![bounds.to_vec()];
    for source in fragments.overlapping(bounds) {
        if open.is_empty() {
            break;
        }
        let fragment = &fragments.boxes()[source];
        let mut left = Vec::new();
        for part in open {
            match intersect(&part, fragment) {
                Some(common) => {
                    subtract(part, &common, &mut left);
                    covers.push((Some(source), common));
                }
                None => left.push(part),
            }
        }
        open = left;
    }
    covers.extend(open.into_iter().map(|bounds| (None, bounds)));
    covers
}

/// Cuts the cells `holes`, each a box of one cell inside the box, in row-major order, out of a box.
pub fn carve(bounds: Vec<CoordSpan>, holes: &[Vec<CoordSpan>]) -> Vec<Vec<CoordSpan>> {
    let mut left = Vec::new();
    let mut open = vec![(bounds, holes.iter().collect::<Vec<_>>())];
    while let Some((part, holes)) = open.pop() {
        // The middle one, so that both sides have few.
        let Some(&hole) = holes.get(holes.len() / 2) else {
            left.push(part);
            continue;
        };
        let mut around = Vec::new();
        subtract(part, hole, &mut around);
        for part in around {
            let inside = holes.iter().copied().filter(|hole| contains(&part, hole)).collect();
            open.push((part, inside));
        }
    }
    left
}

/// True if a box contains another.
#[inline]
pub fn contains(outer: &[CoordSpan], inner: &[CoordSpan]) -> bool {
    outer.iter().zip(inner).all(|(outer, inner)| outer.contains(*inner))
}

/// The intersection of two boxes.
pub fn intersect(a: &[CoordSpan], b: &[CoordSpan]) -> Option<Vec<CoordSpan>> {
    if a.iter().zip(b).any(|(a, b)| a.intersect(*b).is_none()) {
        return None;
    }
    Some(a.iter().zip(b).filter_map(|(a, b)| a.intersect(*b)).collect())
}

/// `part` without `hole`, which is inside it, as disjoint boxes.
fn subtract(mut part: Vec<CoordSpan>, hole: &[CoordSpan], left: &mut Vec<Vec<CoordSpan>>) {
    for d in 0..part.len() {
        if part[d].low < hole[d].low {
            let mut below = part.clone();
            below[d].high = hole[d].low - 1;
            left.push(below);
        }
        if hole[d].high < part[d].high {
            let mut above = part.clone();
            above[d].low = hole[d].high + 1;
            left.push(above);
        }
        part[d] = hole[d];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn span() -> impl Strategy<Value = CoordSpan> {
        (0u64..12, 0u64..5).prop_map(|(low, more)| CoordSpan { low, high: low + more })
    }

    proptest! {
        #[test]
        fn what_is_left_is_all_but_the_holes(
            bounds in prop::collection::vec(span(), 2..=2),
            holes in prop::collection::btree_set((0u64..18, 0u64..18), 0..40),
        ) {
            let point = |x: u64, y: u64| vec![CoordSpan { low: x, high: x }, CoordSpan { low: y, high: y }];
            let inside: Vec<_> =
                holes.iter().map(|&(x, y)| point(x, y)).filter(|hole| contains(&bounds, hole)).collect();
            let left = carve(bounds.clone(), &inside);
            for x in 0..18 {
                for y in 0..18 {
                    let expected = holds(&bounds, x, y) && !holes.contains(&(x, y));
                    prop_assert_eq!(left.iter().filter(|part| holds(part, x, y)).count(), usize::from(expected));
                }
            }
        }
    }

    fn holds(bounds: &[CoordSpan], x: u64, y: u64) -> bool {
        let point = [CoordSpan { low: x, high: x }, CoordSpan { low: y, high: y }];
        bounds.iter().zip(point).all(|(bound, point)| bound.contains(point))
    }

    proptest! {
        #[test]
        fn every_cell_has_one_source_the_latest(
            bounds in prop::collection::vec(span(), 2..=2),
            fragments in prop::collection::vec(prop::collection::vec(span(), 2..=2), 0..6),
        ) {
            let covers = cover(&bounds, &BoxIndex::new(fragments.clone()));
            for x in 0..18 {
                for y in 0..18 {
                    let sources: Vec<_> = covers.iter().filter(|(_, bounds)| holds(bounds, x, y)).collect();
                    if !holds(&bounds, x, y) {
                        prop_assert!(sources.is_empty());
                        continue;
                    }
                    let latest = (0..fragments.len()).rfind(|&source| holds(&fragments[source], x, y));
                    prop_assert_eq!(sources.len(), 1);
                    prop_assert_eq!(sources[0].0, latest);
                }
            }
        }
    }
}
