//! Vacuum.

use std::ops::ControlFlow;

use super::consolidate::{ConsolidationMode, with_mode};
use crate::config::Config;
use crate::context::Context;
use crate::error::{AtUri, Result};
use crate::location::{self, Location, stored};
use crate::progress::{OnProgress, Progress, report};
use tiledb_core::memory::push;
use tiledb_maintain::maintain as engine;
use tiledb_storage::vfs::Uri;

/// A vacuum: removes the files that consolidation has replaced. It cannot be undone.
#[must_use = "a vacuum does nothing before `run`"]
pub struct Vacuum<'a> {
    mode: Option<ConsolidationMode>,
    config: Option<Config>,
    on_progress: Option<OnProgress<'a>>,
}

impl Default for Vacuum<'_> {
    fn default() -> Self {
        Vacuum { mode: Some(ConsolidationMode::default()), config: None, on_progress: None }
    }
}

impl<'a> Vacuum<'a> {
    /// A vacuum of fragments.
    pub fn new() -> Vacuum<'a> {
        Vacuum::default()
    }

    /// Sets which files are removed.
    pub fn mode(self, mode: ConsolidationMode) -> Vacuum<'a> {
        Vacuum { mode: Some(mode), ..self }
    }

    /// Removes what `sm.vacuum.mode` of the configuration names.
    pub fn configured_mode(self) -> Vacuum<'a> {
        Vacuum { mode: None, ..self }
    }

    /// Sets parameters, which override those of the context.
    pub fn config(self, config: &Config) -> Vacuum<'a> {
        Vacuum { config: Some(config.clone()), ..self }
    }

    /// Sets a callback that receives the number of removed files, and may stop the vacuum.
    pub fn on_progress(self, callback: impl FnMut(Progress) -> ControlFlow<()> + Send + 'a) -> Vacuum<'a> {
        Vacuum { on_progress: Some(Box::new(callback)), ..self }
    }

    fn settings(&self) -> Result<Option<Config>> {
        with_mode(&self.config, "sm.vacuum.mode", self.mode)
    }

    /// Removes the files.
    ///
    /// # Errors
    /// If there is no array, storage fails, or it was stopped; a vacuum can be repeated.
    pub fn run(mut self, ctx: &Context, uri: &str) -> Result<()> {
        let target = location::parse(uri)?;
        let resources = ctx.resources_with(self.settings()?.as_ref())?;
        let _running = ctx.running()?;
        let on_removed = &mut |files, total| report(&mut self.on_progress, files, total);
        Location::of(&target).vacuum(&resources, Some(on_removed)).at(uri)
    }

    /// The files and folders that [`run`](Vacuum::run) would remove.
    ///
    /// # Errors
    /// If there is no array, or storage fails.
    pub fn preview(&self, ctx: &Context, uri: &str) -> Result<Vec<String>> {
        let target = location::parse(uri)?;
        let resources = ctx.resources_with(self.settings()?.as_ref())?;
        let _running = ctx.running()?;
        let mut files = Vec::new();
        let list = &mut |file: &Uri| push("the files to remove", &mut files, file.as_str().to_owned());
        engine::vacuum_dry_run(&resources, stored(&target, "preview of a vacuum")?, list).at(uri)?;
        Ok(files)
    }
}
