//! What the C interface calls of this crate, in the engine's types, which it has behind its handles. Not part of the API.

use std::ops::ControlFlow;
use std::sync::Arc;

use serde_json::json;

use crate::condition::Condition;
use crate::context::Context;
use crate::copy::ObjectCopy;
use crate::error::Result;
use crate::schema::ArraySchema;
use tiledb_array::{condition, schema};
use tiledb_storage::resources::Resources;

/// The condition of a text, with values of the types of a schema.
///
/// # Errors
/// If the text is not a condition, or does not fit the schema; with the position.
pub fn condition_from_text(text: &str, schema: &schema::ArraySchema) -> Result<condition::Condition> {
    text.parse::<Condition>()?.engine(schema)
}

/// A schema as JSON.
///
/// # Errors
/// If an enumeration cannot be read.
pub fn schema_to_json(schema: Arc<schema::ArraySchema>) -> Result<String> {
    ArraySchema(schema).to_json()
}

/// The schema that JSON describes.
///
/// # Errors
/// What is wrong in the description, with the place.
pub fn schema_from_json(json: &str) -> Result<Arc<schema::ArraySchema>> {
    Ok(ArraySchema::from_json(json)?.0)
}

/// Copies an array or a group, and describes in JSON what was copied. `on_progress` receives the number of bytes that were copied and
/// of all, and returns whether to go on.
///
/// # Errors
/// As [`ObjectCopy::run`].
pub fn copy_object(
    resources: &Resources,
    (from, to): (&str, &str),
    (is_checked, is_dry): (bool, bool),
    mut on_progress: impl FnMut(u64, u64) -> bool + Send,
) -> Result<String> {
    let mut copy = ObjectCopy::new().on_progress(move |progress| match on_progress(progress.done, progress.total) {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    });
    if is_checked {
        copy = copy.check();
    }
    if is_dry {
        copy = copy.dry_run();
    }
    let summary = copy.run(&Context::of_resources(resources), from, to)?;
    let json = json!({
        "arrays": summary.arrays, "groups": summary.groups, "files": summary.files, "bytes": summary.bytes,
        "already_there": summary.already_there, "differing": summary.differing, "is_snapshot": summary.is_snapshot,
        "rewritten_groups": summary.rewritten_groups, "members_elsewhere": summary.members_elsewhere,
        "aborted_uploads": summary.aborted_uploads.ok(),
    });
    Ok(json.to_string())
}
