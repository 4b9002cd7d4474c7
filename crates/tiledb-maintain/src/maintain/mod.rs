//! Maintenance that keeps arrays fast: consolidation, which merges many fragments, commits or footers into one, and
//! vacuuming, which removes the files that consolidation has replaced.

mod candidates;
pub(crate) mod cell_buffers;
#[cfg(test)]
mod commit_model;
mod commits;
mod consolidation_step;
mod copy;
pub(crate) mod dense;
mod dense_tile_box;
mod directories;
mod fragment_metadata;
mod fragments;
pub(crate) mod late_writes;
pub(crate) mod memory_shares;
mod merge_candidate;
mod merge_conflict;
#[cfg(test)]
mod merge_model;
pub(crate) mod merge_rule;
mod mode;
mod orphans;
mod padding;
mod plan;
mod preview;
mod progress;
mod region_ranks;
mod replaced_fragments;
mod settings;
mod sparse;
mod tile_runs;
mod vacuum;
mod vacuum_commits;

use std::cell::Cell;
use std::collections::HashSet;
use std::sync::Arc;

use directories::{check_exists, schemas};
use fragments::NamedMerge;
use late_writes::DenseFragment;
use mode::MaintenanceTarget;
pub use orphans::{orphans, sweep, sweep_uploads, sweep_with_progress};
use settings::window;
use tiledb_array::array::{
    FileRemoval, FragmentInfo, OnListed, OnRemoved, SchemaStore, consolidate_metadata, vacuum_metadata,
};
use tiledb_array::fragment::{FragmentName, timestamp_now};
use tiledb_array::group::{self, no_group};
use tiledb_cells::space::grid::Grid;
use tiledb_core::error::{Error, ErrorKind, Result};
use tiledb_core::log::{self, OperationSummary};
use tiledb_core::stats::Timer;
use tiledb_core::types::FormatVersion;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

pub(crate) use commits::{BeforeStep, CommitsStep};
pub use consolidation_step::SourceOrigin;
pub use copy::{RewriteOptions, downgrade, rewrite};
pub(crate) use dense_tile_box::DenseTileBox;
pub(crate) use fragments::{vacuum_file, vacuum_lines};
pub(crate) use merge_candidate::MergeCandidate;
pub(crate) use merge_conflict::MergeProtocol;
pub use plan::ConsolidationPlan;
pub use preview::preview;
pub use progress::{MergedCells, OnMerged};

/// Consolidates the array at `uri` as configured by `sm.consolidation.mode`. `on_merged` receives the progress of
/// fragment consolidation.
///
/// # Errors
/// If there is no array, it cannot be read with the configured key, a storage operation fails, or `on_merged` returns
/// an error; the contents of the array are unchanged then.
pub fn consolidate(resources: &Resources, uri: &Uri, on_merged: OnMerged<'_>) -> Result<()> {
    let what = || format!("Consolidation of '{uri}' in mode '{}'", resources.config().str("sm.consolidation.mode"));
    log::operation(what, || consolidate_unlogged(resources, uri, on_merged), |()| OperationSummary::default())
}

fn consolidate_unlogged(resources: &Resources, uri: &Uri, on_merged: OnMerged<'_>) -> Result<()> {
    let mode = MaintenanceTarget::of_consolidation(resources.config());
    if !matches!(mode, Ok(MaintenanceTarget::Commits)) {
        check_exists(resources, uri)?;
    }
    let mode = mode?;
    let _timer = resources.stats().timer(timer_of(&mode));
    let key = EncryptionKey::for_opening(resources.config());
    let consolidate = match mode {
        MaintenanceTarget::Fragments => {
            let _trim = resources.trim_after();
            return fragments::consolidate(&resources.with_own_chunk_cache(), uri, &key?, on_merged);
        }
        MaintenanceTarget::FragmentMetadata => fragment_metadata::consolidate,
        MaintenanceTarget::Commits => commits::consolidate,
        MaintenanceTarget::ArrayMetadata => consolidate_array_metadata,
        MaintenanceTarget::GroupMetadata => return Err(no_group(uri)),
    };
    if let Err(error) = resources.threads().check_computing() {
        return Err(error.prefixed("[TileDB::Array] Error: "));
    }
    key.and_then(|key| consolidate(resources, uri, &key)).map_err(of_array)
}

