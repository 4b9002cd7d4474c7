//! Values of cells.

use std::cmp::Ordering;

/// A value of an attribute. Equal values are the same bit by bit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    Null,
    /// Of whole numbers, and of the index of an enumeration.
    Int(i64),
    /// The bits of a number.
    Real(u64),
    Text(Vec<u8>),
    List(Vec<i64>),
}

impl Value {
    /// The number, NaN if it is none.
    pub fn number(&self) -> f64 {
        match self {
            Value::Int(value) => *value as f64,
            Value::Real(bits) => f64::from_bits(*bits),
            _ => f64::NAN,
        }
    }

    /// The order of values: numbers by size, texts by their bytes; null is equal to null only, and NaN to nothing (measured).
    pub fn compare(&self, other: &Value) -> Option<Ordering> {
        match (self, other) {
            (Value::Null, Value::Null) => Some(Ordering::Equal),
            (Value::Text(value), Value::Text(other)) => Some(value.cmp(other)),
            _ => self.number().partial_cmp(&other.number()),
        }
    }
}
