//! Conditions evaluated on cells that a program has read.

use std::cmp::Ordering;

use super::expression::{Condition, Expression, Located, Operator, compared, operand};
use crate::datatype::{CellValNum, Datatype};
use crate::error::Result;
use crate::schema::ArraySchema;
use crate::value::Value;

/// A condition whose values have the types of the fields of an array; made by [`Condition::for_cells`].
#[derive(Clone, Debug)]
pub struct CellCondition(Node);

/// Negations are resolved by De Morgan's laws: a null cell meets neither a comparison nor its negation.
#[derive(Clone, Debug)]
enum Node {
    All(Vec<Node>),
    Any(Vec<Node>),
    IsNull { field: String, is_negated: bool },
    Compare { field: String, operator: Operator, value: Value },
}

impl Condition {
    /// The condition for cells that a program has read without it, such as those of dense arrays, of which a read with a condition
    /// returns fill values where it is not met.
    ///
    /// ```
    /// use tiledb::{ArraySchema, Attribute, Condition, Dimension, Value};
    ///
    /// let schema = ArraySchema::dense()
    ///     .dimension(Dimension::new("x", 0..=9_i32))
    ///     .attribute(Attribute::new::<f32>("celsius"))
    ///     .build()?;
    /// let warm = "celsius between 20 and 30".parse::<Condition>()?.for_cells(&schema)?;
    /// assert!(warm.matches(|_| Some(Value::from(25.5_f32))));
    /// assert!(!warm.matches(|_| None), "a null cell meets no comparison");
    /// # Ok::<(), tiledb::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) for a field that does not exist, and if a value is not one of its type.
    pub fn for_cells(&self, schema: &ArraySchema) -> Result<CellCondition> {
        Ok(CellCondition(node(self, schema, false)?))
    }
}

impl CellCondition {
    /// Whether a cell meets the condition, given the values of its fields: of an attribute with an enumeration the value that the cell
    /// refers to, `None` for null.
    pub fn matches(&self, value: impl Fn(&str) -> Option<Value>) -> bool {
        self.0.matches(&value)
    }
}

impl Node {
    fn matches(&self, cell: &dyn Fn(&str) -> Option<Value>) -> bool {
        match self {
            Node::All(nodes) => nodes.iter().all(|node| node.matches(cell)),
            Node::Any(nodes) => nodes.iter().any(|node| node.matches(cell)),
            Node::IsNull { field, is_negated } => cell(field).is_none() != *is_negated,
            Node::Compare { field, operator, value } => {
                cell(field).is_some_and(|cell| operator.holds(order(&cell, value)))
            }
        }
    }
}

/// The order of two values of a field; none of numbers that are not comparable.
fn order(cell: &Value, value: &Value) -> Option<Ordering> {
    match (cell, value) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Unsigned(a), Value::Unsigned(b)) => Some(a.cmp(b)),
        (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
        (Value::Bytes(a), Value::Bytes(b)) => Some(a.cmp(b)),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (a, b) => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}

fn node(condition: &Condition, schema: &ArraySchema, is_negated: bool) -> Result<Node> {
    let nodes = |all: &[Condition]| all.iter().map(|one| node(one, schema, is_negated)).collect::<Result<Vec<_>>>();
    match &condition.0 {
        Expression::Not(inner) => node(inner, schema, !is_negated),
        Expression::And(all) if is_negated => Ok(Node::Any(nodes(all)?)),
        Expression::And(all) => Ok(Node::All(nodes(all)?)),
        Expression::Or(all) if is_negated => Ok(Node::All(nodes(all)?)),
        Expression::Or(all) => Ok(Node::Any(nodes(all)?)),
        Expression::Compare { field, operator, value } => {
            let field_type = compared(field, &schema.0)?;
            let operator = if is_negated { operator.negated() } else { *operator };
            match value {
                None => Ok(Node::IsNull { field: field.part.clone(), is_negated: operator != Operator::Equal }),
                Some(value) => compare(field, operator, value, field_type),
            }
        }
        Expression::In { field, values } => {
            let field_type = compared(field, &schema.0)?;
            let operator = if is_negated { Operator::NotEqual } else { Operator::Equal };
            let nodes =
                values.iter().map(|value| compare(field, operator, value, field_type)).collect::<Result<_>>()?;
            Ok(if is_negated { Node::All(nodes) } else { Node::Any(nodes) })
        }
    }
}

fn compare(
    field: &Located<String>,
    operator: Operator,
    value: &Located<Value>,
    field_type: (Datatype, CellValNum),
) -> Result<Node> {
    let bytes = operand(field, value, field_type)?;
    Ok(Node::Compare { field: field.part.clone(), operator, value: Value::from_bytes(field_type.0, &bytes) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Attribute, Dimension};

    fn schema() -> ArraySchema {
        let schema = ArraySchema::dense().dimension(Dimension::new("x", 0..=9_i32));
        schema.attribute(Attribute::new::<i32>("a").nullable()).attribute(Attribute::bytes("b")).build().unwrap()
    }

    #[test]
    fn cells_are_compared_like_by_a_query() {
        for (text, meeting, others) in [
            ("a > 3", &[Some(4), Some(9)][..], &[Some(3), None][..]),
            ("not a > 3", &[Some(3)], &[Some(4), None]),
            ("not (a > 3 or a < 0)", &[Some(0), Some(3)], &[Some(4), Some(-1), None]),
            ("a in (1, 2)", &[Some(1), Some(2)], &[Some(3), None]),
            ("a not in (1, 2)", &[Some(3)], &[Some(1), None]),
            ("a between 2 and 4", &[Some(2), Some(4)], &[Some(1), Some(5), None]),
            ("not a between 2 and 4", &[Some(1), Some(5)], &[Some(2), None]),
            ("a is null or a = 1", &[None, Some(1)], &[Some(2)]),
            ("not a is null", &[Some(1)], &[None]),
        ] {
            let condition = text.parse::<Condition>().unwrap().for_cells(&schema()).unwrap();
            let matches = |cell: &Option<i32>| condition.matches(|_| cell.map(Value::from));
            assert!(meeting.iter().all(matches) && !others.iter().any(matches), "{text}");
        }
    }

    #[test]
    fn values_of_another_type_are_errors() {
        for text in ["a > x", "a in (1, 2.5)", "z = 1", "x > 1e400000000000"] {
            assert!(text.parse::<Condition>().unwrap().for_cells(&schema()).is_err(), "{text}");
        }
        let bytes = "b = 0x4142".parse::<Condition>().unwrap().for_cells(&schema()).unwrap();
        assert!(bytes.matches(|_| Some(Value::Bytes(b"AB".to_vec()))));
    }
}
