//! Values of a dense array as a heat map: of all its cells if they are few, otherwise of a block in the middle.

use serde_json::{Value as Json, json};
use tiledb::{Datatype, Layout};

use super::grid::MAX_SQUARES;
use crate::model::{Array, DatatypeExt, DatatypeKind, Dimension, Error, Field, Range, Result, Selection, Value};

/// Maximum number of cells that are read for an attribute: the array may be in a remote store.
const CELLS: u64 = 1 << 18;
/// Maximum length of a block that is a sample.
const SIDE: u64 = 1 << 9;
/// Maximum number of attributes.
const ATTRIBUTES: usize = 3;
/// Bytes of the buffer of an attribute.
pub(super) const FIELD_BUFFER_BYTES: usize = 1 << 20;

/// Whether the library computes means of a field.
fn has_mean(field: &Field) -> bool {
    let is_number =
        matches!(field.datatype.kind(), DatatypeKind::Signed(_) | DatatypeKind::Unsigned(_) | DatatypeKind::Real(_));
    is_number && field.datatype.unit().is_none() && field.values == 1 && field.enumeration.is_none()
}

/// A dimension of the heat map: its first index, the number of indexes, and of squares.
struct Side<'a> {
    dimension: &'a Dimension,
    first: i128,
    length: u64,
    squares: u64,
}

impl<'a> Side<'a> {
    fn new(dimension: &'a Dimension, bounds: (i128, i128)) -> Self {
        let length = u64::try_from(bounds.1 - bounds.0 + 1).unwrap_or(u64::MAX);
        Self { dimension, first: bounds.0, length, squares: length.min(MAX_SQUARES) }
    }

    /// Keeps the indexes in the middle.
    fn cut(&mut self, length: u64) {
        if length < self.length {
            self.first += i128::from((self.length - length) / 2);
            self.length = length;
            self.squares = length.min(MAX_SQUARES);
        }
    }

    fn range(&self) -> Range {
        let bytes = |index: i128| index.to_le_bytes()[..self.dimension.datatype.size()].to_vec();
        let last = self.first + i128::from(self.length) - 1;
        Range { dimension: self.dimension.name.clone(), low: bytes(self.first), high: bytes(last) }
    }

    fn json(&self) -> Json {
        let range = self.range();
        let text = |bytes: &[u8]| Value::of_bytes(self.dimension.datatype, bytes).to_string();
        json!({
            "name": self.dimension.name, "low": text(&range.low), "high": text(&range.high), "first": self.first as f64,
            "length": self.length, "squares": self.squares,
        })
    }
}

/// The attributes whose values are drawn: those of the names, or the first ones with numbers.
pub(super) fn fields(array: &Array, names: &[String]) -> Result<Vec<Field>> {
    let schema = array.schema();
    let mut fields: Vec<Field> = schema.fields();
    let is_drawn = |field: &Field| if schema.is_dense() { is_shown(field) } else { has_mean(field) };
    fields.retain(|field| is_drawn(field) && !schema.dimensions.iter().any(|one| one.name == field.name));
    let find = |name: &String| {
        fields.iter().find(|field| field.name == *name).cloned().ok_or_else(|| {
            let all: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            Error::usage(format!(
                "there is no attribute {name:?} with one number in a cell; there are {}",
                all.join(", ")
            ))
        })
    };
    if names.is_empty() {
        fields.truncate(ATTRIBUTES);
        return Ok(fields);
    }
    names.iter().map(find).collect()
}

