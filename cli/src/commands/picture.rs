//! `picture`: an array as one HTML file.

use std::io::Write;
use std::path::Path;

use serde_json::json;

use super::cat;
use crate::args::{CommonOptions, Picture};
use crate::model::{Array, CheckedCondition, Error, Result};
use crate::output::{self, OutputFile};
use crate::picture::{PictureRequest, QueryArguments, draw};
use crate::progress::Progress;

/// Draws an array.
pub(super) fn run(common: &CommonOptions, arguments: &Picture) -> Result<()> {
    let (ctx, at) = (common.context()?, &arguments.at);
    let moments = at.moments()?;
    let array = Array::open(&ctx, &at.uri, moments)?;
    let ranges = cat::ranges(&array, &arguments.range)?.unwrap_or_default();
    let condition = match &arguments.condition {
        Some(text) => Some((text.as_str(), CheckedCondition::parse(text, &array)?.condition().clone())),
        None => None,
    };
    let query = QueryArguments { texts: &arguments.range, ranges: &ranges, condition };
    let advises = arguments.advise;
    let fields = &arguments.fields[..];
    let request = PictureRequest { uri: &at.uri, array: &array, moments, advises, fields, query };
    let progress = Progress::quiet(&ctx)?;
    let page = progress.end(draw(&ctx, &request))?;
    if progress.is_stopped() {
        return Err(Error::Stopped);
    }
    let name = at.uri.trim_end_matches('/').rsplit('/').next().unwrap_or("array");
    let file = arguments.output.clone().unwrap_or_else(|| format!("{name}.html"));
    if file == "-" {
        return output::whole(page.as_bytes());
    }
    let mut out = OutputFile::create(Path::new(&file))?;
    out.write_all(page.as_bytes())?;
    out.finish()?;
    if common.json {
        return output::json(&json!({ "command": "picture", "file": file, "bytes": page.len() }));
    }
    output::line(&format!("{file}: {}", output::bytes(page.len() as u64)))
}
