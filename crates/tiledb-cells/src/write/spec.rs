//! The interface of writers: write parameters, drafts of suspended writes, and the trait that writers implement.

use std::fmt;
use std::sync::Arc;

use crate::columns::input::Inputs;
use crate::space::subarray::Subarray;
use tiledb_array::array::{ArrayDirectory, OpenArray, revoke_commits};
use tiledb_array::fragment::{FailedCommit, FragmentDraft, FragmentName, FragmentWriter, NamePlace, special_fields};
use tiledb_array::schema::Field;
use tiledb_core::budget::Budget;
use tiledb_core::config::Config;
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::stats::Stats;
use tiledb_core::types::{Layout, Name};
use tiledb_storage::vfs::{Uri, Vfs};

/// Parameters of a write.
#[derive(Clone)]
pub struct WriteSpec {
    /// The array as it was when it was opened.
    pub array: Arc<OpenArray>,
    /// The order of the input cells.
    pub layout: Layout,
    /// The part of a dense array that is written.
    pub subarray: Subarray,
    /// The query's configuration.
    pub config: Config,
    /// The memory budget of the write, which holds as far as smaller steps can keep it.
    pub budget: Budget,
    /// For cells that come from fragments, what the consolidated fragments retain of these.
    pub merged: Option<ConsolidationSpec>,
    /// Counters and timers of the write.
    pub stats: Stats,
}

/// The budget of a writer of an array, out of `bytes` of memory: less unsent bytes of its files, but at least half.
///
/// # Errors
/// If the storage of the array is none.
pub fn writer_budget(array: &OpenArray, bytes: u64) -> Result<Budget> {
    let unsent = array.resources().vfs().max_unsent_bytes(array.uri())?;
    Ok(Budget::advisory(bytes - unsent.min(bytes / 2)))
}

/// Options of the fragments that consolidation writes.
#[derive(Clone, Debug)]
pub struct ConsolidationSpec {
    /// The first and the last time of their cells.
    pub timestamps: (u64, u64),
    /// Their place among other fragments with these times.
    pub place: NamePlace,
    /// Every cell has its write time.
    pub times: bool,
    /// Every cell has the time and the condition of its deletion.
    pub deletes: bool,
    /// The delete conditions that were applied to the cells, as relative names of commit files.
    pub conditions: Vec<String>,
    /// Bytes that a fragment may have before the next begins.
    pub max_size: u64,
    pub hook: CommitHook,
}

/// How the fragments of a consolidation become visible.
pub trait CommitProtocol: Send + Sync {
    /// Called with the name of each new fragment before its first file is stored.
    ///
    /// # Errors
    /// Those that prevent the fragment from being stored.
    fn begin(&self, name: &FragmentName) -> Result<()>;

    /// Commits the fragments, all of whose files but the commit are stored.
    ///
    /// # Errors
    /// If they were not committed, or it is not known.
    fn commit(&self, vfs: &Vfs, commit: &FragmentCommit<'_>) -> Result<(), FailedCommit>;
}

/// Fragments that are about to become visible.
pub struct FragmentCommit<'a> {
    pub array: &'a Uri,
    pub names: &'a [FragmentName],
    /// The files that commit them, with their contents: one, except for several fragments in formats without consolidated
    /// commits, and none in formats without commits.
    pub files: &'a [(Uri, Vec<u8>)],
}

impl FragmentCommit<'_> {
    /// Stores the files.
    ///
    /// # Errors
    /// If a storage operation fails.
    pub fn store(&self, vfs: &Vfs) -> Result<()> {
        self.files.iter().try_for_each(|(file, contents)| match contents.is_empty() {
            true => vfs.mark(file),
            false => vfs.put(file, contents),
        })
    }

    /// The failure of a commit whose files may have been stored nevertheless.
    pub fn failed(&self, vfs: &Vfs, error: Error) -> FailedCommit {
        let is_stored = |(file, _): &(Uri, Vec<u8>)| vfs.is_file(file).unwrap_or(true);
        // Others may have consolidated the commits since, and removed their files.
        let is_listed = || {
            let directory = ArrayDirectory::load_commits(vfs, self.array);
            directory.map_or(true, |directory| self.names.iter().any(|name| directory.fragments().contains(name)))
        };
        FailedCommit { error, is_revoked: !self.files.iter().any(is_stored) && !is_listed() }
    }

    /// Revokes the commit because of an error.
    pub fn revoke(&self, vfs: &Vfs, error: Error) -> FailedCommit {
        let files: Vec<Uri> = self.files.iter().map(|(file, _)| file.clone()).collect();
        FailedCommit { error, is_revoked: revoke_commits(vfs, self.array, self.names, &files).is_ok() }
    }
}

/// The protocol of a consolidation; without one, its fragments are committed as those of a write.
#[derive(Clone, Default)]
pub struct CommitHook(pub Option<Arc<dyn CommitProtocol>>);

impl CommitHook {
    /// Announces a new fragment.
    ///
    /// # Errors
    /// Those of the protocol.
    pub(crate) fn begin(&self, name: &FragmentName) -> Result<()> {
        self.0.as_ref().map_or(Ok(()), |protocol| protocol.begin(name))
    }

