//! Conditions as expressions.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ops::{BitAnd, BitOr, Not};

use crate::datatype::{CellValNum, Datatype};
use crate::error::{Error, Result};
use crate::value::Value;
use tiledb_array::array::OpenArray;
use tiledb_array::condition as engine;

/// A condition on the values of cells: which of them a query returns or deletes.
///
/// Conditions are made of [`attr`], or parsed from a text. They do not depend on an array: names and types are checked when a query
/// is run with them. Of an attribute with an enumeration they compare the values, not the indexes.
///
/// ```
/// use tiledb::{Condition, attr};
///
/// let late = attr("delay").gt(60).and(attr("origin").is_in(["JFK", "EWR"]));
/// let same: Condition = "delay > 60 and origin in ('JFK', 'EWR')".parse()?;
/// assert_eq!(late, same);
/// # Ok::<(), tiledb::Error>(())
/// ```
///
/// Null cells meet neither a comparison with a value nor its negation; test for them with [`FieldExpression::is_null`].
#[derive(Clone, Debug, PartialEq)]
pub struct Condition(pub(super) Expression);

#[derive(Clone, Debug)]
pub(super) enum Expression {
    And(Vec<Condition>),
    Or(Vec<Condition>),
    Not(Box<Condition>),
    /// A comparison with a value; `None` for null.
    Compare {
        field: String,
        operator: Operator,
        value: Option<Value>,
    },
    /// Membership in a set.
    In {
        field: String,
        values: Vec<Value>,
    },
}

/// Values are equal if they are written in the same way: a literal of a text may stand for a number.
impl PartialEq for Expression {
    fn eq(&self, other: &Expression) -> bool {
        let plain = |value: &Value| match value {
            Value::Text(text) => text.clone(),
            other => other.to_string(),
        };
        match (self, other) {
            (Expression::And(a), Expression::And(b)) | (Expression::Or(a), Expression::Or(b)) => a == b,
            (Expression::Not(a), Expression::Not(b)) => a == b,
            (
                Expression::Compare { field, operator, value },
                Expression::Compare { field: other_field, operator: other_operator, value: other_value },
            ) => {
                (field, operator) == (other_field, other_operator)
                    && value.as_ref().map(plain) == other_value.as_ref().map(plain)
            }
            (Expression::In { field, values }, Expression::In { field: other_field, values: other_values }) => {
                field == other_field && values.iter().map(plain).eq(other_values.iter().map(plain))
            }
            _ => false,
        }
    }
}

/// How a cell is compared with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
}

impl Operator {
    /// The opposite comparison.
    pub(super) fn negated(self) -> Operator {
        match self {
            Operator::Less => Operator::GreaterOrEqual,
            Operator::LessOrEqual => Operator::Greater,
            Operator::Greater => Operator::LessOrEqual,
            Operator::GreaterOrEqual => Operator::Less,
            Operator::Equal => Operator::NotEqual,
            Operator::NotEqual => Operator::Equal,
        }
    }

    /// Whether values in this order meet the comparison; values without an order, such as NaN, are different.
    pub(super) fn holds(self, order: Option<Ordering>) -> bool {
        match self {
            Operator::Less => order == Some(Ordering::Less),
            Operator::LessOrEqual => order.is_some_and(Ordering::is_le),
            Operator::Greater => order == Some(Ordering::Greater),
            Operator::GreaterOrEqual => order.is_some_and(Ordering::is_ge),
            Operator::Equal => order == Some(Ordering::Equal),
            Operator::NotEqual => order != Some(Ordering::Equal),
        }
    }

    fn engine(self) -> engine::ComparisonOperator {
        match self {
            Operator::Less => engine::ComparisonOperator::Less,
            Operator::LessOrEqual => engine::ComparisonOperator::LessOrEqual,
            Operator::Greater => engine::ComparisonOperator::Greater,
            Operator::GreaterOrEqual => engine::ComparisonOperator::GreaterOrEqual,
            Operator::Equal => engine::ComparisonOperator::Equal,
            Operator::NotEqual => engine::ComparisonOperator::NotEqual,
        }
    }
}

