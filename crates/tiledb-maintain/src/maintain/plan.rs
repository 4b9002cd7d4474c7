//! The consolidation plan: groups the fragments of an open array, so that overlapping fragments are merged together and
//! the results have about the requested size.

use std::cell::RefCell;
use std::fmt::Write;

use super::region_ranks::ranks;
use tiledb_array::array::OpenArray;
use tiledb_cells::space::box_index::{self, BoxIndex};
use tiledb_cells::space::grid::CoordSpan;
use tiledb_core::error::Result;
use tiledb_core::sort;
use tiledb_core::types::{Name, NdRange};

/// A plan: nodes of fragments to be merged into one each, or single fragments to be divided.
pub struct ConsolidationPlan {
    nodes: Vec<Vec<Name>>,
}

/// Fragments that go together.
#[derive(Clone, Default)]
struct Node {
    names: Vec<Name>,
    /// Bytes of all their files.
    size: u64,
    /// The box around all their cells.
    region: Vec<CoordSpan>,
}

impl ConsolidationPlan {
    /// A plan for an array open for reading; `wanted` is the target size of a fragment in bytes.
    ///
    /// # Errors
    /// If the size of a fragment cannot be determined.
    pub fn new(array: &OpenArray, wanted: u64) -> Result<ConsolidationPlan> {
        let fragments = array.fragments()?;
        let regions: Vec<&NdRange> = fragments.iter().map(|fragment| fragment.non_empty_domain()).collect();
        let mut nodes = Vec::new();
        for (fragment, region) in fragments.iter().zip(ranks(array.schema().domain(), &regions)) {
            let metadata = fragment.metadata_size()?;
            nodes.push(Node {
                names: vec![Name::new(fragment.name().as_str())],
                size: fragment.data_size().saturating_add(metadata),
                region,
            });
        }
        let nodes = combine_nodes(nodes, wanted);
        Ok(ConsolidationPlan { nodes: nodes.into_iter().map(|node| node.names).collect() })
    }

    /// A plan from its parts, as received from a server.
    pub fn from_parts(nodes: Vec<Vec<Name>>) -> ConsolidationPlan {
        ConsolidationPlan { nodes }
    }

    /// The nodes: names of fragments, the last parts of their URIs.
    pub fn nodes(&self) -> &[Vec<Name>] {
        &self.nodes
    }

    /// The plan as JSON.
    pub fn dump(&self) -> String {
        let mut text = "{\n  \"nodes\": [\n".to_owned();
        for (number, names) in self.nodes.iter().enumerate() {
            text.push_str("    {\n      \"uris\" : [\n");
            for (place, name) in names.iter().enumerate() {
                let comma = if place + 1 < names.len() { "," } else { "" };
                // Writing into a string cannot fail.
                _ = write!(text, "        {{\n           \"uri\" : \"{}\"\n        }}{comma}\n", name.as_str());
            }
            let comma = if number + 1 < self.nodes.len() { "," } else { "" };
            _ = write!(text, "      ]\n    }}{comma}\n");
        }
        text.push_str("  ]\n}\n");
        text
    }
}

/// Combines overlapping nodes, then small ones; returns nodes of several fragments, followed by fragments that are much
/// too large.
fn combine_nodes(mut nodes: Vec<Node>, wanted: u64) -> Vec<Node> {
    combine(
        &mut nodes,
        |_| true,
        |nodes, index, current, behind| index.next_overlapping(&nodes[current].region, behind),
    );
    let small = |node: &Node| node.size <= wanted / 2;
    combine(&mut nodes, small, |nodes, index, current, behind| next_reachable(nodes, index, current, behind, &small));
    let several = partition(&mut nodes, |node| node.names.len() > 1);
    let largest = partition(&mut nodes[several..], |node| node.size as f64 >= wanted as f64 * 1.5);
    nodes.truncate(several + largest);
    nodes
}

/// Adds to each node that `takes` others the later nodes chosen by `next`, until nothing changes.
fn combine(
    nodes: &mut Vec<Node>,
    takes: impl Fn(&Node) -> bool,
    next: impl Fn(&[Node], &BoxIndex, usize, usize) -> Option<usize>,
) {
    loop {
        let before = nodes.len();
        let mut index = BoxIndex::new(nodes.iter().map(|node| node.region.clone()).collect());
        for current in 0..before {
            // A node whose names another one took is none any more.
            if nodes[current].names.is_empty() || !takes(&nodes[current]) {
                continue;
            }
            let mut behind = current;
            while let Some(other) = next(nodes, &index, current, behind) {
                let Node { names, size, region } = std::mem::take(&mut nodes[other]);
                index.remove(other);
                index.grow(current, &region);
                let node = &mut nodes[current];
                node.names.extend(names);
                node.size = node.size.saturating_add(size);
                node.region.clone_from(&index.boxes()[current]);
                behind = other;
            }
        }
        nodes.retain(|node| !node.names.is_empty());
        if nodes.len() == before {
            return;
        }
    }
}

