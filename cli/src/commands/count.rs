//! `count`: the number of cells of an array, without printing them.

use std::collections::HashMap;

use serde_json::json;

use super::cat;
use crate::args::{CommonOptions, Count};
use crate::condition_expr::ConditionExpr;
use crate::output;
use crate::progress::Progress;
use crate::tiledb::{Array, Error, Layout, Range, Reader, Result, count};

/// Bytes of the buffer of a field.
const BUFFER: usize = 4 << 20;

/// Counts cells.
pub fn run(common: &CommonOptions, arguments: &Count) -> Result<()> {
    let ctx = common.context()?;
    let array = Array::open(&ctx, &arguments.at.uri, arguments.at.moments()?)?;
    let ranges = cat::ranges(&array, &arguments.range)?;
    let filter = arguments.condition.as_ref().map(|text| ConditionExpr::parse(text, array.schema())).transpose()?;
    let progress = Progress::quiet(&ctx)?;
    let counted = || match (&ranges, &filter) {
        (None, _) => Ok(0),
        // Cells of a dense array that a condition leaves out are fill values, which the library counts.
        (Some(ranges), Some(filter)) if array.schema().is_dense() => count_matching(&array, ranges, filter, &progress),
        (Some(ranges), filter) => {
            let layout = if array.schema().is_dense() { Layout::RowMajor } else { Layout::Unordered };
            let condition = filter.as_ref().map(|filter| filter.condition(&ctx)).transpose()?;
            count(&array, layout, ranges, condition.as_ref())
        }
    };
    let cells = progress.end(counted())?;
    if common.json {
        return output::json(&json!({ "uri": arguments.at.uri, "cells": cells }));
    }
    output::line(&cells.to_string())
}

/// Counts cells by reading the fields of a condition.
fn count_matching(array: &Array, ranges: &[Range], filter: &ConditionExpr, progress: &Progress) -> Result<u64> {
    let mut needed = Vec::new();
    filter.fields(&mut needed);
    let mut fields = array.schema().fields();
    fields.retain(|field| needed.contains(&field.name.as_str()));
    let places: HashMap<String, usize> = fields.iter().zip(0..).map(|(field, at)| (field.name.clone(), at)).collect();
    let mut reader = Reader::new(array, fields, Layout::RowMajor, ranges, None, BUFFER)?;
    let mut cells = 0;
    while let Some(batch) = reader.next()? {
        for at in 0..batch.cells {
            let holds = filter.holds(&|name| cat::value(&batch, places.get(name), at));
            cells += u64::from(holds);
        }
        if progress.is_stopped() {
            return Err(Error::Stopped);
        }
    }
    Ok(cells)
}
