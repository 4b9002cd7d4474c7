//! The consolidation plan: which fragments of an open array are best merged, so that those that overlap come together
//! and the results have about a wanted size.

use std::fmt::Write;

use crate::array::OpenArray;
use crate::error::{Result, bail};
use crate::schema::Domain;
use crate::types::{Name, NdRange};

/// A plan: nodes of fragments to be merged into one each, or single fragments to be divided.
pub struct ConsolidationPlan {
    nodes: Vec<Vec<Name>>,
}

/// Fragments that go together.
#[derive(Clone)]
struct Node {
    names: Vec<Name>,
    /// Bytes of all their files.
    size: u64,
    /// The box around all their cells.
    region: NdRange,
}

impl ConsolidationPlan {
    /// A plan for an array open for reading; `wanted` is the size of a fragment in bytes.
    ///
    /// # Errors
    /// If the size of a fragment cannot be found out.
    pub fn new(array: &OpenArray, wanted: u64) -> Result<ConsolidationPlan> {
        let mut nodes = Vec::new();
        for fragment in array.fragments()? {
            let metadata = fragment.metadata_size()?;
            nodes.push(Node {
                names: vec![Name::new(fragment.name().as_str())],
                size: fragment.data_size().saturating_add(metadata),
                region: fragment.non_empty_domain().clone(),
            });
        }
        let nodes = brought_together(array.schema().domain(), nodes, wanted);
        Ok(ConsolidationPlan { nodes: nodes.into_iter().map(|node| node.names).collect() })
    }

    /// A plan that somebody else made.
    #[cfg(feature = "rest")]
    pub fn told(nodes: Vec<Vec<Name>>) -> ConsolidationPlan {
        ConsolidationPlan { nodes }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The names of a node's fragments: the last parts of their URIs.
    ///
    /// # Errors
    /// Beyond the last node.
    pub fn node(&self, node: u64) -> Result<&[Name]> {
        match usize::try_from(node).ok().and_then(|node| self.nodes.get(node)) {
            Some(names) => Ok(names),
            None => bail!("Error: ConsolidationPlan: Trying to access a node that doesn't exist."),
        }
    }

    /// The name of a fragment of a node.
    ///
    /// # Errors
    /// Beyond the last node, or its last fragment.
    pub fn fragment(&self, node: u64, fragment: u64) -> Result<&Name> {
        match usize::try_from(fragment).ok().and_then(|fragment| self.node(node).ok()?.get(fragment)) {
            Some(name) => Ok(name),
            None => {
                self.node(node)?;
                bail!("Error: ConsolidationPlan: Trying to access a fragment that doesn't exist.")
            }
        }
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

/// Brings together what overlaps, then what is small; nodes of several fragments and fragments that are much too large
/// remain, the former first.
fn brought_together(domain: &Domain, mut nodes: Vec<Node>, wanted: u64) -> Vec<Node> {
    let all = |_: &Node| true;
    combine(domain, &mut nodes, all, |nodes, (a, b)| overlap(domain, &nodes[a].region, &nodes[b].region));
    let small = |node: &Node| node.size <= wanted / 2;
    combine(domain, &mut nodes, small, |nodes, (current, other)| {
        let mut union = nodes[current].region.clone();
        expand(domain, &mut union, &nodes[other].region);
        let between =
            |(place, node): (usize, &Node)| place != current && place != other && overlap(domain, &union, &node.region);
        small(&nodes[other]) && !nodes.iter().enumerate().any(between)
    });
    let several = partition(&mut nodes, |node| node.names.len() > 1);
    let largest = partition(&mut nodes[several..], |node| node.size as f64 >= wanted as f64 * 1.5);
    nodes.truncate(several + largest);
    nodes
}

/// Adds to each node that `takes` others those behind it that `fit`, until nothing changes.
fn combine(
    domain: &Domain,
    nodes: &mut Vec<Node>,
    takes: impl Fn(&Node) -> bool,
    fit: impl Fn(&[Node], (usize, usize)) -> bool,
) {
    loop {
        let before = nodes.len();
        let mut current = 0;
        while current < nodes.len() {
            let mut other = if takes(&nodes[current]) { current + 1 } else { nodes.len() };
            while other < nodes.len() {
                if fit(nodes, (current, other)) {
                    let added = nodes.remove(other);
                    nodes[current].names.extend(added.names);
                    nodes[current].size = nodes[current].size.saturating_add(added.size);
                    expand(domain, &mut nodes[current].region, &added.region);
                } else {
                    other += 1;
                }
            }
            current += 1;
        }
        if nodes.len() == before {
            return;
        }
    }
}

/// Moves what is wanted to the front by exchanging it with what is not from both ends; how many there are. This order is
/// the reference's.
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

fn overlap(domain: &Domain, a: &NdRange, b: &NdRange) -> bool {
    let sides = a.iter().zip(b).zip(domain.dimensions());
    sides.fold(true, |all, ((a, b), dimension)| all && a.overlaps(dimension.datatype(), b))
}

fn expand(domain: &Domain, region: &mut NdRange, other: &NdRange) {
    for ((side, other), dimension) in region.iter_mut().zip(other).zip(domain.dimensions()) {
        side.expand(dimension.datatype(), other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Dimension;
    use crate::types::{CellRange, Datatype};
    use std::sync::Arc;

    /// The plan for fragments of these sizes and extents on one axis; they are named by their numbers.
    fn planned(fragments: &[(u64, i32, i32)], wanted: u64) -> Vec<String> {
        let ends = [0i32, 10_000].map(i32::to_le_bytes).concat();
        let dimension = Dimension::new("x", Datatype::Int32, Some(&ends), Some(&10i32.to_le_bytes())).unwrap();
        let node = |(number, &(size, low, high)): (usize, &(u64, i32, i32))| Node {
            names: vec![Name::new(&number.to_string())],
            size,
            region: vec![CellRange::of(low, high)],
        };
        let nodes = brought_together(
            &Domain::of(vec![Arc::new(dimension)]),
            fragments.iter().enumerate().map(node).collect(),
            wanted,
        );
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
}