/// The first later small node that can be merged such that the common bounding box overlaps no third node.
fn next_reachable(
    nodes: &[Node],
    index: &BoxIndex,
    current: usize,
    behind: usize,
    small: &impl Fn(&Node) -> bool,
) -> Option<usize> {
    let own = &nodes[current].region;
    let around = |other: &[CoordSpan]| own.iter().zip(other).map(|(own, other)| own.join(*other)).collect::<Vec<_>>();
    // A node that was found blocks all nodes beyond it.
    let found = RefCell::new(Vec::new());
    let hides = |hull: &[CoordSpan], other: &usize| {
        let sides = own.iter().zip(hull).zip(&nodes[*other].region);
        sides.fold(true, |all, ((own, hull), other)| {
            all && own.low.min(hull.high) <= other.high && own.high.max(hull.low) >= other.low
        })
    };
    let mut enter = |node: &box_index::BoxNode| !found.borrow().iter().any(|other| hides(&node.hull, other));
    index.search(own, &mut enter, &mut |place| {
        found.borrow_mut().extend(Some(place).filter(|place| *place != current));
        false
    });
    let mut found = found.into_inner();
    found.retain(|place| behind < *place && small(&nodes[*place]));
    sort::by(&mut found, Ord::cmp);
    found.into_iter().find(|place| !index.overlaps_others(&around(&nodes[*place].region), [current, *place]))
}

