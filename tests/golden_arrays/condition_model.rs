//! Model of conditions on sparse arrays whose attributes came later than some cells: the cells that match among those that the
//! reference itself reads without a condition, in which such cells have the fill value, or null.

use std::cmp::Ordering;

use serde_json::Value;

use crate::case::{Case, list};
use crate::query::{self, FieldType, Outcome, QueryResult, from_hex, size_of};
use crate::support::Cells;

/// The outcome of a query of an evolved array, which if it differs from the record must be what the model selects.
pub fn confirm(case: &Case, name: &str, outcome: Outcome) -> Outcome {
    let Err(text) = &outcome else { return outcome };
    match expected(case, name) {
        Some(model) if model.as_ref() != Err(text) => Err(format!("{text}, but the model gives {model:?}")),
        _ => outcome,
    }
}

/// How the result of the model differs from the record; none for other queries.
fn expected(case: &Case, name: &str) -> Option<Outcome> {
    let queries = case.queries();
    let query = queries.iter().find(|(other, _)| other == name)?.1?;
    let schema = case.schema(query);
    let is_evolved = case.uri().contains("evolution") && schema["array_type"] == "sparse";
    if !is_evolved
        || query["aggregates"].is_array()
        || !query["condition"].is_object()
        || query["ranges"].is_object()
        || query["open"].is_object()
    {
        return None;
    }
    let is_whole = |other: &&Value| {
        !other["condition"].is_object()
            && !other["ranges"].is_object()
            && !other["open"].is_object()
            && !other["aggregates"].is_array()
            && other["layout"] == query["layout"]
            && list(&query["fields"]).iter().all(|field| list(&other["fields"]).contains(field))
    };
    let whole = queries.iter().filter_map(|(_, other)| *other).find(is_whole)?;
    let cells = query::recorded(&whole["expect"], case.data());
    let count = cells.values().map(|(kind, cells)| split(kind, cells).len()).max()?;
    let marks: Option<Vec<bool>> = (0..count).map(|cell| matches(&query["condition"], &cells, cell, false)).collect();
    let marks = marks?;
    let fields = list(&query["fields"]).iter().filter_map(Value::as_str);
    let selected = fields.map(|field| {
        let (kind, cells) = &cells[field];
        (field.to_owned(), (kind.clone(), select(kind, cells, &marks)))
    });
    let selected: QueryResult = selected.collect();
    Some(query::compare(&query["expect"], case.data(), &selected, schema, query))
}

fn split(kind: &FieldType, cells: &Cells) -> Vec<(Vec<u8>, Option<u8>)> {
    cells.split(size_of(&kind.datatype) * kind.cell_val_num.unwrap_or(1) as usize)
}

fn select(kind: &FieldType, cells: &Cells, marks: &[bool]) -> Cells {
    let chosen = || split(kind, cells).into_iter().zip(marks).filter(|(_, mark)| **mark).map(|(cell, _)| cell);
    let starts = chosen().scan(0, |at, (value, _)| Some(std::mem::replace(at, *at + value.len() as u64)));
    Cells {
        data: chosen().flat_map(|(value, _)| value).collect(),
        offsets: cells.offsets.as_ref().map(|_| starts.collect()),
        validity: cells.validity.as_ref().map(|_| chosen().filter_map(|(_, valid)| valid).collect()),
    }
}

/// Whether a cell matches a recorded condition, or its negation; none if the model does not know the type of a field.
fn matches(node: &Value, cells: &QueryResult, cell: usize, negated: bool) -> Option<bool> {
    let operator = node["op"].as_str()?;
    match operator {
        "NOT" => return matches(&node["args"][0], cells, cell, !negated),
        "AND" | "OR" => {
            let parts: Option<Vec<bool>> =
                list(&node["args"]).iter().map(|part| matches(part, cells, cell, negated)).collect();
            let all = (operator == "AND") != negated;
            return parts.map(|parts| if all { parts.iter().all(|part| *part) } else { parts.contains(&true) });
        }
        _ => {}
    }
    let (kind, column) = cells.get(node["field"].as_str()?)?;
    let (value, valid) = split(kind, column).into_iter().nth(cell)?;
    let is_null = valid == Some(0);
    // Null cells match neither a comparison nor its negation.
    if let "IN" | "NOT_IN" = operator {
        let is_member = list(&node["values_hex"]).iter().any(|hex| hex.as_str().map(from_hex) == Some(value.clone()));
        return Some(!is_null && (is_member == ((operator == "IN") != negated)));
    }
    let Some(hex) = node["value_hex"].as_str() else {
        return Some(is_null == ((operator == "EQ") != negated));
    };
    let order = compare(kind, &value, &from_hex(hex))?;
    let holds = match operator {
        "LT" => order.is_some_and(Ordering::is_lt),
        "LE" => order.is_some_and(Ordering::is_le),
        "GT" => order.is_some_and(Ordering::is_gt),
        "GE" => order.is_some_and(Ordering::is_ge),
        "EQ" => order.is_some_and(Ordering::is_eq),
        _ => order.is_none_or(Ordering::is_ne),
    };
    // NaN matches no inequality, nor its negation.
    let is_unordered = order.is_none() && !matches!(operator, "EQ" | "NE");
    Some(!is_null && !is_unordered && holds != negated)
}

/// How a cell compares to a value, which is none for NaN; none at all for other types.
fn compare(kind: &FieldType, cell: &[u8], value: &[u8]) -> Option<Option<Ordering>> {
    let signed = |bytes: &[u8]| -> i64 {
        let word = bytes.iter().rev().fold(0u64, |word, byte| (word << 8) | u64::from(*byte));
        (word << (64 - 8 * bytes.len())) as i64 >> (64 - 8 * bytes.len())
    };
    match kind.datatype.as_str() {
        "STRING_ASCII" | "STRING_UTF8" => Some(Some(cell.cmp(value))),
        "INT8" | "INT16" | "INT32" | "INT64" => Some(Some(signed(cell).cmp(&signed(value)))),
        "UINT8" | "UINT16" | "UINT32" | "UINT64" => Some(Some(cell.iter().rev().cmp(value.iter().rev()))),
        "FLOAT64" => {
            let number = |bytes: &[u8]| bytes.try_into().map(f64::from_le_bytes).ok();
            Some(number(cell)?.partial_cmp(&number(value)?))
        }
        "FLOAT32" => {
            let number = |bytes: &[u8]| bytes.try_into().map(f32::from_le_bytes).ok();
            Some(number(cell)?.partial_cmp(&number(value)?))
        }
        _ => None,
    }
}
