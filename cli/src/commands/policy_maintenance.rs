//! `maintain`: consolidates and vacuums an array by a policy, once or repeatedly.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::args::{CommonOptions, PolicyMaintenance};
use crate::output::{self, complain};
use crate::progress::Progress;
use crate::tiledb::{Context, Error, MaintenanceStep, ObjectType, Result, maintain_by_policy, object_type};

/// Interval at which the pause between two runs checks for cancellation.
const LOOK: Duration = Duration::from_millis(50);

/// Maintains an array.
pub fn run(common: &CommonOptions, arguments: &PolicyMaintenance) -> Result<()> {
    let (ctx, uri) = (common.context()?, &arguments.maintain.uri);
    if object_type(&ctx, uri)? != ObjectType::Array {
        return Err(Error::failed(format!("{uri} is no array")));
    }
    let progress = Progress::new(&ctx, "maintaining")?;
    let Some(seconds) = arguments.watch else {
        return once(common, &ctx, arguments, &progress, false);
    };
    loop {
        match once(common, &ctx, arguments, &progress, true) {
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
    let (uri, is_dry) = (&arguments.maintain.uri, arguments.maintain.dry_run);
    let mut steps = Vec::new();
    let maintained = progress.end(maintain_by_policy(ctx, uri, &common.parameters()?, is_dry, &mut steps));
    if !steps.is_empty() || !is_repeated && maintained.is_ok() {
        print(common, &steps, is_dry)?;
    }
    maintained
}

fn print(common: &CommonOptions, steps: &[MaintenanceStep], is_dry: bool) -> Result<()> {
    if common.json {
        return output::json(&json!({ "dry_run": is_dry, "steps": steps.iter().map(to_json).collect::<Vec<_>>() }));
    }
    if steps.is_empty() {
        return output::line("maintain: all numbers are within their bounds");
    }
    let would = if is_dry { "nothing is done; " } else { "" };
    steps.iter().try_for_each(|step| output::line(&format!("maintain: {would}{} ({})", text_of(step), step.reason)))
}

/// Names of the kinds of steps.
const KINDS: [&str; 5] = ["fragments", "commits", "fragment_metadata", "vacuum", "recovery"];

fn text_of(step: &MaintenanceStep) -> String {
    let (sources, results) = (step.sources, step.results);
    match step.kind {
        0 => format!(
            "{sources} fragments into {results}, {} read, {} written",
            output::bytes(step.bytes_read),
            output::bytes(step.bytes_written)
        ),
        1 => format!("{sources} commits into one file"),
        2 => format!("metadata of {sources} fragments into one file"),
        3 => format!("{sources} files and folders removed"),
        _ => format!("{sources} merged fragments hidden"),
    }
}

fn to_json(step: &MaintenanceStep) -> Json {
    json!({
        "kind": KINDS.get(step.kind as usize).copied().unwrap_or("other"),
        "sources": step.sources,
        "results": step.results,
        "bytes_read": step.bytes_read,
        "bytes_written": step.bytes_written,
        "reason": step.reason,
    })
}
