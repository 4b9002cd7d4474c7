//! `copy`: an array, or a group with all below it, file by file, from one store to another.

mod file_roles;
mod files;
mod groups;
mod open_merges;
mod plan;
mod removed_files;

use std::cell::OnceCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use tiledb::Context;
use tiledb::uri::normalize;

use super::maintain::print_result;
use crate::args::{CommonOptions, Copy};
use crate::model::{Error, ObjectType, Result, Vfs, local_path, object_type};
use crate::output;
use crate::progress::Progress;
use files::{Copier, CopyStats, CreatedFiles};
use groups::{GroupMembers, lies_in};

/// Copies, or previews the copy.
pub fn run(common: &CommonOptions, arguments: &Copy) -> Result<()> {
    let ctx = common.context()?;
    let (from, to) = (&whole(&arguments.from)?, &whole(&arguments.to)?);
    if from == to || lies_in(to, from).is_some() || lies_in(from, to).is_some() {
        return Err(Error::usage(format!("{from} and {to} lie in one another: copy to another place")));
    }
    if object_type(&ctx, from)? == ObjectType::Other {
        return Err(Error::failed(format!("{} is no array, and no group", arguments.from)));
    }
    check_unreserved(&ctx, to)?;
    let vfs = Vfs::new(&ctx);
    let source = plan::source(&vfs, from)?;
    let swept = OnceCell::new();
    let progress = Progress::new(&ctx, "copying")?;
    let (is_checked, is_dry) = (arguments.check, arguments.dry_run);
    let created = CreatedFiles::default();
    let copier = Copier { vfs: &vfs, from, to, is_checked, is_dry, progress: &progress, created: &created };
    let done = CopyStats::default();
    let copied = removed_files::copy_listed(&copier, source, |source| {
        let members = GroupMembers::read(&ctx, &source.objects, from, to)?;
        source.files.retain(|file| !members.replaces(&file.name));
        plan::compare(&vfs, source, to, &|name| members.replaces(name))?;
        // A killed copy may have left orphaned multipart uploads.
        swept.get_or_init(|| if is_dry { Ok(0) } else { vfs.sweep_uploads(to) });
        copier.run(&source.files, &done)?;
        if !is_dry {
            // The folders of a group make it one.
            members.write(&ctx, &copier)?;
            copier.clear()?;
            folders(&vfs, source, to)?;
        }
        Ok(members)
    });
    let (source, members) = progress.end(copied)?;
    report(common, arguments, &source, &members, &done, swept.into_inner().unwrap_or(Ok(0)))
}

fn report(
    common: &CommonOptions,
    arguments: &Copy,
    source: &plan::CopySource,
    members: &GroupMembers,
    done: &CopyStats,
    swept: Result<u64>,
) -> Result<()> {
    if !common.json {
        if !source.is_snapshot {
            output::line(
                "the source was written to all the while: a later commit may be there without an earlier one",
            )?;
        }
        match &swept {
            Ok(0) => {}
            Ok(count) => output::line(&format!("given up: {count} uploads that nobody completed"))?,
            // Listing them may be forbidden or unsupported: the copy is complete without.
            Err(error) => output::line(&format!("unfinished uploads may be left: {error}"))?,
        }
        for member in &members.elsewhere {
            output::line(&format!("stays where it is: {member}"))?;
        }
        for group in &members.rewritten {
            output::line(&format!("members lead into the copy: {}", below(&arguments.to, &group.name)))?;
        }
    }
    let number = |number: &AtomicU64| number.load(Ordering::Relaxed);
    let mut numbers = vec![
        ("arrays", source.objects.arrays.len() as u64),
        ("groups", source.objects.groups.len() as u64),
        ("files", number(&done.files)),
        ("bytes", number(&done.bytes)),
        ("already_there", number(&done.there)),
    ];
    if arguments.check {
        numbers.push(("differing", number(&done.differing)));
    }
    if common.json {
        numbers.push(("groups_written_anew", members.rewritten.len() as u64));
        numbers.push(("members_elsewhere", members.elsewhere.len() as u64));
        numbers.push(("uploads_given_up", swept.unwrap_or(0)));
        numbers.push(("snapshot", u64::from(source.is_snapshot)));
    }
    print_result(common, "copy", arguments.dry_run, &numbers)?;
    // A comparison reports differences by the exit code.
    let is_different = arguments.check && arguments.dry_run && number(&done.files) > 0;
    if is_different { Err(Error::Findings) } else { Ok(()) }
}

