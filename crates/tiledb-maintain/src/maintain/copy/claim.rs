//! The claim of a copy that can be resumed: at most one process adds fragments to it. A process that was taken for dead, and
//! continues after another one has resumed its copy, must neither add a fragment again nor commit one that was swept.
//!
//! As for [maintainers](crate::policy), nothing relies on time. Whoever resumes removes the claims of others, lists, and removes
//! the prepared commits; who commits stores the prepared commit before it confirms that its claim is listed. At least one of both
//! notices the other. `claim_model.rs` explores all interleavings of these steps.

use std::collections::HashSet;
use std::sync::Arc;

use crate::maintain::orphans;
use tiledb_array::array::{UnpublishedArray, prepared_file, prepared_uri};
use tiledb_array::fragment::{FailedCommit, FragmentName, timestamp_now};
use tiledb_cells::write::spec::{CommitHook, CommitProtocol, FragmentCommit};
use tiledb_core::error::{Error, ErrorKind, Result, bail};
use tiledb_core::types::FormatVersion;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::{Uri, Vfs};

/// Steps by which a process becomes the only one that adds fragments to a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClaimStep {
    /// Store the claim.
    Store,
    /// Remove the claims of others.
    RemoveOthers,
    /// List the folders of fragments without commit.
    ListOrphans,
    /// List: the own claim is there. So nobody has claimed the copy later, and stored one of these folders.
    Confirm,
    /// Remove the prepared commits of others.
    Fence,
    /// Of the folders that were listed, remove those of fragments that are not committed by now.
    Sweep,
}

/// The committed fragments are listed afterwards, and the missing ones are stored.
pub(super) const CLAIM: [ClaimStep; 6] = [
    ClaimStep::Store,
    ClaimStep::RemoveOthers,
    ClaimStep::ListOrphans,
    ClaimStep::Confirm,
    ClaimStep::Fence,
    ClaimStep::Sweep,
];

/// A step of the commit of a fragment, whose other files are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CopyCommitStep {
    /// Store the commit under a name that readers ignore.
    Prepare,
    /// List: the claim is there.
    Confirm,
    /// Rename the commit, or copy and remove it.
    Publish,
    /// Store the commit.
    Store,
}

impl CopyCommitStep {
    /// Where files can be renamed or copied atomically.
    pub(super) const FENCED: [CopyCommitStep; 3] =
        [CopyCommitStep::Prepare, CopyCommitStep::Confirm, CopyCommitStep::Publish];

    /// Stores without atomic copies: a process that is suspended between the two may commit a fragment that was swept.
    pub(super) const UNFENCED: [CopyCommitStep; 2] = [CopyCommitStep::Confirm, CopyCommitStep::Store];
}

/// Extension of claims, which are prepared files of their own kind: no reader knows them.
const EXTENSION: &str = ".copy";

/// A claim; released on drop.
pub(super) struct CopyClaim {
    vfs: Vfs,
    target: Uri,
    file: Uri,
    version: FormatVersion,
    can_fence: bool,
}

impl CopyClaim {
    /// Claims the copy in the arrays `targets`: the first one, which gets the claim, and those of its dimension labels. What others
    /// have not committed is removed.
    ///
    /// # Errors
    /// If a storage operation fails, or another process claims the copy meanwhile.
    pub(super) fn new(
        resources: &Resources,
        targets: &[&UnpublishedArray],
        version: FormatVersion,
    ) -> Result<Arc<CopyClaim>> {
        let Some(target) = targets.first().map(|target| target.uri()) else {
            bail!(Internal, "A copy without target is claimed")
        };
        let vfs = resources.vfs();
        let now = timestamp_now();
        let name = format!("{}{EXTENSION}", FragmentName::new(now, now, version));
        let file = prepared_uri(&commits_of(target, version).join(&name));
        let can_fence = version.has_commits_folder() && vfs.can_publish(&commits_of(target, version))?;
        let claim = CopyClaim { vfs: vfs.clone(), target: target.clone(), file, version, can_fence };
        let mut orphans = HashSet::new();
        for step in CLAIM {
            match step {
                ClaimStep::Store => vfs.put(&claim.file, b"")?,
                ClaimStep::RemoveOthers => {
                    let others = claim.claims()?.into_iter().filter(|other| *other != claim.file);
                    vfs.remove_files(&others.collect::<Vec<_>>())?;
                }
                ClaimStep::ListOrphans => orphans = orphans::orphans_of(resources, targets)?,
                ClaimStep::Confirm => claim.confirm()?,
                ClaimStep::Fence => {
                    let mut commits = targets.iter().map(|target| commits_of(target.uri(), version));
                    commits.try_for_each(|folder| vfs.remove_files(&prepared_in(vfs, &folder, ".wrt")?))?;
                }
                ClaimStep::Sweep => orphans::sweep_among(resources, targets, &orphans)?,
            }
        }
        Ok(Arc::new(claim))
    }

