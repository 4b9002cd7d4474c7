//! A spatial index of boxes, to find those that overlap another box.

use std::cell::Cell;
use std::ops::Range;

use super::grid::CoordSpan;
use tiledb_core::limits::selection::MAX_LEAF_BOXES;

/// Boxes with a k-d tree over them.
pub struct BoxIndex {
    boxes: Vec<Vec<CoordSpan>>,
    /// The positions of the boxes; those of a node are consecutive.
    order: Vec<usize>,
    /// By position, the number of the leaf; none once the box is removed.
    leaves: Vec<Option<usize>>,
    /// In preorder: the root first, each node followed by its first child.
    nodes: Vec<BoxNode>,
}

/// A node of the tree.
pub struct BoxNode {
    /// The box around all of its boxes.
    pub hull: Vec<CoordSpan>,
    /// The lowest and the highest position of its boxes.
    pub ends: (usize, usize),
    /// Its part of the order.
    part: Range<usize>,
    parent: Option<usize>,
    /// The number of its second child; leaves have no children.
    second: Option<usize>,
    /// How many of its boxes are not removed.
    left: usize,
}

impl BoxIndex {
    /// The index of boxes of the same number of dimensions.
    pub fn new(boxes: Vec<Vec<CoordSpan>>) -> BoxIndex {
        let count = boxes.len();
        let (order, leaves) = ((0..count).collect(), vec![None; count]);
        let mut index = BoxIndex { boxes, order, leaves, nodes: Vec::new() };
        if count > 0 {
            index.build(0..count, None);
        }
        index
    }

    /// All boxes, removed ones included.
    pub fn boxes(&self) -> &[Vec<CoordSpan>] {
        &self.boxes
    }

    /// The positions of the boxes that overlap a box, the last one first.
    pub fn overlapping(&self, bounds: &[CoordSpan]) -> Vec<usize> {
        let mut places = Vec::new();
        self.search(bounds, &mut |node| overlap(&node.hull, bounds), &mut |place| {
            places.extend(Some(place).filter(|_| overlap(&self.boxes[place], bounds)));
            false
        });
        places.sort_unstable_by(|a, b| b.cmp(a));
        places
    }

    /// True if a box in front of the position `end` overlaps a box.
    pub fn overlaps_before(&self, bounds: &[CoordSpan], end: usize) -> bool {
        let mut enter = |node: &BoxNode| node.ends.0 < end && overlap(&node.hull, bounds);
        self.search(bounds, &mut enter, &mut |place| place < end && overlap(&self.boxes[place], bounds))
    }

    /// True if a box other than these two overlaps a box.
    pub fn overlaps_others(&self, bounds: &[CoordSpan], but: [usize; 2]) -> bool {
        let mut is_match = |place: usize| !but.contains(&place) && overlap(&self.boxes[place], bounds);
        self.search(bounds, &mut |node| overlap(&node.hull, bounds), &mut is_match)
    }

    /// The position of the next box after `after` that overlaps a box.
    pub fn next_overlapping(&self, bounds: &[CoordSpan], after: usize) -> Option<usize> {
        let best = Cell::new(usize::MAX);
        let mut enter = |node: &BoxNode| after < node.ends.1 && node.ends.0 < best.get() && overlap(&node.hull, bounds);
        self.search(bounds, &mut enter, &mut |place| {
            if after < place && place < best.get() && overlap(&self.boxes[place], bounds) {
                best.set(place);
            }
            false
        });
        Some(best.get()).filter(|place| *place < usize::MAX)
    }

    /// Passes the positions of the boxes of all nodes that it may `enter`, nearest first, to `is_match` until it returns
    /// true; returns whether it did.
    pub fn search(
        &self,
        near: &[CoordSpan],
        enter: &mut dyn FnMut(&BoxNode) -> bool,
        is_match: &mut dyn FnMut(usize) -> bool,
    ) -> bool {
        !self.nodes.is_empty() && self.search_in(0, near, enter, is_match)
    }

    /// Replaces a box by a larger one.
    pub fn grow(&mut self, place: usize, larger: &[CoordSpan]) {
        let join =
            |hull: &mut Vec<CoordSpan>| hull.iter_mut().zip(larger).for_each(|(hull, side)| *hull = hull.join(*side));
        join(&mut self.boxes[place]);
        let mut next = self.leaves[place];
        while let Some(number) = next {
            join(&mut self.nodes[number].hull);
            next = self.nodes[number].parent;
        }
    }

    /// Removes a box; the others keep their positions.
    pub fn remove(&mut self, place: usize) {
        let mut next = self.leaves[place].take();
        while let Some(number) = next {
            self.nodes[number].left -= 1;
            next = self.nodes[number].parent;
        }
    }