/// Timer of a consolidation.
fn timer_of(mode: &MaintenanceTarget) -> Timer {
    match mode {
        MaintenanceTarget::Fragments => Timer::ConsolidateFragments,
        MaintenanceTarget::FragmentMetadata => Timer::ConsolidateFooters,
        MaintenanceTarget::Commits => Timer::ConsolidateCommits,
        MaintenanceTarget::ArrayMetadata => Timer::ConsolidateArrayMetadata,
        MaintenanceTarget::GroupMetadata => Timer::ConsolidateGroupMetadata,
    }
}

/// The array is opened for these, with another key than its own perhaps.
fn of_array(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Key => error.prefixed("[TileDB::Array] Error: "),
        _ => error,
    }
}

/// Merges fragments of the array at `uri` into one; they are identified by the last component of their URIs.
///
/// # Errors
/// If there is no array or it lacks one of the fragments, if cells of a dense array would be lost, and as
/// [`consolidate`].
pub fn consolidate_fragments(
    resources: &Resources,
    uri: &Uri,
    names: &[String],
    on_merged: OnMerged<'_>,
) -> Result<()> {
    let consolidate = || {
        check_exists(resources, uri)?;
        let key = EncryptionKey::for_opening(resources.config())?;
        let _trim = resources.trim_after();
        let merged = NamedMerge { names, is_strict: true, protocol: None, settled: u64::MAX };
        let info = FragmentInfo::new(&resources.with_own_chunk_cache(), uri.as_str())?;
        fragments::consolidate_named(&info, &key, merged, on_merged).map(drop)
    };
    log::operation(
        || format!("Consolidation of {} fragments of '{uri}'", names.len()),
        consolidate,
        |()| OperationSummary::default(),
    )
}

/// Number of folders up to which each is looked for.
const MAX_UNLISTED: usize = 1000;

/// The single steps of maintenance, for a policy that composes them. All of them require the array at `uri` to exist.
pub(crate) struct MaintenanceSteps<'a> {
    resources: Resources,
    /// The fragments that were loaded.
    info: FragmentInfo,
    /// The fragments are those of a listing that was just made, or by the last merge after its commit: they need not be listed again.
    /// Any other change of the array that this listing has clears it, so that the next plan is made by what is there.
    is_listed: Cell<bool>,
    uri: &'a Uri,
    key: EncryptionKey,
}

impl<'a> MaintenanceSteps<'a> {
    /// The steps for an array.
    ///
    /// # Errors
    /// If there is no array, or the configured key is none.
    pub(crate) fn new(resources: &Resources, uri: &'a Uri) -> Result<MaintenanceSteps<'a>> {
        check_exists(resources, uri)?;
        let key = EncryptionKey::for_opening(resources.config())?;
        let resources = resources.with_own_chunk_cache();
        let info = FragmentInfo::new(&resources, uri.as_str())?;
        Ok(MaintenanceSteps { info, is_listed: Cell::new(false), resources, uri, key })
    }

    /// The resources and the array.
    pub(crate) fn array(&self) -> (&Resources, &'a Uri) {
        (&self.resources, self.uri)
    }

    /// The format version of new fragments.
    ///
    /// # Errors
    /// If the schema cannot be read.
    pub(crate) fn version(&self) -> Result<FormatVersion> {
        Ok(fragments::newest_schema(&self.resources, self.uri, &self.key)?.version().of_new_fragments())
    }

    /// The arrays of the dimension labels inside of the array.
    ///
    /// # Errors
    /// If the schema cannot be read.
    pub(crate) fn labels(&self) -> Result<Vec<Uri>> {
        let schema = fragments::newest_schema(&self.resources, self.uri, &self.key)?;
        let inner = schema.labels().iter().filter(|label| !label.is_external && label.is_relative);
        inner.map(|label| label.array_uri(self.uri)).collect()
    }

    /// The fragments that readers see, by time.
    ///
    /// # Errors
    /// If one cannot be read.
    pub(crate) fn candidates(&self) -> Result<Vec<MergeCandidate>> {
        if !self.is_listed.take() {
            self.info.refresh()?;
        }
        let schema = fragments::newest_schema(&self.resources, self.uri, &self.key)?;
        merge_candidate::load(&self.info, &schema)
    }

    /// The visible fragments of a dense array; none of sparse ones.
    ///
    /// # Errors
    /// If one cannot be read.
    pub(crate) fn dense_fragments(&self) -> Result<Vec<DenseFragment>> {
        let schema = fragments::newest_schema(&self.resources, self.uri, &self.key)?;
        if !schema.is_dense() {
            return Ok(Vec::new());
        }
        let grid = Grid::new(&schema)?;
        self.info.refresh()?;
        self.is_listed.set(true);
        Ok(self.info.loaded()?.iter().map(|info| DenseFragment::new(&grid, info.fragment())).collect())
    }

    /// Merges fragments of the last [candidates](MaintenanceSteps::candidates) as [`consolidate_fragments`], and commits the
    /// results by a protocol. Deleted cells that are younger than `settled` are not purged, since a late write may have older ones of
    /// their coordinates.
    ///
    /// # Errors
    /// As [`consolidate_fragments`], and those of `protocol`.
    pub(crate) fn merge(
        &self,
        names: &[String],
        settled: u64,
        on_merged: OnMerged<'_>,
        protocol: Arc<dyn MergeProtocol>,
    ) -> Result<()> {
        let merged = NamedMerge { names, is_strict: false, protocol: Some(protocol), settled };
        self.is_listed.set(fragments::consolidate_named(&self.info, &self.key, merged, on_merged)?);
        Ok(())
    }

    /// Completes a [merge](MaintenanceSteps::merge) that ended between the commit and the vacuum file, if `is_missing` says so
    /// of the visible fragments. True if there was one.
    ///
    /// # Errors
    /// If a storage operation fails.
    pub(crate) fn complete(
        &self,
        created: &[FragmentName],
        replaced: &[FragmentName],
        is_missing: impl FnOnce(&HashSet<FragmentName>) -> bool,
    ) -> Result<bool> {
        fragments::complete(&self.resources, self.uri, created, replaced, is_missing)
    }

    /// Folders of those of some fragments that are not committed; they may not exist.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub(crate) fn uncommitted(&self, names: &[FragmentName]) -> Result<Vec<Uri>> {
        fragments::uncommitted(&self.resources, self.uri, names)
    }

