//! `stats`: the number of cells and nulls, the extremes and the mean of each field.

use serde_json::{Value as Json, json};
use tiledb::{Aggregate, Aggregates, Datatype, Layout};

use super::cat;
use crate::args::{CommonOptions, Stats};
use crate::model::{Array, CheckedCondition, DatatypeExt, DatatypeKind, Error, Field, Result, Selection, Value};
use crate::output;
use crate::progress::Progress;

/// Statistics of the selected cells of a field. What does not apply to its datatype, or has no value, is none.
struct FieldStatistics {
    field: Field,
    nulls: Option<u64>,
    min: Option<Value>,
    max: Option<Value>,
    mean: Option<f64>,
}

/// Prints statistics.
pub(super) fn run(common: &CommonOptions, arguments: &Stats) -> Result<()> {
    let ctx = common.context()?;
    let array = Array::open(&ctx, &arguments.at.uri, arguments.at.moments()?)?;
    let ranges = cat::ranges(&array, &arguments.range)?;
    let filter = arguments.condition.as_ref().map(|text| CheckedCondition::parse(text, &array)).transpose()?;
    if filter.is_some() && array.schema().is_dense() {
        return Err(Error::usage(
            "--where leaves no cells of a dense array out of its statistics; select a block by --range",
        ));
    }
    let fields = cat::chosen(array.schema(), &arguments.fields)?;
    let progress = Progress::quiet(&ctx)?;
    let layout = if array.schema().is_dense() { Layout::RowMajor } else { Layout::Unordered };
    let mut all = Vec::new();
    let mut cells = 0;
    if let Some(ranges) = &ranges {
        let condition = filter.as_ref().map(CheckedCondition::condition);
        let selection = Selection { array: &array, layout, ranges, condition };
        cells = progress.end(selection.count())?;
        for field in fields {
            if progress.is_stopped() {
                return Err(Error::Stopped);
            }
            all.push(progress.end(FieldStatistics::of(&selection, field, cells))?);
        }
    } else {
        all.extend(fields.into_iter().map(FieldStatistics::empty));
    }
    if common.json {
        let fields: Vec<Json> = all.iter().map(FieldStatistics::json).collect();
        return output::json(&json!({ "uri": arguments.at.uri, "cells": cells, "fields": fields }));
    }
    let rows: Vec<_> = all.iter().map(FieldStatistics::row).collect();
    output::table(&["FIELD", "TYPE", ">NULLS", ">MIN", ">MAX", ">MEAN"], &rows)?;
    output::line(&format!("cells: {cells}"))
}

impl FieldStatistics {
    fn empty(field: Field) -> Self {
        Self { field, nulls: None, min: None, max: None, mean: None }
    }

    /// The aggregates that the library computes of a field, from the statistics of tiles where these suffice.
    fn of(selection: &Selection<'_>, field: Field, cells: u64) -> Result<Self> {
        let (has_extremes, has_mean) = aggregates_of(&field);
        let is_dense_dimension = selection.array.schema().is_dense()
            && selection.array.schema().dimensions.iter().any(|dimension| dimension.name == field.name);
        if is_dense_dimension {
            let bounds = selection.ranges.iter().find(|range| range.dimension == field.name);
            let value = |bytes: &[u8]| Value::of_bytes(field.datatype, bytes);
            let bounds = bounds.map(|range| (value(&range.low), value(&range.high)));
            let (min, max) = bounds.unzip();
            return Ok(Self { min, max, ..Self::empty(field) });
        }
        let name = &field.name;
        let mut aggregates = Vec::new();
        if has_extremes && cells > 0 {
            aggregates.extend([Aggregate::min(name).named("min"), Aggregate::max(name).named("max")]);
        }
        if has_mean && cells > 0 {
            aggregates.push(Aggregate::mean(name).named("mean"));
        }
        if field.is_nullable {
            aggregates.push(Aggregate::null_count(name).named("nulls"));
        }
        if aggregates.is_empty() {
            return Ok(Self::empty(field));
        }
        let results = selection.aggregate(aggregates)?;
        let extreme = |name: &str| results.get(name).map(|value| Value::of(field.datatype, value));
        Ok(Self {
            nulls: number(&results, "nulls"),
            min: extreme("min"),
            max: extreme("max"),
            mean: results.get("mean").and_then(tiledb::Value::as_f64),
            field,
        })
    }

    fn row(&self) -> Vec<String> {
        let text = |value: &Option<Value>| value.as_ref().map(ToString::to_string).unwrap_or_default();
        vec![
            self.field.name.clone(),
            self.field.datatype.to_string(),
            self.nulls.map(|nulls| nulls.to_string()).unwrap_or_default(),
            text(&self.min),
            text(&self.max),
            self.mean.map(|mean| mean.to_string()).unwrap_or_default(),
        ]
    }

    fn json(&self) -> Json {
        let value = |value: &Option<Value>| value.as_ref().map_or(Json::Null, Value::json);
        json!({
            "name": self.field.name, "type": self.field.datatype.to_string(), "nulls": self.nulls,
            "min": value(&self.min), "max": value(&self.max), "mean": self.mean,
        })
    }
}

fn number(results: &Aggregates, name: &str) -> Option<u64> {
    results.get(name).and_then(tiledb::Value::as_u64)
}

/// Whether the library computes the extremes of a field, and its mean.
fn aggregates_of(field: &Field) -> (bool, bool) {
    if field.enumeration.is_some() {
        return (false, false);
    }
    match field.datatype.kind() {
        DatatypeKind::Signed(_) | DatatypeKind::Unsigned(_) | DatatypeKind::Real(_) if field.values == 1 => {
            (true, field.datatype.unit().is_none())
        }
        DatatypeKind::Text(_) => (field.datatype == Datatype::StringAscii && field.is_var(), false),
        _ => (false, false),
    }
}
