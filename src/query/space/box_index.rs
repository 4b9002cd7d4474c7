//! An index of boxes, to find those that overlap another box.

use std::ops::Range;

use super::grid::Span;

/// Nodes of at most this many boxes are not divided.
const LEAF: usize = 8;

/// Boxes with a k-d tree over them.
pub struct BoxIndex {
    boxes: Vec<Vec<Span>>,
    /// The positions of the boxes; those of a node are consecutive.
    order: Vec<usize>,
    /// The root first, and behind each node its first child.
    nodes: Vec<Node>,
}

struct Node {
    /// The box around all of its boxes.
    hull: Vec<Span>,
    /// The lowest position of its boxes.
    first: usize,
    /// Its part of the order.
    part: Range<usize>,
    /// The number of its second child; leaves have no children.
    second: Option<usize>,
}

impl BoxIndex {
    /// The index of boxes of the same number of dimensions.
    pub fn new(boxes: Vec<Vec<Span>>) -> BoxIndex {
        let count = boxes.len();
        let mut index = BoxIndex { boxes, order: (0..count).collect(), nodes: Vec::new() };
        if count > 0 {
            index.build(0..count);
        }
        index
    }

    /// The boxes.
    pub fn boxes(&self) -> &[Vec<Span>] {
        &self.boxes
    }

    /// The positions of the boxes that overlap a box, the last one first.
    pub fn overlapping(&self, bounds: &[Span]) -> Vec<usize> {
        let mut found = Vec::new();
        self.visit(0, bounds, usize::MAX, &mut |place| {
            found.push(place);
            false
        });
        found.sort_unstable_by(|a, b| b.cmp(a));
        found
    }

    /// True if a box in front of the position `end` overlaps a box.
    pub fn overlaps_before(&self, bounds: &[Span], end: usize) -> bool {
        self.visit(0, bounds, end, &mut |_| true)
    }

    fn build(&mut self, part: Range<usize>) {
        let (boxes, own) = (&self.boxes, &mut self.order[part.clone()]);
        let mut hull = boxes[own[0]].clone();
        for place in &*own {
            hull.iter_mut().zip(&boxes[*place]).for_each(|(hull, side)| *hull = hull.join(*side));
        }
        let first = own.iter().copied().min().unwrap_or_default();
        let (number, half) = (self.nodes.len(), own.len() / 2);
        let is_leaf = own.len() <= LEAF;
        if !is_leaf {
            // Along the dimension in which the most of the boxes fit side by side.
            let length = |d: usize| own.iter().map(|place| boxes[*place][d].count() as f64).sum::<f64>();
            let room = |d: &usize| hull[*d].count() as f64 / length(*d);
            let d = (0..hull.len()).max_by(|a, b| room(a).total_cmp(&room(b))).unwrap_or_default();
            own.select_nth_unstable_by_key(half, |place| {
                u128::from(boxes[*place][d].low) + u128::from(boxes[*place][d].high)
            });
        }
        self.nodes.push(Node { hull, first, part: part.clone(), second: None });
        if !is_leaf {
            self.build(part.start..part.start + half);
            self.nodes[number].second = Some(self.nodes.len());
            self.build(part.start + half..part.end);
        }
    }

    /// Gives the positions before `end` of the boxes of a node that overlap a box, until `found` is true; gives whether it was.
    fn visit(&self, number: usize, bounds: &[Span], end: usize, found: &mut dyn FnMut(usize) -> bool) -> bool {
        let Some(node) = self.nodes.get(number).filter(|node| node.first < end && overlap(&node.hull, bounds)) else {
            return false;
        };
        let is_found = |place: &usize| *place < end && overlap(&self.boxes[*place], bounds) && found(*place);
        match node.second {
            Some(second) => self.visit(number + 1, bounds, end, found) || self.visit(second, bounds, end, found),
            None => self.order[node.part.clone()].iter().any(is_found),
        }
    }
}

/// True if boxes have something in common.
pub fn overlap(a: &[Span], b: &[Span]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.intersect(*b).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn boxes(count: Range<usize>) -> impl Strategy<Value = Vec<Vec<Span>>> {
        let span = (0u64..100, 0u64..12).prop_map(|(low, more)| Span { low, high: low + more });
        prop::collection::vec(prop::collection::vec(span, 2..=2), count)
    }

    proptest! {
        #[test]
        fn boxes_that_overlap_are_found(all in boxes(0..200), asked in boxes(1..10), end in 0usize..200) {
            let index = BoxIndex::new(all.clone());
            for bounds in &asked {
                let overlapping: Vec<usize> = (0..all.len()).rev().filter(|&at| overlap(&all[at], bounds)).collect();
                prop_assert_eq!(index.overlaps_before(bounds, end), overlapping.iter().any(|&at| at < end));
                prop_assert_eq!(index.overlapping(bounds), overlapping);
            }
        }
    }

    #[test]
    fn few_boxes_are_looked_at() {
        let side = |at: u64| Span { low: 10 * at, high: 10 * at + 9 };
        let index = BoxIndex::new(
            (0..10_000).map(|at| vec![side(at * 7919 % 10_000 % 100), side(at * 7919 % 10_000 / 100)]).collect(),
        );
        let open = index.nodes.iter().filter(|node| overlap(&node.hull, &[side(42), side(17)])).count();
        assert!(open < 15, "{open} of {} nodes", index.nodes.len());
        assert_eq!(index.overlapping(&[side(42), side(17)]).len(), 1);
    }
}
