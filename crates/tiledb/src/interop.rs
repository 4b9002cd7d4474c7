//! Conversions between the types of this crate and those of the engine, which the C interface has behind its handles. Not part of the
//! API.

use std::ops::ControlFlow;
use std::sync::Arc;

use serde_json::json;

use crate::condition::Condition;
use crate::config::Config;
use crate::context::Context;
use crate::copy::ObjectCopy;
use crate::error::Result;
use crate::progress::Progress;
use crate::schema::ArraySchema;
use crate::vfs::Vfs;
use tiledb_array::{condition, schema};
use tiledb_core::config as engine;
use tiledb_core::error::Result as EngineResult;
use tiledb_core::pool::RunningOperation;
use tiledb_core::types::{EncryptionType, text_of_path};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;

/// A context with a configuration.
///
/// # Errors
/// As [`Context::with_config`].
pub fn context(config: engine::Config) -> Result<Context> {
    Context::with_config(Config(config))
}

/// A context with these resources, and operations of its own.
pub fn context_of(resources: &Resources) -> Context {
    Context::of_resources(resources)
}

/// The resources of a context.
pub fn resources(ctx: &Context) -> &Resources {
    ctx.resources()
}

/// Registers an operation of the engine that [`Context::cancel`] cancels.
pub fn running(ctx: &Context) -> RunningOperation<'_> {
    ctx.start_operation()
}

/// A configuration of the engine.
pub fn config(config: engine::Config) -> Config {
    Config(config)
}

/// A schema of the engine.
pub fn schema(schema: Arc<schema::ArraySchema>) -> ArraySchema {
    ArraySchema(schema)
}

/// The engine's schema.
pub fn engine_schema(schema: ArraySchema) -> Arc<schema::ArraySchema> {
    schema.0
}

/// Resources whose configuration has an encryption key of any bytes.
///
/// # Errors
/// If the key is invalid.
pub fn with_key(resources: &Resources, kind: EncryptionType, key: &[u8]) -> EngineResult<Resources> {
    EncryptionKey::new(kind, key)?;
    let mut config = resources.config().clone();
    config.set("sm.encryption_type", kind.name())?;
    config.set("sm.encryption_key", &text_of_path(key))?;
    resources.with_config(config)
}

/// A file system with a configuration of its own.
pub fn vfs(ctx: &Context, vfs: &tiledb_storage::vfs::Vfs) -> Vfs {
    Vfs::of_engine(ctx, vfs)
}

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
/// of all, and may stop it.
///
/// # Errors
/// As [`ObjectCopy::run`].
pub fn copy_object(
    ctx: &Context,
    (from, to): (&str, &str),
    (is_checked, is_dry): (bool, bool),
    on_progress: impl FnMut(Progress) -> ControlFlow<()> + Send,
) -> Result<String> {
    let mut copy = ObjectCopy::new().on_progress(on_progress);
    if is_checked {
        copy = copy.check();
    }
    if is_dry {
        copy = copy.dry_run();
    }
    let summary = copy.run(ctx, from, to)?;
    let json = json!({
        "arrays": summary.arrays, "groups": summary.groups, "files": summary.files, "bytes": summary.bytes,
        "already_there": summary.already_there, "differing": summary.differing, "is_snapshot": summary.is_snapshot,
        "rewritten_groups": summary.rewritten_groups, "members_elsewhere": summary.members_elsewhere,
        "aborted_uploads": summary.aborted_uploads.ok(),
    });
    Ok(json.to_string())
}
