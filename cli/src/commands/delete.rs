//! `delete`: the cells of a sparse array that meet a condition.

use serde_json::json;
use tiledb::Layout;

use crate::args::{CommonOptions, Delete};
use crate::model::{Array, CheckedCondition, Error, Moments, Result, Selection};
use crate::output;
use crate::progress::Progress;

/// Deletes cells, and prints how many met the condition.
pub(super) fn run(common: &CommonOptions, arguments: &Delete) -> Result<()> {
    let (ctx, uri) = (common.context()?, &arguments.uri);
    let array = Array::open(&ctx, uri, Moments::default())?;
    if array.schema().is_dense() {
        return Err(Error::usage(format!("{uri} is dense: only cells of sparse arrays can be deleted")));
    }
    let filter = CheckedCondition::parse(&arguments.condition, &array)?;
    let progress = Progress::quiet(&ctx)?;
    let condition = Some(filter.condition());
    let selection = Selection { array: &array, layout: Layout::Unordered, ranges: &[], condition };
    let cells = if array.non_empty_domain()?.is_some() { progress.end(selection.count())? } else { 0 };
    if !arguments.dry_run && cells > 0 {
        let deleter = tiledb::Array::open_for_deletion(&ctx, uri).map_err(|error| Error::from(error).at(uri))?;
        progress.end(deleter.delete(filter.condition()))?;
    }
    if common.json {
        return output::json(&json!({ "command": "delete", "uri": uri, "cells": cells, "dry_run": arguments.dry_run }));
    }
    let would = if arguments.dry_run { "nothing is done; " } else { "" };
    output::line(&format!("delete: {would}cells: {cells}"))
}
