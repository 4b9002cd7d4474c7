//! Predicates: conditions flattened to a list of nodes, for evaluation and storage.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Combination, Comparison, ComparisonOperator, ComparisonValue};
use tiledb_core::error::Result;

/// A condition in prefix order: each group is followed by its parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Predicate {
    pub(super) nodes: Vec<PredicateNode>,
}

/// A comparison or a group of parts.
#[derive(Clone, Debug, PartialEq)]
pub enum PredicateNode {
    /// A comparison.
    Leaf(Leaf),
    /// A combination of the next `parts` subtrees.
    Group {
        /// Whether all parts or any of them must be true.
        combination: Combination,
        /// Number of parts.
        parts: usize,
    },
}

impl PredicateNode {
    fn into_leaf(self) -> Option<Leaf> {
        match self {
            PredicateNode::Leaf(leaf) => Some(leaf),
            PredicateNode::Group { .. } => None,
        }
    }
}

/// A predicate of which some comparisons are known.
#[derive(Clone, Debug, PartialEq)]
pub enum Simplified {
    /// All cells meet it, or none.
    Known(bool),
    Predicate(Predicate),
}

/// A comparison as it is evaluated: negations and settings of enclosing conditions are applied.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    comparison: Arc<Comparison>,
    pub operator: ComparisonOperator,
    /// Whether values of enumerated fields are compared instead of indexes.
    pub use_enumeration: bool,
}

impl Leaf {
    pub(super) fn new(comparison: Comparison, use_enumeration: bool) -> Leaf {
        Leaf { operator: comparison.operator, comparison: Arc::new(comparison), use_enumeration }
    }

    /// The name of the field.
    pub fn field(&self) -> &str {
        &self.comparison.field
    }

    /// Right-hand side of the comparison.
    pub fn value(&self) -> &ComparisonValue {
        &self.comparison.value
    }

    /// True for equality with a value or a member of a set, of which any of a group has to hold, and for their negations, all of which have to.
    fn is_equality(&self, combination: Combination) -> bool {
        let operators = match combination {
            Combination::Or => [ComparisonOperator::Equal, ComparisonOperator::In],
            Combination::And => [ComparisonOperator::NotEqual, ComparisonOperator::NotIn],
        };
        operators.contains(&self.operator) && *self.value() != ComparisonValue::Null
    }

    /// The values of equalities of a field as one set; `None` without any.
    fn set_of(leaves: &[Leaf]) -> Option<Leaf> {
        let first = leaves.first()?;
        let mut data = Vec::new();
        let mut offsets = Vec::new();
        for leaf in leaves {
            let mut add = |member: &[u8]| {
                offsets.push(data.len() as u64);
                data.extend_from_slice(member);
            };
            match leaf.value() {
                ComparisonValue::Bytes(value) => add(value),
                value => value.members().for_each(add),
            }
        }
        let operator = match first.operator {
            ComparisonOperator::Equal | ComparisonOperator::In => ComparisonOperator::In,
            _ => ComparisonOperator::NotIn,
        };
        let value = ComparisonValue::Set { data, offsets };
        let comparison = Comparison { field: first.field().to_owned(), operator, value };
        Some(Leaf::new(comparison, first.use_enumeration))
    }

    /// Replaces the operator and the value; of enumerated fields indexes are compared from now on.
    pub(super) fn replace(&mut self, operator: ComparisonOperator, value: ComparisonValue) {
        *self = Leaf::new(Comparison { field: self.comparison.field.clone(), operator, value }, false);
    }
}

impl Predicate {
    /// Groups and comparisons, from the root.
    pub fn nodes(&self) -> &[PredicateNode] {
        &self.nodes
    }

    /// The comparisons.
    pub fn leaves(&self) -> impl Iterator<Item = &Leaf> {
        self.nodes.iter().filter_map(|node| match node {
            PredicateNode::Leaf(leaf) => Some(leaf),
            PredicateNode::Group { .. } => None,
        })
    }