    /// The hook by which fragments are committed.
    pub(super) fn hook(self: &Arc<CopyClaim>) -> CommitHook {
        CommitHook(Some(self.clone()))
    }

    fn confirm(&self) -> Result<()> {
        if self.claims()?.contains(&self.file) { Ok(()) } else { Err(self.lost()) }
    }

    /// The claims of all processes.
    fn claims(&self) -> Result<Vec<Uri>> {
        prepared_in(&self.vfs, &commits_of(&self.target, self.version), EXTENSION)
    }

    fn lost(&self) -> Error {
        Error::invalid(format!(
            "Cannot continue the copy to '{}': another process has resumed it; wait until that one is done, or resume the copy again",
            self.target
        ))
    }

    fn take(&self, step: CopyCommitStep, vfs: &Vfs, commit: &FragmentCommit<'_>) -> Result<()> {
        match (step, commit.files) {
            (CopyCommitStep::Prepare, [(file, contents)]) => vfs.put(&prepared_uri(file), contents),
            (CopyCommitStep::Confirm, _) => self.confirm(),
            (CopyCommitStep::Publish, [(file, _)]) => match vfs.publish(&prepared_uri(file), file) {
                Err(error) if error.kind() == ErrorKind::NotFound => Err(self.lost()),
                published => published,
            },
            (CopyCommitStep::Store, _) => commit.store(vfs),
            (CopyCommitStep::Prepare | CopyCommitStep::Publish, _) => {
                bail!(Internal, "Several files cannot be committed in one step")
            }
        }
    }
}

impl CommitProtocol for CopyClaim {
    fn begin(&self, _name: &FragmentName) -> Result<()> {
        self.confirm()
    }

    fn commit(&self, vfs: &Vfs, commit: &FragmentCommit<'_>) -> Result<(), FailedCommit> {
        let can_fence = self.can_fence && commit.files.len() == 1;
        let steps = if can_fence { &CopyCommitStep::FENCED[..] } else { &CopyCommitStep::UNFENCED };
        let committed = steps.iter().try_for_each(|step| self.take(*step, vfs, commit));
        if let (Err(_), true, [(file, _)]) = (&committed, can_fence, commit.files) {
            // The first error is reported; whoever resumes the copy removes it otherwise.
            _ = vfs.remove_files(&[prepared_uri(file)]);
        }
        committed.map_err(|error| commit.failed(vfs, error))
    }
}

impl Drop for CopyClaim {
    fn drop(&mut self) {
        // One that stays is removed by whoever resumes the copy.
        _ = self.vfs.remove_files(std::slice::from_ref(&self.file));
    }
}

/// The folder of the commits of an array.
fn commits_of(array: &Uri, version: FormatVersion) -> Uri {
    if version.has_commits_folder() { array.join("__commits") } else { array.clone() }
}

