//! Arrays of sequential histories, read by libtiledb and judged by the model: a rule of the model is what libtiledb does.

use std::collections::BTreeMap;

use serde_json::json;

use super::array::TestArray;
use super::concurrent::reference::{Reference, bytes};
use super::journal::Journal;
use super::model::cells::Selection;
use super::model::condition::{Condition, Operand, Operator};
use super::model::value::Value;
use super::model::{ALWAYS, Cell};
use super::shape::{ArrayShape, CoordinateKind, ValueKind};
use tiledb_core::types::Layout;
use tiledb_storage::resources::Resources;

/// Compares what libtiledb reads of an array, in the windows and with the conditions of selections.
///
/// # Errors
/// Describes the first difference.
pub fn compare(
    reference: &Reference,
    resources: &Resources,
    array: &TestArray,
    journal: &Journal,
    selections: &[&Selection],
) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    copy_files(resources, array, folder.path());
    let commits = resources.vfs().names(&array.uri.join("__commits")).unwrap();
    let is_consolidated = commits.iter().any(|file| file.name.ends_with(".con"));
    let journal = if is_consolidated { &journal.without_names() } else { journal };
    for selection in selections {
        let schema = journal.schema(selection.window.1);
        let shape = &*array.shape;
        let is_read = |attribute: &usize| {
            !matches!(shape.attributes[*attribute].kind, ValueKind::Text | ValueKind::List | ValueKind::Pair)
        };
        let attributes: Vec<usize> = schema.attributes.iter().copied().filter(is_read).collect();
        let names: Vec<&str> = attributes.iter().map(|attribute| shape.attributes[*attribute].name.as_str()).collect();
        // In other orders than that of the cells, libtiledb compares other null flags (difference b).
        let condition =
            selection.condition.clone().filter(|_| !shape.is_dense() || shape.cell_order == Layout::RowMajor);
        let condition = condition.and_then(|condition| Some((python(shape, &condition)?, condition)));
        let (text, condition) = condition.unzip();
        let window = (selection.window != ALWAYS).then_some(selection.window);
        let options = json!({ "names": names, "window": window, "condition": text });
        let cells = reference.request(folder.path(), array, &options).map_err(|text| format!("{text}, {options}"))?;
        let decode = |cell: &serde_json::Value| {
            let mut decoded = Cell { at: Vec::new(), values: BTreeMap::new() };
            for (number, dimension) in shape.dimensions.iter().enumerate() {
                // Places of dense arrays are counted from the first of the current domain.
                let place = cell[number].as_u64().map(|at| schema.domain[number].0 + at as u8);
                decoded.at.push(place.or_else(|| dimension.decode(&bytes(&cell[number]))).unwrap());
            }
            for (position, attribute) in attributes.iter().enumerate() {
                let value = &cell[shape.dimensions.len() + position];
                let value =
                    if value.is_null() { Value::Null } else { shape.attributes[*attribute].decode(&bytes(value)) };
                decoded.values.insert(*attribute, value);
            }
            decoded
        };
        let rows: Vec<Cell> = cells.iter().map(decode).collect();
        let selection = Selection { condition, ..Selection::all(shape.dimensions.len(), selection.window) };
        journal.check(&selection, &attributes, &rows).map_err(|text| format!("libtiledb, {options}: {text}"))?;
    }
    Ok(())
}

/// Copies the files of an array from memory to a folder.
fn copy_files(resources: &Resources, array: &TestArray, folder: &std::path::Path) {
    let vfs = resources.vfs();
    for entry in vfs.list_recursive(&array.uri).unwrap() {
        let name = entry.uri.as_str().strip_prefix(array.uri.as_str()).unwrap().trim_start_matches('/');
        let target = folder.join(name);
        if entry.is_dir {
            std::fs::create_dir_all(&target).unwrap();
        } else {
            std::fs::create_dir_all(target.parent().unwrap()).unwrap();
            std::fs::write(&target, vfs.read(&entry.uri).unwrap()).unwrap();
        }
    }
}

/// A condition as TileDB-Py takes it; `None` for what it cannot express, and where libtiledb contradicts itself (differences b): nulls
/// beside values that the enumeration lacks.
fn python(shape: &ArrayShape, condition: &Condition) -> Option<String> {
    let joined = |parts: &[Condition], word: &str| {
        let parts: Option<Vec<String>> = parts.iter().map(|part| Some(format!("({})", python(shape, part)?))).collect();
        Some(parts?.join(word))
    };
    match condition {
        Condition::And(parts) => joined(parts, " and "),
        Condition::Or(parts) => joined(parts, " or "),
        Condition::Not(_) => None,
        Condition::Compare(operand, operator, values) => {
            let (name, is_vague) = match operand {
                // TileDB-Py has no sets of this datatype.
                Operand::Attribute(number) if values.len() > 1 && shape.attributes[*number].kind == ValueKind::Byte => {
                    return None;
                }
                Operand::Attribute(number) => {
                    let attribute = &shape.attributes[*number];
                    (attribute.name.clone(), attribute.nullable && attribute.kind == ValueKind::Color)
                }
                Operand::Dimension(number) => (format!("d{number}"), false),
            };
            let is_dense_dimension = shape.is_dense() && matches!(operand, Operand::Dimension(_));
            if is_vague && values[0] != Value::Null || is_dense_dimension {
                return None;
            }
            let values: Option<Vec<String>> = values.iter().map(|value| constant(shape, *operand, value)).collect();
            let values = values?;
            let symbol = match operator {
                Operator::Less => "<",
                Operator::LessOrEqual => "<=",
                Operator::Greater => ">",
                Operator::GreaterOrEqual => ">=",
                Operator::Equal if values.len() > 1 => "in",
                Operator::NotEqual if values.len() > 1 => "not in",
                Operator::Equal => "==",
                Operator::NotEqual => "!=",
            };
            let values = if values.len() > 1 { format!("[{}]", values.join(", ")) } else { values.concat() };
            Some(format!("{name} {symbol} {values}"))
        }
    }
}

fn constant(shape: &ArrayShape, operand: Operand, value: &Value) -> Option<String> {
    if let (Operand::Dimension(number), Value::Int(at)) = (operand, value) {
        let dimension = &shape.dimensions[number];
        let bytes = dimension.encode(*at as u8);
        return match dimension.kind {
            CoordinateKind::Int => Some(i32::from_le_bytes(bytes.try_into().ok()?).to_string()),
            CoordinateKind::Real => Some(f64::from_le_bytes(bytes.try_into().ok()?).to_string()),
            CoordinateKind::Text => Some(format!("'{}'", String::from_utf8(bytes).ok()?)),
            CoordinateKind::Day => None,
        };
    }
    match value {
        Value::Null => Some("None".to_owned()),
        Value::Int(value) => Some(value.to_string()),
        Value::Real(_) => Some(format!("{:?}", value.number())),
        // An empty text in a set is an error of libtiledb (difference d).
        Value::Text(text) if text.is_empty() => None,
        Value::Text(text) => Some(format!("'{}'", String::from_utf8_lossy(text))),
        Value::List(_) => None,
    }
}