    /// Commits fragments.
    ///
    /// # Errors
    /// Those of the protocol, or of storage.
    pub(crate) fn commit(&self, vfs: &Vfs, commit: &FragmentCommit<'_>) -> Result<(), FailedCommit> {
        match &self.0 {
            Some(protocol) => protocol.commit(vfs, commit),
            None => commit.store(vfs).map_err(|error| commit.failed(vfs, error)),
        }
    }
}

impl fmt::Debug for CommitHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CommitHook").field(&self.0.is_some()).finish()
    }
}

impl WriteSpec {
    /// The fields besides those of the schema.
    pub(crate) fn special_fields(&self) -> Vec<Field> {
        let of = |merged: &ConsolidationSpec| special_fields(self.array.schema(), merged.times, merged.deletes);
        self.merged.as_ref().map_or(Vec::new(), of)
    }
}

/// A fragment that was committed.
#[derive(Clone, Debug)]
pub struct CommittedFragment {
    pub uri: Name,
    /// Its range of timestamps.
    pub timestamps: (u64, u64),
}

impl CommittedFragment {
    /// Commits a fragment.
    ///
    /// # Errors
    /// If storage or the protocol of `hook` fails.
    pub(crate) fn commit(writer: FragmentWriter, vfs: &Vfs, hook: &CommitHook) -> Result<CommittedFragment> {
        let (uri, array) = (Name::of_path(writer.uri().as_str()), writer.array().clone());
        let commit = |name: &FragmentName, file: Option<&Uri>| {
            let files: Vec<(Uri, Vec<u8>)> = file.map(|file| (file.clone(), Vec::new())).into_iter().collect();
            hook.commit(vfs, &FragmentCommit { array: &array, names: std::slice::from_ref(name), files: &files })
        };
        Ok(CommittedFragment { uri, timestamps: writer.finish_by(commit)?.timestamps() })
    }
}

/// True if the submits of an unordered write bring the fields one after the other.
pub fn allows_separate_fields(config: &Config) -> bool {
    config.bool("sm.allow_separate_attribute_writes").is_ok_and(|separate| separate)
}

/// State, between two submits, of a write whose submits write some of the fields each.
#[derive(Clone, Debug)]
pub struct SeparateWriteState {
    /// The positions of the input cells, in the order in which they are written.
    pub order: Vec<u64>,
    /// Those of these that are left out.
    pub excluded: Vec<u64>,
    /// The fields that were written.
    pub written: Vec<String>,
}

/// A suspended write, which another writer can resume.
#[derive(Clone, Debug)]
pub struct WriteDraft {
    /// The fragment, once there is one.
    pub fragment: Option<FragmentDraft>,
    /// Cells that were written.
    pub cells: u64,
    /// The coordinates of the last cell of a sparse write.
    pub last: Option<Vec<Vec<u8>>>,
    /// For writes of separate fields: the order of the coordinates, and the written fields.
    pub separate: Option<SeparateWriteState>,
}

/// The error of a write that failed while its cells were stored, with the number of cells of earlier submits.
pub(crate) fn lost_cells(cells: u64) -> String {
    format!(
        "GlobalOrderWriter: The write cannot go on nor be finalized; an earlier submit failed while its cells were stored, and the {cells} cells \
         submitted before are lost with it. Submit all cells to another query"
    )
}

/// A write in progress. If dropped before it is finished, nothing of it remains.
pub trait QueryWriter: Send {
    /// Checks the cells of one submit before anything is written; a query whose cells fail it can be submitted
    /// again.
    ///
    /// # Errors
    /// If the cells do not conform to the schema and the subarray.
    fn check(&self, inputs: &Inputs<'_>) -> Result<()>;

    /// Writes the cells of one submit, after all checks that are possible before filtering. Layouts other than global
    /// order create fragments at once and return them.
    ///
    /// # Errors
    /// If the cells do not conform to the schema and the subarray, or storage fails.
    fn write(&mut self, inputs: &Inputs<'_>) -> Result<Vec<CommittedFragment>>;

    /// Commits the cells written in global order; other layouts have nothing to commit.
    ///
    /// # Errors
    /// If cells are missing or storage fails.
    fn finish(&mut self) -> Result<Vec<CommittedFragment>>;

    /// True if the write continues earlier submits. A rejected submit leaves their cells intact; one that fails while
    /// its cells are stored may lose them, and then the write can neither continue nor be finished.
    fn has_accepted(&self) -> bool {
        false
    }

    /// Suspends a write in global order or of separate fields, which ends this writer; `None` for writes that cannot be
    /// suspended.
    ///
    /// # Errors
    /// If cells wait that do not fill a tile, the write has begun a second fragment, or storage cannot append to files.
    fn suspend(&mut self) -> Result<Option<WriteDraft>> {
        Ok(None)
    }

    /// Makes a writer that has not begun resume a suspended write.
    ///
    /// # Errors
    /// If it is not of this write.
    fn resume_with(&mut self, _draft: WriteDraft) -> Result<()> {
        bail!("Cannot go on with the write; its cells came at once")
    }

    /// True if the field was written and is not to be written again.
    fn has_written(&self, _name: &str) -> bool {
        false
    }

    /// Checks that the write can be finished.
    ///
    /// # Errors
    /// If fields are missing, which can still be written, or the cells of earlier submits are lost.
    fn check_complete(&self) -> Result<()> {
        Ok(())
    }
}
