//! Consolidation.

use std::ops::ControlFlow;

use crate::array::Array;
use crate::config::Config;
use crate::context::Context;
use crate::error::{AtUri, Result};
use crate::location::{self, Location, stored};
use crate::progress::{OnProgress, Progress, report};
use tiledb_maintain::maintain::{self as engine, MergedCells, SourceOrigin};

/// What a consolidation merges, and a vacuum removes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConsolidationMode {
    /// Fragments, whose cells are rewritten.
    #[default]
    Fragments,
    /// The metadata of fragments, in one file.
    FragmentMetadata,
    /// Commits, in one file.
    Commits,
    /// The metadata of the array, in one file.
    ArrayMetadata,
}

impl ConsolidationMode {
    /// The value of `sm.consolidation.mode` and `sm.vacuum.mode`.
    fn name(self) -> &'static str {
        match self {
            ConsolidationMode::Fragments => "fragments",
            ConsolidationMode::FragmentMetadata => "fragment_meta",
            ConsolidationMode::Commits => "commits",
            ConsolidationMode::ArrayMetadata => "array_meta",
        }
    }
}

/// A consolidation: merges the fragments of an array, or collects small files in one.
///
/// The merged files remain for readers that have them open, until a [`Vacuum`](crate::maintenance::Vacuum).
#[must_use = "a consolidation does nothing before `run`"]
pub struct Consolidation<'a> {
    mode: Option<ConsolidationMode>,
    fragments: Option<Vec<String>>,
    config: Option<Config>,
    on_progress: Option<OnProgress<'a>>,
}

/// A step of a consolidation that was [previewed](Consolidation::preview).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConsolidationStep {
    /// What is merged.
    pub sources: Vec<StepSource>,
    /// The number of cells.
    pub cells: u64,
    /// The size in bytes.
    pub bytes: u64,
}

/// A source of a step.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StepSource {
    /// The URI, or the number of the earlier step that creates it, from 1.
    pub origin: std::result::Result<String, u64>,
    /// The number of cells.
    pub cells: u64,
    /// The size in bytes.
    pub bytes: u64,
}

/// The configuration of an operation in a mode, or in that of the configuration.
pub(super) fn with_mode(
    config: &Option<Config>,
    name: &str,
    mode: Option<ConsolidationMode>,
) -> Result<Option<Config>> {
    let Some(mode) = mode else { return Ok(config.clone()) };
    let builder = config.as_ref().map_or_else(Config::builder, Config::to_builder);
    Ok(Some(builder.set(name, mode.name()).build()?))
}

impl Default for Consolidation<'_> {
    fn default() -> Self {
        Consolidation { mode: Some(ConsolidationMode::default()), fragments: None, config: None, on_progress: None }
    }
}

impl<'a> Consolidation<'a> {
    /// A consolidation of fragments.
    pub fn new() -> Consolidation<'a> {
        Consolidation::default()
    }

    /// Sets what is merged.
    pub fn mode(self, mode: ConsolidationMode) -> Consolidation<'a> {
        Consolidation { mode: Some(mode), ..self }
    }

    /// Merges what `sm.consolidation.mode` of the configuration names.
    pub fn configured_mode(self) -> Consolidation<'a> {
        Consolidation { mode: None, ..self }
    }

    /// Merges only the fragments with these names: the last parts of their URIs.
    pub fn fragments<S: Into<String>>(self, names: impl IntoIterator<Item = S>) -> Consolidation<'a> {
        Consolidation { fragments: Some(names.into_iter().map(Into::into).collect()), ..self }
    }

    /// Sets parameters, such as `sm.consolidation.step_size_ratio`, which override those of the context.
    pub fn config(self, config: &Config) -> Consolidation<'a> {
        Consolidation { config: Some(config.clone()), ..self }
    }

    /// Sets a callback that receives the number of merged cells, and may stop the consolidation.
    pub fn on_progress(self, callback: impl FnMut(Progress) -> ControlFlow<()> + Send + 'a) -> Consolidation<'a> {
        Consolidation { on_progress: Some(Box::new(callback)), ..self }
    }

    fn settings(&self) -> Result<Option<Config>> {
        with_mode(&self.config, "sm.consolidation.mode", self.mode)
    }

    /// Consolidates an array.
    ///
    /// # Errors
    /// If there is no array, storage fails, or it was stopped: the array is unchanged then.
    pub fn run(mut self, ctx: &Context, uri: &str) -> Result<()> {
        let target = location::parse(uri)?;
        let resources = ctx.resources_with(self.settings()?.as_ref())?;
        let _running = ctx.running()?;
        let on_merged = &mut |MergedCells { cells, total }| report(&mut self.on_progress, cells, total);
        match &self.fragments {
            None => Location::of(&target).consolidate(&resources, on_merged).at(uri),
            Some(names) => {
                let stored = stored(&target, "consolidation of named fragments")?;
                engine::consolidate_fragments(&resources, stored, names, on_merged).at(uri)
            }
        }
    }

    /// The steps that [`run`](Consolidation::run) would take.
    ///
    /// # Errors
    /// If there is no array, or storage fails.
    pub fn preview(&self, ctx: &Context, uri: &str) -> Result<Vec<ConsolidationStep>> {
        let target = location::parse(uri)?;
        let resources = ctx.resources_with(self.settings()?.as_ref())?;
        let _running = ctx.running()?;
        let steps = engine::preview(&resources, stored(&target, "preview of a consolidation")?).at(uri)?;
        let steps = steps.into_iter().map(|step| ConsolidationStep {
            cells: step.cells,
            bytes: step.bytes,
            sources: step
                .sources
                .into_iter()
                .map(|source| StepSource {
                    origin: match source.origin {
                        SourceOrigin::Existing(uri) => Ok(uri.as_str().to_owned()),
                        SourceOrigin::Step(number) => Err(number),
                    },
                    cells: source.cells,
                    bytes: source.bytes,
                })
                .collect(),
        });
        Ok(steps.collect())
    }
}

/// Groups of fragments that may be consolidated each for itself, for several processes: lists of the names of fragments, to be passed to
/// [`Consolidation::fragments`]. Fragments of about `bytes` bytes result.
///
/// # Errors
/// If there is no array, or storage fails.
pub fn consolidation_plan(ctx: &Context, uri: &str, bytes: u64) -> Result<Vec<Vec<String>>> {
    Array::open(ctx, uri)?.consolidation_plan(bytes)
}