/// The prepared files in a folder whose later names end with `extension`.
fn prepared_in(vfs: &Vfs, folder: &Uri, extension: &str) -> Result<Vec<Uri>> {
    let names = vfs.names(folder)?.into_iter().map(|item| item.name);
    let prepared = names.filter(|name| prepared_file(name).is_some_and(|name| name.ends_with(extension)));
    Ok(prepared.map(|name| folder.join(&name)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_array::array::CopyKind;
    use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
    use tiledb_core::config::Config;
    use tiledb_core::types::{ArrayType, CURRENT_VERSION, Datatype};
    use tiledb_filters::crypto::EncryptionKey;

    fn commit(claim: &CopyClaim, time: u64) -> Result<()> {
        commit_files(claim, time, &[])
    }

    /// Commits a fragment with the file of its format, and others.
    fn commit_files(claim: &CopyClaim, time: u64, others: &[Uri]) -> Result<()> {
        let name = FragmentName::new(time, time, CURRENT_VERSION);
        let own = claim.target.join(&name.commit().unwrap());
        let files: Vec<_> = [own].into_iter().chain(others.iter().cloned()).map(|file| (file, Vec::new())).collect();
        let (array, names) = (&claim.target, std::slice::from_ref(&name));
        let committed = claim.commit(&claim.vfs, &FragmentCommit { array, names, files: &files });
        committed.map_err(|failed| failed.error)
    }

    /// A copy that is no array yet.
    fn unpublished(resources: &Resources, target: &Uri) -> UnpublishedArray {
        let mut schema = ArraySchema::new(ArrayType::Dense);
        let bounds = [0i32, 9];
        let extent = 10i32.to_le_bytes();
        let x = Dimension::new("x", Datatype::Int32, Some(bytemuck::cast_slice(&bounds)), Some(&extent)).unwrap();
        schema.set_domain(Arc::new(Domain::of(vec![Arc::new(x)]))).unwrap();
        schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Int32))).unwrap();
        UnpublishedArray::create(resources, target, &schema, &EncryptionKey::None, CopyKind::Rewrite).unwrap()
    }

    fn names(claim: &CopyClaim) -> Vec<String> {
        claim
            .vfs
            .names(&commits_of(&claim.target, CURRENT_VERSION))
            .unwrap()
            .into_iter()
            .map(|item| item.name)
            .collect()
    }

    #[test]
    fn resumed_copy_is_not_continued_by_the_suspended_process() {
        let resources = Resources::new(Config::new()).unwrap();
        let vfs = resources.vfs();
        let target = Uri::parse("mem://claim/copy").unwrap();
        let copy = unpublished(&resources, &target);
        let claim = || CopyClaim::new(&resources, &[&copy], CURRENT_VERSION).unwrap();
        let suspended = claim();
        commit(&suspended, 1).unwrap();
        // Suspended between the confirmation and the commit, and before both.
        let prepared = prepared_uri(&target.join("__commits/__2_2_0123456789abcdef0123456789abcdef_22.wrt"));
        vfs.put(&prepared, b"").unwrap();
        let resumed = claim();
        assert!(!vfs.is_file(&prepared).unwrap());
        for result in [commit(&suspended, 2), suspended.begin(&FragmentName::new(3, 3, CURRENT_VERSION))] {
            assert!(result.unwrap_err().text().contains("another process has resumed it"));
        }
        drop(suspended);
        commit(&resumed, 2).unwrap();
        let committed = |names: &[String]| names.iter().filter(|name| name.ends_with(".wrt")).count();
        assert_eq!((committed(&names(&resumed)), names(&resumed).len()), (2, 3));
        drop(resumed);
        let left = vfs.names(&commits_of(&target, CURRENT_VERSION)).unwrap();
        assert!(
            left.len() == 2 && left.iter().all(|item| item.name.ends_with(".wrt")),
            "the claim is given up: {left:?}"
        );
        assert_eq!(names(&claim()).len(), 3);
    }

    /// Old formats commit a fragment by several files, which cannot be published in one step.
    #[test]
    fn several_files_are_committed_as_long_as_the_claim_is_listed() {
        let resources = Resources::new(Config::new()).unwrap();
        let target = Uri::parse("mem://claim/several").unwrap();
        let copy = unpublished(&resources, &target);
        let claim = || CopyClaim::new(&resources, &[&copy], CURRENT_VERSION).unwrap();
        let suspended = claim();
        let others = [target.join("__commits/first"), target.join("__commits/second")];
        commit_files(&suspended, 1, &others[..1]).unwrap();
        assert!(resources.vfs().is_file(&others[0]).unwrap());
        // The commit, the other file, and the claim: no file is prepared.
        assert_eq!(names(&suspended).len(), 3);
        let resumed = claim();
        assert!(commit_files(&suspended, 2, &others[1..]).is_err());
        assert!(!resources.vfs().is_file(&others[1]).unwrap());
        assert_eq!(names(&resumed).len(), 3);
    }
}
