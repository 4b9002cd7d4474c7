//! `publish`: arrays and groups for web servers.

use std::path::PathBuf;

use serde_json::json;
use tiledb::copy::ObjectCopy;
use tiledb::maintenance::{Consolidation, ConsolidationMode};
use tiledb::publish::{INDEX_FILE, IndexSummary, IndexWriter, LayoutCopy, PAGE_FILE, VIEWER_FOLDER, check};
use tiledb::{Array, Context, DirEntry, ErrorKind, Vfs, object};

use super::landing_page;
use super::viewer_files::ViewerFiles;
use crate::args::{CommonOptions, Publish};
use crate::model::{Error, Expected, FragmentInfo, ObjectType, Result, absent, object_type};
use crate::output;
use crate::progress::Progress;

/// Maximum number of copies until one has all files of the source, to which others may write.
const MAX_COPIES: usize = 3;

/// Publishes, or checks what is published.
pub(super) fn run(common: &CommonOptions, arguments: &Publish) -> Result<()> {
    let ctx = common.context()?;
    if arguments.check {
        return compare(common, &ctx, &arguments.source);
    }
    let place = arguments.target.as_ref().unwrap_or(&arguments.source);
    // Nothing is copied if the viewer cannot be.
    let viewer = if arguments.viewer { Some(viewer(arguments, place)?) } else { None };
    let (summary, place) = match &arguments.target {
        Some(target) => (copy(common, &ctx, arguments, target)?, target),
        None => (writer(arguments).run(&ctx, &arguments.source)?, &arguments.source),
    };
    if let Some(viewer) = viewer {
        viewer.copy(&Vfs::new(&ctx), &below(place, VIEWER_FOLDER))?;
    }
    if !arguments.no_page {
        let page = landing_page::html(&ctx, place, arguments.url.as_deref(), arguments.viewer)?;
        Vfs::new(&ctx).write(&below(place, PAGE_FILE), page.as_bytes())?;
    }
    report(common, &summary, place)
}

/// The files of the viewer, for a place where browsers run them.
fn viewer(arguments: &Publish, place: &str) -> Result<ViewerFiles> {
    if place.contains("://") && !place.starts_with("file://") && !place.starts_with("mem://") {
        return Err(Error::usage(format!(
            "--viewer needs a folder, which {place} is not: objects in a bucket get no media types, without which browsers run no scripts. \
             Publish into a folder, and upload it with a tool that sets them"
        )));
    }
    ViewerFiles::find(&arguments.viewer_files)
}

fn writer(arguments: &Publish) -> IndexWriter {
    let writer = IndexWriter::new();
    if arguments.no_digests { writer.without_digests() } else { writer }
}

/// Copies the source, and writes the indexes last.
fn copy(common: &CommonOptions, ctx: &Context, arguments: &Publish, target: &str) -> Result<IndexSummary> {
    let source = &arguments.source;
    if object_type(ctx, source)? == ObjectType::Other {
        return Err(absent(ctx, source, Expected::ArrayOrGroup));
    }
    if target.starts_with("http://") || target.starts_with("https://") {
        return Err(Error::usage(format!(
            "{target} is the address of readers, where nothing can be written: name the folder that the server serves, or the bucket"
        )));
    }
    if let Some(conflict) = ObjectCopy::conflict(ctx, source, target)? {
        return Err(Error::usage(conflict));
    }
    if !arguments.update && Vfs::new(ctx).is_file(&below(target, INDEX_FILE))? {
        return Err(Error::usage(format!("{target} is published already; --update brings it up to date")));
    }
    if arguments.profile.is_some() || !arguments.slice.is_empty() {
        return copy_with_layout(ctx, arguments, target);
    }
    if arguments.consolidate {
        arrays(ctx, source)?.iter().try_for_each(|array| consolidate(common, ctx, array))?;
    }
    let writer = writer(arguments).of_source(source);
    let progress = Progress::new(ctx, "publishing")?;
    let mut copies = 0;
    loop {
        copies += 1;
        let copied = ObjectCopy::new().keep_others().on_progress(|done| progress.report(done)).run(ctx, source, target);
        progress.end(copied)?;
        match writer.run(ctx, target) {
            // Others write to the source meanwhile.
            Err(error) if error.kind() == ErrorKind::NotFound && copies < MAX_COPIES => {}
            summary => return Ok(summary?),
        }
    }
}

/// Writes the arrays of the source anew with other filters and tiles, and the indexes last.
fn copy_with_layout(ctx: &Context, arguments: &Publish, target: &str) -> Result<IndexSummary> {
    let source = &arguments.source;
    let progress = Progress::new(ctx, "rewriting")?;
    let mut copy = LayoutCopy::new().on_progress(|done| progress.report(done));
    if let Some(profile) = arguments.profile {
        copy = copy.objective(profile.objective());
    }
    if !arguments.slice.is_empty() {
        copy = copy.slice(&arguments.slice.iter().map(|side| side.0).collect::<Vec<_>>());
    }
    if arguments.consolidate {
        copy = copy.merge();
    }
    if !Vfs::new(ctx).is_file(&below(target, INDEX_FILE))? {
        progress.end(copy.run(ctx, source, target))?;
        return Ok(writer(arguments).run(ctx, target)?);
    }
    let staging = Staging::create()?;
    progress.end(copy.update(ctx, source, &staging.copy, target))?;
    Ok(writer(arguments).of_source(&staging.copy).run(ctx, target)?)
}

