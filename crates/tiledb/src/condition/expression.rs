//! Conditions as expressions.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ops::{BitAnd, BitOr, Not};

use crate::datatype::{CellValNum, Datatype};
use crate::error::{Error, Result};
use crate::value::{Value, hexadecimal};
use tiledb_array::condition as engine;
use tiledb_array::schema::ArraySchema;
use tiledb_core::types::NumberKind;

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
        field: Located<String>,
        operator: Operator,
        value: Option<Located<Value>>,
    },
    /// Membership in a set.
    In {
        field: Located<String>,
        values: Vec<Located<Value>>,
    },
}

/// A part of a condition, and where it begins in the text that the condition was parsed from, in bytes.
#[derive(Clone, Debug)]
pub(super) struct Located<T> {
    pub(super) part: T,
    pub(super) position: Option<usize>,
}

impl<T> Located<T> {
    /// A part that was not parsed.
    pub(super) fn unplaced(part: T) -> Located<T> {
        Located { part, position: None }
    }

    /// An error with the position of the part.
    pub(super) fn locate(&self, error: Error) -> Error {
        match self.position {
            Some(position) => error.at_position(position),
            None => error,
        }
    }
}

/// Values are equal if they are written in the same way: a literal of a text may stand for a number.
impl PartialEq for Expression {
    fn eq(&self, other: &Expression) -> bool {
        let plain = |value: &Located<Value>| match &value.part {
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
                (&field.part, operator) == (&other_field.part, other_operator)
                    && value.as_ref().map(plain) == other_value.as_ref().map(plain)
            }
            (Expression::In { field, values }, Expression::In { field: other_field, values: other_values }) => {
                field.part == other_field.part && values.iter().map(plain).eq(other_values.iter().map(plain))
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
pub struct FieldExpression(pub(super) Located<String>);

/// Begins a condition on an attribute, or on a dimension of a sparse array.
pub fn attr(name: impl Into<String>) -> FieldExpression {
    FieldExpression(Located::unplaced(name.into()))
}

impl FieldExpression {
    pub(super) fn compare(self, operator: Operator, value: Option<Located<Value>>) -> Condition {
        Condition(Expression::Compare { field: self.0, operator, value })
    }

    pub(super) fn member_of(self, values: Vec<Located<Value>>) -> Condition {
        Condition(Expression::In { field: self.0, values })
    }

    fn compare_with(self, operator: Operator, value: impl Into<Value>) -> Condition {
        self.compare(operator, Some(Located::unplaced(value.into())))
    }

    /// Less than a value.
    pub fn lt(self, value: impl Into<Value>) -> Condition {
        self.compare_with(Operator::Less, value)
    }

    /// Less than a value, or equal.
    pub fn le(self, value: impl Into<Value>) -> Condition {
        self.compare_with(Operator::LessOrEqual, value)
    }

    /// Greater than a value.
    pub fn gt(self, value: impl Into<Value>) -> Condition {
        self.compare_with(Operator::Greater, value)
    }

    /// Greater than a value, or equal.
    pub fn ge(self, value: impl Into<Value>) -> Condition {
        self.compare_with(Operator::GreaterOrEqual, value)
    }

    /// Equal to a value.
    pub fn eq(self, value: impl Into<Value>) -> Condition {
        self.compare_with(Operator::Equal, value)
    }

    /// Different from a value.
    pub fn ne(self, value: impl Into<Value>) -> Condition {
        self.compare_with(Operator::NotEqual, value)
    }

    /// From one value to another, both included.
    pub fn between(self, low: impl Into<Value>, high: impl Into<Value>) -> Condition {
        self.clone().ge(low).and(self.le(high))
    }

    /// One of some values.
    pub fn is_in<V: Into<Value>>(self, values: impl IntoIterator<Item = V>) -> Condition {
        self.member_of(values.into_iter().map(|value| Located::unplaced(value.into())).collect())
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
        let mut names = BTreeSet::new();
        let mut open = vec![self];
        while let Some(condition) = open.pop() {
            match &condition.0 {
                Expression::And(all) | Expression::Or(all) => open.extend(all),
                Expression::Not(inner) => open.push(inner),
                Expression::Compare { field, .. } | Expression::In { field, .. } => {
                    names.insert(field.part.as_str());
                }
            }
        }
        names
    }

    /// The condition for the fields of a schema.
    pub(crate) fn engine(&self, schema: &ArraySchema) -> Result<engine::Condition> {
        match &self.0 {
            Expression::And(all) => combined(all, schema, engine::Combination::And),
            Expression::Or(all) => combined(all, schema, engine::Combination::Or),
            Expression::Not(inner) => Ok(inner.engine(schema)?.negate()?),
            Expression::Compare { field, operator, value } => {
                let operand_type = compared(field, schema)?;
                let bytes = value.as_ref().map(|value| operand(field, value, operand_type)).transpose()?;
                comparison(field, bytes.as_deref(), *operator)
            }
            Expression::In { field, values } => {
                let operand_type = compared(field, schema)?;
                let members = values.iter().map(|value| operand(field, value, operand_type));
                set(field, &members.collect::<Result<Vec<_>>>()?, operand_type.0)
            }
        }
    }
}

fn comparison(field: &Located<String>, value: Option<&[u8]>, operator: Operator) -> Result<engine::Condition> {
    let comparison = engine::Comparison::new(&field.part, value, operator.engine());
    Ok(engine::Condition::new(comparison.map_err(|error| field.locate(error.into()))?))
}

/// Membership in a set. The engine has no sets of floating-point numbers, nor of the empty text alone.
fn set(field: &Located<String>, members: &[Vec<u8>], datatype: Datatype) -> Result<engine::Condition> {
    let Some((first, others)) = members.split_first() else {
        let text = format!("Condition: the set of '{}' is empty; name a value", field.part);
        return Err(field.locate(Error::invalid(text)));
    };
    if datatype.engine().physical().kind() == NumberKind::Real || members.iter().all(Vec::is_empty) {
        let equal = |member: &Vec<u8>| comparison(field, Some(member), Operator::Equal);
        return others
            .iter()
            .try_fold(equal(first)?, |joined, member| Ok(joined.combine(&equal(member)?, engine::Combination::Or)));
    }
    let starts = members.iter().scan(0, |end, member| {
        let start = *end;
        *end += member.len() as u64;
        Some(start)
    });
    let operator = engine::ComparisonOperator::In;
    let set = engine::Comparison::set(&field.part, &members.concat(), &starts.collect::<Vec<_>>(), operator);
    Ok(engine::Condition::new(set.map_err(|error| field.locate(error.into()))?))
}

fn combined(all: &[Condition], schema: &ArraySchema, combination: engine::Combination) -> Result<engine::Condition> {
    let mut parts = all.iter().map(|part| part.engine(schema));
    let first = parts.next().unwrap_or_else(|| Err(Error::invalid("Condition: nothing is combined")))?;
    parts.try_fold(first, |joined, part| Ok(joined.combine(&part?, combination)))
}

/// The type of the values that a field is compared with: those of its enumeration, if it has one.
pub(super) fn compared(field: &Located<String>, schema: &ArraySchema) -> Result<(Datatype, CellValNum)> {
    let name = &field.part;
    let Some(known) = schema.field(name) else {
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name.as_str()).collect();
        let text = format!("Condition: there is no field '{name}'; there are: {}", names.join(", "));
        return Err(field.locate(Error::not_found(text)));
    };
    let attribute = known.attribute_index.and_then(|index| schema.attributes().get(index));
    if let Some(name) = attribute.and_then(|attribute| attribute.enumeration()) {
        let enumeration = schema.loaded_enumeration(name)?;
        return Ok((Datatype::of_engine(enumeration.datatype()), CellValNum::of_engine(enumeration.cell_val_num())));
    }
    Ok((Datatype::of_engine(known.datatype), CellValNum::of_engine(known.cell_val_num)))
}

/// The bytes of a value that a field is compared with. Bytes may be written as digits behind `0x`.
pub(super) fn operand(
    field: &Located<String>,
    value: &Located<Value>,
    (datatype, cell_val_num): (Datatype, CellValNum),
) -> Result<Vec<u8>> {
    let bytes = operand_bytes(&value.part, datatype, cell_val_num).map_err(|error| {
        let text = format!("Condition on '{}': {}", field.part, error.message());
        value.locate(Error::new(error.kind(), text))
    })?;
    // Of a text of another length only the first letter would be compared.
    if let CellValNum::Fixed(number) = cell_val_num
        && datatype.is_string()
        && bytes.len() != number as usize * datatype.size()
    {
        let size = number as usize * datatype.size();
        let text = format!(
            "Condition on '{}': its cells have {size} bytes, and the value {}, {} bytes",
            field.part,
            value.part,
            bytes.len()
        );
        return Err(value.locate(Error::invalid(text)));
    }
    Ok(bytes)
}

fn operand_bytes(value: &Value, datatype: Datatype, cell_val_num: CellValNum) -> Result<Vec<u8>> {
    // All values of a cell at once.
    if let (Value::Bytes(bytes), CellValNum::Fixed(number)) = (value, cell_val_num)
        && bytes.len() == number as usize * datatype.size()
    {
        return Ok(bytes.clone());
    }
    // `CHAR` are bytes, too, which need not be a text.
    if let (Value::Text(text), true) = (value, datatype.engine().is_opaque() || datatype == Datatype::Char)
        && let Some(bytes) = hexadecimal(text)
    {
        return Ok(bytes);
    }
    value.to_bytes(datatype)
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