    /// Removes folders of fragments that were never committed, with what was uploaded in part.
    ///
    /// # Errors
    /// If a storage operation fails.
    pub(crate) fn remove_orphans(&self, orphans: &[Uri]) -> Result<()> {
        let vfs = self.resources.vfs();
        let orphans = &self.listed(orphans)?[..];
        vfs.remove_dirs(&[orphans])?;
        orphans.iter().try_for_each(|orphan| vfs.sweep_uploads(orphan).map(|_| ()))
    }

    /// Those of many folders of fragments that are there, found by one listing: a journal that is not that of a maintainer may name
    /// hundreds of thousands, each of which would take a request. Of few all, since uploads that were not completed are not listed.
    fn listed(&self, folders: &[Uri]) -> Result<Vec<Uri>> {
        if folders.len() <= MAX_UNLISTED {
            return Ok(folders.to_vec());
        }
        let mut names = HashSet::new();
        for parent in [self.uri.clone(), self.uri.join("__fragments")] {
            let items = self.resources.vfs().names(&parent)?;
            names.extend(items.into_iter().filter(|item| item.is_dir).map(|item| item.name));
        }
        Ok(folders.iter().filter(|folder| names.contains(folder.last_part())).cloned().collect())
    }

    /// The number of commits that are not consolidated; none in formats without consolidated commits.
    ///
    /// # Errors
    /// If the directory or the consolidated commits cannot be read.
    pub(crate) fn loose_commits(&self) -> Result<usize> {
        match self.version()?.has_commits_folder() {
            true => commits::loose(&self.resources, self.uri, &self.key),
            false => Ok(0),
        }
    }

