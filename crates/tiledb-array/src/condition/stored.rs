//! Conditions of delete commits: from the condition of a delete query to the negation that its commit stores, and from the stored
//! one to what it means.
//!
//! A commit keeps the cells that match what it stores, as in libtiledb: null cells match no comparison and are always deleted,
//! so are cells of fragments that lack a compared attribute.

use super::check::check_leaf;
use super::{Comparison, ComparisonOperator, ComparisonValue, Leaf, Predicate, PredicateNode};
use crate::schema::Field;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{Datatype, NumberKind};

impl Predicate {
    /// The negation by De Morgan's laws, in operators and values that libtiledb can read.
    ///
    /// # Errors
    /// For comparisons that no commit can store.
    pub fn stored_negation<'s>(&self, field: impl Fn(&str) -> Option<&'s Field>) -> Result<Predicate> {
        let mut stored = Predicate::default();
        for node in &self.nodes {
            match node {
                PredicateNode::Group { combination, parts } => {
                    stored.push(PredicateNode::Group { combination: combination.negated(), parts: *parts });
                }
                PredicateNode::Leaf(leaf) => {
                    let negation = match field(leaf.field()) {
                        Some(field) => negation_of(leaf, field)?,
                        None => with_operator(leaf, leaf.operator.negated()?),
                    };
                    stored.push(PredicateNode::Leaf(negation));
                }
            }
        }
        Ok(stored)
    }

    /// The meaning of a stored predicate. Values without bytes, except for text, are null: libtiledb stores them, but cannot read
    /// them. Of fixed cells of `CHAR` only the first character is compared, which is all that libtiledb looks at.
    #[must_use]
    pub fn of_commit<'s>(&self, field: impl Fn(&str) -> Option<&'s Field>) -> Predicate {
        let mut predicate = self.clone();
        for leaf in predicate.leaves_mut() {
            let (Some(field), ComparisonValue::Bytes(bytes)) = (field(leaf.field()), leaf.value()) else { continue };
            let value = match bytes.first() {
                None if !field.datatype.is_text() => ComparisonValue::Null,
                Some(first) if is_fixed_char(field) => ComparisonValue::Bytes(vec![*first]),
                _ => continue,
            };
            leaf.replace(leaf.operator, value);
        }
        predicate
    }

    /// The meaning of a stored predicate in a fragment that lacks the fields of some comparisons: no cell matches these, and in a
    /// disjunction they also discard the parts before them. That is what libtiledb computes, so that the order of the parts
    /// determines the deleted cells.
    #[must_use]
    pub fn without_absent(&self, is_absent: impl Fn(&Leaf) -> bool) -> Predicate {
        // From the last node on, so that the parts of a group precede it: the number of nodes of each part, and whether it is an
        // absent field.
        let mut parts_done: Vec<(usize, bool)> = Vec::new();
        let mut nodes: Vec<PredicateNode> = Vec::new();
        for node in self.nodes.iter().rev() {
            match node {
                PredicateNode::Leaf(leaf) if is_absent(leaf) => {
                    nodes.push(PredicateNode::Leaf(with_operator(leaf, ComparisonOperator::AlwaysFalse)));
                    parts_done.push((1, true));
                }
                PredicateNode::Leaf(_) => {
                    nodes.push(node.clone());
                    parts_done.push((1, false));
                }
                PredicateNode::Group { combination, parts } => {
                    // The last part comes first.
                    let mut own = parts_done.split_off(parts_done.len().saturating_sub(*parts));
                    let is_or = *combination == super::Combination::Or;
                    if let Some(last_absent) = own.iter().position(|part| is_or && part.1) {
                        let discarded: usize = own.drain(last_absent + 1..).map(|part| part.0).sum();
                        nodes.truncate(nodes.len().saturating_sub(discarded));
                    }
                    nodes.push(PredicateNode::Group { combination: *combination, parts: own.len() });
                    parts_done.push((own.iter().map(|part| part.0).sum::<usize>() + 1, false));
                }
            }
        }
        nodes.reverse();
        Predicate { nodes }
    }
}