    /// The comparisons, to be changed.
    pub fn leaves_mut(&mut self) -> impl Iterator<Item = &mut Leaf> {
        self.nodes.iter_mut().filter_map(|node| match node {
            PredicateNode::Leaf(leaf) => Some(leaf),
            PredicateNode::Group { .. } => None,
        })
    }

    pub(super) fn push(&mut self, node: PredicateNode) {
        self.nodes.push(node);
    }

    /// Adds a comparison to the group at a place, or as the root.
    pub(super) fn push_leaf(
        &mut self,
        comparison: &Arc<Comparison>,
        negated: bool,
        use_enumeration: bool,
        group: Option<usize>,
    ) -> Result<()> {
        let operator = if negated { comparison.operator.negated()? } else { comparison.operator };
        self.count(group);
        self.nodes.push(PredicateNode::Leaf(Leaf { comparison: comparison.clone(), operator, use_enumeration }));
        Ok(())
    }

    /// The group for the parts of a combination: the one around it if it is of the same kind.
    pub(super) fn group_for(&mut self, joined_by: Combination, around: Option<usize>) -> usize {
        if let Some(place) = around
            && let Some(PredicateNode::Group { combination, .. }) = self.nodes.get(place)
            && *combination == joined_by
        {
            return place;
        }
        self.count(around);
        self.nodes.push(PredicateNode::Group { combination: joined_by, parts: 0 });
        self.nodes.len() - 1
    }

    fn count(&mut self, group: Option<usize>) {
        if let Some(PredicateNode::Group { parts, .. }) = group.and_then(|place| self.nodes.get_mut(place)) {
            *parts += 1;
        }
    }

    /// The predicate with equalities of a field that a group has at least `least` of as one set: `a == 1 or a == 2` is membership,
    /// `a != 1 and a != 2` is its negation. `is_joined` says which comparisons may be part of a set.
    pub fn with_sets(&self, least: usize, is_joined: impl Fn(&Leaf) -> bool) -> Predicate {
        // The equalities of each group and field.
        let mut equalities: BTreeMap<(usize, &str, bool), Vec<usize>> = BTreeMap::new();
        // Groups whose parts follow, with the number of those to come.
        let mut open: Vec<(usize, Combination, usize)> = Vec::new();
        for (place, node) in self.nodes.iter().enumerate() {
            while open.pop_if(|(_, _, pending)| *pending == 0).is_some() {}
            let group = open.last_mut().map(|(group, combination, pending)| {
                *pending -= 1;
                (*group, *combination)
            });
            match (node, group) {
                (PredicateNode::Group { combination, parts }, _) => open.push((place, *combination, *parts)),
                (PredicateNode::Leaf(leaf), Some((group, combination)))
                    if leaf.is_equality(combination) && is_joined(leaf) =>
                {
                    equalities.entry((group, leaf.field(), leaf.use_enumeration)).or_default().push(place);
                }
                (PredicateNode::Leaf(_), _) => {}
            }
        }
        equalities.retain(|_, places| places.len() >= least.max(2));
        if equalities.is_empty() {
            return self.clone();
        }
        let mut nodes: Vec<Option<PredicateNode>> = self.nodes.iter().cloned().map(Some).collect();
        for ((group, ..), places) in equalities {
            let leaves = places.iter().filter_map(|&place| nodes[place].take());
            let leaves: Vec<Leaf> = leaves.filter_map(PredicateNode::into_leaf).collect();
            nodes[places[0]] = Leaf::set_of(&leaves).map(PredicateNode::Leaf);
            if let Some(PredicateNode::Group { parts, .. }) = &mut nodes[group] {
                *parts -= places.len() - 1;
            }
        }
        // A group of a single part is that part.
        let is_single = |node: &PredicateNode| matches!(node, PredicateNode::Group { parts: 1, .. });
        Predicate { nodes: nodes.into_iter().flatten().filter(|node| !is_single(node)).collect() }
    }

