//! Judges the results of reads.

use super::model::aggregate::{AggregateKind, aggregate, is_same};
use super::model::cells::Selection;
use super::model::order::Order;
use super::model::value::Value;
use super::model::{Cell, Model, Opening};
use super::read::ReadOptions;
use super::shape::ArrayShape;
use tiledb_core::types::Layout;

/// The number of a cell, and its coordinates: no two rows of a read have the same.
pub fn identity(row: &Cell) -> (i64, Vec<u8>) {
    let number = if let Some(Value::Int(number)) = row.values.get(&0) { *number } else { i64::MIN };
    (number, row.at.clone())
}

/// Whether the values of a row are not only fill values.
fn is_written(row: &Cell) -> bool {
    identity(row).0 > i64::from(i32::MIN)
}

/// Compares the attributes and all rows of a read with the model, of an array that was opened between two steps.
///
/// # Errors
/// Describes the difference.
pub fn rows(
    shape: &ArrayShape,
    model: &Model,
    opening: Opening,
    (selection, options): (&Selection, &ReadOptions),
    (attributes, rows): (&[usize], &[Cell]),
) -> Result<(), String> {
    let order = options.order();
    // The Hilbert order is not modelled. A read of several ranges in several submits delivers one range after the other: of sparse
    // arrays in the order of rows or columns (measured), which does not matter along the dimension that varies slowest.
    let slowest = if order == Order::Column { selection.ranges.len() - 1 } else { 0 };
    let is_inner = |dimension: usize| matches!(order, Order::Row | Order::Column) && dimension != slowest;
    let mut dimensions = selection.ranges.iter().enumerate().filter(|(_, ranges)| ranges.len() > 1);
    let has_ranges = dimensions.any(|(dimension, _)| shape.is_dense() || is_inner(dimension));
    // Buffers for fewer cells than there may be in the tiles of the ranges.
    let is_cut = options.cells <= rows.len().max(model.written_cells()) || options.budget.is_some();
    let is_divided = has_ranges && is_cut;
    let is_curve = order == Order::Global && shape.cell_order == Layout::Hilbert;
    if !is_divided && !is_curve && !shape.order().is_sorted(order, rows) {
        return Err(format!("{rows:?} is not in order"));
    }
    model.judge(opening, |view| view.check_schema(selection.window.1, attributes))?;
    model.judge(opening, |view| view.check(selection, attributes, rows))
}

/// Compares the aggregates of a complete read with its rows. Of dense arrays they are those of the cells that were written and
/// meet the condition, with the fill value of attributes that they lack, but the count is that of all rows. A merged fragment has fill
/// values in the gaps between its sources, which are cells like others.
///
/// # Errors
/// Describes the difference.
pub fn aggregates(
    shape: &ArrayShape,
    model: &Model,
    rows: &[Cell],
    results: &[(usize, AggregateKind, Value)],
) -> Result<(), String> {
    for (attribute, kind, result) in results {
        let is_counted = |row: &&Cell| !shape.is_dense() || *kind == AggregateKind::Count || is_written(row);
        let values = rows.iter().filter(is_counted).filter_map(|row| row.values.get(attribute));
        let values: Vec<Value> = values.cloned().collect();
        let is_nan = |value: &Value| matches!(value, Value::Real(number) if number.is_nan());
        let has_gaps = shape.is_dense() && model.has_merged() && !rows.iter().all(is_written);
        if (has_gaps || values.iter().any(is_nan)) && *kind != AggregateKind::Count {
            continue;
        }
        let attribute = &shape.attributes[*attribute];
        let expected = aggregate(*kind, &values, attribute.nullable);
        if !is_same(result, &expected) {
            return Err(format!("{kind:?} of {} is {result:?}, not {expected:?}, of {values:?}", attribute.name));
        }
    }
    Ok(())
}