/// The leaf that keeps the cells that another one does not delete.
fn negation_of(leaf: &Leaf, field: &Field) -> Result<Leaf> {
    let name = leaf.field();
    let operator = leaf.operator.negated()?;
    match leaf.value() {
        ComparisonValue::Null if leaf.operator == ComparisonOperator::Equal => not_null(leaf, field),
        ComparisonValue::Null => bail!(
            "Deletes: Cannot delete the cells of which '{name}' is not null, since null cells match no stored condition and would be \
             deleted, too: compare '{name}' with a value, or delete by other fields"
        ),
        // libtiledb rejects sets without data.
        ComparisonValue::Set { data, offsets } if data.is_empty() && !offsets.is_empty() => {
            let is_in = operator == ComparisonOperator::In;
            let operator = if is_in { ComparisonOperator::Equal } else { ComparisonOperator::NotEqual };
            Ok(comparison(leaf, operator, ComparisonValue::Bytes(Vec::new())))
        }
        // Of a stored set all characters are compared, of a single value the first one only.
        ComparisonValue::Bytes(bytes)
            if is_fixed_char(field) && bytes.len() > 1 && bytes.len() == field.cell_size() =>
        {
            let operator = match operator {
                ComparisonOperator::Equal => ComparisonOperator::In,
                ComparisonOperator::NotEqual => ComparisonOperator::NotIn,
                _ => bail!(
                    "Deletes: Cannot delete by the order of '{name}', of type CHAR with {} characters: of a stored comparison only the \
                     first character counts; compare with a set (TILEDB_IN), with one character, or delete by other fields",
                    bytes.len()
                ),
            };
            Ok(comparison(leaf, operator, ComparisonValue::Set { data: bytes.clone(), offsets: vec![0] }))
        }
        _ => Ok(with_operator(leaf, operator)),
    }
}

/// A comparison that all cells match which are not null: what a delete of null cells stores. libtiledb cannot read comparisons
/// with null.
fn not_null(leaf: &Leaf, field: &Field) -> Result<Leaf> {
    let size = field.cell_size();
    let datatype = field.datatype;
    let at_least = |value: Vec<u8>| comparison(leaf, ComparisonOperator::GreaterOrEqual, ComparisonValue::Bytes(value));
    let stored = match datatype {
        // The first character is compared, as a signed number.
        _ if is_fixed_char(field) => at_least(vec![0x80; size]),
        text if text.is_text() => at_least(Vec::new()),
        _ => match datatype.physical().kind() {
            NumberKind::Unsigned => at_least(vec![0; size]),
            NumberKind::Signed => at_least([vec![0; size.saturating_sub(1)], vec![0x80]].concat()),
            // Every number differs from NaN, and so does NaN.
            NumberKind::Real => {
                let nan = if size == 4 { f32::NAN.to_le_bytes().to_vec() } else { f64::NAN.to_le_bytes().to_vec() };
                comparison(leaf, ComparisonOperator::NotEqual, ComparisonValue::Bytes(nan))
            }
        },
    };
    if check_leaf(&stored, field).is_err() {
        bail!(
            "Deletes: Cannot delete the cells of which '{}' is null, since delete commits cannot compare cells of type {} with this number \
             of values: delete by other fields",
            leaf.field(),
            datatype.name()
        );
    }
    Ok(stored)
}

fn is_fixed_char(field: &Field) -> bool {
    field.datatype == Datatype::Char && !field.is_var()
}

fn with_operator(leaf: &Leaf, operator: ComparisonOperator) -> Leaf {
    let mut leaf = leaf.clone();
    leaf.operator = operator;
    leaf
}

fn comparison(leaf: &Leaf, operator: ComparisonOperator, value: ComparisonValue) -> Leaf {
    Leaf::new(Comparison { field: leaf.field().to_owned(), operator, value }, false)
}

#[cfg(test)]
mod tests {
    use super::super::Combination;
    use super::*;
    use crate::schema::{ArraySchema, Attribute};
    use std::sync::Arc;
    use tiledb_core::types::ArrayType;

    /// A predicate in prefix order: `&` and `|` followed by the number of parts, names of fields, `f` for no cells.
    fn parse(text: &str) -> Predicate {
        let mut predicate = Predicate::default();
        let mut letters = text.chars();
        while let Some(letter) = letters.next() {
            predicate.push(match letter {
                '&' | '|' => PredicateNode::Group {
                    combination: if letter == '&' { Combination::And } else { Combination::Or },
                    parts: letters.next().and_then(|digit| digit.to_digit(10)).unwrap() as usize,
                },
                name => PredicateNode::Leaf(Leaf::new(
                    Comparison::new(&name.to_string(), Some(b"1"), ComparisonOperator::Equal).unwrap(),
                    true,
                )),
            });
        }
        predicate
    }

    fn print(predicate: &Predicate) -> String {
        let node = |node: &PredicateNode| match node {
            PredicateNode::Leaf(leaf) if leaf.operator == ComparisonOperator::AlwaysFalse => "f".to_owned(),
            PredicateNode::Leaf(leaf) => leaf.field().to_owned(),
            PredicateNode::Group { combination: Combination::And, parts } => format!("&{parts}"),
            PredicateNode::Group { parts, .. } => format!("|{parts}"),
        };
        predicate.nodes().iter().map(node).collect()
    }

    #[test]
    fn an_absent_field_discards_what_precedes_it_in_a_disjunction() {
        for (text, expected) in [
            ("a", "a"),
            ("x", "f"),
            ("&2ax", "&2af"),
            ("|2xa", "|2fa"),
            ("|2ax", "|1f"),
            ("|4axbx", "|1f"),
            ("|5axbxc", "|2fc"),
            ("|3axb", "|2fb"),
            ("|2&2abx", "|1f"),
            ("|2a&2bx", "|2a&2bf"),
            ("&2|2axb", "&2|1fb"),
            ("|2|2axb", "|2|1fb"),
            ("|3a|2xbc", "|3a|2fbc"),
        ] {
            let remaining = parse(text).without_absent(|leaf| leaf.field() == "x");
            assert_eq!(print(&remaining), expected, "{text}");
        }
    }

