//! `schema` prints the schema of an array as JSON, `create` creates an array from it.

use std::error::Error as _;
use std::io::Read;

use serde_json::json;
use tiledb::{ArraySchema, Context, Group};

use super::import::{check_empty, check_no_file};
use crate::args::{ArrayArguments, CommonOptions, Create};
use crate::model::{Array, Error, ObjectType, Result, in_words_of_the_tool, object_type};
use crate::output;

/// Maximum size of a description: enumerations may be large.
const MAX_BYTES: u64 = 256 << 20;

/// Prints the schema of an array.
pub(super) fn print_schema(common: &CommonOptions, at: &ArrayArguments) -> Result<()> {
    let (ctx, uri) = (common.context()?, &at.uri);
    if object_type(&ctx, uri)? == ObjectType::Group {
        return Err(Error::usage(format!("{uri} is a group: \"tiledb-rs ls\" lists its arrays")));
    }
    let array = Array::open(&ctx, uri, at.moments()?)?;
    let schema = array.array_schema();
    output::json_text(&schema.to_json()?)?;
    if !schema.labels().is_empty() {
        output::note(&format!("{uri}: dimension labels of the array is not part of what is printed"));
    }
    Ok(())
}

/// Creates an array or a group.
pub(super) fn run(common: &CommonOptions, arguments: &Create) -> Result<()> {
    let (ctx, uri) = (common.context()?, &arguments.uri);
    check_no_file(&ctx, uri)?;
    if object_type(&ctx, uri)? == ObjectType::Array {
        return Err(Error::usage(format!("{uri} is an array already; name another place")));
    }
    if !arguments.force {
        check_empty(&ctx, uri)?;
    }
    let schema = match &arguments.schema {
        Some(file) => Some(checked_schema(&ctx, file)?),
        None => None,
    };
    let kind = if schema.is_some() { "array" } else { "group" };
    if !arguments.dry_run {
        match schema {
            Some(schema) => tiledb::Array::create(&ctx, uri, &schema)?,
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

/// The schema that a file describes.
fn checked_schema(ctx: &Context, file: &str) -> Result<ArraySchema> {
    let text = description(file)?;
    let schema = ArraySchema::from_json(&text).map_err(|error| match error.source() {
        Some(error) => Error::failed(format!("{file} is no JSON: {error}")),
        None => in_file(file, &error),
    })?;
    // Some properties are checked only when an array is created: here in memory, which is freed with the context.
    tiledb::Array::create(ctx, "mem://checked_schema", &schema).map_err(|error| in_file(file, &error))?;
    Ok(schema)
}

/// Reads a description.
fn description(file: &str) -> Result<Vec<u8>> {
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
    Ok(text)
}

/// An error of a description, with its name.
fn in_file(file: &str, error: &tiledb::Error) -> Error {
    Error::failed(format!("{file}: {}", in_words_of_the_tool(error.message())))
}
