//! Topological order of the parts of a folder, and cycles that prevent one.

use std::collections::{BTreeMap, BTreeSet};

use super::edges::Edge;

/// The parts, lowest first, in groups: those of one group reach each other in a circle. Inside a group, in the order in which
/// fewest uses run up, as far as a quick look tells.
pub fn groups(parts: &[String], edges: &[&Edge]) -> Vec<Vec<String>> {
    let mut uses: BTreeMap<&str, BTreeSet<&str>> = parts.iter().map(|part| (part.as_str(), BTreeSet::new())).collect();
    for edge in edges {
        uses.entry(&edge.user).or_default().insert(&edge.used);
    }
    let reach: BTreeMap<&str, BTreeSet<&str>> = uses.keys().map(|part| (*part, reached(&uses, part))).collect();
    let mut left: Vec<&str> = uses.keys().copied().collect();
    left.sort_by_key(|part| (reach[part].len() + usize::from(!reach[part].contains(part)), *part));
    let mut groups: Vec<Vec<String>> = Vec::new();
    while let Some(&first) = left.first() {
        let circle = |part: &&str| *part == first || (reach[first].contains(part) && reach[part].contains(first));
        let group: Vec<&str> = left.iter().copied().filter(circle).collect();
        left.retain(|part| !group.contains(part));
        groups.push(sorted(&group, edges));
    }
    groups
}

fn reached<'a>(uses: &BTreeMap<&'a str, BTreeSet<&'a str>>, part: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut waiting: Vec<&str> = uses[part].iter().copied().collect();
    while let Some(next) = waiting.pop() {
        if reached.insert(next) {
            waiting.extend(uses.get(next).into_iter().flatten());
        }
    }
    reached
}

/// Takes off the part that uses least of the others left, again and again.
fn sorted(group: &[&str], edges: &[&Edge]) -> Vec<String> {
    let mut left: Vec<&str> = group.to_vec();
    let mut order = Vec::new();
    while !left.is_empty() {
        let uses = |user: &str, left: &[&str]| {
            let other = |edge: &&&Edge| edge.user == user && edge.used != user && left.contains(&edge.used.as_str());
            edges.iter().filter(other).count() as i64
        };
        let used = |used: &str| {
            let other = |edge: &&&Edge| edge.used == used && left.contains(&edge.user.as_str());
            edges.iter().filter(other).count() as i64
        };
        let cost = |part: &str| (uses(part, &left) > 0, uses(part, &left) - used(part));
        let next = left.iter().copied().min_by_key(|part| cost(part)).unwrap();
        left.retain(|part| *part != next);
        order.push(next.to_owned());
    }
    order
}

/// Of the edges among these parts, those that run up in this order.
pub fn upward<'a>(order: &[String], edges: &[&'a Edge]) -> Vec<&'a Edge> {
    let place = |name: &str| order.iter().position(|part| part == name);
    let runs_up =
        |edge: &&Edge| place(&edge.user).is_some_and(|user| place(&edge.used).is_some_and(|used| used > user));
    edges.iter().copied().filter(runs_up).collect()
}