/// A folder of this machine for arrays that are written before they are added to a published copy. It is removed at the end.
struct Staging {
    folder: PathBuf,
    copy: String,
}

impl Staging {
    fn create() -> Result<Staging> {
        let folder = std::env::temp_dir().join(format!("tiledb-rs-publish-{}", std::process::id()));
        // One of this name that exists may be under the control of another user.
        let failed = |error| Error::failed(format!("{} cannot be created: {error}", folder.display()));
        private_folders().create(&folder).map_err(failed)?;
        let mut staging = Staging { copy: String::new(), folder };
        let copy = staging.folder.join("copy");
        staging.copy =
            copy.to_str().ok_or_else(|| Error::failed(format!("{} is not UTF-8", copy.display())))?.to_owned();
        Ok(staging)
    }
}

/// Creates folders that only this user can read.
#[cfg(unix)]
fn private_folders() -> std::fs::DirBuilder {
    let mut builder = std::fs::DirBuilder::new();
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Creates folders; those for temporary files belong to the user.
#[cfg(not(unix))]
fn private_folders() -> std::fs::DirBuilder {
    std::fs::DirBuilder::new()
}

impl Drop for Staging {
    fn drop(&mut self) {
        // What is left is in a folder for such files.
        _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The URIs of an array, or of all arrays of a group.
fn arrays(ctx: &Context, uri: &str) -> Result<Vec<String>> {
    if object_type(ctx, uri)? == ObjectType::Array {
        return Ok(vec![uri.to_owned()]);
    }
    let mut arrays = Vec::new();
    object::walk(ctx, uri, object::WalkOrder::Preorder, |uri, kind| {
        if kind == tiledb::ObjectType::Array {
            arrays.push(uri.to_owned());
        }
        std::ops::ControlFlow::Continue(())
    })?;
    Ok(arrays)
}

/// Merges what costs readers a request each: fragments, their metadata if several are left, array metadata, and delete conditions. Other
/// commits are empty files, of which the index tells, while the file of consolidated ones is read.
fn consolidate(common: &CommonOptions, ctx: &Context, array: &str) -> Result<()> {
    let config = common.parameters()?;
    let run = |mode| Consolidation::new().mode(mode).config(&config).run(ctx, array);
    run(ConsolidationMode::Fragments)?;
    run(ConsolidationMode::ArrayMetadata)?;
    if FragmentInfo::load(ctx, array)?.fragments(&[]).len() > 1 {
        run(ConsolidationMode::FragmentMetadata)?;
    }
    let commits = below(array, "__commits");
    let vfs = Vfs::new(ctx);
    let is_delete = |entry: &DirEntry| entry.uri().ends_with(".del");
    // Arrays of early versions have no such folder.
    if vfs.is_dir(&commits)? && vfs.list(&commits)?.iter().filter(|entry| is_delete(entry)).count() > 1 {
        run(ConsolidationMode::Commits)?;
    }
    // The array can still be opened.
    Array::open(ctx, array)?;
    Ok(())
}

fn report(common: &CommonOptions, summary: &IndexSummary, place: &str) -> Result<()> {
    let IndexSummary { arrays, groups, files, bytes, indexes, .. } = *summary;
    if common.json {
        return output::json(&json!({
            "command": "publish", "uri": place, "arrays": arrays, "groups": groups, "files": files, "bytes": bytes, "indexes": indexes,
        }));
    }
    let size = output::bytes(bytes);
    output::line(&format!("{place}: arrays: {arrays}, groups: {groups}, files: {files}, {size}, indexes: {indexes}"))
}

/// Prints the files that differ from their index.
fn compare(common: &CommonOptions, ctx: &Context, url: &str) -> Result<()> {
    let summary = check(ctx, url)?;
    if common.json {
        let faults = summary.faults.iter().map(|(file, fault)| json!({ "file": file, "fault": fault }));
        output::json(&json!({
            "command": "publish", "uri": url, "files": summary.files, "bytes": summary.bytes, "indexes": summary.indexes,
            "faults": faults.collect::<serde_json::Value>(),
        }))?;
    } else {
        for (file, fault) in &summary.faults {
            output::line(&format!("{file}: {fault}"))?;
        }
        let size = output::bytes(summary.bytes);
        let faults = summary.faults.len();
        output::line(&format!(
            "{url}: files: {}, compared: {size}, indexes: {}, faults: {faults}",
            summary.files, summary.indexes
        ))?;
    }
    if summary.faults.is_empty() { Ok(()) } else { Err(Error::Findings) }
}

fn below(folder: &str, name: &str) -> String {
    format!("{}/{name}", folder.trim_end_matches('/'))
}
