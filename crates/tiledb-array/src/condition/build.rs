//! Conditions as users build them: combining two conditions shares their parts, so that it takes constant time.

use std::fmt;
use std::sync::Arc;

use super::{Combination, Comparison, ComparisonOperator, Predicate};
use tiledb_core::error::{Result, bail};

/// A condition. Cloning shares the contents.
#[derive(Clone)]
pub struct Condition(Arc<Branch>);

impl fmt::Debug for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.predicate(), f)
    }
}

/// One node of the tree. Its parts may be shared with other conditions.
struct Branch {
    kind: Kind,
    parts: Vec<Arc<Branch>>,
    /// Comparisons below, each counted as often as it appears.
    size: u64,
    /// Some comparison has an operator that no number names.
    has_unknown: bool,
}

enum Kind {
    Leaf(Arc<Comparison>),
    Both(Combination),
    Not,
    /// Sets whether values of enumerations are compared, or their indexes.
    UseEnumeration(bool),
}

impl Drop for Branch {
    fn drop(&mut self) {
        let mut open = std::mem::take(&mut self.parts);
        while let Some(part) = open.pop() {
            if let Some(mut part) = Arc::into_inner(part) {
                open.append(&mut part.parts);
            }
        }
    }
}

/// The most comparisons that a condition may have when it is used.
const MOST: u64 = 1 << 24;

impl Condition {
    /// The condition of one comparison.
    pub fn new(comparison: Comparison) -> Condition {
        let has_unknown = matches!(comparison.operator, ComparisonOperator::Unknown(_));
        Condition(Arc::new(Branch { kind: Kind::Leaf(Arc::new(comparison)), parts: Vec::new(), size: 1, has_unknown }))
    }

    fn of(kind: Kind, parts: Vec<Arc<Branch>>) -> Condition {
        let size = parts.iter().map(|part| part.size).fold(0, u64::saturating_add);
        let has_unknown = parts.iter().any(|part| part.has_unknown);
        Condition(Arc::new(Branch { kind, parts, size, has_unknown }))
    }

    /// Both conditions by AND or OR.
    #[must_use]
    pub fn combine(&self, other: &Condition, combination: Combination) -> Condition {
        Condition::of(Kind::Both(combination), vec![self.0.clone(), other.0.clone()])
    }

    /// The negation, by De Morgan's laws; null cells do not match it either.
    ///
    /// # Errors
    /// For an operator that no number names.
    pub fn negate(&self) -> Result<Condition> {
        if self.0.has_unknown {
            ComparisonOperator::Unknown(u32::MAX).negated()?;
        }
        Ok(Condition::of(Kind::Not, vec![self.0.clone()]))
    }

    /// A copy in which all comparisons of enumerated fields are by value, or all by index.
    #[must_use]
    pub fn use_enumeration(&self, by_value: bool) -> Condition {
        let inner = match self.0.kind {
            Kind::UseEnumeration(_) => self.0.parts.clone(),
            _ => vec![self.0.clone()],
        };
        Condition::of(Kind::UseEnumeration(by_value), inner)
    }

    /// The flat form: no negations, and no AND directly inside AND nor OR inside OR.
    ///
    /// # Errors
    /// If there are too many comparisons.
    pub fn predicate(&self) -> Result<Predicate> {
        if self.0.size > MOST {
            bail!("QueryCondition: The condition has {} comparisons; at most {MOST} are supported", self.0.size);
        }
        let mut predicate = Predicate::default();
        let mut open = vec![Visit { part: &self.0, negated: false, by_value: None, group: None }];
        while let Some(visit) = open.pop() {
            let Visit { part, negated, by_value, mut group } = visit;
            match &part.kind {
                Kind::Leaf(comparison) => predicate.push_leaf(comparison, negated, by_value.unwrap_or(true), group)?,
                Kind::Both(combination) => {
                    let combination = if negated { combination.negated() } else { *combination };
                    group = Some(predicate.group_for(combination, group));
                }
                Kind::Not => {}
                Kind::UseEnumeration(_) => {}
            }
            let negated = negated != matches!(part.kind, Kind::Not);
            let by_value = match part.kind {
                // The outermost setting is the last one.
                Kind::UseEnumeration(set) => by_value.or(Some(set)),
                _ => by_value,
            };
            open.extend(part.parts.iter().rev().map(|part| Visit { part, negated, by_value, group }));
        }
        Ok(predicate)
    }
}

