//! Predicates: conditions flattened to a list of nodes, for evaluation and storage.

use std::sync::Arc;

use super::{Combination, Comparison, ComparisonOperator, ComparisonValue};
use tiledb_core::error::Result;

/// A condition in prefix order: each group is followed by its parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Predicate {
    nodes: Vec<PredicateNode>,
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
    pub(super) fn group_for(&mut self, wanted: Combination, around: Option<usize>) -> usize {
        if let Some(place) = around
            && let Some(PredicateNode::Group { combination, .. }) = self.nodes.get(place)
            && *combination == wanted
        {
            return place;
        }
        self.count(around);
        self.nodes.push(PredicateNode::Group { combination: wanted, parts: 0 });
        self.nodes.len() - 1
    }

    fn count(&mut self, group: Option<usize>) {
        if let Some(PredicateNode::Group { parts, .. }) = group.and_then(|place| self.nodes.get_mut(place)) {
            *parts += 1;
        }
    }

    /// The negation by De Morgan's laws, which delete commits store. Null cells and NaN match neither, so that the
    /// cells that do not match the negation are more than those that match the predicate.
    ///
    /// # Errors
    /// For operators that no number names, and after values of enumerations were found missing.
    pub fn negated(&self) -> Result<Predicate> {
        let mut predicate = self.clone();
        for node in &mut predicate.nodes {
            match node {
                PredicateNode::Leaf(leaf) => leaf.operator = leaf.operator.negated()?,
                PredicateNode::Group { combination, .. } => *combination = combination.negated(),
            }
        }
        Ok(predicate)
    }
}
