//! Commits of a maintainer: the steps of the [protocol](super::protocol) on storage.

use std::sync::{Arc, Mutex, PoisonError};

use super::lease::MaintenanceLease;
use super::lease_file::commits_folder;
use super::protocol::{CommitStep, Protection, RollbackStep, rollback_steps};
use crate::maintain::{CommitsStep, MergeProtocol, vacuum_file, vacuum_lines};
use tiledb_array::array::prepared_uri;
use tiledb_array::fragment::{FailedCommit, FragmentName};
use tiledb_cells::write::spec::{CommitProtocol, FragmentCommit};
use tiledb_core::error::{Error, ErrorKind, Result, bail};
use tiledb_storage::vfs::{Uri, Vfs};

/// The commit of one merge.
pub(super) struct MergeCommit {
    lease: Arc<MaintenanceLease>,
    replaced: Vec<FragmentName>,
    /// The files of the commit, once it has begun.
    files: Mutex<Option<CommitFiles>>,
}

/// Files that commit fragments and hide others.
struct CommitFiles {
    protection: Protection,
    created: Vec<FragmentName>,
    /// The commit file of the new fragments; none where several files commit them.
    commit: Option<(Uri, Vec<u8>)>,
    /// The vacuum file under its temporary and its final name.
    hiding: Uri,
    vacuum: Uri,
    hidden_lines: Vec<u8>,
    replaced_lines: Vec<u8>,
}

impl MergeCommit {
    pub(super) fn new(lease: &Arc<MaintenanceLease>, replaced: Vec<FragmentName>) -> MergeCommit {
        MergeCommit { lease: lease.clone(), replaced, files: Mutex::new(None) }
    }

    /// The new fragments; none before the commit has begun.
    pub(super) fn created(&self) -> Vec<FragmentName> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.as_ref().map_or(Vec::new(), |files| files.created.clone())
    }

    fn prepare(&self, commit: &FragmentCommit<'_>) -> Result<CommitFiles> {
        let Some(last) = commit.names.last() else { bail!(Internal, "A merge without results is committed") };
        let array = self.lease.array();
        let version = last.version();
        let (start, end) = last.timestamps();
        let lines = |names: &[FragmentName]| vacuum_lines(array, version, names.iter().map(|name| name.folder(array)));
        let single = match commit.files {
            [file] => Some(file.clone()),
            _ => None,
        };
        let protection = if single.is_some() { self.lease.protection()? } else { Protection::Unfenced };
        let hiding = format!("{}.vac", FragmentName::new(start, end, version));
        Ok(CommitFiles {
            protection,
            created: commit.names.to_vec(),
            commit: single,
            hiding: commits_folder(array, version).join(&hiding),
            vacuum: vacuum_file(array, last),
            hidden_lines: lines(commit.names),
            replaced_lines: lines(&self.replaced),
        })
    }

    fn take(&self, step: CommitStep, files: &CommitFiles, commit: Option<&FragmentCommit<'_>>) -> Result<()> {
        let vfs = self.lease.vfs();
        let (prepared_commit, prepared_vacuum) = files.prepared();
        match (step, &files.commit) {
            (CommitStep::Journal, _) => self.lease.journal(&files.created, &self.replaced),
            (CommitStep::PrepareVacuum, _) => vfs.put(&prepared_vacuum, &files.replaced_lines),
            (CommitStep::PrepareCommit, Some((_, contents))) => vfs.put(&prepared_commit, contents),
            (CommitStep::HideCreated, _) => vfs.put(&files.hiding, &files.hidden_lines),
            (CommitStep::ConfirmLease, _) => self.lease.confirm(),
            (CommitStep::Commit, Some((file, _))) => self.fenced(vfs.publish(&prepared_commit, file)),
            (CommitStep::NameVacuum, _) => self.fenced(vfs.publish(&files.hiding, &files.vacuum)),
            (CommitStep::ExchangeVacuum, _) => self.fenced(vfs.exchange(&prepared_vacuum, &files.vacuum)),
            (CommitStep::DiscardVacuum, _) => vfs.remove_files(&[prepared_vacuum]),
            (CommitStep::StoreVacuum, _) => vfs.put(&files.vacuum, &files.replaced_lines),
            (CommitStep::StoreCommit, _) => commit.map_or(Ok(()), |commit| commit.store(vfs)),
            (CommitStep::PrepareCommit | CommitStep::Commit, None) => {
                bail!(Internal, "Several files cannot be committed in one step")
            }
        }
    }

    /// The error of a decisive step whose prepared file somebody has removed.
    fn fenced(&self, taken: Result<()>) -> Result<()> {
        match taken {
            Err(error) if error.kind() == ErrorKind::NotFound => Err(self.lease.lost_lease()),
            taken => taken,
        }
    }

    fn roll_back(&self, files: &CommitFiles, is_committed: bool) -> Result<()> {
        let vfs = self.lease.vfs();
        let (prepared_commit, prepared_vacuum) = files.prepared();
        for step in rollback_steps(is_committed) {
            match step {
                RollbackStep::DiscardCommit => vfs.remove_files(std::slice::from_ref(&prepared_commit))?,
                RollbackStep::DiscardVacuum => vfs.remove_files(std::slice::from_ref(&prepared_vacuum))?,
                RollbackStep::UnhideCreated => {
                    if let Some((commit, _)) = &files.commit
                        && !vfs.is_file(commit)?
                    {
                        vfs.remove_files(std::slice::from_ref(&files.hiding))?;
                    }
                }
                // By the writer of the fragments.
                RollbackStep::RemoveCreated => (),
            }
        }
        Ok(())
    }

    /// Takes steps until one fails; then what was prepared is removed.
    fn run(&self, files: &CommitFiles, steps: &[CommitStep], commit: Option<&FragmentCommit<'_>>) -> Result<()> {
        let taken = steps.iter().try_for_each(|step| self.take(*step, files, commit));
        if taken.is_err() && files.protection != Protection::Unfenced {
            // The first error is reported; whoever takes over removes the rest.
            _ = self.roll_back(files, commit.is_none());
        }
        taken
    }
}

