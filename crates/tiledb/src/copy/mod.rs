//! Copies of arrays, and of groups with all below them, file by file, from one store to another: [`ObjectCopy`].

mod ends;
mod errors;
mod file_roles;
mod files;
mod groups;
mod open_merges;
mod plan;
mod progress;
mod removed_files;

use std::cell::OnceCell;
use std::collections::HashSet;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::maintenance::sweep_uploads;
use crate::object::object_type;
use crate::progress::Progress;
use crate::vfs::Vfs;
pub(crate) use ends::{CopyEnds, below};
pub(crate) use file_roles::{ObjectIndex, PAGE_NAME, VIEWER_NAME, is_web_file};
use files::{Copier, CopyStats, CreatedFiles};
use groups::GroupMembers;
use plan::TargetPolicy;
use progress::CopyProgress;

/// A copy of an array, or of a group with all that its folder contains, to any other place, such as from a disk to an object store.
///
/// Files are copied as they are, with all fragments: time travel works as before, and encrypted arrays need no key. The array may be
/// written to meanwhile: the copy is its state at one moment. A reader of the target sees a fragment as a whole or not at all. A
/// second copy to the same place resumes an interrupted one, or adds what was written since. Members of groups that lie in the source
/// lead into the copy.
///
/// ```
/// use tiledb::copy::ObjectCopy;
/// use tiledb::{Array, ArraySchema, Attribute, Context, Dimension};
///
/// let ctx = Context::new()?;
/// let schema = ArraySchema::dense()
///     .dimension(Dimension::new("x", 0..=3_i32))
///     .attribute(Attribute::new::<i32>("a"))
///     .build()?;
/// Array::create(&ctx, "mem://original", &schema)?;
/// Array::open_for_writing(&ctx, "mem://original")?.write().values("a", &[1, 2, 3, 4]).submit()?;
///
/// let summary = ObjectCopy::new().run(&ctx, "mem://original", "mem://copy")?;
/// assert_eq!((summary.arrays, summary.already_there), (1, 0));
/// assert_eq!(Array::open(&ctx, "mem://copy")?.read().all()?.values::<i32>("a")?, [1, 2, 3, 4]);
///
/// let again = ObjectCopy::new().check().run(&ctx, "mem://original", "mem://copy")?;
/// assert_eq!((again.files, again.already_there), (0, summary.files));
/// # Ok::<(), tiledb::Error>(())
/// ```
#[derive(Default)]
#[must_use = "nothing is copied before `run`"]
pub struct ObjectCopy<'a> {
    is_checked: bool,
    is_dry: bool,
    keeps_others: bool,
    has_new_schemas: bool,
    is_without_arrays: bool,
    progress: CopyProgress<'a>,
}

/// What was copied.
#[derive(Debug)]
#[non_exhaustive]
pub struct CopySummary {
    /// The number of arrays of the source.
    pub arrays: u64,
    /// The number of groups of the source.
    pub groups: u64,
    /// The number of files that were copied, or would be.
    pub files: u64,
    /// Their size.
    pub bytes: u64,
    /// The number of files that the target had already.
    pub already_there: u64,
    /// The number of files of the target that were compared and had other contents.
    pub differing: u64,
    /// Whether the copy has all commits that there were at one moment. If the source is written to all the while, a later commit may be
    /// there without an earlier one.
    pub is_snapshot: bool,
    /// The folders, below the source, of the groups whose members lead into the copy.
    pub rewritten_groups: Vec<String>,
    /// The members of groups that lie outside of the source and are not copied: `URI of GROUP`.
    pub members_elsewhere: Vec<String>,
    /// The number of incomplete uploads of a killed copy that were aborted in the target, or why they could not be listed.
    pub aborted_uploads: Result<u64>,
}

impl fmt::Debug for ObjectCopy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectCopy").finish_non_exhaustive()
    }
}