    fn build(&mut self, part: Range<usize>, parent: Option<usize>) {
        let (boxes, own) = (&self.boxes, &mut self.order[part.clone()]);
        let mut hull = boxes[own[0]].clone();
        let mut ends = (own[0], own[0]);
        for place in &*own {
            hull.iter_mut().zip(&boxes[*place]).for_each(|(hull, side)| *hull = hull.join(*side));
            ends = (ends.0.min(*place), ends.1.max(*place));
        }
        let (number, count) = (self.nodes.len(), own.len());
        let is_leaf = count <= MAX_LEAF_BOXES.count();
        if is_leaf {
            own.iter().for_each(|place| self.leaves[*place] = Some(number));
        } else {
            // Along the dimension in which the most of the boxes fit side by side.
            let length = |d: usize| own.iter().map(|place| boxes[*place][d].count() as f64).sum::<f64>();
            let room = |d: &usize| hull[*d].count() as f64 / length(*d);
            let d = (0..hull.len()).max_by(|a, b| room(a).total_cmp(&room(b))).unwrap_or_default();
            let middle = |place: &usize| u128::from(boxes[*place][d].low) + u128::from(boxes[*place][d].high);
            own.select_nth_unstable_by_key(count / 2, middle);
        }
        self.nodes.push(BoxNode { hull, ends, part: part.clone(), parent, second: None, left: count });
        if !is_leaf {
            let middle = part.start + count / 2;
            self.build(part.start..middle, Some(number));
            self.nodes[number].second = Some(self.nodes.len());
            self.build(middle..part.end, Some(number));
        }
    }

    fn search_in(
        &self,
        number: usize,
        near: &[CoordSpan],
        enter: &mut dyn FnMut(&BoxNode) -> bool,
        is_match: &mut dyn FnMut(usize) -> bool,
    ) -> bool {
        let node = &self.nodes[number];
        if node.left == 0 || !enter(node) {
            return false;
        }
        let Some(second) = node.second else {
            return self.order[node.part.clone()].iter().any(|place| self.leaves[*place].is_some() && is_match(*place));
        };
        let distance = |child: usize| distance(&self.nodes[child].hull, near);
        let children =
            if distance(second) < distance(number + 1) { [second, number + 1] } else { [number + 1, second] };
        children.into_iter().any(|child| self.search_in(child, near, enter, is_match))
    }
}

/// Distance between boxes, summed over all dimensions.
fn distance(a: &[CoordSpan], b: &[CoordSpan]) -> u128 {
    let gap = |a: &CoordSpan, b: &CoordSpan| u128::from(b.low.saturating_sub(a.high).max(a.low.saturating_sub(b.high)));
    a.iter().zip(b).map(|(a, b)| gap(a, b)).sum()
}

/// True if boxes have something in common.
pub fn overlap(a: &[CoordSpan], b: &[CoordSpan]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.intersect(*b).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn boxes(count: Range<usize>) -> impl Strategy<Value = Vec<Vec<CoordSpan>>> {
        let span = (0u64..100, 0u64..12).prop_map(|(low, more)| CoordSpan { low, high: low + more });
        prop::collection::vec(prop::collection::vec(span, 2..=2), count)
    }

    proptest! {
        #[test]
        fn search_returns_the_overlapping_boxes(
            all in boxes(0..200),
            queries in boxes(1..10),
            end in 0usize..200,
            removed in prop::collection::vec(any::<prop::sample::Index>(), 0..50),
            grown in boxes(0..20),
        ) {
            let (mut index, mut left): (_, Vec<_>) = (BoxIndex::new(all.clone()), all.into_iter().map(Some).collect());
            for place in if left.is_empty() { &[][..] } else { &removed } {
                let place = place.index(left.len());
                if left[place].take().is_some() {
                    index.remove(place);
                }
            }
            for (place, (own, more)) in left.iter_mut().zip(&grown).enumerate() {
                if let Some(own) = own {
                    index.grow(place, more);
                    own.iter_mut().zip(more).for_each(|(side, more)| *side = side.join(*more));
                }
            }
            for bounds in &queries {
                let overlaps = |at: &usize| left[*at].as_ref().is_some_and(|own| overlap(own, bounds));
                let overlapping: Vec<usize> = (0..left.len()).rev().filter(overlaps).collect();
                prop_assert_eq!(index.overlaps_before(bounds, end), overlapping.iter().any(|&at| at < end));
                prop_assert_eq!(index.overlaps_others(bounds, [end, 3]), overlapping.iter().any(|at| ![end, 3].contains(at)));
                prop_assert_eq!(index.next_overlapping(bounds, end), overlapping.iter().rev().copied().find(|&at| at > end));
                prop_assert_eq!(index.overlapping(bounds), overlapping);
            }
        }
    }

    #[test]
    fn search_visits_few_boxes() {
        let side = |at: u64| CoordSpan { low: 10 * at, high: 10 * at + 9 };
        let index = BoxIndex::new(
            (0..10_000).map(|at| vec![side(at * 7919 % 10_000 % 100), side(at * 7919 % 10_000 / 100)]).collect(),
        );
        let open = index.nodes.iter().filter(|node| overlap(&node.hull, &[side(42), side(17)])).count();
        assert!(open < 15, "{open} of {} nodes", index.nodes.len());
        assert_eq!(index.overlapping(&[side(42), side(17)]).len(), 1);
    }
}
