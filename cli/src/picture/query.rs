//! A query whose hot spots the picture shows: which fragments and tiles a read of its ranges touches.

use serde_json::{Value as Json, json};

use super::axis::Axis;
use super::tiles::in_grid;
use crate::tiledb::{Dimension, Range, Schema, Value};

/// Ranges per dimension; all of it where there is none.
pub struct Query {
    text: Option<String>,
    ranges: Vec<Vec<(Value, Value)>>,
}

impl Query {
    /// What was asked for on the command line.
    pub fn new(schema: &Schema, texts: &[String], ranges: &[Range]) -> Self {
        let asked = |dimension: &Dimension| {
            let prefix = format!("{}=", dimension.name);
            if !texts.iter().any(|text| text.starts_with(&prefix)) {
                return Vec::new();
            }
            let value = |bytes: &[u8]| Value::of_bytes(dimension.datatype, bytes);
            let own = ranges.iter().filter(|range| range.dimension == dimension.name);
            own.map(|range| (value(&range.low), value(&range.high))).collect()
        };
        let text = (!texts.is_empty()).then(|| texts.join(", "));
        Self { text, ranges: schema.dimensions.iter().map(asked).collect() }
    }

    /// Whether a read of it looks at a box.
    pub fn meets(&self, sides: &[(Value, Value)]) -> bool {
        let is_at_most = |a: &Value, b: &Value| a.order(b).is_none_or(std::cmp::Ordering::is_le);
        sides.iter().zip(&self.ranges).all(|((low, high), ranges)| {
            ranges.is_empty() || ranges.iter().any(|(from, to)| is_at_most(from, high) && is_at_most(low, to))
        })
    }

    /// How many tiles of a dense fragment it looks at; where ranges of a dimension meet in a tile it counts for each.
    pub fn tiles_in_grid(&self, dimensions: &[Dimension], sides: &[(Value, Value)]) -> u64 {
        if !self.meets(sides) {
            return 0;
        }
        let along = |at: usize| {
            let side = &sides[at];
            let count = |low: &Value, high: &Value| {
                in_grid(&dimensions[at..=at], std::slice::from_ref(&(low.clone(), high.clone())))
            };
            let all = count(&side.0, &side.1);
            if self.ranges[at].is_empty() {
                return all;
            }
            let cut = |(from, to): &(Value, Value)| {
                let low = if from.order(&side.0).is_some_and(std::cmp::Ordering::is_gt) { from } else { &side.0 };
                let high = if to.order(&side.1).is_some_and(std::cmp::Ordering::is_lt) { to } else { &side.1 };
                if low.order(high).is_some_and(std::cmp::Ordering::is_gt) { 0 } else { count(low, high) }
            };
            self.ranges[at].iter().map(cut).sum::<u64>().min(all)
        };
        (0..sides.len()).map(along).product()
    }

    /// The bounds in a dimension.
    pub fn values(&self, number: usize) -> impl Iterator<Item = &Value> {
        self.ranges[number].iter().flat_map(|(low, high)| [low, high])
    }

    /// What the picture has to know of it; null where nothing was asked for.
    pub fn json(&self, axes: &[Axis]) -> Json {
        let Some(text) = &self.text else { return Json::Null };
        let ranges = axes.iter().zip(&self.ranges).map(|(axis, ranges)| {
            ranges.iter().map(|(low, high)| [axis.place(low), axis.place(high)]).collect::<Vec<_>>()
        });
        json!({ "text": text, "ranges": ranges.collect::<Vec<_>>() })
    }
}
