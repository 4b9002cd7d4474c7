//! `copy`: an array, or a group with all below it, file by file, from one store to another.

use tiledb::ErrorKind;
use tiledb::copy::{CopySummary, ObjectCopy};

use super::maintain::print_result;
use crate::args::{CommonOptions, Copy};
use crate::model::{Error, Expected, ObjectType, Result, absent, object_type};
use crate::output;
use crate::progress::Progress;

/// Copies, or previews the copy.
pub(super) fn run(common: &CommonOptions, arguments: &Copy) -> Result<()> {
    let ctx = common.context()?;
    if let Some(conflict) = ObjectCopy::conflict(&ctx, &arguments.from, &arguments.to)? {
        return Err(Error::usage(conflict));
    }
    let progress = Progress::new(&ctx, "copying")?;
    let mut copy = ObjectCopy::new().on_progress(|done| progress.report(done));
    if arguments.check {
        copy = copy.check();
    }
    if arguments.dry_run {
        copy = copy.dry_run();
    }
    let copied = copy.run(&ctx, &arguments.from, &arguments.to);
    if copied.as_ref().is_err_and(|error| error.kind() == ErrorKind::NotFound)
        && object_type(&ctx, &arguments.from)? == ObjectType::Other
    {
        return Err(absent(&ctx, &arguments.from, Expected::ArrayOrGroup));
    }
    report(common, arguments, progress.end(copied)?)
}

fn report(common: &CommonOptions, arguments: &Copy, summary: CopySummary) -> Result<()> {
    if !common.json {
        if !summary.is_snapshot {
            output::line(
                "the source was written to all the while: a later commit may be there without an earlier one",
            )?;
        }
        match &summary.aborted_uploads {
            Ok(0) => {}
            Ok(count) => output::line(&format!("given up: {count} uploads that nobody completed"))?,
            // Listing them may be forbidden or unsupported: the copy is complete without.
            Err(error) => output::line(&format!("unfinished uploads may be left: {}", error.message()))?,
        }
        for member in &summary.members_elsewhere {
            output::line(&format!("stays where it is: {member}"))?;
        }
        for group in &summary.rewritten_groups {
            output::line(&format!("members lead into the copy: {}", below(&arguments.to, group)))?;
        }
    }
    let mut numbers = vec![
        ("arrays", summary.arrays),
        ("groups", summary.groups),
        ("files", summary.files),
        ("bytes", summary.bytes),
        ("already_there", summary.already_there),
    ];
    if arguments.check {
        numbers.push(("differing", summary.differing));
    }
    if common.json {
        numbers.push(("groups_written_anew", summary.rewritten_groups.len() as u64));
        numbers.push(("members_elsewhere", summary.members_elsewhere.len() as u64));
        numbers.push(("uploads_given_up", summary.aborted_uploads.unwrap_or(0)));
        numbers.push(("snapshot", u64::from(summary.is_snapshot)));
    }
    print_result(common, "copy", arguments.dry_run, &numbers)?;
    // A comparison reports differences by the exit code.
    let is_different = arguments.check && arguments.dry_run && summary.files > 0;
    if is_different { Err(Error::Findings) } else { Ok(()) }
}

/// The URI of a folder in another one.
fn below(folder: &str, name: &str) -> String {
    if name.is_empty() { folder.to_owned() } else { format!("{}/{name}", folder.trim_end_matches('/')) }
}
