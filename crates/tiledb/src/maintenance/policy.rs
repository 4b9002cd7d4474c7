//! Maintenance by a policy.

use std::ops::ControlFlow;

use crate::config::Config;
use crate::context::Context;
use crate::error::{AtUri, Result};
use crate::location::{self, stored};
use crate::progress::go_on;
use tiledb_maintain::policy as engine;

/// What a step of maintenance is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StepKind {
    /// Fragments were merged.
    Fragments,
    /// Commits were consolidated.
    Commits,
    /// The metadata of fragments was consolidated.
    FragmentMetadata,
    /// Files that earlier consolidations replaced were removed.
    Vacuum,
    /// A consolidation whose process was killed was completed.
    Recovery,
}

/// A step of [`Maintenance`], taken or planned.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MaintenanceStep {
    /// What it is.
    pub kind: StepKind,
    /// The number of fragments, commits or metadata that were consolidated, or of files and folders that were removed.
    pub sources: u64,
    /// The number of new fragments or files.
    pub results: u64,
    /// The size of the merged fragments in bytes.
    pub bytes_read: u64,
    /// The size of the new fragments in bytes; of planned steps an estimate.
    pub bytes_written: u64,
    /// Why it is taken, such as `57 fragments exceed sm.maintenance.max_fragments = 40`.
    pub reason: String,
}

/// A callback that receives steps.
type OnStep<'a> = Box<dyn FnMut(&MaintenanceStep) -> ControlFlow<()> + Send + 'a>;

/// Maintenance by a policy: merges fragments such that at most `sm.maintenance.max_fragments` are left and few bytes are rewritten,
/// consolidates commits and metadata, and removes what earlier calls replaced.
///
/// Run it regularly. It can be killed and run again at any time; a lease prevents that two maintain an array at the same time.
#[derive(Default)]
#[must_use = "maintenance does nothing before `run`"]
pub struct Maintenance<'a> {
    config: Option<Config>,
    on_step: Option<OnStep<'a>>,
}

impl<'a> Maintenance<'a> {
    /// Maintenance with the parameters of the context.
    pub fn new() -> Maintenance<'a> {
        Maintenance::default()
    }

    /// Sets parameters, such as `sm.maintenance.max_fragments`, which override those of the context.
    pub fn config(self, config: &Config) -> Maintenance<'a> {
        Maintenance { config: Some(config.clone()), ..self }
    }

    /// Sets a callback that receives each step after it is taken, and may stop the maintenance.
    pub fn on_step(self, callback: impl FnMut(&MaintenanceStep) -> ControlFlow<()> + Send + 'a) -> Maintenance<'a> {
        Maintenance { on_step: Some(Box::new(callback)), ..self }
    }

    /// Maintains an array and the arrays of its dimension labels; returns the steps that were taken.
    ///
    /// # Errors
    /// If there is no array, another maintainer is at work, storage fails, or it was stopped: steps that were taken remain.
    pub fn run(self, ctx: &Context, uri: &str) -> Result<Vec<MaintenanceStep>> {
        self.with(ctx, uri, engine::maintain)
    }

    /// The steps that [`run`](Maintenance::run) would take, as far as they can be planned.
    ///
    /// # Errors
    /// If there is no array, or storage fails.
    pub fn preview(self, ctx: &Context, uri: &str) -> Result<Vec<MaintenanceStep>> {
        self.with(ctx, uri, engine::maintain_dry_run)
    }

    fn with(
        mut self,
        ctx: &Context,
        uri: &str,
        maintain: impl FnOnce(
            &tiledb_storage::resources::Resources,
            &tiledb_storage::vfs::Uri,
            engine::OnStep<'_>,
        ) -> tiledb_core::error::Result<()>,
    ) -> Result<Vec<MaintenanceStep>> {
        let target = location::parse(uri)?;
        let resources = ctx.resources_with(self.config.as_ref())?;
        let _running = ctx.running()?;
        let mut steps = Vec::new();
        let on_step = &mut |step: &engine::MaintenanceStep| {
            let step = of_engine(step);
            let flow = self.on_step.as_mut().map_or(ControlFlow::Continue(()), |callback| callback(&step));
            steps.push(step);
            go_on(flow)
        };
        maintain(&resources, stored(&target, "maintenance")?, on_step).at(uri)?;
        Ok(steps)
    }
}

fn of_engine(step: &engine::MaintenanceStep) -> MaintenanceStep {
    let kind = match step.kind {
        engine::StepKind::Fragments => StepKind::Fragments,
        engine::StepKind::Commits => StepKind::Commits,
        engine::StepKind::FragmentMetadata => StepKind::FragmentMetadata,
        engine::StepKind::Vacuum => StepKind::Vacuum,
        engine::StepKind::Recovery => StepKind::Recovery,
    };
    MaintenanceStep {
        kind,
        sources: step.sources,
        results: step.results,
        bytes_read: step.bytes_read,
        bytes_written: step.bytes_written,
        reason: step.reason.to_string(),
    }
}
