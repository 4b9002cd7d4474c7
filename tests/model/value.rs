//! Values of cells.

use std::cmp::Ordering;

/// A value of an attribute.
#[derive(Clone, Debug)]
pub enum Value {
    Null,
    /// Of whole numbers, and of the index of an enumeration.
    Int(i64),
    Real(f64),
    Text(Vec<u8>),
    /// Several numbers.
    List(Vec<i64>),
}

impl Value {
    /// A value as a string of characters.
    pub fn text(text: &str) -> Value {
        Value::Text(text.as_bytes().to_vec())
    }

    /// The order of values that are not null: numbers by size, texts by their bytes; NaN has none.
    pub fn compare(&self, other: &Value) -> Option<Ordering> {
        match (self, other) {
            (Value::Int(value), Value::Int(other)) => Some(value.cmp(other)),
            (Value::Real(value), Value::Real(other)) => value.partial_cmp(other),
            (Value::Text(value), Value::Text(other)) => Some(value.cmp(other)),
            _ => None,
        }
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }
}

/// The same value bit by bit: NaN is itself, and 0.0 not -0.0.
impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Int(value), Value::Int(other)) => value == other,
            (Value::Real(value), Value::Real(other)) => value.to_bits() == other.to_bits(),
            (Value::Text(value), Value::Text(other)) => value == other,
            (Value::List(value), Value::List(other)) => value == other,
            _ => false,
        }
    }
}
