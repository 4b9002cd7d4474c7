//! What killed writers have left.

use std::ops::ControlFlow;

use crate::context::Context;
use crate::error::{AtUri, Result};
use crate::location::{self, stored};
use crate::progress::{Progress, go_on};
use tiledb_maintain::maintain as engine;

/// The folders of fragments that were never committed, since their writers were killed or are at work.
///
/// # Errors
/// If there is no array, or storage fails.
pub fn orphans(ctx: &Context, uri: &str) -> Result<Vec<String>> {
    let target = location::parse(uri)?;
    let folders = engine::orphans(ctx.resources(), stored(&target, "listing of orphans")?).at(uri)?;
    Ok(folders.into_iter().map(|folder| folder.as_str().to_owned()).collect())
}

/// Removes the fragments that were never committed; returns their number. No process may be writing to the array.
///
/// # Errors
/// If there is no array, or storage fails.
pub fn sweep_orphans(ctx: &Context, uri: &str) -> Result<usize> {
    let target = location::parse(uri)?;
    let _running = ctx.running()?;
    engine::sweep(ctx.resources(), stored(&target, "sweep of orphans")?).at(uri)
}

/// As [`sweep_orphans`], with a callback that receives the number of removed fragments, and may stop the sweep.
///
/// # Errors
/// As [`sweep_orphans`], and if it was stopped.
pub fn sweep_orphans_with(
    ctx: &Context,
    uri: &str,
    mut on_progress: impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<usize> {
    let target = location::parse(uri)?;
    let _running = ctx.running()?;
    let on_removed = &mut |done, total| go_on(on_progress(Progress { done, total }));
    engine::sweep_with_progress(ctx.resources(), stored(&target, "sweep of orphans")?, on_removed).at(uri)
}

/// Aborts multipart uploads to an object store that nobody completed; returns their number. No process may be writing below the URI.
///
/// # Errors
/// If storage fails.
pub fn sweep_uploads(ctx: &Context, uri: &str) -> Result<u64> {
    let target = location::parse(uri)?;
    engine::sweep_uploads(ctx.resources().vfs(), stored(&target, "sweep of uploads")?).at(uri)
}
