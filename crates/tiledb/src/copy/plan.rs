//! Plans a copy: a consistent listing of the source, compared with the target.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::errors::{about, of_system};
use super::file_roles::{CopyPhase, ObjectIndex};
use super::open_merges::has_open_merge;
use crate::error::{Error, ErrorKind, Result};
use crate::uri::{check_relative, local_path};
use crate::vfs::Vfs;

/// Folder of incomplete copies on a local target.
pub(super) const UNFINISHED: &str = "__unfinished_copy";
/// Maximum number of listings if files are removed meanwhile.
const MAX_REMOVALS: usize = 10;
/// Maximum number and total time of listings until two in a row have the same commits.
const MAX_UNSETTLED_LISTINGS: usize = 5;
const MAX_UNSETTLED_TIME: Duration = Duration::from_secs(5);
/// Time that may pass between the commit of a merged fragment and the vacuum file that hides its sources, and the pause
/// between listings meanwhile.
const MERGE_TIME: Duration = Duration::from_secs(1);
const MERGE_PAUSE: Duration = Duration::from_millis(50);

/// A file of the source.
pub(super) struct PlannedFile {
    /// Its name below the root.
    pub name: String,
    pub size: u64,
    pub phase: CopyPhase,
    /// Size of the file in the target.
    pub target_size: Option<u64>,
}

/// The source at one moment.
pub(super) struct CopySource {
    pub files: Vec<PlannedFile>,
    pub objects: ObjectIndex,
    /// Folders except those of fragments; none in object stores.
    pub folders: Vec<String>,
    /// Whether the commits are all that there were at one moment.
    pub is_snapshot: bool,
    /// All names, including uncommitted files.
    names: BTreeSet<String>,
}

/// Which files may be in the target though the source lacks them.
#[derive(Clone, Copy)]
pub(super) struct TargetPolicy {
    /// All but those that identify another array.
    pub others: bool,
    /// Also schemas and enumerations.
    pub schemas: bool,
}

impl CopySource {
    /// Leaves out the files and folders of arrays.
    pub(super) fn leave_out_arrays(&mut self) {
        let arrays = std::mem::take(&mut self.objects.arrays);
        let is_of_array = |name: &str| {
            let folders = std::iter::successors(Some(name), |name| Some(name.rsplit_once('/')?.0));
            folders.chain([""]).any(|folder| arrays.contains(folder))
        };
        self.files.retain(|file| !is_of_array(&file.name));
        self.folders.retain(|folder| !is_of_array(folder));
    }

    /// True if the source had a file of this name when it was listed.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }
}

/// Listing of a folder.
#[derive(Default)]
struct Listed {
    files: BTreeMap<String, u64>,
    folders: Vec<String>,
}

/// Everything below a folder; empty if it does not exist.
fn list(vfs: &Vfs, root: &str) -> Result<Listed> {
    let mut listing = Listed::default();
    if !vfs.is_dir(root)? {
        return Ok(listing);
    }
    for entry in vfs.list_recursive(root).map_err(|error| about(error, root))? {
        let name = entry.uri().strip_prefix(root).and_then(|name| name.strip_prefix('/'));
        let name =
            name.ok_or_else(|| Error::new(ErrorKind::Store, format!("{} does not lie in {root}", entry.uri())))?;
        let name = name.strip_suffix('/').filter(|_| entry.is_dir()).unwrap_or(name).to_owned();
        // A store of objects takes any name; as that of a file it could lead out of the target.
        check_relative(&name).map_err(|why| {
            let uri = entry.uri();
            let why = why.message();
            Error::new(ErrorKind::Store, format!("{uri:?} cannot be copied: {why}; remove or rename the object"))
        })?;
        if entry.is_dir() {
            listing.folders.push(name);
        } else if !name.starts_with(UNFINISHED) {
            listing.files.insert(name, entry.size());
        }
    }
    Ok(listing)
}