    /// The predicate without comparisons whose result is known, which `known` says: that result if it is known of the whole.
    pub fn simplified(&self, known: impl Fn(&Leaf) -> Option<bool>) -> Simplified {
        if self.leaves().all(|leaf| known(leaf).is_none()) {
            return Simplified::Predicate(self.clone());
        }
        // From the last node on, so that the parts of a group are done before it: what is left of each, a result or a number of nodes.
        let mut done: Vec<Left> = Vec::new();
        let mut nodes: Vec<PredicateNode> = Vec::new();
        for node in self.nodes.iter().rev() {
            let left = match node {
                PredicateNode::Leaf(leaf) => match known(leaf) {
                    Some(result) => Left::Result(result),
                    None => {
                        nodes.push(node.clone());
                        Left::Nodes(1)
                    }
                },
                PredicateNode::Group { combination, parts } => {
                    let parts = done.split_off(done.len().saturating_sub(*parts));
                    combined(*combination, &parts, &mut nodes)
                }
            };
            done.push(left);
        }
        nodes.reverse();
        match done.pop() {
            Some(Left::Result(result)) => Simplified::Known(result),
            _ => Simplified::Predicate(Predicate { nodes }),
        }
    }
}

/// What is left of a part.
#[derive(Clone, Copy, PartialEq)]
enum Left {
    Result(bool),
    Nodes(usize),
}