/// The name of a field that is to be compared; see [`attr`].
#[derive(Clone, Debug)]
#[must_use = "a field alone is no condition"]
pub struct FieldExpression(String);

/// Begins a condition on an attribute, or on a dimension of a sparse array.
pub fn attr(name: impl Into<String>) -> FieldExpression {
    FieldExpression(name.into())
}

impl FieldExpression {
    pub(super) fn compare(self, operator: Operator, value: Option<Value>) -> Condition {
        Condition(Expression::Compare { field: self.0, operator, value })
    }

    /// Less than a value.
    pub fn lt(self, value: impl Into<Value>) -> Condition {
        self.compare(Operator::Less, Some(value.into()))
    }

    /// Less than a value, or equal.
    pub fn le(self, value: impl Into<Value>) -> Condition {
        self.compare(Operator::LessOrEqual, Some(value.into()))
    }

    /// Greater than a value.
    pub fn gt(self, value: impl Into<Value>) -> Condition {
        self.compare(Operator::Greater, Some(value.into()))
    }

    /// Greater than a value, or equal.
    pub fn ge(self, value: impl Into<Value>) -> Condition {
        self.compare(Operator::GreaterOrEqual, Some(value.into()))
    }

    /// Equal to a value.
    pub fn eq(self, value: impl Into<Value>) -> Condition {
        self.compare(Operator::Equal, Some(value.into()))
    }

    /// Different from a value.
    pub fn ne(self, value: impl Into<Value>) -> Condition {
        self.compare(Operator::NotEqual, Some(value.into()))
    }

    /// From one value to another, both included.
    pub fn between(self, low: impl Into<Value>, high: impl Into<Value>) -> Condition {
        self.clone().ge(low).and(self.le(high))
    }

    /// One of some values.
    pub fn is_in<V: Into<Value>>(self, values: impl IntoIterator<Item = V>) -> Condition {
        Condition(Expression::In { field: self.0, values: values.into_iter().map(Into::into).collect() })
    }

    /// None of some values.
    pub fn not_in<V: Into<Value>>(self, values: impl IntoIterator<Item = V>) -> Condition {
        !self.is_in(values)
    }

    /// Null.
    pub fn is_null(self) -> Condition {
        self.compare(Operator::Equal, None)
    }

    /// Not null.
    pub fn is_not_null(self) -> Condition {
        self.compare(Operator::NotEqual, None)
    }
}

impl Condition {
    /// Both conditions.
    #[must_use]
    pub fn and(self, other: Condition) -> Condition {
        match (self.0, other.0) {
            (Expression::And(mut all), Expression::And(more)) => {
                all.extend(more);
                Condition(Expression::And(all))
            }
            (Expression::And(mut all), other) => {
                all.push(Condition(other));
                Condition(Expression::And(all))
            }
            (one, other) => Condition(Expression::And(vec![Condition(one), Condition(other)])),
        }
    }

    /// One of the conditions, or both.
    #[must_use]
    pub fn or(self, other: Condition) -> Condition {
        match (self.0, other.0) {
            (Expression::Or(mut all), Expression::Or(more)) => {
                all.extend(more);
                Condition(Expression::Or(all))
            }
            (Expression::Or(mut all), other) => {
                all.push(Condition(other));
                Condition(Expression::Or(all))
            }
            (one, other) => Condition(Expression::Or(vec![Condition(one), Condition(other)])),
        }
    }

    /// The names of the fields that are compared.
    pub fn fields(&self) -> BTreeSet<&str> {
        let (mut names, mut open) = (BTreeSet::new(), vec![self]);
        while let Some(condition) = open.pop() {
            match &condition.0 {
                Expression::And(all) | Expression::Or(all) => open.extend(all),
                Expression::Not(inner) => open.push(inner),
                Expression::Compare { field, .. } | Expression::In { field, .. } => _ = names.insert(field.as_str()),
            }
        }
        names
    }