/// Rejects special files and links below a local URI: what a symbolic link leads to is outside of the array, so that it is
/// neither copied nor overwritten, and a pipe has no end.
pub(super) fn check_plain(root: &str) -> Result<()> {
    if !root.starts_with("file://") {
        return Ok(());
    }
    let root = PathBuf::from(local_path(root)?.unwrap_or_else(|| root.to_owned()));
    if root.is_symlink() {
        let text = format!("{} is a symbolic link that leads nowhere: remove it", root.display());
        return Err(Error::new(ErrorKind::Unsupported, text));
    }
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        let entries = match std::fs::read_dir(&folder) {
            // Removed meanwhile.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            entries => entries.map_err(|error| about(of_system(&error), &folder.display().to_string()))?,
        };
        for entry in entries {
            let entry = entry.map_err(|error| of_system(&error))?;
            let kind = entry.file_type().map_err(|error| of_system(&error))?;
            let path = entry.path();
            if kind.is_symlink() {
                let text = "is a symbolic link, which is not followed: put what it leads to in its place, or remove it";
                return Err(Error::new(ErrorKind::Unsupported, format!("{} {text}", path.display())));
            }
            if kind.is_dir() {
                folders.push(path);
            } else if !kind.is_file() {
                let text = "is neither a file nor a folder: remove it";
                return Err(Error::new(ErrorKind::Unsupported, format!("{} {text}", path.display())));
            }
        }
    }
    Ok(())
}

/// Lists the source twice: commits are those of the first list, so that the second one has all that they need. A list takes
/// time, and may have a later commit without an earlier one. Where both have the same commits, these are all that there were
/// when the first list was done; where writers give no such moment, the first list is taken as it is. A consolidation commits
/// its result before it hides the sources: in arrays that allow duplicates, cells would be doubled in between. Lists in which
/// a fragment may be such a result are repeated for a second.
pub(super) fn source(vfs: &Vfs, root: &str) -> Result<CopySource> {
    check_plain(root)?;
    let mut first = list(vfs, root)?;
    let begun = Instant::now();
    let mut attempts = 0;
    let mut removals = 0;
    let mut merging_since = None;
    while removals < MAX_REMOVALS {
        let second = list(vfs, root)?;
        // A file that was removed meanwhile may belong to a commit of the first listing.
        if !first.files.keys().all(|name| second.files.contains_key(name)) {
            first = second;
            removals += 1;
            continue;
        }
        attempts += 1;
        let before = ObjectIndex::of(first.files.keys().map(String::as_str));
        let objects = ObjectIndex::of(second.files.keys().map(String::as_str));
        let is_as_before = |name: &str| first.files.get(name) == second.files.get(name);
        let is_settled = || second.files.keys().all(|name| !objects.role(name).phase.is_seen() || is_as_before(name));
        let is_snapshot = is_settled();
        if !is_snapshot && (attempts < MAX_UNSETTLED_LISTINGS || begun.elapsed() < MAX_UNSETTLED_TIME) {
            first = second;
            continue;
        }
        if is_snapshot && has_open_merge(second.files.keys().map(String::as_str)) {
            let since: &Instant = merging_since.get_or_insert_with(Instant::now);
            if since.elapsed() < MERGE_TIME {
                std::thread::sleep(MERGE_PAUSE);
                first = second;
                continue;
            }
        }
        let is_merged_before = |name: &str| {
            let stem = name.strip_suffix(".vac").unwrap_or(name);
            [".wrt", ".ok"].iter().any(|extension| first.files.contains_key(&format!("{stem}{extension}")))
        };
        let mut files = Vec::new();
        for (name, &size) in &second.files {
            let place = objects.role(name);
            let is_copied = match (&place.fragment, place.phase) {
                (Some(fragment), _) => before.has_footer(fragment),
                (None, CopyPhase::Enumeration | CopyPhase::Schema | CopyPhase::Data | CopyPhase::Other) => true,
                // The sources of a fragment that is copied are hidden.
                (None, CopyPhase::Vacuum) if is_merged_before(name) => true,
                // A growing file is incomplete and counts as missing.
                _ => is_as_before(name),
            };
            if is_copied {
                files.push(PlannedFile { name: name.clone(), size, phase: place.phase, target_size: None });
            }
        }
        sort_by_phase(&mut files);
        let is_fragment = |folder: &String| objects.role(&format!("{folder}/any")).fragment.is_some();
        let folders = second.folders.into_iter().filter(|folder| !is_fragment(folder)).collect();
        return Ok(CopySource { files, objects, folders, is_snapshot, names: second.files.into_keys().collect() });
    }
    let text = format!("{root}: files are removed faster than they can be listed; wait for the vacuum");
    Err(Error::new(ErrorKind::Store, text))
}