impl CommitFiles {
    /// The prepared commit and the prepared vacuum file.
    fn prepared(&self) -> (Uri, Uri) {
        let vacuum = prepared_uri(&self.vacuum);
        (self.commit.as_ref().map_or_else(|| vacuum.clone(), |(file, _)| prepared_uri(file)), vacuum)
    }

    /// The steps up to the commit, and those after it.
    fn steps(&self) -> (&'static [CommitStep], &'static [CommitStep]) {
        let steps = self.protection.commit_steps();
        let commit = steps.iter().position(|step| step.is_commit()).map_or(steps.len(), |at| at + 1);
        steps.split_at(commit)
    }
}

impl CommitProtocol for MergeCommit {
    fn begin(&self, name: &FragmentName) -> Result<()> {
        self.lease.begin(std::slice::from_ref(name))
    }

    fn commit(&self, vfs: &Vfs, commit: &FragmentCommit<'_>) -> Result<(), FailedCommit> {
        let files = self.prepare(commit).map_err(|error| FailedCommit { error, is_revoked: true })?;
        let committed = self.run(&files, files.steps().0, Some(commit));
        *self.files.lock().unwrap_or_else(PoisonError::into_inner) = Some(files);
        committed.map_err(|error| commit.failed(vfs, error))
    }
}

impl MergeProtocol for MergeCommit {
    fn hide_replaced(&self) -> Result<()> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(files) = files.as_ref() else { return Err(Error::internal("A merge is hidden before its commit")) };
        self.run(files, files.steps().1, None)
    }

    fn is_hidden_at_commit(&self, commit: &FragmentCommit<'_>) -> Result<bool> {
        Ok(commit.files.len() == 1 && self.lease.protection()? == Protection::Atomic)
    }

    fn withdraw(&self) -> Result<bool> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(files) = files.as_ref() else { return Ok(false) };
        if files.protection != Protection::Unfenced {
            self.roll_back(files, true)?;
        }
        // Once the prepared vacuum file is gone, a vacuum removes the hidden results.
        Ok(files.protection == Protection::Atomic)
    }
}

/// Confirms the lease before the decisive steps of a consolidation of commits: a suspended maintainer must not store a file that
/// names fragments which its successor has removed.
///
/// # Errors
/// If the lease was lost, or a storage operation fails.
pub(super) fn confirm_before(lease: &MaintenanceLease, step: CommitsStep) -> Result<()> {
    match step {
        CommitsStep::Confirm | CommitsStep::Store => lease.confirm(),
        CommitsStep::Prepare | CommitsStep::Publish | CommitsStep::FindRemoved | CommitsStep::Revoke => Ok(()),
    }
}
