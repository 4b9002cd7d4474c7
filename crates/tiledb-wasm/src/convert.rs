//! Values, fields and metadata as JSON.

use serde_json::{Value as Json, json};
use tiledb::{CellValNum, Datatype, Error, ErrorKind, Field, FieldKind, MetadataValue, NonEmptyDomain, Result, Value};

use crate::protocol::invalid;

/// The largest integer up to which a number of JavaScript represents all.
const MAX_EXACT: i128 = 1 << 53;

/// A value. Integers that no number of JavaScript represents are `{"bigint": "..."}`, bytes `{"bytes": [...]}`, and other numbers that
/// JSON lacks `{"number": "NaN"}`.
pub fn json_of_value(value: &Value) -> Json {
    match value {
        Value::Int(number) => integer(i128::from(*number)),
        Value::Unsigned(number) => integer(i128::from(*number)),
        Value::Float(number) if number.is_finite() => json!(number),
        Value::Float(number) if number.is_nan() => json!({"number": "NaN"}),
        Value::Float(number) => json!({"number": if *number > 0.0 { "Infinity" } else { "-Infinity" }}),
        Value::Bool(value) => json!(value),
        Value::Text(text) => json!(text),
        Value::Bytes(bytes) => json!({"bytes": bytes}),
        other => json!(other.to_string()),
    }
}

fn integer(number: i128) -> Json {
    match i64::try_from(number) {
        Ok(exact) if number.abs() <= MAX_EXACT => json!(exact),
        _ => json!({"bigint": number.to_string()}),
    }
}

/// A value of a request; `None` for null. Integers that no number of JavaScript represents are texts, which are converted to the
/// type of the dimension.
///
/// # Errors
/// If it is a list or an object.
pub fn value_of_json(json: &Json) -> Result<Option<Value>> {
    Ok(Some(match json {
        Json::Null => return Ok(None),
        Json::Bool(value) => (*value).into(),
        Json::String(text) => text.as_str().into(),
        Json::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(number), ..) => number.into(),
            (None, Some(number), _) => number.into(),
            (None, None, Some(number)) => number.into(),
            (None, None, None) => return Err(invalid(format!("{number} is no number"))),
        },
        Json::Array(_) | Json::Object(_) => return Err(invalid(format!("{json} is no value"))),
    }))
}

/// A value that is an integer; dates are those of their unit.
pub fn integer_of_value(value: &Value) -> Option<i128> {
    match value {
        Value::Int(number) => Some(i128::from(*number)),
        Value::Unsigned(number) => Some(i128::from(*number)),
        _ => None,
    }
}

/// An integer of a dimension as a value.
pub fn value_of_integer(number: i128) -> Value {
    match (i64::try_from(number), u64::try_from(number)) {
        (Ok(number), _) => Value::Int(number),
        (Err(_), Ok(number)) => Value::Unsigned(number),
        (Err(_), Err(_)) => Value::Int(i64::MIN),
    }
}

/// What a field is.
pub fn field_json(field: &Field) -> Json {
    let kind = match field.kind() {
        FieldKind::Dimension => "dimension",
        FieldKind::Attribute => "attribute",
        FieldKind::Label => "label",
        FieldKind::Aggregate => "aggregate",
        _ => "timestamps",
    };
    let cell_values = match field.cell_val_num() {
        CellValNum::Fixed(number) => Some(number),
        CellValNum::Var => None,
    };
    json!({
        "name": field.name(), "kind": kind, "type": field.datatype().to_string(), "size": field.datatype().size(),
        "valuesPerCell": cell_values, "nullable": field.is_nullable(), "enumeration": field.enumeration_name(),
    })
}

pub fn domain_json(domain: &NonEmptyDomain) -> Json {
    let range = |(name, low, high): &(String, Value, Value)| json!({"name": name, "range": [json_of_value(low), json_of_value(high)]});
    domain.iter().map(range).collect()
}

/// A value of metadata: a text, or a list of values, with its type.
///
/// # Errors
/// If its size is not that of its values.
pub fn json_of_metadata(value: &MetadataValue) -> Result<Json> {
    let datatype = value.datatype();
    if let Some(text) = value.as_str() {
        return Ok(json!({"type": datatype.to_string(), "value": text}));
    }
    if is_opaque(datatype) {
        return Ok(json!({"type": datatype.to_string(), "value": {"bytes": value.bytes()}}));
    }
    let size = datatype.size();
    if size == 0 || !value.bytes().len().is_multiple_of(size) {
        return Err(Error::new(ErrorKind::Corrupt, format!("A value of metadata of type {datatype} has a wrong size")));
    }
    let values: Vec<Json> =
        value.bytes().chunks_exact(size).map(|bytes| json_of_value(&Value::from_bytes(datatype, bytes))).collect();
    Ok(json!({"type": datatype.to_string(), "value": values}))
}

fn is_opaque(datatype: Datatype) -> bool {
    datatype.is_string() || matches!(Value::from_bytes(datatype, &[]), Value::Bytes(_))
}
