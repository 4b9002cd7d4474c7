//! `maintain`: consolidates and vacuums arrays by a policy, once or repeatedly.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use tiledb::maintenance::{Maintenance, MaintenanceStep, StepKind};
use tiledb::{Config, Context};

use crate::args::{CommonOptions, PolicyMaintenance};
use crate::model::{Error, Expected, ObjectType, Result, absent, members, object_type};
use crate::output::{self, complain};
use crate::progress::Progress;

/// Interval at which the pause between two runs checks for cancellation.
const LOOK: Duration = Duration::from_millis(50);

/// Maximum depth of nested groups, which may be cyclic.
const MAX_DEPTH: usize = 64;

/// What is maintained.
struct MaintainedArrays {
    uris: Vec<String>,
    /// Members of the group that cannot be opened.
    missing: Vec<String>,
}

/// Maintains an array, or those of a group.
pub fn run(common: &CommonOptions, arguments: &PolicyMaintenance) -> Result<()> {
    let (ctx, uri) = (common.context()?, &arguments.uri);
    let is_group = match object_type(&ctx, uri)? {
        ObjectType::Array => false,
        ObjectType::Group => true,
        ObjectType::Other => return Err(absent(&ctx, uri, Expected::ArrayOrGroup)),
    };
    let progress = Progress::new(&ctx, "maintaining")?;
    match repeat(common, &ctx, arguments, &progress, is_group) {
        // Every step that was reported remains, and a service is stopped by a signal as a rule.
        Err(Error::Stopped) => {
            output::note("maintain: stopped; completed steps remain");
            Err(Error::Ended)
        }
        done => done,
    }
}

/// Maintains once, or at an interval until the tool is stopped.
fn repeat(
    common: &CommonOptions,
    ctx: &Context,
    arguments: &PolicyMaintenance,
    progress: &Progress,
    is_group: bool,
) -> Result<()> {
    let maintain = |is_repeated| match is_group {
        true => of_group(common, ctx, arguments, progress, is_repeated),
        false => once(common, ctx, arguments, progress, is_repeated),
    };
    let Some(seconds) = arguments.watch else { return maintain(false) };
    loop {
        match maintain(true) {
            // Another maintainer may be at work, or a store be unavailable for a while.
            Err(Error::Failed(text)) => complain(&text),
            Ok(()) => (),
            stopped => return stopped,
        }
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(seconds) {
            if progress.is_stopped() {
                return Err(Error::Stopped);
            }
            std::thread::sleep(LOOK);
        }
    }
}

/// Maintains an array once, and prints the steps, also those before an error.
fn once(
    common: &CommonOptions,
    ctx: &Context,
    arguments: &PolicyMaintenance,
    progress: &Progress,
    is_repeated: bool,
) -> Result<()> {
    let is_dry = arguments.dry_run;
    let mut steps = Vec::new();
    let maintained = maintain_array(ctx, &arguments.uri, &common.parameters()?, is_dry, progress, &mut steps);
    if steps.is_empty() && (is_repeated || maintained.is_err()) {
        return maintained;
    }
    match common.json {
        true => output::json(&json!({ "dry_run": is_dry, "steps": steps.iter().map(to_json).collect::<Vec<_>>() }))?,
        false => print(&steps, is_dry)?,
    }
    maintained
}

