//! Model of conditions on sparse arrays: the cells that match among those that the reference itself reads without a condition.
//! It decides where the reference contradicts itself: by attributes that came later than some cells, which then have the fill value
//! or null, and by dimensions of arrays of format version 1 to 4.

use std::cmp::Ordering;

use serde_json::{Value, json};

use support::golden::case::{Case, list};
use support::golden::query::{self, FieldType, Outcome, QueryResult, complaint, from_hex, size_of};
use support::{Api, Array, Cells, Ctx, Failure, text};

/// `TILEDB_DELETE`.
const DELETE: u64 = 2;

/// The outcome of a query of an evolved array, which if it differs from the record must be what the model selects.
pub fn confirm(case: &Case, name: &str, outcome: Outcome) -> Outcome {
    let Err(text) = &outcome else { return outcome };
    match expected(case, name) {
        Some(model) if model.as_ref() != Err(text) => Err(format!("{text}, but the model gives {model:?}")),
        _ => outcome,
    }
}

/// Conditions on the dimensions of a sparse array: each reads the cells that match among those that the reference reads without
/// a condition, in the same order; not where `checked` found that record wrong. Then a delete by the last of them leaves the other cells. In arrays of format version 1
/// to 4, whose fragments have all coordinates in one file, the reference finds no cell by such a condition.
pub fn check_dimensions(case: &Case, api: &Api, checked: &[(String, Outcome)]) -> Vec<(String, Outcome)> {
    let ctx = case.context(api);
    let queries = case.queries();
    let is_sparse = |query: &Value| case.schema(query)["array_type"] == "sparse";
    let is_recorded = |query: &Value| query["order"] == "exact" && query["expect"]["status"] == "COMPLETED";
    let whole = queries.iter().filter_map(|(name, query)| Some((name, (*query)?)));
    let is_right = |name: &String| checked.iter().any(|(checked, outcome)| checked == name && outcome.is_ok());
    let whole =
        whole.filter(|(name, query)| is_sparse(query) && is_whole(query) && is_recorded(query) && is_right(name));
    let mut outcomes = Vec::new();
    let mut delete = None;
    for (name, query) in whole {
        let cells = query::recorded(&query["expect"], case.data());
        for dimension in list(&case.schema(query)["dims"]) {
            let field = dimension["name"].as_str().unwrap();
            let Some((kind, column)) = cells.get(field) else { continue };
            let values = split(kind, column);
            let Some((value, _)) = values.get(values.len() / 2) else { continue };
            for operator in ["GT", "LE", "EQ"] {
                let hex: String = value.iter().map(|byte| format!("{byte:02x}")).collect();
                let condition = json!({"op": operator, "field": field, "value_hex": hex});
                let Some(expected) = selection(&cells, &condition, false) else { continue };
                let mut conditional = query.clone();
                conditional["condition"] = condition.clone();
                let outcome = query::read(&ctx, case.uri(), case.schema(query), &conditional)
                    .and_then(|result| same(&expected, &result));
                outcomes.push((format!("{name}/{field}_{operator}"), outcome));
                delete = Some((query, condition));
            }
        }
    }
    if let Some((query, condition)) = delete {
        outcomes.push(("delete".to_owned(), check_delete(case, &ctx, query, &condition)));
    }
    outcomes
}

/// Deletes the cells that match a condition and expects the others.
fn check_delete(case: &Case, ctx: &Ctx<'_>, query: &Value, condition: &Value) -> Outcome {
    let deleted = || -> Result<(), Failure> {
        let uri = text(case.uri());
        ctx.call("array_upgrade_version", &[uri.as_ptr() as u64, 0])?;
        let array = Array::open(ctx, case.uri(), DELETE, None, None)?;
        let condition = query::condition(ctx, condition)?;
        let handle = ctx.get("query_alloc", &[array.handle, DELETE])?;
        ctx.call("query_set_condition", &[handle, condition])?;
        ctx.call("query_submit", &[handle])?;
        ctx.free("query", handle);
        ctx.free("query_condition", condition);
        Ok(())
    };
    match deleted() {
        // In libtiledb, too, an upgrade after an evolution stores a schema of the earlier version.
        Err(failure) if failure.text.contains("is smaller than the minimum supported version") => return Ok(()),
        other => other.map_err(complaint)?,
    }
    let expected = selection(&query::recorded(&query["expect"], case.data()), condition, true).ok_or("no model")?;
    same(&expected, &query::read(ctx, case.uri(), case.schema(query), query)?)
}

fn same(expected: &QueryResult, result: &QueryResult) -> Outcome {
    if expected == result { Ok(()) } else { Err(format!("{expected:?} expected, {result:?} read")) }
}

/// A query for all cells.
fn is_whole(query: &Value) -> bool {
    !query["condition"].is_object()
        && !query["ranges"].is_object()
        && !query["open"].is_object()
        && !query["aggregates"].is_array()
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
    let has_fields = |other: &&Value| {
        is_whole(other)
            && other["layout"] == query["layout"]
            && list(&query["fields"]).iter().all(|field| list(&other["fields"]).contains(field))
    };
    let whole = queries.iter().filter_map(|(_, other)| *other).find(has_fields)?;
    let mut selected = selection(&query::recorded(&whole["expect"], case.data()), &query["condition"], false)?;
    selected.retain(|field, _| list(&query["fields"]).iter().any(|name| name == field));
    Some(query::compare(&query["expect"], case.data(), &selected, schema, query))
}

/// The cells that match a condition, or its negation; none if the model does not know the type of a field.
fn selection(cells: &QueryResult, condition: &Value, negated: bool) -> Option<QueryResult> {
    let count = cells.values().map(|(kind, cells)| split(kind, cells).len()).max()?;
    let marks: Option<Vec<bool>> = (0..count).map(|cell| matches(condition, cells, cell, negated)).collect();
    let marks = marks?;
    let selected = |(name, (kind, cells)): (&String, &(FieldType, Cells))| {
        (name.clone(), (kind.clone(), select(kind, cells, &marks)))
    };
    Some(cells.iter().map(selected).collect())
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
