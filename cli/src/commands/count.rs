//! `count`: the number of cells of an array, without printing them.

use std::collections::HashMap;

use serde_json::json;
use tiledb::Layout;

use super::cat;
use crate::args::{CommonOptions, Count};
use crate::model::{Array, CheckedCondition, Error, Range, Result, Selection};
use crate::output;
use crate::progress::Progress;

/// Bytes of the buffer of a field.
const BUFFER: usize = 4 << 20;

/// Counts cells.
pub(super) fn run(common: &CommonOptions, arguments: &Count) -> Result<()> {
    let ctx = common.context()?;
    let array = Array::open(&ctx, &arguments.at.uri, arguments.at.moments()?)?;
    let ranges = cat::ranges(&array, &arguments.range)?;
    let filter = arguments.condition.as_ref().map(|text| CheckedCondition::parse(text, &array)).transpose()?;
    let progress = Progress::quiet(&ctx)?;
    let counted = || match (&ranges, &filter) {
        (None, _) => Ok(0),
        // Cells of a dense array that a condition leaves out are fill values, which the library counts.
        (Some(ranges), Some(filter)) if array.schema().is_dense() => count_matching(&array, ranges, filter, &progress),
        (Some(ranges), filter) => {
            let layout = if array.schema().is_dense() { Layout::RowMajor } else { Layout::Unordered };
            Selection { array: &array, layout, ranges, condition: filter.as_ref().map(CheckedCondition::condition) }
                .count()
        }
    };
    let cells = progress.end(counted())?;
    if common.json {
        return output::json(&json!({ "uri": arguments.at.uri, "cells": cells }));
    }
    output::line(&cells.to_string())
}

/// Counts cells by reading the fields of a condition.
fn count_matching(array: &Array, ranges: &[Range], filter: &CheckedCondition, progress: &Progress) -> Result<u64> {
    let mut fields = array.schema().fields();
    fields.retain(|field| filter.has_field(&field.name));
    let places: HashMap<String, usize> = fields.iter().zip(0..).map(|(field, at)| (field.name.clone(), at)).collect();
    let selection = Selection { array, layout: Layout::RowMajor, ranges, condition: None };
    let mut reader = selection.reader(fields, BUFFER)?;
    let mut cells = 0;
    while let Some(batch) = reader.next()? {
        let columns = batch.columns()?;
        for at in 0..batch.cells() {
            let holds = filter.holds(|name| columns.get(*places.get(name)?), at);
            cells += u64::from(holds);
        }
        if progress.is_stopped() {
            return Err(Error::Stopped);
        }
    }
    Ok(cells)
}