/// Maintains all arrays of a group once; a failure of one does not keep the others from being maintained.
fn of_group(
    common: &CommonOptions,
    ctx: &Context,
    arguments: &PolicyMaintenance,
    progress: &Progress,
    is_repeated: bool,
) -> Result<()> {
    let mut arrays = MaintainedArrays { uris: Vec::new(), missing: Vec::new() };
    arrays.add(ctx, &arguments.uri, &mut Vec::new())?;
    let mut failures: Vec<(&String, String)> = arrays
        .missing
        .iter()
        .map(|uri| (uri, "there is no array and no group that can be opened".to_owned()))
        .collect();
    let mut reports = Vec::new();
    for uri in &arrays.uris {
        if progress.is_stopped() {
            break;
        }
        progress.about(&format!("maintaining {uri}"));
        let (config, mut steps) = (common.parameters()?, Vec::new());
        let maintained = maintain_array(ctx, uri, &config, arguments.dry_run, progress, &mut steps);
        match maintained {
            Err(Error::Stopped) if steps.is_empty() => break,
            Err(Error::Stopped) => (),
            Err(error) => {
                failures.push((uri, error.to_string()));
                if steps.is_empty() {
                    continue;
                }
            }
            Ok(()) if steps.is_empty() && is_repeated => continue,
            Ok(()) => (),
        }
        if common.json {
            reports.push(json!({ "uri": uri, "steps": steps.iter().map(to_json).collect::<Vec<_>>() }));
        } else {
            output::line(&format!("{uri}:"))?;
            print(&steps, arguments.dry_run)?;
        }
    }
    if common.json {
        let failed = failures.iter().map(|(uri, error)| json!({ "uri": uri, "error": error }));
        let failed: Vec<Json> = failed.collect();
        output::json(&json!({ "dry_run": arguments.dry_run, "arrays": reports, "failed": failed }))?;
    }
    failures.iter().for_each(|(uri, error)| complain(&format!("{uri}: {error}")));
    match failures.len() {
        _ if progress.is_stopped() => Err(Error::Stopped),
        0 => Ok(()),
        count => Err(Error::failed(format!("{count} members of {} could not be maintained", arguments.uri))),
    }
}

/// Maintains an array, or plans to do so in a dry run. The steps are complete even if it fails later.
fn maintain_array(
    ctx: &Context,
    uri: &str,
    config: &Config,
    is_dry: bool,
    progress: &Progress,
    steps: &mut Vec<MaintenanceStep>,
) -> Result<()> {
    let maintenance = Maintenance::new().config(config).on_step(|step| {
        steps.push(step.clone());
        // A signal between two operations of the library cancels nothing in it.
        if progress.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let done = if is_dry { maintenance.preview(ctx, uri) } else { maintenance.run(ctx, uri) };
    progress.end(done.map(|_| ()))
}

impl MaintainedArrays {
    /// Adds the arrays of a group and of its subgroups.
    fn add(&mut self, ctx: &Context, group: &str, above: &mut Vec<String>) -> Result<()> {
        above.push(group.to_owned());
        for member in members(ctx, group)? {
            if above.contains(&member.uri) || self.uris.contains(&member.uri) {
                continue;
            }
            if member.is_outside {
                self.missing.push(member.uri);
                continue;
            }
            match object_type(ctx, &member.uri)? {
                ObjectType::Array => self.uris.push(member.uri),
                ObjectType::Group if above.len() < MAX_DEPTH => self.add(ctx, &member.uri, above)?,
                ObjectType::Group => {}
                ObjectType::Other => self.missing.push(member.uri),
            }
        }
        above.pop();
        Ok(())
    }
}

fn print(steps: &[MaintenanceStep], is_dry: bool) -> Result<()> {
    if steps.is_empty() {
        return output::line("maintain: all numbers are within their bounds");
    }
    let would = if is_dry { "nothing is done; " } else { "" };
    steps.iter().try_for_each(|step| output::line(&format!("maintain: {would}{} ({})", text_of(step), step.reason)))
}

/// Name of the kind of a step.
fn kind(step: &MaintenanceStep) -> &'static str {
    match step.kind {
        StepKind::Fragments => "fragments",
        StepKind::Commits => "commits",
        StepKind::FragmentMetadata => "fragment_metadata",
        StepKind::Vacuum => "vacuum",
        StepKind::Recovery => "recovery",
        _ => "other",
    }
}

fn text_of(step: &MaintenanceStep) -> String {
    let (sources, results) = (step.sources, step.results);
    match step.kind {
        StepKind::Fragments => format!(
            "{sources} fragments into {results}, {} read, {} written",
            output::bytes(step.bytes_read),
            output::bytes(step.bytes_written)
        ),
        StepKind::Commits => format!("{sources} commits into one file"),
        StepKind::FragmentMetadata => format!("metadata of {sources} fragments into one file"),
        StepKind::Vacuum => format!("{sources} files and folders removed"),
        _ => format!("{sources} merged fragments hidden"),
    }
}

fn to_json(step: &MaintenanceStep) -> Json {
    json!({
        "kind": kind(step),
        "sources": step.sources,
        "results": step.results,
        "bytes_read": step.bytes_read,
        "bytes_written": step.bytes_written,
        "reason": step.reason,
    })
}
