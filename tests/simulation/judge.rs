//! Judges the results of reads.

use std::sync::Arc;

use super::journal::{Journal, Opening};
use super::model::aggregate::{AggregateKind, aggregate};
use super::model::cells::Selection;
use super::model::order::Order;
use super::model::schema::Schema;
use super::model::value::Value;
use super::model::{Cell, Change, Event, Model};
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

/// Compares a schema with those that the array can have, with the attributes in any order.
///
/// # Errors
/// Describes the difference.
pub fn schema(model: &Model, end: u64, schema: &Schema) -> Result<(), String> {
    match model.schemas(end).into_iter().any(|other| is_same_schema(schema, other)) {
        true => Ok(()),
        false => Err(format!("the schema is {schema:?}, not one of {:?}", model.schemas(end))),
    }
}

fn is_same_schema(schema: &Schema, other: &Schema) -> bool {
    let sorted = |schema: &Schema| {
        let mut schema = schema.clone();
        schema.attributes.sort_unstable();
        schema
    };
    sorted(schema) == sorted(other)
}

/// The model in which the evolutions of a time have led to a schema, if they could.
fn with_schema(model: &Model, schema: &Schema) -> Model {
    let alternative = |event: &Event| match &event.change {
        Change::Evolve(schemas) => schemas.iter().find(|other| is_same_schema(schema, other)).cloned(),
        _ => None,
    };
    let chosen: Vec<(u64, Schema)> =
        model.events.iter().filter_map(|event| Some((event.time, alternative(event)?))).collect();
    let mut model = model.clone();
    for event in &mut model.events {
        let same = chosen.iter().find(|(time, _)| *time == event.time);
        if let (Change::Evolve(_), Some((time, schema))) = (&event.change, same) {
            let change = Change::Evolve(vec![schema.clone()]);
            *event = Arc::new(Event { time: *time, change, is_late: event.is_late, name: event.name.clone() });
        }
    }
    model
}

/// What a read has returned: of which schema, the rows, and how many of them there were after each submit.
#[derive(Clone, Copy)]
pub struct Returned<'a> {
    pub schema: &'a Schema,
    pub rows: &'a [Cell],
    pub submits: &'a [usize],
}

impl Returned<'_> {
    /// The Hilbert order is not modelled. A read of several ranges in several submits delivers one range after the other: of sparse
    /// arrays in the order of rows or columns (measured), which does not matter along the dimension that varies slowest.
    fn is_in_order(&self, shape: &ArrayShape, selection: &Selection, order: Order) -> bool {
        let slowest = if order == Order::Column { selection.ranges.len() - 1 } else { 0 };
        let mut dimensions = selection.ranges.iter().enumerate().filter(|(_, ranges)| ranges.len() > 1);
        let has_ranges =
            dimensions.any(|(dimension, _)| shape.is_dense() || order != Order::Global && dimension != slowest);
        let global = shape.order();
        let is_sorted = |rows: &[Cell]| rows.is_sorted_by_key(|row| global.key(order, &row.at));
        if order == Order::Global && shape.cell_order == Layout::Hilbert {
            return true;
        }
        let mut start = 0;
        let mut parts = self.submits.iter().map(|end| &self.rows[std::mem::replace(&mut start, *end)..*end]);
        if has_ranges { parts.all(is_sorted) } else { is_sorted(self.rows) }
    }
}

/// Compares the schema and all rows of a read with the model, of an array that was opened between two steps.
///
/// # Errors
/// Describes the difference.
pub fn rows(
    shape: &ArrayShape,
    journal: &Journal,
    opening: Opening,
    (selection, options): (&Selection, &ReadOptions),
    returned: Returned<'_>,
) -> Result<(), String> {
    if options.order().is_some_and(|order| !returned.is_in_order(shape, selection, order)) {
        return Err(format!("{:?} is not in order, of {:?}", returned.rows, returned.submits));
    }
    let mut rows = returned.rows.to_vec();
    if journal.may_be_doubled {
        rows.sort_by_key(identity);
        rows.dedup_by_key(|row| identity(row));
    }
    journal.judge(opening, |model| schema(model, selection.window.1, returned.schema))?;
    let exceeds_domain = !shape.is_dense() && matches!(options.order(), Some(Order::Row | Order::Column));
    let selection = Selection { exceeds_domain, ..selection.clone() };
    journal.judge(opening, |model| {
        with_schema(model, returned.schema).check(&selection, &returned.schema.attributes, &rows)
    })
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
        let has_nan = values.iter().any(|value| matches!(value, Value::Real(_)) && value.number().is_nan());
        let is_undetermined = has_nan && matches!(kind, AggregateKind::Min | AggregateKind::Max);
        let has_gaps = shape.is_dense() && model.merged.until > 0 && !rows.iter().all(is_written);
        if is_undetermined || has_gaps && *kind != AggregateKind::Count {
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

/// Whether a result is an aggregate: 0 of any type, and NaN of any sign.
fn is_same(result: &Value, expected: &Value) -> bool {
    match (result, expected) {
        (Value::Real(_), Value::Real(_)) if expected.number().is_nan() => result.number().is_nan(),
        (Value::Real(_), Value::Real(_) | Value::Int(0)) => result.number() == expected.number(),
        (Value::Text(result), Value::Int(0)) => result.is_empty(),
        _ => result == expected,
    }
}