/// What is left of a combination of parts, whose nodes are the last of `nodes`, from the last to the first.
fn combined(combination: Combination, parts: &[Left], nodes: &mut Vec<PredicateNode>) -> Left {
    let size = |part: &Left| if let Left::Nodes(count) = part { *count } else { 0 };
    let count: usize = parts.iter().map(size).sum();
    // The result of a part that decides; one with the other result does not matter.
    let decisive = combination == Combination::Or;
    if parts.contains(&Left::Result(decisive)) {
        nodes.truncate(nodes.len() - count);
        return Left::Result(decisive);
    }
    match parts.iter().filter(|part| size(part) > 0).count() {
        0 => Left::Result(!decisive),
        1 => Left::Nodes(count),
        parts => {
            nodes.push(PredicateNode::Group { combination, parts });
            Left::Nodes(count + 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A predicate in prefix order: `&` and `|` followed by the number of parts, `t` and `f` comparisons that are known, others that are not.
    fn parse(text: &str) -> Predicate {
        let mut nodes = Vec::new();
        let mut letters = text.chars();
        while let Some(letter) = letters.next() {
            nodes.push(match letter {
                '&' | '|' => PredicateNode::Group {
                    combination: if letter == '&' { Combination::And } else { Combination::Or },
                    parts: letters.next().and_then(|digit| digit.to_digit(10)).unwrap() as usize,
                },
                name => {
                    let comparison = Comparison::new(&name.to_string(), Some(b"1"), ComparisonOperator::Equal).unwrap();
                    PredicateNode::Leaf(Leaf::new(comparison, true))
                }
            });
        }
        Predicate { nodes }
    }

    #[test]
    fn known_comparisons_are_left_out() {
        let known = |leaf: &Leaf| match leaf.field() {
            "t" => Some(true),
            "f" => Some(false),
            _ => None,
        };
        for (text, expected) in [
            ("a", "a"),
            ("|2ab", "|2ab"),
            ("&2at", "a"),
            ("|2fa", "a"),
            ("&3atb", "&2ab"),
            ("|3afb", "|2ab"),
            ("&2|2fab", "&2ab"),
            ("|2&2at&2bc", "|2a&2bc"),
            ("&2|2ab|2cf", "&2|2abc"),
        ] {
            assert_eq!(parse(text).simplified(known), Simplified::Predicate(parse(expected)), "{text}");
        }
        for (text, expected) in
            [("t", true), ("f", false), ("&2fa", false), ("|2at", true), ("&2|2ffa", false), ("|2&2fa&2tt", true)]
        {
            assert_eq!(parse(text).simplified(known), Simplified::Known(expected), "{text}");
        }
    }

    /// Letters are fields that are compared with their places, as [`parse`] reads them; `+` before a set of so many equalities.
    fn sets(text: &str) -> String {
        let mut predicate = parse(text);
        for (place, leaf) in predicate.leaves_mut().enumerate() {
            let value = ComparisonValue::Bytes(place.to_string().into_bytes());
            leaf.comparison = Arc::new(Comparison { value, ..(*leaf.comparison).clone() });
        }
        let joined = predicate.with_sets(2, |leaf| leaf.field() != "x");
        let node = |node: &PredicateNode| match node {
            PredicateNode::Group { combination, parts } => {
                format!("{}{parts}", if *combination == Combination::And { '&' } else { '|' })
            }
            PredicateNode::Leaf(leaf) if leaf.operator == ComparisonOperator::In => {
                let members = leaf.value().members().map(|member| String::from_utf8(member.to_vec()).unwrap());
                format!("{}{{{}}}", leaf.field(), members.collect::<Vec<_>>().join(","))
            }
            PredicateNode::Leaf(leaf) => leaf.field().to_owned(),
        };
        joined.nodes().iter().map(node).collect()
    }

    #[test]
    fn equalities_of_a_group_become_sets() {
        for (text, expected) in [
            ("a", "a"),
            ("|2ab", "|2ab"),
            ("|2aa", "a{0,1}"),
            ("|3aba", "|2a{0,2}b"),
            ("|2xx", "|2xx"),
            // All have to hold, and only the negations are sets.
            ("&2aa", "&2aa"),
            ("&2|2aa|2bb", "&2a{0,1}b{2,3}"),
            ("|3a&2baa", "|2a{0,3}&2ba"),
            ("|2&2ab&2ab", "|2&2ab&2ab"),
            ("|4a|2aaaa", "|2a{0,3,4}a{1,2}"),
        ] {
            assert_eq!(sets(text), expected, "{text}");
        }
    }

    #[test]
    fn negated_equalities_and_sets_become_one_set() {
        let value = |value: &[u8], operator| Comparison::new("a", Some(value), operator).unwrap();
        let members = Comparison::set("a", b"xyz", &[0, 1], ComparisonOperator::NotIn).unwrap();
        let null = Comparison::new("a", None, ComparisonOperator::NotEqual).unwrap();
        let less = value(b"c", ComparisonOperator::Less);
        let leaf = |comparison: Comparison| PredicateNode::Leaf(Leaf::new(comparison, true));
        let group = |parts| PredicateNode::Group { combination: Combination::And, parts };
        let equal = value(b"b", ComparisonOperator::NotEqual);
        let nodes = vec![group(4), leaf(members), leaf(null.clone()), leaf(less.clone()), leaf(equal)];
        let joined = Comparison::set("a", b"xyzb", &[0, 1, 3], ComparisonOperator::NotIn).unwrap();
        let expected = vec![group(3), leaf(joined), leaf(null), leaf(less)];
        assert_eq!(Predicate { nodes }.with_sets(2, |_| true).nodes, expected);
    }

    #[test]
    fn long_chains_need_neither_stack_nor_time() {
        let known = |leaf: &Leaf| (leaf.field() == "f").then_some(false);
        let chain = |end: &str| parse(&("|2a&2b".repeat(50_000) + end));
        let Simplified::Predicate(predicate) = chain("f").simplified(known) else { panic!("it is not known") };
        assert_eq!(predicate.nodes.len(), 4 * 50_000 - 3);
        assert_eq!(chain("c").simplified(known), Simplified::Predicate(chain("c")));
    }
}