/// The values within these ranges; null for arrays that are empty, or have no numbers.
pub(super) fn collect(array: &Array, ranges: &[Range], fields: Vec<Field>) -> Result<Json> {
    let schema = array.schema();
    if fields.is_empty() {
        return Ok(Json::Null);
    }
    let Some(stored) = array.non_empty_domain()? else { return Ok(Json::Null) };
    let bounds = |(dimension, stored): (&Dimension, &(Value, Value))| {
        let mut own = ranges.iter().filter(|range| range.dimension == dimension.name);
        let value = |bytes: &[u8]| index(&Value::of_bytes(dimension.datatype, bytes));
        match (own.next(), own.next()) {
            (Some(range), None) => Some((value(&range.low)?, value(&range.high)?)),
            _ => Some((index(&stored.0)?, index(&stored.1)?)),
        }
    };
    let bounds: Option<Vec<(i128, i128)>> = schema.dimensions.iter().zip(&stored).map(bounds).collect();
    let Some(bounds) = bounds else { return Ok(Json::Null) };
    let mut sides: Vec<Side<'_>> =
        schema.dimensions.iter().zip(bounds).map(|(dimension, bounds)| Side::new(dimension, bounds)).collect();
    // Of the other dimensions the first index is shown.
    let shown = sides.len().saturating_sub(2);
    sides[..shown].iter_mut().for_each(|side| (side.length, side.squares) = (1, 1));
    let cells = |sides: &[Side<'_>]| sides.iter().fold(1_u64, |all, side| all.saturating_mul(side.length));
    let is_sample = cells(&sides) > CELLS;
    if is_sample {
        let short = sides[shown..].iter().map(|side| side.length).min().unwrap_or(1).clamp(1, SIDE);
        sides[shown..].iter_mut().for_each(|side| side.cut(SIDE.max(CELLS / short)));
        if cells(&sides) > CELLS {
            sides[shown..].iter_mut().for_each(|side| side.cut(SIDE));
        }
    }
    let (fixed, drawn) = sides.split_at(shown);
    let (down, across) = match drawn {
        [down, across] => (Some(down), across),
        [across] => (None, across),
        _ => return Ok(Json::Null),
    };
    let ranges: Vec<Range> = sides.iter().map(Side::range).collect();
    let attributes =
        fields.iter().map(|field| squares(array, field, &ranges, down, across)).collect::<Result<Json>>()?;
    let fixed = fixed.iter().map(|side| {
        let json = side.json();
        format!("{} = {}", side.dimension.name, json["low"].as_str().unwrap_or_default())
    });
    Ok(json!({
        "down": down.map(Side::json), "across": across.json(), "fixed": fixed.collect::<Vec<_>>().join(", "),
        "sample": is_sample, "attributes": attributes,
    }))
}

/// Whether the cells of a field are numbers.
fn is_shown(field: &Field) -> bool {
    let is_number = !matches!(field.datatype.kind(), DatatypeKind::Text(_) | DatatypeKind::Bytes);
    is_number && field.values == 1 && field.enumeration.is_none()
}

/// The index of a dimension.
fn index(value: &Value) -> Option<i128> {
    match value {
        Value::Int(number) | Value::Moment(_, number) => Some((*number).into()),
        Value::Unsigned(number) => Some((*number).into()),
        _ => None,
    }
}

/// The mean of the cells of each square.
fn squares(array: &Array, field: &Field, ranges: &[Range], down: Option<&Side<'_>>, across: &Side<'_>) -> Result<Json> {
    let (rows, columns) = (down.map_or(1, |side| side.squares), across.squares);
    let height = down.map_or(1, |side| side.length);
    let mut sums = vec![(0.0, 0_u32); (rows * columns) as usize];
    let selection = Selection { array, layout: Layout::RowMajor, ranges, condition: None };
    let mut reader = selection.reader(vec![field.clone()], FIELD_BUFFER_BYTES)?;
    let mut cell = 0;
    while let Some(batch) = reader.next()? {
        let values = batch.columns()?;
        for at in 0..batch.cells() {
            let (row, column) = (cell / across.length, cell % across.length);
            let square = row * rows / height.max(1) * columns + column * columns / across.length.max(1);
            let value = values.first().and_then(|values| number(field.datatype, &values.value(at)));
            if let (Some(value), Some((sum, count))) = (value, sums.get_mut(square as usize)) {
                *sum += value;
                *count += 1;
            }
            cell += 1;
        }
    }
    let means: Vec<Option<f64>> =
        sums.iter().map(|(sum, count)| (*count > 0).then(|| rounded(sum / f64::from(*count)))).collect();
    let known = means.iter().flatten().copied();
    let (low, high) =
        known.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), mean| (low.min(mean), high.max(mean)));
    let is_mean = across.length > across.squares || height > rows;
    Ok(json!({
        "name": field.name, "type": field.datatype.to_string(), "mean": is_mean, "cells": means,
        "low": if low.is_finite() { Json::from(low) } else { Json::Null },
        "high": if high.is_finite() { Json::from(high) } else { Json::Null },
    }))
}

/// The number of a cell that has one: neither null, nor infinite, nor the fill value of cells that were never written.
pub(super) fn number(datatype: Datatype, value: &Value) -> Option<f64> {
    let is_fill = match (datatype.kind(), value) {
        (DatatypeKind::Signed(size), Value::Int(number) | Value::Moment(_, number)) => {
            *number == i64::MIN >> (64 - 8 * size)
        }
        (DatatypeKind::Unsigned(size), Value::Unsigned(number)) => *number == u64::MAX >> (64 - 8 * size),
        _ => false,
    };
    value.number().filter(|number| !is_fill && number.is_finite())
}

/// Five significant digits, so that pages are short.
pub(super) fn rounded(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fill_values_are_no_values() {
        for (datatype, fill, other) in [
            (Datatype::Int8, Value::Int(-128), Value::Int(-127)),
            (Datatype::Int64, Value::Int(i64::MIN), Value::Int(-128)),
            (Datatype::Uint16, Value::Unsigned(65535), Value::Unsigned(0)),
            (Datatype::Uint64, Value::Unsigned(u64::MAX), Value::Unsigned(65535)),
            (Datatype::Float64, Value::Real(f64::NAN), Value::Real(-0.5)),
            (Datatype::Int32, Value::Null, Value::Int(0)),
        ] {
            assert_eq!(number(datatype, &fill), None, "{fill:?}");
            assert!(number(datatype, &other).is_some(), "{other:?}");
        }
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(rounded(1.0 / 3.0), 0.33333);
        assert_eq!(rounded(-123_456_789.0), -123_460_000.0);
        assert_eq!(rounded(0.0), 0.0);
    }
}