    /// The condition for the fields of an open array.
    pub(crate) fn engine(&self, array: &OpenArray) -> Result<engine::Condition> {
        match &self.0 {
            Expression::And(all) => combined(all, array, engine::Combination::And),
            Expression::Or(all) => combined(all, array, engine::Combination::Or),
            Expression::Not(inner) => Ok(inner.engine(array)?.negate()?),
            Expression::Compare { field, operator, value } => {
                let (datatype, cell_val_num) = compared(field, array)?;
                let bytes = value.as_ref().map(|value| operand(field, value, datatype, cell_val_num)).transpose()?;
                Ok(engine::Condition::new(engine::Comparison::new(field, bytes.as_deref(), operator.engine())?))
            }
            Expression::In { field, values } => {
                let (datatype, cell_val_num) = compared(field, array)?;
                let (mut data, mut offsets) = (Vec::new(), Vec::new());
                for value in values {
                    offsets.push(data.len() as u64);
                    data.extend(operand(field, value, datatype, cell_val_num)?);
                }
                if offsets.is_empty() {
                    return Err(Error::invalid(format!("Condition: the set of '{field}' is empty; name a value")));
                }
                let operator = engine::ComparisonOperator::In;
                Ok(engine::Condition::new(engine::Comparison::set(field, &data, &offsets, operator)?))
            }
        }
    }
}

fn combined(all: &[Condition], array: &OpenArray, combination: engine::Combination) -> Result<engine::Condition> {
    let mut parts = all.iter().map(|part| part.engine(array));
    let first = parts.next().unwrap_or_else(|| Err(Error::invalid("Condition: nothing is combined")))?;
    parts.try_fold(first, |joined, part| Ok(joined.combine(&part?, combination)))
}

/// The type of the values that a field is compared with: those of its enumeration, if it has one.
fn compared(field: &str, array: &OpenArray) -> Result<(Datatype, CellValNum)> {
    let schema = array.schema();
    let Some(known) = schema.field(field) else {
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name.as_str()).collect();
        return Err(Error::not_found(format!(
            "Condition: there is no field '{field}'; there are: {}",
            names.join(", ")
        )));
    };
    let attribute = known.attribute_index.and_then(|index| schema.attributes().get(index));
    if let Some(name) = attribute.and_then(|attribute| attribute.enumeration()) {
        let enumeration = array.enumeration(name)?;
        return Ok((Datatype::of_engine(enumeration.datatype()), CellValNum::of_engine(enumeration.cell_val_num())));
    }
    Ok((Datatype::of_engine(known.datatype), CellValNum::of_engine(known.cell_val_num)))
}

/// The bytes of a value that a field is compared with. Bytes may be written as digits behind `0x`.
pub(super) fn operand(field: &str, value: &Value, datatype: Datatype, cell_val_num: CellValNum) -> Result<Vec<u8>> {
    // All values of a cell at once.
    if let (Value::Bytes(bytes), CellValNum::Fixed(number)) = (value, cell_val_num)
        && bytes.len() == number as usize * datatype.size()
    {
        return Ok(bytes.clone());
    }
    if let (Value::Text(text), true) = (value, datatype.engine().is_opaque())
        && let Some(bytes) = hexadecimal(text)
    {
        return Ok(bytes);
    }
    value
        .to_bytes(datatype)
        .map_err(|error| Error::new(error.kind(), format!("Condition on '{field}': {}", error.message())))
}

/// The bytes that a text such as `0x41ff` spells.
fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.strip_prefix("0x")?.as_bytes().as_chunks::<2>();
    let digit = |digit: &u8| char::from(*digit).to_digit(16).map(|digit| digit as u8);
    let bytes = pairs.iter().map(|[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect();
    if rest.is_empty() { bytes } else { None }
}

/// The negation: null cells do not meet it either.
impl Not for Condition {
    type Output = Condition;

    fn not(self) -> Condition {
        match self.0 {
            Expression::Not(inner) => *inner,
            other => Condition(Expression::Not(Box::new(Condition(other)))),
        }
    }
}

impl BitAnd for Condition {
    type Output = Condition;

    fn bitand(self, other: Condition) -> Condition {
        self.and(other)
    }
}

impl BitOr for Condition {
    type Output = Condition;

    fn bitor(self, other: Condition) -> Condition {
        self.or(other)
    }
}
