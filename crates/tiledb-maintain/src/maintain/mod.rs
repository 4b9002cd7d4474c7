//! Keeping arrays fast: many fragments, commits or footers made one (consolidation), and the removal of what that
//! made superfluous (vacuuming).

mod choice;
mod columns;
mod commits;
mod dense;
mod edges;
mod fragment_metadata;
mod fragments;
mod listing;
mod mode;
mod orphans;
mod plan;
mod preview;
mod progress;
mod room;
mod settings;
mod sources;
mod sparse;
mod steps;
mod vacuum;
mod vacuum_commits;

use listing::{check_exists, schemas};
use mode::Mode;
pub use orphans::{orphans, sweep, sweep_uploads, sweep_watched};
use settings::window;
use tiledb_array::array::{OnListed, OnRemoved, Removal, SchemaStore, consolidate_metadata, vacuum_metadata};
use tiledb_array::group::{self, no_group};
use tiledb_core::error::{Error, ErrorKind, Result};
use tiledb_core::stats::Timer;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

pub use plan::ConsolidationPlan;
pub use preview::preview;
pub use progress::{MergedCells, OnMerged};
pub use steps::Origin;

/// Consolidates what `sm.consolidation.mode` names of the array at `uri`. What becomes of fragments is told to
/// `on_merged`.
///
/// # Errors
/// If there is no array, it cannot be read with the configured key, the storage refuses, or `on_merged` does; the array
/// reads as before then.
pub fn consolidate(resources: &Resources, uri: &Uri, on_merged: OnMerged<'_>) -> Result<()> {
    let mode = Mode::of_consolidation(resources.config());
    if !matches!(mode, Ok(Mode::Commits)) {
        check_exists(resources, uri)?;
    }
    let mode = mode?;
    let _timer = resources.stats().timer(timer_of(&mode));
    let key = EncryptionKey::to_open(resources.config());
    let consolidate = match mode {
        Mode::Fragments => return fragments::consolidate(&resources.with_own_chunk_cache(), uri, &key?, on_merged),
        Mode::FragmentMetadata => fragment_metadata::consolidate,
        Mode::Commits => commits::consolidate,
        Mode::ArrayMetadata => consolidate_array_metadata,
        Mode::GroupMetadata => return Err(no_group(uri)),
    };
    if let Err(error) = resources.threads().check_computing() {
        return Err(error.prefixed("[TileDB::Array] Error: "));
    }
    key.and_then(|key| consolidate(resources, uri, &key)).map_err(of_array)
}

/// What is timed of a consolidation.
fn timer_of(mode: &Mode) -> Timer {
    match mode {
        Mode::Fragments => Timer::ConsolidateFragments,
        Mode::FragmentMetadata => Timer::ConsolidateFooters,
        Mode::Commits => Timer::ConsolidateCommits,
        Mode::ArrayMetadata => Timer::ConsolidateArrayMetadata,
        Mode::GroupMetadata => Timer::ConsolidateGroupMetadata,
    }
}

/// The array is opened for these, with another key than its own perhaps.
fn of_array(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Key => error.prefixed("[TileDB::Array] Error: "),
        _ => error,
    }
}

/// Merges fragments of the array at `uri` into one; they are named by the last parts of their URIs.
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
    check_exists(resources, uri)?;
    let key = EncryptionKey::to_open(resources.config())?;
    fragments::consolidate_named(&resources.with_own_chunk_cache(), uri, &key, names, on_merged)
}

/// Removes what consolidations have made superfluous in the array at `uri`, of the kind that `sm.vacuum.mode` names.
///
/// # Errors
/// If there is no array or the storage refuses; the array reads as before then.
pub fn vacuum(resources: &Resources, uri: &Uri) -> Result<()> {
    vacuum_by(resources, uri, &mut Removal::new(resources.vfs()))
}

/// As [`vacuum`], and tells how many files are removed of those that have to be.
///
/// # Errors
/// As [`vacuum`], what `on_removed` answers, and on cancellation; a second one removes what was left.
pub fn vacuum_watched(resources: &Resources, uri: &Uri, on_removed: OnRemoved<'_>) -> Result<()> {
    vacuum_by(resources, uri, &mut Removal::watched(resources.vfs(), uri, resources.cancel(), on_removed)?)
}

/// Tells which files and folders [`vacuum`] would remove now, and removes nothing. Some may be gone already.
///
/// # Errors
/// As [`vacuum`], and what `on_listed` answers.
pub fn vacuum_listed(resources: &Resources, uri: &Uri, on_listed: OnListed<'_>) -> Result<()> {
    vacuum_by(resources, uri, &mut Removal::listed(resources.vfs(), on_listed))
}

fn vacuum_by(resources: &Resources, uri: &Uri, removal: &mut Removal<'_>) -> Result<()> {
    let mode = Mode::of_vacuum(resources.config())?;
    resources.threads().check_computing().map_err(|error| error.prefixed("TileDB internal: "))?;
    match mode {
        Mode::Fragments => vacuum::fragments(resources, uri, removal),
        Mode::FragmentMetadata => fragment_metadata::vacuum(resources, uri, removal),
        Mode::Commits => vacuum_commits::vacuum(resources, uri, removal),
        Mode::ArrayMetadata => {
            schemas(resources, uri)?;
            vacuum_metadata(uri, removal)
        }
        Mode::GroupMetadata if group::exists(resources.vfs(), uri)? => vacuum_metadata(uri, removal),
        Mode::GroupMetadata => Err(no_group(uri)),
    }
}

/// Merges the metadata of an array in the window of `sm.consolidation.timestamp_*`.
fn consolidate_array_metadata(resources: &Resources, uri: &Uri, key: &EncryptionKey) -> Result<()> {
    let version = SchemaStore::new(resources, &schemas(resources, uri)?, key).newest()?.version();
    consolidate_metadata(resources, uri, window(resources.config())?, version.has_relative_vacuum_uris(), key)
}

#[cfg(test)]
mod delete_tests;
#[cfg(test)]
mod tests;
