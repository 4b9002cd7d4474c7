//! A dimension with numbers, divided into squares of a picture.

use serde_json::{Value as Json, json};
use tiledb::Datatype;

use super::axis::Axis;
use crate::model::{Dimension, Field, Range, Value};

/// Maximum number of squares along a side.
pub(super) const MAX_SQUARES: u64 = 128;

/// What lies between the bounds.
enum Scale {
    /// So many whole numbers from the first on.
    Whole {
        first: i128,
        length: i128,
    },
    Real {
        low: f64,
        high: f64,
    },
}

/// A side of the grid.
pub(super) struct GridSide<'a> {
    /// The number of the dimension.
    pub number: usize,
    dimension: &'a Dimension,
    scale: Scale,
    pub squares: u64,
}

impl<'a> GridSide<'a> {
    /// The side between two values; none if they are not numbers.
    pub(super) fn new(number: usize, dimension: &'a Dimension, low: &Value, high: &Value) -> Option<Self> {
        let scale = match (whole(low), whole(high)) {
            (Some(first), Some(last)) if first <= last => Scale::Whole { first, length: last - first + 1 },
            _ => match (low, high) {
                (Value::Real(_) | Value::Short(_), Value::Real(_) | Value::Short(_)) => {
                    let low = low.number()?;
                    let high = high.number()?;
                    ((high - low).is_finite() && low <= high).then_some(Scale::Real { low, high })?
                }
                _ => return None,
            },
        };
        let squares = match scale {
            Scale::Whole { length, .. } => u64::try_from(length).map_or(MAX_SQUARES, |length| length.min(MAX_SQUARES)),
            Scale::Real { low, high } if low < high => MAX_SQUARES,
            Scale::Real { .. } => 1,
        };
        Some(Self { number, dimension, scale, squares })
    }

    /// The name of the dimension.
    pub(super) fn name(&self) -> &str {
        &self.dimension.name
    }

    /// The dimension as a field of a read.
    pub(super) fn field(&self) -> Field {
        self.dimension.field()
    }

    /// Whether no value is farther from zero.
    pub(super) fn is_within(&self, limit: f64) -> bool {
        let (low, high) = match self.scale {
            Scale::Whole { first, length } => (first as f64, (first + length - 1) as f64),
            Scale::Real { low, high } => (low, high),
        };
        -limit <= low && high <= limit
    }

    /// The range of the squares from one to before another; none if no value lies between its bounds.
    pub(super) fn range(&self, (from, to): (u64, u64)) -> Option<Range> {
        let datatype = self.dimension.datatype;
        let (low, high) = match self.scale {
            Scale::Whole { first, length } => {
                let edge = |square: u64| first + self.whole_edge(length, square);
                let bytes = |number: i128| number.to_le_bytes()[..datatype.size()].to_vec();
                (edge(from) < edge(to)).then(|| (bytes(edge(from)), bytes(edge(to) - 1)))?
            }
            Scale::Real { low, high } => {
                let first = self.real_edge(low, high, from);
                let last = if to == self.squares { high } else { self.before(self.real_edge(low, high, to)) };
                (first <= last).then(|| (self.bytes(first), self.bytes(last)))?
            }
        };
        Some(Range { dimension: self.dimension.name.clone(), low, high })
    }

    /// The square of a value; none outside of all.
    pub(super) fn square_of(&self, value: &Value) -> Option<u64> {
        match self.scale {
            Scale::Whole { first, length } => {
                let at = whole(value)? - first;
                (0..length).contains(&at).then(|| (at * i128::from(self.squares) / length) as u64)
            }
            Scale::Real { low, high } => {
                let value = value.number().filter(|value| (low..=high).contains(value))?;
                let mut square = (((value - low) / (high - low) * self.squares as f64) as u64).min(self.squares - 1);
                // The edges are rounded, and decide.
                while square > 0 && value < self.real_edge(low, high, square) {
                    square -= 1;
                }
                while square + 1 < self.squares && self.real_edge(low, high, square + 1) <= value {
                    square += 1;
                }
                Some(square)
            }
        }
    }

    fn whole_edge(&self, length: i128, square: u64) -> i128 {
        let squares = i128::from(self.squares);
        (length * i128::from(square) + squares - 1) / squares
    }

    /// The least value of a square, as a value of the datatype.
    fn real_edge(&self, low: f64, high: f64, square: u64) -> f64 {
        let edge = low + (high - low) * (square as f64 / self.squares as f64);
        if self.is_short() { f64::from(edge as f32) } else { edge }
    }

    /// The greatest value of the datatype below another.
    fn before(&self, value: f64) -> f64 {
        if self.is_short() { f64::from((value as f32).next_down()) } else { value.next_down() }
    }

    fn bytes(&self, value: f64) -> Vec<u8> {
        if self.is_short() { (value as f32).to_le_bytes().to_vec() } else { value.to_le_bytes().to_vec() }
    }

    fn is_short(&self) -> bool {
        self.dimension.datatype == Datatype::Float32
    }

    /// The side as JSON, with its places on an axis.
    pub(super) fn json(&self, axis: &Axis) -> Json {
        let bounds = self.range((0, self.squares));
        let value = |bytes: &[u8]| Value::of_bytes(self.dimension.datatype, bytes);
        let [low, high] = bounds.map_or([Value::Null, Value::Null], |range| [value(&range.low), value(&range.high)]);
        json!({
            "name": self.dimension.name, "axis": self.number, "low": low.to_string(), "high": high.to_string(),
            "from": axis.place(&low), "to": axis.place(&high), "squares": self.squares, "length": self.squares,
        })
    }
}

fn whole(value: &Value) -> Option<i128> {
    match value {
        Value::Int(number) | Value::Moment(_, number) => Some((*number).into()),
        Value::Unsigned(number) => Some((*number).into()),
        _ => None,
    }
}