    /// True if there are more visible fragments, or more commits that are not consolidated. Vacuum files and consolidated
    /// commits are only read if there are that many files.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub(crate) fn exceeds(&self, fragments: usize, commits: usize) -> Result<bool> {
        let directory = directories::commits(&self.resources, self.uri)?;
        let all = directory.fragments().len();
        let deletes = directory.deletes().len();
        if all <= fragments && all + deletes <= commits {
            return Ok(false);
        }
        let visible = directory.visible(self.resources.vfs(), (0, timestamp_now()), true)?.0.len();
        // Commits of replaced fragments do not count.
        Ok(visible > fragments || visible + deletes > commits && self.loose_commits()? > commits)
    }

    /// Consolidates the commits into one file; `before` is called before each step.
    ///
    /// # Errors
    /// As [`consolidate`], and those of `before`.
    pub(crate) fn consolidate_commits(&self, before: BeforeStep<'_>) -> Result<()> {
        commits::consolidate_by(&self.resources, self.uri, &self.key, before)
    }

    /// Consolidates the footers of the fragments.
    ///
    /// # Errors
    /// As [`consolidate`].
    pub(crate) fn consolidate_footers(&self) -> Result<()> {
        fragment_metadata::consolidate(&self.resources, self.uri, &self.key)
    }

    /// Removes what consolidations have replaced: fragments with cells up to the time `until`, commits and footers.
    ///
    /// # Errors
    /// As [`vacuum`].
    pub(crate) fn vacuum(&self, until: u64, removal: &mut FileRemoval<'_>) -> Result<()> {
        vacuum::fragments(&self.resources, self.uri, until, removal)?;
        vacuum_commits::vacuum(&self.resources, self.uri, removal)?;
        fragment_metadata::vacuum(&self.resources, self.uri, removal)
    }
}

/// Removes files that consolidations have replaced from the array at `uri`, of the kind selected by `sm.vacuum.mode`.
///
/// # Errors
/// If there is no array or a storage operation fails; the array reads as before then.
pub fn vacuum(resources: &Resources, uri: &Uri) -> Result<()> {
    logged_vacuum(resources, uri, &mut FileRemoval::new(resources.vfs()))
}

/// As [`vacuum`], reporting how many of the files are removed.
///
/// # Errors
/// As [`vacuum`], those of `on_removed`, and on cancellation; running it again removes the rest.
pub fn vacuum_with_progress(resources: &Resources, uri: &Uri, on_removed: OnRemoved<'_>) -> Result<()> {
    logged_vacuum(
        resources,
        uri,
        &mut FileRemoval::with_progress(resources.vfs(), uri, resources.cancel(), on_removed)?,
    )
}

/// Reports which files and folders [`vacuum`] would remove, without removing them. Some may no longer exist.
///
/// # Errors
/// As [`vacuum`], and those of `on_listed`.
pub fn vacuum_dry_run(resources: &Resources, uri: &Uri, on_listed: OnListed<'_>) -> Result<()> {
    vacuum_by(resources, uri, &mut FileRemoval::dry_run(resources.vfs(), on_listed))
}

fn logged_vacuum(resources: &Resources, uri: &Uri, removal: &mut FileRemoval<'_>) -> Result<()> {
    let what = || format!("Vacuum of '{uri}' in mode '{}'", resources.config().str("sm.vacuum.mode"));
    let vacuum = || {
        vacuum_by(resources, uri, removal)?;
        Ok(removal.removed())
    };
    log::operation(what, vacuum, |&removed| OperationSummary::default().with("removed_files", removed)).map(drop)
}

fn vacuum_by(resources: &Resources, uri: &Uri, removal: &mut FileRemoval<'_>) -> Result<()> {
    let mode = MaintenanceTarget::of_vacuum(resources.config())?;
    resources.threads().check_computing().map_err(|error| error.prefixed("TileDB internal: "))?;
    match mode {
        MaintenanceTarget::Fragments => vacuum::fragments(resources, uri, u64::MAX, removal),
        MaintenanceTarget::FragmentMetadata => fragment_metadata::vacuum(resources, uri, removal),
        MaintenanceTarget::Commits => vacuum_commits::vacuum(resources, uri, removal),
        MaintenanceTarget::ArrayMetadata => {
            schemas(resources, uri)?;
            vacuum_metadata(uri, removal)
        }
        MaintenanceTarget::GroupMetadata if group::exists(resources.vfs(), uri)? => vacuum_metadata(uri, removal),
        MaintenanceTarget::GroupMetadata => Err(no_group(uri)),
    }
}

/// Merges the metadata of an array in the window of `sm.consolidation.timestamp_*`.
fn consolidate_array_metadata(resources: &Resources, uri: &Uri, key: &EncryptionKey) -> Result<()> {
    let version = SchemaStore::new(resources, &schemas(resources, uri)?, key).newest()?.version();
    let relative = version.has_relative_vacuum_uris();
    let window = window(resources.config())?;
    consolidate_metadata(resources, uri, window, version.of_new_fragments(), relative, key)
}

#[cfg(test)]
mod delete_tests;
#[cfg(test)]
mod named_tests;
#[cfg(test)]
mod preview_tests;
#[cfg(test)]
mod tests;
