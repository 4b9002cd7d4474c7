//! Model of deletions: the cells that the stored condition of a delete commit keeps.

use crate::conditions::reference_model::{
    EQUAL, IN, Leaf, ModelCell, NOT_EQUAL, REVERSE, Sought, holds, holds_in, resolved, stored,
};
use crate::conditions::scenario::{Attribute, Scenario, Tree};

/// The negation of a condition, as a commit stores it, without groups directly in groups of the same kind.
enum Stored<'a> {
    /// A comparison with another operator.
    Leaf(&'a Tree, u64),
    /// A comparison that our library does not store.
    Known(bool),
    /// All parts must be met, or any of them.
    Group(bool, Vec<Stored<'a>>),
}

/// True if a deletion deletes a cell: if the cell does not meet what its commit stores.
pub fn is_deleted(scenario: &Scenario, cell: &ModelCell<'_>, (_, tree, by_us): &(u64, Tree, bool)) -> bool {
    let stored = negation_of(tree, true);
    let stored = if *by_us { simplified(scenario, stored) } else { stored };
    !keeps(scenario, cell, &stored, *by_us)
}

fn negation_of(tree: &Tree, negated: bool) -> Stored<'_> {
    match tree {
        Tree::Not(inner) => negation_of(inner, !negated),
        Tree::Leaf { operator, .. } => {
            Stored::Leaf(tree, if negated { REVERSE[*operator as usize] } else { *operator })
        }
        Tree::Both(left, right, combination) => {
            let all = (*combination == 0) != negated;
            let mut parts = Vec::new();
            for part in [left, right].map(|part| negation_of(part, negated)) {
                match part {
                    Stored::Group(kind, inner) if kind == all => parts.extend(inner),
                    part => parts.push(part),
                }
            }
            Stored::Group(all, parts)
        }
    }
}

/// Our library leaves out what holds for all cells or for none.
fn simplified<'a>(scenario: &Scenario, stored: Stored<'a>) -> Stored<'a> {
    match stored {
        Stored::Leaf(leaf, operator) => match is_known(scenario, leaf, operator) {
            Some(known) => Stored::Known(known),
            None => stored,
        },
        Stored::Known(_) => stored,
        Stored::Group(all, parts) => {
            let mut parts: Vec<Stored<'a>> = parts.into_iter().map(|part| simplified(scenario, part)).collect();
            if parts.iter().any(|part| matches!(part, Stored::Known(known) if *known != all)) {
                return Stored::Known(!all);
            }
            parts.retain(|part| !matches!(part, Stored::Known(_)));
            match parts.len() {
                0 => Stored::Known(all),
                1 => parts.remove(0),
                _ => Stored::Group(all, parts),
            }
        }
    }
}

/// The attribute of a comparison, with its number.
fn attribute<'s>(scenario: &'s Scenario, leaf: &Tree) -> Option<(usize, &'s Attribute)> {
    let Tree::Leaf { field, .. } = leaf else { return None };
    let number = field.strip_prefix('a')?.parse().ok()?;
    Some((number, scenario.attributes.get(number)?))
}

/// Whether a stored comparison, which is the negation of the given one, is met by all cells or by none. Deletions that our library
/// refuses do not matter.
fn is_known(scenario: &Scenario, leaf: &Tree, operator: u64) -> Option<bool> {
    let Tree::Leaf { value, members, by_index, .. } = leaf else { return None };
    let Some((_, attribute)) = attribute(scenario, leaf) else {
        return (value.is_none() && operator <= 5).then_some(operator == NOT_EQUAL);
    };
    let set = (operator > 5).then_some(&members[..]);
    match resolved(attribute, value.as_deref(), set, *by_index) {
        Leaf { set: Some(members), .. } => members.is_empty().then_some(operator != IN),
        Leaf { value: Sought::Null, .. } if !attribute.nullable => Some(operator == NOT_EQUAL),
        Leaf { value: Sought::Missing, .. } => Some(operator != EQUAL),
        _ => None,
    }
}

/// True if a cell meets the stored condition. A fragment that lacks the attribute of a comparison has no cell that meets it, and in a
/// disjunction such a comparison discards what precedes it.
fn keeps(scenario: &Scenario, cell: &ModelCell<'_>, part: &Stored<'_>, by_us: bool) -> bool {
    let lacks = |part: &Stored<'_>| matches!(part, Stored::Leaf(leaf, _) if is_absent(scenario, cell, leaf, by_us));
    match part {
        absent if lacks(absent) => false,
        Stored::Known(known) => *known,
        Stored::Leaf(leaf, operator) => keeps_leaf(scenario, cell, (leaf, *operator), by_us),
        Stored::Group(true, parts) => parts.iter().all(|part| keeps(scenario, cell, part, by_us)),
        Stored::Group(false, parts) => {
            let after_absent = parts.iter().rposition(lacks).map_or(0, |last| last + 1);
            parts[after_absent..].iter().any(|part| keeps(scenario, cell, part, by_us))
        }
    }
}

fn is_absent(scenario: &Scenario, cell: &ModelCell<'_>, leaf: &Tree, by_us: bool) -> bool {
    let Some((number, attribute)) = attribute(scenario, leaf) else { return false };
    let is_null = matches!(leaf, Tree::Leaf { value: None, members, .. } if members.is_empty());
    // The reference cannot read what it stores of comparisons of numbers with null; ours compares the fill value.
    stored(scenario, cell, number).is_none() && (by_us || !is_null || is_text(attribute))
}

fn is_text(attribute: &Attribute) -> bool {
    matches!(attribute.kind.number, 4 | 11 | 12)
}

fn keeps_leaf(scenario: &Scenario, cell: &ModelCell<'_>, (leaf, operator): (&Tree, u64), by_us: bool) -> bool {
    let (Some((number, attribute)), Tree::Leaf { value, .. }) = (attribute(scenario, leaf), leaf) else {
        return holds_in(scenario, cell, leaf, operator);
    };
    let is_character = attribute.kind.number == 4 && attribute.kind.values.is_some();
    // The reference stores null as the empty text, and compares the first of several characters.
    let compared = match value {
        _ if operator > 5 || by_us => None,
        None if is_text(attribute) => Some(&[][..]),
        Some(value) if is_character => Some(value.get(..1).unwrap_or_default()),
        _ => None,
    };
    match (compared, stored(scenario, cell, number)) {
        (Some(value), Some((bytes, valid))) => valid && holds(attribute.kind, operator, &bytes, value),
        _ => holds_in(scenario, cell, leaf, operator),
    }
}