/// Partitions nodes in place, exchanging from both ends; returns how many match. The order equals that of libtiledb.
fn partition(nodes: &mut [Node], wanted: impl Fn(&Node) -> bool) -> usize {
    let (mut first, mut last) = (0, nodes.len());
    loop {
        while first < last && wanted(&nodes[first]) {
            first += 1;
        }
        while first < last && !wanted(&nodes[last - 1]) {
            last -= 1;
        }
        if first == last {
            return first;
        }
        nodes.swap(first, last - 1);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::maintain::merge_rule::{CellPrecedence, FragmentBox, MergeRule};
    use std::sync::Arc;
    use tiledb_array::fragment::FragmentName;
    use tiledb_array::schema::{Dimension, Domain};
    use tiledb_cells::space::box_index::overlap;
    use tiledb_core::types::{CURRENT_VERSION, CellRange, Datatype};

    /// The plan for fragments of these sizes and extents on one axis; they are named by their numbers.
    fn planned(fragments: &[(u64, i32, i32)], wanted: u64) -> Vec<String> {
        let ends = [0i32, 10_000].map(i32::to_le_bytes).concat();
        let dimension = Dimension::new("x", Datatype::Int32, Some(&ends), Some(&10i32.to_le_bytes())).unwrap();
        let regions: Vec<NdRange> = fragments.iter().map(|&(_, low, high)| vec![CellRange::of(low, high)]).collect();
        let boxes = ranks(&Domain::of(vec![Arc::new(dimension)]), &regions.iter().collect::<Vec<_>>());
        let node = |number: usize, size: u64, region: &[CoordSpan]| Node {
            names: vec![Name::new(&number.to_string())],
            size,
            region: region.to_vec(),
        };
        let sizes = fragments.iter().map(|fragment| fragment.0).enumerate();
        let nodes = sizes.zip(&boxes).map(|((number, size), region)| node(number, size, region)).collect();
        let nodes = combine_nodes(nodes, wanted);
        nodes.iter().map(|node| node.names.iter().map(Name::as_str).collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn what_overlaps_comes_together() {
        let fragments = [(10, 1, 2), (10, 3, 4), (10, 10, 11), (10, 2, 3), (10, 50, 60)];
        assert_eq!(planned(&fragments, 15), ["0 3 1"]);
        assert_eq!(planned(&fragments, 0), ["0 3 1", "2", "4"]);
        assert!(planned(&[], 5).is_empty());
    }

    #[test]
    fn small_ones_come_together_where_no_other_lies_between() {
        let fragments = [(10, 0, 1), (10, 50, 51), (10, 3, 4), (10, 60, 61), (10, 6, 7)];
        assert!(planned(&fragments, 19).is_empty());
        assert_eq!(planned(&fragments, 20), ["0 2 4", "1 3"]);
        assert_eq!(planned(&fragments, 59), ["0 2 4", "1 3"]);
        assert_eq!(planned(&fragments, 60), ["0 2 4 1 3"]);
    }

    #[test]
    fn large_ones_are_to_be_divided() {
        let fragments = [(31, 0, 1), (30, 10, 11), (29, 20, 21), (30, 30, 40), (31, 35, 36)];
        assert_eq!(planned(&fragments, 20), ["3 4", "1", "0"]);
    }

    /// As [`combine_nodes`], by exhaustive search.
    fn by_looks_at_all(mut nodes: Vec<Node>, wanted: u64) -> Vec<Node> {
        let around = |a: &Node, b: &Node| -> Vec<CoordSpan> {
            a.region.iter().zip(&b.region).map(|(a, b)| a.join(*b)).collect()
        };
        for of_all in [true, false] {
            let is_small = |node: &Node| node.size <= wanted / 2;
            let fit = |nodes: &[Node], current: usize, other: usize| {
                let union = around(&nodes[current], &nodes[other]);
                let is_between = |at: usize| at != current && at != other && overlap(&union, &nodes[at].region);
                match of_all {
                    true => overlap(&nodes[current].region, &nodes[other].region),
                    false => is_small(&nodes[other]) && !(0..nodes.len()).any(is_between),
                }
            };
            loop {
                let before = nodes.len();
                let mut current = 0;
                while current < nodes.len() {
                    let takes = of_all || is_small(&nodes[current]);
                    let mut other = if takes { current + 1 } else { nodes.len() };
                    while other < nodes.len() {
                        if fit(&nodes, current, other) {
                            nodes[current].region = around(&nodes[current], &nodes[other]);
                            let added = nodes.remove(other);
                            nodes[current].names.extend(added.names);
                            nodes[current].size += added.size;
                        } else {
                            other += 1;
                        }
                    }
                    current += 1;
                }
                if nodes.len() == before {
                    break;
                }
            }
        }
        let several = partition(&mut nodes, |node| node.names.len() > 1);
        let largest = partition(&mut nodes[several..], |node| node.size as f64 >= wanted as f64 * 1.5);
        nodes.truncate(several + largest);
        nodes
    }

    proptest! {
        #[test]
        fn the_index_finds_what_looks_at_all_nodes_find(
            fragments in prop::collection::vec((1u64..50, (0u64..60, 0u64..4), (0u64..60, 0u64..4)), 0..80),
            dimensions in 1usize..=2,
            wanted in 0u64..120,
        ) {
            let nodes = fragments.iter().enumerate().map(|(number, (size, x, y))| Node {
                names: vec![Name::new(&number.to_string())],
                size: *size,
                region: [x, y][..dimensions].iter().map(|side| CoordSpan { low: side.0, high: side.0 + side.1 }).collect(),
            });
            let nodes: Vec<Node> = nodes.collect();
            let names = |nodes: Vec<Node>| nodes.into_iter().map(|node| node.names).collect::<Vec<_>>();
            prop_assert_eq!(names(combine_nodes(nodes.clone(), wanted)), names(by_looks_at_all(nodes, wanted)));
        }

        #[test]
        fn merges_of_nodes_change_no_cell(
            fragments in prop::collection::vec((1u64..50, 0u64..40, 0u64..4, 1u64..4, 0u64..3), 0..40),
            wanted in 0u64..120,
        ) {
            let boxes: Vec<FragmentBox> = fragments.iter().map(|&(_, low, more, start, longer)| FragmentBox {
                name: FragmentName::new(start, start + longer, CURRENT_VERSION),
                region: vec![CoordSpan { low, high: low + more }],
                replaced_by: None,
            }).collect();
            let nodes = fragments.iter().zip(&boxes).map(|(fragment, own)| Node {
                names: vec![Name::new(own.name.as_str())],
                size: fragment.0,
                region: own.region.clone(),
            });
            let nodes = combine_nodes(nodes.collect(), wanted);
            for precedence in [CellPrecedence::LastBox, CellPrecedence::LatestCell, CellPrecedence::LastFragment] {
                let rule = MergeRule::new(precedence, boxes.clone());
                for node in &nodes {
                    let position = |name: &Name| rule.position(&FragmentName::parse(name.as_str()).unwrap()).unwrap();
                    let mut set = rule.set(position(&node.names[0]));
                    node.names.iter().for_each(|name| rule.add(&mut set, position(name)));
                    prop_assert!(rule.check(&set).is_ok());
                }
            }
        }
    }
}