/// A part to be flattened, and the settings of the enclosing parts.
struct Visit<'a> {
    part: &'a Arc<Branch>,
    negated: bool,
    by_value: Option<bool>,
    /// The index of its group.
    group: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::super::PredicateNode;
    use super::*;

    fn leaf(field: &str, operator: ComparisonOperator) -> Condition {
        Condition::new(Comparison::new(field, Some(&[1]), operator).unwrap())
    }

    /// `a<` for a leaf, `&2` for a group of two.
    fn text(condition: &Condition) -> String {
        let predicate = condition.predicate().unwrap();
        let word = |node: &PredicateNode| match node {
            PredicateNode::Leaf(leaf) => {
                format!("{}{}{}", leaf.field(), leaf.operator.number(), if leaf.use_enumeration { "" } else { "#" })
            }
            PredicateNode::Group { combination, parts } => format!("{combination:?}{parts}"),
        };
        predicate.nodes().iter().map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn groups_of_one_kind_become_one() {
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| leaf(name, ComparisonOperator::Less));
        let and = Combination::And;
        let or = Combination::Or;
        assert_eq!(text(&a.combine(&b, and).combine(&c.combine(&d, and), and)), "And4 a0 b0 c0 d0");
        assert_eq!(text(&a.combine(&b, or).combine(&c.combine(&d, and), or)), "Or3 a0 b0 And2 c0 d0");
        assert_eq!(text(&a.combine(&b.combine(&c, or), and)), "And2 a0 Or2 b0 c0");
        let negated = a.combine(&b.combine(&c, or), and).negate().unwrap();
        assert_eq!(text(&negated), "Or2 a3 And2 b3 c3");
        assert_eq!(text(&negated.combine(&d, or).negate().unwrap()), "And3 a0 Or2 b0 c0 d3");
    }

    #[test]
    fn what_was_set_last_counts() {
        let [a, b] = ["a", "b"].map(|name| leaf(name, ComparisonOperator::Equal));
        let both = a.use_enumeration(false).combine(&b, Combination::And);
        assert_eq!(text(&both), "And2 a4# b4");
        assert_eq!(text(&both.use_enumeration(false)), "And2 a4# b4#");
        assert_eq!(text(&both.use_enumeration(false).use_enumeration(true)), "And2 a4 b4");
    }

    #[test]
    fn depth_is_no_danger() {
        let a = leaf("a", ComparisonOperator::Less);
        let mut deep = a.clone();
        for step in 0..1_000_000 {
            deep = match step % 4 {
                0 => deep.combine(&a, Combination::And),
                1 => a.combine(&deep, Combination::Or),
                2 => deep.negate().unwrap(),
                _ => deep.use_enumeration(step % 8 == 3),
            };
        }
        assert_eq!(deep.predicate().unwrap().leaves().count(), 500_001);
        drop(deep);
        let mut wide = a.clone();
        for _ in 0..60 {
            wide = wide.combine(&wide, Combination::And);
        }
        assert!(wide.predicate().is_err());
    }

    #[test]
    fn unknown_operators_cannot_be_negated() {
        let condition =
            leaf("a", ComparisonOperator::Unknown(77)).combine(&leaf("b", ComparisonOperator::Less), Combination::Or);
        assert!(condition.negate().is_err());
        assert!(condition.predicate().is_ok());
    }

    #[test]
    fn sets_are_checked() {
        let set = |offsets: &[u64]| Comparison::set("a", b"abcd", offsets, ComparisonOperator::In);
        assert!(set(&[]).is_err() && set(&[2, 0]).is_err() && set(&[0, 5]).is_err());
        let members: Vec<_> = set(&[1, 1, 4]).unwrap().value.members().map(<[u8]>::to_vec).collect();
        assert_eq!(members, [b"".to_vec(), b"bcd".to_vec(), b"".to_vec()]);
        assert!(Comparison::set("a", b"", &[0], ComparisonOperator::Equal).is_err());
    }
}
