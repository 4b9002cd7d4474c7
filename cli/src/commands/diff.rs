//! `diff`: compares two arrays by their schemas, metadata and cells.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use tiledb::{ArraySchema, Context};

use crate::args::{CommonOptions, Diff};
use crate::model::{Array, CellComparison, DifferentCell, Error, Moments, Result, compare_cells, metadata, printed};
use crate::output;
use crate::progress::Progress;

/// A property, a key or a field with two values; none where one of the arrays has none.
struct Difference {
    name: String,
    left: Option<String>,
    right: Option<String>,
}

/// Compares two arrays; the exit code says whether they differ.
pub(super) fn run(common: &CommonOptions, arguments: &Diff) -> Result<()> {
    let ctx = common.context()?;
    let [left, right] = [&arguments.left, &arguments.right].map(|uri| Array::open(&ctx, uri, Moments::default()));
    let (left, right) = (left?, right?);
    let progress = Progress::quiet(&ctx)?;
    let schema = differences(&properties(&left.array_schema())?, &properties(&right.array_schema())?);
    let metadata = differences(&keys(&ctx, &arguments.left)?, &keys(&ctx, &arguments.right)?);
    let cells = match arguments.no_cells {
        true => CellComparison::default(),
        false => progress.end(compare_cells(&left, &right, arguments.limit, || !progress.is_stopped()))?,
    };
    if progress.is_stopped() {
        return Err(Error::Stopped);
    }
    let is_equal = schema.is_empty() && metadata.is_empty() && cells.different == 0;
    if common.json {
        output::json(&json!({
            "left": arguments.left, "right": arguments.right, "equal": is_equal,
            "schema": to_json(&schema), "metadata": to_json(&metadata),
            "cells": {
                "compared": cells.is_compared, "equal": cells.equal, "different": cells.different,
                "listed": cells.listed.iter().map(DifferentCell::json).collect::<Vec<_>>(),
            },
        }))?;
    } else {
        print("SCHEMA", &schema)?;
        print("METADATA", &metadata)?;
        print_cells(&cells, arguments)?;
    }
    if is_equal { Ok(()) } else { Err(Error::Findings) }
}

fn print(heading: &str, differences: &[Difference]) -> Result<()> {
    if differences.is_empty() {
        return Ok(());
    }
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "(none)".to_owned());
    let row = |one: &Difference| vec![one.name.clone(), text(&one.left), text(&one.right)];
    output::table(&[heading, "LEFT", "RIGHT"], &differences.iter().map(row).collect::<Vec<_>>())?;
    output::line("")
}

fn print_cells(cells: &CellComparison, arguments: &Diff) -> Result<()> {
    if !cells.listed.is_empty() {
        let row = |cell: &DifferentCell| vec![cell.coordinates.clone(), cell.left.clone(), cell.right.clone()];
        output::table(&["CELL", "LEFT", "RIGHT"], &cells.listed.iter().map(row).collect::<Vec<_>>())?;
        output::line("")?;
    }
    output::line(&match (cells.is_compared, arguments.no_cells) {
        (true, _) => format!("equal cells: {}, different cells: {}", cells.equal, cells.different),
        (false, true) => "cells are not compared".to_owned(),
        (false, false) => "cells are not compared: the dimensions are different, or no attribute is in both".to_owned(),
    })
}

fn to_json(differences: &[Difference]) -> Vec<Json> {
    let json = |one: &Difference| json!({ "name": one.name, "left": one.left, "right": one.right });
    differences.iter().map(json).collect()
}

/// The names whose values differ.
fn differences(left: &BTreeMap<String, String>, right: &BTreeMap<String, String>) -> Vec<Difference> {
    let only_right = right.keys().filter(|name| !left.contains_key(*name));
    let names = left.keys().chain(only_right).filter(|name| left.get(*name) != right.get(*name));
    let mut all: Vec<Difference> = names
        .map(|name| Difference { name: name.clone(), left: left.get(name).cloned(), right: right.get(name).cloned() })
        .collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

fn keys(ctx: &Context, uri: &str) -> Result<BTreeMap<String, String>> {
    let all = metadata(ctx, uri)?.into_iter();
    Ok(all.map(|(key, value)| (key, format!("{} ({})", printed(&value), value.datatype()))).collect())
}

/// The properties of a schema by the paths of its description in JSON. The format version is none: copies for older readers have
/// another one.
fn properties(schema: &ArraySchema) -> Result<BTreeMap<String, String>> {
    let description: Json = serde_json::from_str(&schema.to_json()?).map_err(Error::failed_by)?;
    let mut all = BTreeMap::new();
    flatten("", &description, &mut all);
    all.retain(|path, _| path != "version" && path != "format_version");
    Ok(all)
}

/// Adds the values of a description. Lists of objects with names, such as attributes, are named by these; other lists, such as filters
/// and domains, are one value.
fn flatten(path: &str, value: &Json, all: &mut BTreeMap<String, String>) {
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match value {
        Json::Object(members) => members.iter().for_each(|(name, value)| flatten(&below(name), value, all)),
        Json::Array(values) if values.iter().all(|value| value["name"].is_string()) && !values.is_empty() => {
            for value in values {
                flatten(&below(value["name"].as_str().unwrap_or_default()), value, all);
            }
        }
        Json::String(text) => {
            all.insert(path.to_owned(), text.clone());
        }
        other => {
            all.insert(path.to_owned(), other.to_string());
        }
    }
}
