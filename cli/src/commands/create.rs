//! `schema` prints the schema of an array as JSON, `create` creates an array from it.

use std::io::Read;

use serde_json::{Value as Json, json};
use tiledb::Group;

use super::import::{check_empty, check_no_file};
use crate::args::{ArrayArguments, CommonOptions, Create};
use crate::model::{Array, Error, NewSchema, ObjectType, Result, has_more, object_type, schema_json};
use crate::output;

/// Maximum size of a description: enumerations may be large.
const MAX_BYTES: u64 = 256 << 20;

/// Prints the schema of an array.
pub fn print_schema(common: &CommonOptions, at: &ArrayArguments) -> Result<()> {
    let (ctx, uri) = (common.context()?, &at.uri);
    if object_type(&ctx, uri)? == ObjectType::Group {
        return Err(Error::usage(format!("{uri} is a group: \"tiledb-rs ls\" lists its arrays")));
    }
    let array = Array::open(&ctx, uri, at.moments()?)?;
    output::json(&schema_json(array.schema()))?;
    for part in has_more(array.schema()) {
        output::note(&format!("{uri}: {part} of the array is not part of what is printed"));
    }
    Ok(())
}

/// Creates an array or a group.
pub fn run(common: &CommonOptions, arguments: &Create) -> Result<()> {
    let (ctx, uri) = (common.context()?, &arguments.uri);
    check_no_file(&ctx, uri)?;
    if object_type(&ctx, uri)? == ObjectType::Array {
        return Err(Error::usage(format!("{uri} is an array already; name another place")));
    }
    if !arguments.force {
        check_empty(&ctx, uri)?;
    }
    let schema = match &arguments.schema {
        Some(file) => Some(NewSchema::new(&ctx, &description(file)?).map_err(|error| at(file, error))?),
        None => None,
    };
    let kind = if schema.is_some() { "array" } else { "group" };
    if !arguments.dry_run {
        match schema {
            Some(schema) => schema.create(&ctx, uri)?,
            None => Group::create(&ctx, uri)?,
        }
    }
    if common.json {
        return output::json(&json!({ "command": "create", "type": kind, "uri": uri, "dry_run": arguments.dry_run }));
    }
    output::line(&format!(
        "{uri}: {}",
        match (kind, arguments.dry_run) {
            ("array", false) => "array created",
            (_, false) => "group created",
            ("array", true) => "the schema is valid; nothing is created",
            (_, true) => "nothing is created",
        }
    ))
}

/// Reads a description.
fn description(file: &str) -> Result<Json> {
    let wrong = |error: std::io::Error| Error::failed(format!("{file}: {error}"));
    let source: Box<dyn Read> = match file {
        "-" => Box::new(std::io::stdin()),
        file => Box::new(std::fs::File::open(file).map_err(wrong)?),
    };
    let mut text = Vec::new();
    source.take(MAX_BYTES + 1).read_to_end(&mut text).map_err(wrong)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(Error::failed(format!("{file}: a schema of more than {}", output::bytes(MAX_BYTES))));
    }
    serde_json::from_slice(&text).map_err(|error| Error::failed(format!("{file} is no JSON: {error}")))
}

/// An error of the description, with its name.
fn at(file: &str, error: Error) -> Error {
    match error {
        Error::Usage(text) | Error::Failed(text) => Error::Failed(format!("{file}: {text}")),
        other => other,
    }
}
