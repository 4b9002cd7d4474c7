//! Conditions on cells.

use std::cmp::Ordering::{self, Equal, Greater, Less};

use super::Cell;
use super::value::Value;

/// What is compared, by its number: of dimensions the coordinate, as [`Value::Int`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    Attribute(usize),
    Dimension(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
}

impl Operator {
    /// The orders of two values in which it holds, and its opposite. NaN, and what an enumeration does not contain, is in none (measured).
    fn rule(self) -> (&'static [Option<Ordering>], Operator) {
        match self {
            Operator::Less => (&[Some(Less)], Operator::GreaterOrEqual),
            Operator::LessOrEqual => (&[Some(Less), Some(Equal)], Operator::Greater),
            Operator::Greater => (&[Some(Greater)], Operator::LessOrEqual),
            Operator::GreaterOrEqual => (&[Some(Greater), Some(Equal)], Operator::Less),
            Operator::Equal => (&[Some(Equal)], Operator::NotEqual),
            Operator::NotEqual => (&[Some(Less), Some(Greater), None], Operator::Equal),
        }
    }
}

#[derive(Clone, Debug)]
pub enum Condition {
    /// With a value, or with a set: equal to one of them, or to none. Equal to [`Value::Null`] means that the cell is null, and not equal
    /// that it is not. Values of an enumeration are texts.
    Compare(Operand, Operator, Vec<Value>),
    /// Of parts that are of other kinds.
    And(Vec<Condition>),
    Or(Vec<Condition>),
    Not(Box<Condition>),
}

/// Enumerated values are compared by their indexes, also those without a label (measured).
fn compare(value: &Value, other: &Value, labels: &[&str]) -> Option<Ordering> {
    match (value, other) {
        (Value::Int(_), Value::Text(label)) => {
            let index = labels.iter().position(|other| other.as_bytes() == label)?;
            value.compare(&Value::Int(index as i64))
        }
        _ => value.compare(other),
    }
}

impl Condition {
    /// Whether a query with this condition selects a cell of an array with these values of its enumeration.
    pub fn selects(&self, cell: &Cell, labels: &[&str]) -> bool {
        self.holds(cell, labels) == Some(true)
    }

    /// Null meets no comparison, and no opposite of one (measured). One of an attribute that the cell lacks (`None`) also discards the
    /// parts of a disjunction before it (format, "Deletes").
    fn holds(&self, cell: &Cell, labels: &[&str]) -> Option<bool> {
        match self {
            Condition::Compare(operand, operator, others) => {
                let value = match operand {
                    Operand::Attribute(number) => cell.values.get(number)?.clone(),
                    Operand::Dimension(number) => Value::Int(i64::from(cell.at[*number])),
                };
                let mut holds = others.iter().map(|other| operator.rule().0.contains(&compare(&value, other, labels)));
                let is_met = if *operator == Operator::NotEqual { holds.all(|it| it) } else { holds.any(|it| it) };
                Some(is_met && (value != Value::Null || others[..] == [Value::Null]))
            }
            Condition::And(parts) => Some(parts.iter().all(|part| part.selects(cell, labels))),
            Condition::Or(parts) => Some(parts.iter().rev().map_while(|part| part.holds(cell, labels)).any(|it| it)),
            Condition::Not(inner) => inner.negated().holds(cell, labels),
        }
    }

    /// Whether a delete deletes a cell of an array that has these values of the enumeration at its time. What is stored is the opposite
    /// of its condition, and cells that meet it remain: null, NaN and cells older than the attribute do not (format, "Deletes").
    pub fn deletes(&self, cell: &Cell, labels: &[&str]) -> bool {
        !self.negated().selects(cell, labels)
    }

    /// Every comparison and every combination is inverted (measured).
    fn negated(&self) -> Condition {
        let inverse = |parts: &[Condition]| parts.iter().map(Condition::negated).collect();
        match self {
            Condition::Compare(operand, operator, values) => {
                Condition::Compare(*operand, operator.rule().1, values.clone())
            }
            Condition::And(parts) => Condition::Or(inverse(parts)),
            Condition::Or(parts) => Condition::And(inverse(parts)),
            Condition::Not(inner) => (**inner).clone(),
        }
    }
}
