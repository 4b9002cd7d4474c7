//! `watch`: prints the fragments of an array as they are written.

use std::collections::HashSet;
use std::time::Duration;

use serde_json::json;

use super::info::moment;
use super::maintain::only_arrays;
use crate::args::{CommonOptions, Watch};
use crate::model::{Array, Error, Fragment, FragmentInfo, Moments, Result};
use crate::output;
use crate::progress::Progress;

/// Prints fragments until the limit is reached or the tool is stopped.
pub(super) fn run(common: &CommonOptions, arguments: &Watch) -> Result<()> {
    let uri = &arguments.uri;
    let ctx = common.context()?;
    only_arrays(&ctx, uri)?;
    let progress = Progress::quiet_until_stopped(&ctx)?;
    let mut known: Option<HashSet<String>> = arguments.all.then(HashSet::new);
    let mut printed = 0;
    loop {
        let fragments = progress.end(fragments(common, uri))?;
        let mut names = HashSet::new();
        for fragment in &fragments {
            names.insert(fragment.name().to_owned());
            if known.as_ref().is_some_and(|known| !known.contains(fragment.name())) {
                if arguments.limit.is_some_and(|limit| printed >= limit) {
                    return Ok(());
                }
                print(common, fragment)?;
                printed += 1;
            }
        }
        if arguments.limit.is_some_and(|limit| printed >= limit) {
            return Ok(());
        }
        // Names that are gone were merged: only what exists is remembered.
        known = Some(names);
        if !progress.pause(Duration::from_secs(arguments.interval)) {
            return Err(Error::Ended);
        }
    }
}

/// The fragments as they are now: a context may remember what it has listed.
fn fragments(common: &CommonOptions, uri: &str) -> Result<Vec<Fragment>> {
    let ctx = common.context()?;
    let array = Array::open(&ctx, uri, Moments::default())?;
    Ok(FragmentInfo::load(&ctx, uri)?.fragments(&array.schema().dimensions))
}

fn print(common: &CommonOptions, fragment: &Fragment) -> Result<()> {
    let (from, to) = fragment.moments;
    if common.json {
        let domain: Vec<_> = fragment.domain.iter().map(|(low, high)| json!([low.json(), high.json()])).collect();
        // One line for each, for programs that read a pipe.
        return output::json_text(
            &json!({
                "fragment": fragment.name(), "timestamps": [from, to], "cells": fragment.cells, "bytes": fragment.bytes,
                "domain": domain,
            })
            .to_string(),
        );
    }
    let written = if from == to { moment(from) } else { format!("{} .. {}", moment(from), moment(to)) };
    let domain: Vec<String> = fragment.domain.iter().map(|(low, high)| format!("{low} .. {high}")).collect();
    output::line(&format!(
        "{written}  cells: {}, {}  {}",
        fragment.cells,
        output::bytes(fragment.bytes),
        domain.join("; ")
    ))
}
