//! Maintenance of arrays with a callback that receives progress, and returns false to cancel.

use std::ops::ControlFlow;

use tiledb::maintenance::{Consolidation, ConsolidationMode, Rewrite, Vacuum, downgrade_with, sweep_orphans_with};
use tiledb::{ArraySchema, Config, Context, Progress};

use super::error::Result;

/// Progress callback: done and total; returns false to cancel.
pub type ProgressCallback<'a> = &'a mut (dyn FnMut(u64, u64) -> bool + Send);

fn report(callback: ProgressCallback<'_>) -> impl FnMut(Progress) -> ControlFlow<()> + Send {
    |progress| match callback(progress.done, progress.total) {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    }
}

/// Consolidates an array.
pub fn consolidate(
    ctx: &Context,
    uri: &str,
    mode: ConsolidationMode,
    config: &Config,
    progress: ProgressCallback<'_>,
) -> Result<()> {
    Ok(Consolidation::new().mode(mode).config(config).on_progress(report(progress)).run(ctx, uri)?)
}

/// Vacuums an array.
pub fn vacuum(
    ctx: &Context,
    uri: &str,
    mode: ConsolidationMode,
    config: &Config,
    progress: ProgressCallback<'_>,
) -> Result<()> {
    Ok(Vacuum::new().mode(mode).config(config).on_progress(report(progress)).run(ctx, uri)?)
}

/// The releases of libtiledb that can read an array, then a line for each reason.
pub fn readers(ctx: &Context, uri: &str) -> Result<Vec<String>> {
    let found = tiledb::maintenance::compatibility(ctx, uri)?;
    Ok([found.readers].into_iter().chain(found.reasons).collect())
}

/// Copies an array into a new one of another format version.
pub fn downgrade(ctx: &Context, from: &str, to: &str, version: u32, progress: ProgressCallback<'_>) -> Result<()> {
    Ok(downgrade_with(ctx, from, to, version, report(progress))?)
}

/// What a rewritten array is like.
#[derive(Default)]
pub struct RewriteOptions<'a> {
    /// The schema whose filters it gets.
    pub schema: Option<&'a ArraySchema>,
    /// Whether all fragments are merged into one.
    pub merges: bool,
    /// Whether an interrupted copy is continued.
    pub resumes: bool,
}

/// Copies an array into a new one with the filters of a schema, and compares them.
pub fn rewrite(
    ctx: &Context,
    from: &str,
    to: &str,
    options: &RewriteOptions<'_>,
    progress: ProgressCallback<'_>,
) -> Result<()> {
    let mut rewrite = Rewrite::new().on_progress(report(progress));
    if let Some(schema) = options.schema {
        rewrite = rewrite.schema(schema);
    }
    if options.merges {
        rewrite = rewrite.merge();
    }
    if options.resumes {
        rewrite = rewrite.resume();
    }
    Ok(rewrite.run(ctx, from, to)?)
}

/// Removes the folders of orphaned fragments.
pub fn sweep(ctx: &Context, uri: &str, progress: ProgressCallback<'_>) -> Result<()> {
    sweep_orphans_with(ctx, uri, report(progress))?;
    Ok(())
}
