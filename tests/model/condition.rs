//! Conditions on cells.

use std::cmp::Ordering;

use super::Cell;
use super::value::Value;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// An attribute, by its number.
    Attribute(usize),
    /// The coordinate of a dimension, as [`Value::Int`].
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
    /// Measured: NaN is unequal to everything, and neither less nor greater.
    fn holds(self, order: Option<Ordering>) -> bool {
        match (self, order) {
            (Operator::NotEqual, order) => order != Some(Ordering::Equal),
            (_, None) => false,
            (Operator::Less, Some(order)) => order.is_lt(),
            (Operator::LessOrEqual, Some(order)) => order.is_le(),
            (Operator::Greater, Some(order)) => order.is_gt(),
            (Operator::GreaterOrEqual, Some(order)) => order.is_ge(),
            (Operator::Equal, Some(order)) => order.is_eq(),
        }
    }

    fn negated(self) -> Operator {
        match self {
            Operator::Less => Operator::GreaterOrEqual,
            Operator::LessOrEqual => Operator::Greater,
            Operator::Greater => Operator::LessOrEqual,
            Operator::GreaterOrEqual => Operator::Less,
            Operator::Equal => Operator::NotEqual,
            Operator::NotEqual => Operator::Equal,
        }
    }
}

#[derive(Clone, Debug)]
pub enum Condition {
    /// Equal to [`Value::Null`] means that the cell is null, and not equal that it is not.
    Compare(Operand, Operator, Value),
    In(Operand, Vec<Value>),
    NotIn(Operand, Vec<Value>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    Not(Box<Condition>),
}

impl Condition {
    /// Whether a query with this condition selects a cell. `missing` has the value of an attribute that the cell lacks; without
    /// one it meets no comparison.
    ///
    /// Measured: null meets no comparison and no set, also not their opposites.
    pub fn selects(&self, cell: &Cell, missing: &dyn Fn(usize) -> Option<Value>) -> bool {
        let value = |operand: &Operand| match operand {
            Operand::Attribute(number) => cell.values.get(number).cloned().or_else(|| missing(*number)),
            Operand::Dimension(number) => Some(Value::Int(i64::from(cell.at[*number]))),
        };
        match self {
            Condition::Compare(operand, operator, Value::Null) => {
                value(operand).is_some_and(|value| value.is_null() == (*operator == Operator::Equal))
            }
            Condition::Compare(operand, operator, other) => {
                value(operand).is_some_and(|value| !value.is_null() && operator.holds(value.compare(other)))
            }
            Condition::In(operand, set) => value(operand).is_some_and(|value| !value.is_null() && set.contains(&value)),
            Condition::NotIn(operand, set) => {
                value(operand).is_some_and(|value| !value.is_null() && !set.contains(&value))
            }
            Condition::And(left, right) => left.selects(cell, missing) && right.selects(cell, missing),
            Condition::Or(left, right) => left.selects(cell, missing) || right.selects(cell, missing),
            Condition::Not(inner) => inner.negated().selects(cell, missing),
        }
    }

    /// Measured: NOT turns each comparison into its opposite, so that null is not selected either way.
    fn negated(&self) -> Condition {
        let inverse = |inner: &Condition| Box::new(inner.negated());
        match self {
            Condition::Compare(operand, operator, value) => {
                Condition::Compare(*operand, operator.negated(), value.clone())
            }
            Condition::In(operand, set) => Condition::NotIn(*operand, set.clone()),
            Condition::NotIn(operand, set) => Condition::In(*operand, set.clone()),
            Condition::And(left, right) => Condition::Or(inverse(left), inverse(right)),
            Condition::Or(left, right) => Condition::And(inverse(left), inverse(right)),
            Condition::Not(inner) => (**inner).clone(),
        }
    }

    /// Whether a delete with this condition deletes a cell. Guide: what is stored is the opposite, and cells that meet it remain;
    /// null, NaN and cells older than the attribute meet neither and are deleted (measured).
    pub fn deletes(&self, cell: &Cell) -> bool {
        !self.negated().retains(cell)
    }

    /// Measured: in a disjunction, a comparison of an attribute that the cell lacks also discards the parts before it.
    fn retains(&self, cell: &Cell) -> bool {
        match self {
            Condition::And(left, right) => left.retains(cell) && right.retains(cell),
            Condition::Or(left, right) => {
                let parts = [left.alternatives(), right.alternatives()].concat();
                let counted = parts.iter().rposition(|part| part.is_absent(cell)).map_or(0, |last| last + 1);
                parts[counted..].iter().any(|part| part.retains(cell))
            }
            Condition::Not(inner) => inner.negated().retains(cell),
            comparison => comparison.selects(cell, &|_| None),
        }
    }

    fn alternatives(&self) -> Vec<&Condition> {
        match self {
            Condition::Or(left, right) => [left.alternatives(), right.alternatives()].concat(),
            other => vec![other],
        }
    }

    fn is_absent(&self, cell: &Cell) -> bool {
        match self {
            Condition::Compare(_, _, Value::Null) | Condition::And(..) | Condition::Or(..) | Condition::Not(_) => false,
            comparison => comparison.attributes().iter().any(|attribute| !cell.values.contains_key(attribute)),
        }
    }

    /// The attributes that are compared.
    pub fn attributes(&self) -> Vec<usize> {
        match self {
            Condition::Compare(operand, ..) | Condition::In(operand, _) | Condition::NotIn(operand, _) => match operand
            {
                Operand::Attribute(number) => vec![*number],
                Operand::Dimension(_) => Vec::new(),
            },
            Condition::And(left, right) | Condition::Or(left, right) => {
                [left.attributes(), right.attributes()].concat()
            }
            Condition::Not(inner) => inner.attributes(),
        }
    }
}