impl<'a> ObjectCopy<'a> {
    /// A copy of the files that the target lacks, or has with another size.
    pub fn new() -> ObjectCopy<'a> {
        ObjectCopy::default()
    }

    /// Compares the contents of the files that the target has, and copies those that differ.
    pub fn check(self) -> ObjectCopy<'a> {
        ObjectCopy { is_checked: true, ..self }
    }

    /// Changes nothing, and counts what would be copied.
    pub fn dry_run(self) -> ObjectCopy<'a> {
        ObjectCopy { is_dry: true, ..self }
    }

    /// Accepts that the target has files that the source has no more, and keeps them: those of a published array, which readers of
    /// its former index may need ([`publish`](crate::publish)). Indexes and pages of the source are not copied. Without this it is
    /// an error.
    pub fn keep_others(self) -> ObjectCopy<'a> {
        ObjectCopy { keeps_others: true, ..self }
    }

    /// As [`ObjectCopy::keep_others`], and accepts that the target has other schemas of arrays: those of an earlier copy with another
    /// layout.
    pub(crate) fn keep_other_layouts(self) -> ObjectCopy<'a> {
        ObjectCopy { keeps_others: true, has_new_schemas: true, ..self }
    }

    /// As [`ObjectCopy::keep_other_layouts`], and copies groups, but no files of arrays.
    pub(crate) fn without_arrays(self) -> ObjectCopy<'a> {
        ObjectCopy { is_without_arrays: true, ..self.keep_other_layouts() }
    }

    /// Sets a callback that receives the number of bytes that were copied or compared, and may stop the copy. It is called on several
    /// threads, by one at a time.
    pub fn on_progress(self, callback: impl FnMut(Progress) -> ControlFlow<()> + Send + 'a) -> ObjectCopy<'a> {
        ObjectCopy { progress: CopyProgress::new(Box::new(callback)), ..self }
    }

    /// Why the target cannot be a copy of the source, if so: one lies in the other, or the target among the files of an array or a
    /// group.
    ///
    /// # Errors
    /// If one is not a URI, or storage fails.
    pub fn conflict(ctx: &Context, from: &str, to: &str) -> Result<Option<String>> {
        CopyEnds::resolve(from, to)?.conflict(ctx)
    }

    /// Copies the array or group at `from` to `to`.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if there is neither;
    /// [`ErrorKind::AlreadyExists`](crate::ErrorKind::AlreadyExists) if something else is at `to`; if the target is no place
    /// for a copy, storage fails, or it was stopped or cancelled. A second copy continues.
    pub fn run(self, ctx: &Context, from: &str, to: &str) -> Result<CopySummary> {
        let ends = CopyEnds::resolve(from, to)?;
        if let Some(conflict) = ends.conflict(ctx)? {
            return Err(Error::invalid(conflict));
        }
        if object_type(ctx, &ends.from)?.is_none() {
            return Err(Error::not_found(format!("{from} is no array, and no group")));
        }
        let _running = ctx.running()?;
        self.copy(&ctx.within_operation(), &ends)
    }

    fn copy(self, ctx: &Context, ends: &CopyEnds) -> Result<CopySummary> {
        let (from, to) = (ends.from.as_str(), ends.to.as_str());
        let ObjectCopy { is_checked, is_dry, keeps_others, has_new_schemas, is_without_arrays, progress } = self;
        let allowed = TargetPolicy { others: keeps_others, schemas: has_new_schemas };
        progress.observe(ctx.resources().cancel());
        let vfs = Vfs::new(ctx);
        plan::check_plain(to)?;
        let source = plan::source(&vfs, from)?;
        let aborted = OnceCell::new();
        let created = CreatedFiles::default();
        let copier = Copier { vfs: &vfs, from, to, is_checked, is_dry, progress: &progress, created: &created };
        let stats = CopyStats::default();
        let (source, members) = removed_files::copy_listed(&copier, source, |source| {
            let members = GroupMembers::read(ctx, &source.objects, from, to)?;
            let is_left_out = |name: &str| members.replaces(name) || (keeps_others && is_web_file(name));
            source.files.retain(|file| !is_left_out(&file.name));
            if is_without_arrays {
                source.leave_out_arrays();
            }
            plan::compare(&vfs, source, to, allowed, &|name| members.replaces(name))?;
            // A killed copy may have left orphaned multipart uploads.
            aborted.get_or_init(|| if is_dry { Ok(0) } else { sweep_uploads(ctx, to) });
            copier.run(&source.files, &stats)?;
            if !is_dry {
                // The folders of a group make it one.
                members.write(ctx, &copier)?;
                copier.clear()?;
                create_folders(&vfs, source, to)?;
            }
            Ok(members)
        })?;
        Ok(CopySummary {
            arrays: source.objects.arrays.len() as u64,
            groups: source.objects.groups.len() as u64,
            files: stats.files.load(Ordering::Relaxed),
            bytes: stats.bytes.load(Ordering::Relaxed),
            already_there: stats.already_there.load(Ordering::Relaxed),
            differing: stats.differing.load(Ordering::Relaxed),
            is_snapshot: source.is_snapshot,
            rewritten_groups: members.rewritten.into_iter().map(|group| group.name).collect(),
            members_elsewhere: members.elsewhere,
            aborted_uploads: aborted.into_inner().unwrap_or(Ok(0)),
        })
    }
}

/// Creates the folders of arrays and groups on a disk, even if they are empty: writers look for them.
fn create_folders(vfs: &Vfs, source: &plan::CopySource, to: &str) -> Result<()> {
    if !to.starts_with("file://") {
        return Ok(());
    }
    source.folders.iter().try_for_each(|folder| vfs.create_dir(&below(to, folder)))?;
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
            vfs.create_dir(&below(&below(to, array), folder))?;
        }
    }
    for group in &source.objects.groups {
        vfs.create_dir(&below(&below(to, group), "__group"))?;
        vfs.create_dir(&below(&below(to, group), "__meta"))?;
    }
    Ok(())
}
