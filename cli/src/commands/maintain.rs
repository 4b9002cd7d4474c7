//! `consolidate`, `vacuum`, `sweep`, `upgrade`, `downgrade`.

use serde_json::json;
use tiledb::maintenance::{Consolidation, downgrade_with, sweep_orphans_with};
use tiledb::{Context, maintenance};

use super::dry_run::{self, FileSizes};
use crate::args::{CommonOptions, Consolidate, Downgrade, Maintain, MaintenanceMode, Vacuum};
use crate::model::{Array, Error, Expected, FragmentInfo, Moments, ObjectType, Result, absent, object_type};
use crate::output;
use crate::progress::Progress;

/// The numbers of fragments, and of those that can be vacuumed.
struct Counts {
    fragments: usize,
    merged: usize,
}

fn counts(ctx: &Context, uri: &str) -> Result<Counts> {
    let array = Array::open(ctx, uri, Moments::default())?;
    let info = FragmentInfo::load(ctx, uri)?;
    let fragments = info.fragments(&array.schema().dimensions);
    Ok(Counts { fragments: fragments.len(), merged: info.to_vacuum() })
}

/// Fails for what is no array.
pub(super) fn only_arrays(ctx: &Context, uri: &str) -> Result<()> {
    match object_type(ctx, uri)? {
        ObjectType::Array => Ok(()),
        _ => Err(absent(ctx, uri, Expected::Array)),
    }
}

/// The releases of libtiledb that can read an array, then a line for each reason.
pub(super) fn readers(ctx: &Context, uri: &str) -> Result<Vec<String>> {
    let found = maintenance::compatibility(ctx, uri)?;
    Ok([found.readers].into_iter().chain(found.reasons).collect())
}

/// Prints the result, or the preview.
pub(super) fn print_result(common: &CommonOptions, what: &str, dry: bool, numbers: &[(&str, u64)]) -> Result<()> {
    if common.json {
        let mut all = json!({ "command": what, "dry_run": dry });
        for (name, number) in numbers {
            all[*name] = (*number).into();
        }
        return output::json(&all);
    }
    let numbers: Vec<String> =
        numbers.iter().map(|(name, number)| format!("{}: {number}", name.replace('_', " "))).collect();
    let would = if dry { "nothing is done; " } else { "" };
    output::line(&format!("{what}: {would}{}", numbers.join(", ")))
}

/// Merges.
pub(super) fn consolidate(common: &CommonOptions, arguments: &Consolidate) -> Result<()> {
    let (ctx, uri) = (common.context()?, &arguments.maintain.uri);
    only_arrays(&ctx, uri)?;
    let (config, mode) = (common.parameters()?, arguments.mode.consolidation());
    if arguments.maintain.dry_run {
        let steps = Consolidation::new().mode(mode).config(&config).preview(&ctx, uri)?;
        return dry_run::steps(common, uri, arguments.mode.name(), &steps);
    }
    let before = counts(&ctx, uri)?;
    let progress = Progress::new(&ctx, "consolidating")?;
    let consolidation = Consolidation::new().mode(mode).config(&config).on_progress(|done| progress.report(done));
    progress.end(consolidation.run(&ctx, uri))?;
    let after = counts(&ctx, uri)?;
    let numbers = [
        ("fragments_before", before.fragments as u64),
        ("fragments_after", after.fragments as u64),
        ("waiting_for_vacuum", after.merged as u64),
    ];
    print_result(common, "consolidate", false, &numbers)
}

/// Vacuums an array.
pub(super) fn vacuum(common: &CommonOptions, arguments: &Vacuum) -> Result<()> {
    let (ctx, uri) = (common.context()?, &arguments.maintain.uri);
    only_arrays(&ctx, uri)?;
    let (config, mode) = (common.parameters()?, arguments.mode.consolidation());
    if arguments.maintain.dry_run {
        let files = maintenance::Vacuum::new().mode(mode).config(&config).preview(&ctx, uri)?;
        return FileSizes::of(&ctx, uri, &files)?.print(common, "vacuum", uri);
    }
    let before = counts(&ctx, uri)?;
    let progress = Progress::new(&ctx, "vacuuming")?;
    let vacuum = maintenance::Vacuum::new().mode(mode).config(&config).on_progress(|done| progress.report(done));
    progress.end(vacuum.run(&ctx, uri))?;
    let after = counts(&ctx, uri)?;
    let removed =
        if arguments.mode == MaintenanceMode::Fragments { before.merged.saturating_sub(after.merged) } else { 0 };
    let numbers = [("removed_fragments", removed as u64), ("fragments_left", after.fragments as u64)];
    print_result(common, "vacuum", false, &numbers)
}

/// Removes orphaned fragments.
pub(super) fn sweep(common: &CommonOptions, arguments: &Maintain) -> Result<()> {
    let (ctx, uri) = (common.context()?, &arguments.uri);
    only_arrays(&ctx, uri)?;
    let found = FileSizes::of(&ctx, uri, &maintenance::orphans(&ctx, uri)?)?;
    if arguments.dry_run {
        return found.print(common, "sweep", uri);
    }
    let progress = Progress::new(&ctx, "sweeping")?;
    let mut removed = 0;
    let swept = sweep_orphans_with(&ctx, uri, |done| {
        removed = done.done;
        progress.report(done)
    });
    progress.end(swept)?;
    print_result(common, "sweep", false, &[("removed", removed), ("bytes", found.bytes())])
}

/// Brings the schema to the newest format version.
pub(super) fn upgrade(common: &CommonOptions, arguments: &Maintain) -> Result<()> {
    let (ctx, uri) = (common.context()?, &arguments.uri);
    only_arrays(&ctx, uri)?;
    let version =
        |ctx: &Context| -> Result<u64> { Ok(Array::open(ctx, uri, Moments::default())?.schema().version.into()) };
    let before = version(&ctx)?;
    if arguments.dry_run {
        return print_result(common, "upgrade", true, &[("version", before)]);
    }
    let progress = Progress::new(&ctx, "upgrading")?;
    progress.end(maintenance::upgrade(&ctx, uri))?;
    // A context may remember the schema that it loaded.
    let after = version(&common.context()?)?;
    print_result(common, "upgrade", false, &[("version_before", before), ("version_after", after)])
}

/// Copies an array into a new one of an older format version.
pub(super) fn downgrade(common: &CommonOptions, arguments: &Downgrade) -> Result<()> {
    let (ctx, uri, output) = (common.context()?, &arguments.uri, &arguments.output);
    only_arrays(&ctx, uri)?;
    let found = maintenance::compatibility(&ctx, uri)?;
    let version = arguments.format_version.unwrap_or(found.required_version);
    let numbers = [("version_before", found.format_version.into()), ("version_after", version.into())];
    if arguments.dry_run {
        if version < found.required_version {
            return Err(Error::failed(format!(
                "{uri} cannot be written in format version {version}, but in {} and later: {}",
                found.required_version,
                [found.readers].into_iter().chain(found.reasons).collect::<Vec<_>>().join("; ")
            )));
        }
        return print_result(common, "downgrade", true, &numbers);
    }
    let progress = Progress::new(&ctx, "copying")?;
    progress.end(downgrade_with(&ctx, uri, output, version, |done| progress.report(done)))?;
    print_result(common, "downgrade", false, &numbers)
}
