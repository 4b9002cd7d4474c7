//! Previews of maintenance: fragments and files, with their sizes.

use serde_json::{Value as Json, json};
use tiledb::Context;
use tiledb::maintenance::{ConsolidationStep, StepSource};

use crate::args::CommonOptions;
use crate::model::{Result, files_of_array};
use crate::output;

/// Files, or folders with all their contents, and their sizes in bytes.
pub(super) struct FileSizes(Vec<(String, u64)>);

impl FileSizes {
    /// Existing files; a file within a listed folder counts as part of it.
    pub(super) fn of(ctx: &Context, array: &str, uris: &[String]) -> Result<Self> {
        let files = files_of_array(ctx, array)?;
        let mut found: Vec<(String, Option<u64>)> = uris.iter().map(|uri| (uri.clone(), None)).collect();
        found.sort();
        found.dedup();
        let place = |uri: &str| found.binary_search_by(|one| one.0.as_str().cmp(uri)).ok();
        // The topmost folder of the list, or the file itself.
        let of = |uri: &str| {
            let mut ends = uri.match_indices('/').map(|(end, _)| end).chain([uri.len()]);
            ends.find_map(|end| place(&uri[..end]))
        };
        let sizes: Vec<_> = files.iter().map(|file| (of(file.uri.trim_end_matches('/')), file.bytes)).collect();
        for (at, bytes) in sizes {
            if let Some(at) = at {
                *found[at].1.get_or_insert(0) += bytes;
            }
        }
        Ok(Self(found.into_iter().filter_map(|(uri, bytes)| Some((uri, bytes?))).collect()))
    }

    pub(super) fn bytes(&self) -> u64 {
        self.0.iter().map(|file| file.1).sum()
    }

    /// Prints the list and totals.
    pub(super) fn print(&self, common: &CommonOptions, what: &str, array: &str) -> Result<()> {
        if common.json {
            let files = self.0.iter().map(|(uri, bytes)| json!({ "uri": uri, "bytes": bytes })).collect::<Json>();
            return output::json(&json!({ "command": what, "dry_run": true, "bytes": self.bytes(), "files": files }));
        }
        if !self.0.is_empty() {
            let row = |(uri, bytes): &(String, u64)| vec![output::inside(array, uri).to_owned(), output::bytes(*bytes)];
            output::table(&["WOULD BE REMOVED", ">BYTES"], &self.0.iter().map(row).collect::<Vec<_>>())?;
        }
        let (count, bytes) = (self.0.len(), output::bytes(self.bytes()));
        output::line(&format!("{what}: nothing is done; would remove: {count}, {bytes}"))
    }
}

/// Prints the steps of a consolidation.
pub(super) fn steps(common: &CommonOptions, array: &str, mode: &str, steps: &[ConsolidationStep]) -> Result<()> {
    if common.json {
        let source = |source: &StepSource| match &source.origin {
            Ok(uri) => json!({ "uri": uri, "cells": source.cells, "bytes": source.bytes }),
            Err(step) => json!({ "made_by_step": step, "cells": source.cells, "bytes": source.bytes }),
        };
        let step = |(number, step): (usize, &ConsolidationStep)| {
            let sources = step.sources.iter().map(source).collect::<Json>();
            json!({ "expected": number > 0, "merged": sources, "bytes_before": step.bytes, "cells_before": cells(step), "cells_after": step.cells })
        };
        let steps = steps.iter().enumerate().map(step).collect::<Json>();
        return output::json(&json!({ "command": "consolidate", "dry_run": true, "mode": mode, "steps": steps }));
    }
    let mut rows = Vec::new();
    for (number, step) in (1_u64..).zip(steps) {
        for source in &step.sources {
            let name = match &source.origin {
                Ok(uri) => output::inside(array, uri).to_owned(),
                Err(step) => format!("(made by step {step})"),
            };
            // Steps after the first depend on the size of its result.
            let step = if number > 1 { format!("{number}, expected") } else { number.to_string() };
            rows.push(vec![step, name, source.cells.to_string(), output::bytes(source.bytes)]);
        }
        let sum = format!("into {} of at most", if mode == "fragments" { "a fragment" } else { "one file" });
        let bytes = format!("about {}", output::bytes(step.bytes));
        rows.push(vec![String::new(), sum, step.cells.to_string(), bytes]);
    }
    if !rows.is_empty() {
        output::table(&[">STEP", "WOULD BE MERGED", ">CELLS", ">BYTES"], &rows)?;
    }
    let merged: usize = steps.iter().map(|step| step.sources.len()).sum();
    output::line(&format!("consolidate: nothing is done; steps: {}, merged: {merged}", steps.len()))
}

fn cells(step: &ConsolidationStep) -> u64 {
    step.sources.iter().map(|source| source.cells).sum()
}