/// Sorts files by phase; of groups that hold one another the deeper ones come first.
fn sort_by_phase(files: &mut [PlannedFile]) {
    let depth = |name: &str| name.matches('/').count();
    files.sort_by(|a, b| {
        let deeper = depth(&b.name).cmp(&depth(&a.name));
        a.phase.cmp(&b.phase).then_with(|| if a.phase == CopyPhase::Group { deeper } else { std::cmp::Ordering::Equal })
    });
}

/// Moves the schemas and enumerations of arrays of which the target has no schema to the end of the copy.
fn postpone_new_schemas(files: &mut [PlannedFile], objects: &ObjectIndex) {
    let mut existing: BTreeSet<String> = BTreeSet::new();
    let mut newest: BTreeMap<String, String> = BTreeMap::new();
    // The schema of early versions, which has no timestamp, is the oldest.
    let key = |name: &str| name.contains("__schema/").then(|| name.to_owned());
    for file in files.iter().filter(|file| file.phase == CopyPhase::Schema) {
        let array = objects.array_of_schema(&file.name);
        if file.target_size.is_some() {
            existing.insert(array.to_owned());
        }
        let known = newest.entry(array.to_owned()).or_insert_with(|| file.name.clone());
        if key(known) < key(&file.name) {
            known.clone_from(&file.name);
        }
    }
    for file in files.iter_mut() {
        let array = objects.array_of_schema(&file.name);
        file.phase = match file.phase {
            CopyPhase::Enumeration | CopyPhase::Schema if existing.contains(array) => continue,
            CopyPhase::Enumeration => CopyPhase::NewEnumeration,
            CopyPhase::Schema if array.contains("__labels/") => CopyPhase::NewLabelSchema,
            CopyPhase::Schema if newest.get(array) == Some(&file.name) => CopyPhase::NewestSchema,
            CopyPhase::Schema => CopyPhase::OlderSchema,
            _ => continue,
        };
    }
    sort_by_phase(files);
}

/// Compares the target with the source, and postpones the schemas of arrays that it lacks; an error names additional files, which
/// may be kept unless they identify another array.
pub(super) fn compare(
    vfs: &Vfs,
    source: &mut CopySource,
    target: &str,
    allowed: TargetPolicy,
    is_ours: &dyn Fn(&str) -> bool,
) -> Result<()> {
    let there = list(vfs, target)?.files;
    let objects = ObjectIndex::of(there.keys().chain(&source.names).map(String::as_str));
    let mut differing = Vec::new();
    for name in there.keys().filter(|name| !source.names.contains(*name) && !is_ours(name)) {
        // Fragment data without a commit is invisible: an interrupted copy or write left it.
        let phase = objects.role(name).phase;
        let is_accepted = phase.is_harmless() || (allowed.others && (allowed.schemas || !phase.is_fixed()));
        if !is_accepted {
            differing.push(format!("{name}, which the source has not"));
        }
    }
    for file in &mut source.files {
        file.target_size = there.get(&file.name).copied();
        if let Some(size) = file.target_size.filter(|&size| size > file.size) {
            differing.push(format!("{} of {size} bytes, in the source it has {}", file.name, file.size));
        }
    }
    if differing.is_empty() {
        postpone_new_schemas(&mut source.files, &source.objects);
        return Ok(());
    }
    let (count, more) = (differing.len(), if differing.len() > 3 { ", ..." } else { "" });
    differing.truncate(3);
    let text = format!(
        "{target} is not an earlier copy: it has {}{more} ({count} in all); copy to another place, or remove it first",
        differing.join("; ")
    );
    Err(Error::new(ErrorKind::AlreadyExists, text))
}
