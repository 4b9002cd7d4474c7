//! The context of the engine.

use std::sync::OnceLock;

use tiledb::Context;

/// The context of all reads without parameters of their own.
static CONTEXT: OnceLock<Context> = OnceLock::new();

/// The context, which the first read makes.
pub(crate) fn context() -> Result<&'static Context, String> {
    if let Some(ctx) = CONTEXT.get() {
        return Ok(ctx);
    }
    let ctx = Context::new().map_err(|error| error.to_string())?;
    Ok(CONTEXT.get_or_init(|| ctx))
}