/// Creates the folders of arrays and groups on a disk, even if they are empty: writers look for them.
fn folders(vfs: &Vfs, source: &plan::CopySource, to: &str) -> Result<()> {
    if !to.starts_with("file://") {
        return Ok(());
    }
    source.folders.iter().try_for_each(|folder| vfs.create_folder(&below(to, folder)))?;
    if !source.folders.is_empty() {
        return Ok(());
    }
    // From an object store: the folders of arrays since format version 12.
    let parents = source.files.iter().flat_map(|file| file.name.match_indices('/').map(|(at, _)| &file.name[..at]));
    let with_files: HashSet<&str> = parents.collect();
    let has = |array: &str, folder: &str| with_files.contains(below(array, folder).trim_start_matches('/'));
    for array in source.objects.arrays.iter().filter(|array| has(array, "__commits") || has(array, "__fragments")) {
        // Not that of enumerations: libraries older than these take it for a schema, and newer ones create it.
        for folder in ["__fragments", "__commits", "__fragment_meta", "__meta", "__labels"] {
            vfs.create_folder(&below(&below(to, array), folder))?;
        }
    }
    for group in &source.objects.groups {
        vfs.create_folder(&below(&below(to, group), "__group"))?;
        vfs.create_folder(&below(&below(to, group), "__meta"))?;
    }
    Ok(())
}

/// Rejects a target among the files of an array or a group, where the library creates nothing either.
fn check_unreserved(ctx: &Context, to: &str) -> Result<()> {
    let mut place = to;
    while let Some((folder, name)) = place.rsplit_once('/').filter(|(folder, _)| !folder.ends_with('/')) {
        if name.starts_with("__") {
            let kind = object_type(ctx, folder)?;
            // An object with one of the last two names would make an array of the group.
            let is_of_group = matches!(name, "__group" | "__meta" | "__schema" | "__array_schema.tdb");
            if kind == ObjectType::Array || (kind == ObjectType::Group && is_of_group) {
                let kind = kind.name();
                return Err(Error::usage(format!(
                    "{to} lies among the files of the {kind} {folder}: copy to another place"
                )));
            }
        }
        place = folder;
    }
    Ok(())
}

/// The URI of a file in a folder.
fn below(folder: &str, name: &str) -> String {
    if name.is_empty() { folder.to_owned() } else { format!("{}/{name}", folder.trim_end_matches('/')) }
}

/// An absolute URI without a trailing slash; local paths are canonical.
fn whole(uri: &str) -> Result<String> {
    let path = match uri.split_once("://") {
        Some(("file", _)) => local_path(&normalize(uri)?)?,
        Some(_) => return Ok(uri.trim_end_matches('/').to_owned()),
        None => uri.to_owned(),
    };
    let path = std::path::absolute(path)?;
    // A missing path has no links.
    let mut there: &Path = &path;
    let mut rest = Vec::new();
    let resolved = loop {
        match (there.canonicalize(), there.parent(), there.file_name()) {
            (Ok(found), _, _) => break found,
            (Err(_), Some(parent), Some(name)) => {
                rest.push(name);
                there = parent;
            }
            (Err(error), _, _) => return Err(error.into()),
        }
    };
    let whole: PathBuf = rest.iter().rev().fold(resolved, |path, name| path.join(name));
    let text = whole.to_str().ok_or_else(|| Error::usage(format!("{} is no text", whole.display())))?;
    let uri = normalize(text)?;
    Ok(uri.strip_suffix('/').unwrap_or(&uri).to_owned())
}