    fn schema() -> ArraySchema {
        let mut schema = ArraySchema::new(ArrayType::Sparse);
        let types = [
            ("i", Datatype::Int32, 1),
            ("u", Datatype::Uint16, 1),
            ("r", Datatype::Float32, 1),
            ("s", Datatype::StringAscii, u32::MAX),
            ("c", Datatype::Char, 3),
            ("p", Datatype::Int32, 2),
            ("v", Datatype::Int32, u32::MAX),
        ];
        for (name, datatype, values) in types {
            let mut attribute = Attribute::new(name, datatype);
            attribute.set_cell_val_num(values).unwrap();
            attribute.set_nullable(true);
            schema.add_attribute(Arc::new(attribute)).unwrap();
        }
        schema
    }

    fn stored(comparison: Comparison) -> Result<(ComparisonOperator, ComparisonValue)> {
        let schema = schema();
        let mut predicate = Predicate::default();
        predicate.push(PredicateNode::Leaf(Leaf::new(comparison, true)));
        let stored = predicate.stored_negation(|name| schema.field(name))?;
        let leaf = stored.leaves().next().unwrap();
        Ok((leaf.operator, leaf.value().clone()))
    }

    #[test]
    fn deletes_of_nulls_are_stored_as_comparisons_that_all_other_cells_match() {
        let expected = [
            ("i", ComparisonOperator::GreaterOrEqual, i32::MIN.to_le_bytes().to_vec()),
            ("u", ComparisonOperator::GreaterOrEqual, vec![0, 0]),
            ("r", ComparisonOperator::NotEqual, f32::NAN.to_le_bytes().to_vec()),
            ("s", ComparisonOperator::GreaterOrEqual, Vec::new()),
            ("c", ComparisonOperator::GreaterOrEqual, vec![0x80; 3]),
        ];
        for (name, operator, value) in expected {
            let is_null = Comparison::new(name, None, ComparisonOperator::Equal).unwrap();
            assert_eq!(stored(is_null).unwrap(), (operator, ComparisonValue::Bytes(value)), "{name}");
            // No stored condition keeps null cells.
            stored(Comparison::new(name, None, ComparisonOperator::NotEqual).unwrap()).unwrap_err();
        }
        // Such cells no commit compares.
        for name in ["p", "v"] {
            stored(Comparison::new(name, None, ComparisonOperator::Equal).unwrap()).unwrap_err();
        }
    }

    #[test]
    fn values_that_libtiledb_misreads_are_stored_in_other_forms() {
        let characters = |operator| stored(Comparison::new("c", Some(b"abc"), operator).unwrap());
        let set = ComparisonValue::Set { data: b"abc".to_vec(), offsets: vec![0] };
        assert_eq!(characters(ComparisonOperator::Equal).unwrap(), (ComparisonOperator::NotIn, set.clone()));
        assert_eq!(characters(ComparisonOperator::NotEqual).unwrap(), (ComparisonOperator::In, set));
        characters(ComparisonOperator::Less).unwrap_err();
        let first = stored(Comparison::new("c", Some(b"a"), ComparisonOperator::Less).unwrap()).unwrap();
        assert_eq!(first, (ComparisonOperator::GreaterOrEqual, ComparisonValue::Bytes(b"a".to_vec())));
        let empty = stored(Comparison::set("s", b"", &[0, 0], ComparisonOperator::In).unwrap()).unwrap();
        assert_eq!(empty, (ComparisonOperator::NotEqual, ComparisonValue::Bytes(Vec::new())));
    }

    #[test]
    fn stored_conditions_mean_what_libtiledb_reads() {
        let schema = schema();
        let meaning = |name: &str, value: &[u8]| {
            let comparison = Comparison::new(name, Some(value), ComparisonOperator::Equal).unwrap();
            let mut predicate = Predicate::default();
            predicate.push(PredicateNode::Leaf(Leaf::new(comparison, false)));
            predicate.of_commit(|name| schema.field(name)).leaves().next().unwrap().value().clone()
        };
        assert_eq!(meaning("i", b""), ComparisonValue::Null);
        assert_eq!(meaning("s", b""), ComparisonValue::Bytes(Vec::new()));
        assert_eq!(meaning("s", b"abc"), ComparisonValue::Bytes(b"abc".to_vec()));
        assert_eq!(meaning("c", b"abc"), ComparisonValue::Bytes(b"a".to_vec()));
        assert_eq!(meaning("c", b""), ComparisonValue::Bytes(Vec::new()));
    }
}
