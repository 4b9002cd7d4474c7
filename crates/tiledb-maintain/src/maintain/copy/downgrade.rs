//! Copies an array into a new one of another format version, for readers that do not know the version of the array.

use super::source::{CopiedHistory, copy_listed};
use super::target::{TargetContents, check_target};
use super::{ArrayCopy, CopiedArrays, check_features, has_current_copy};
use crate::maintain::OnMerged;
use tiledb_array::array::{CopyKind, check_unreserved, remove_unpublished};
use tiledb_cells::write::spec::CommitHook;
use tiledb_core::error::Result;
use tiledb_core::types::FormatVersion;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

const KIND: CopyKind = CopyKind::Downgrade;

/// Copies the array at `from` into a new array of format version `version` at `to`: the newest schema, the fragments that a
/// reader sees, with their timestamps, the deletes, the array metadata, and the arrays of dimension labels. The copy is no array
/// before it is complete. What an earlier call has left that was killed is removed first.
///
/// # Errors
/// If the version cannot express a feature of the array, the folder `to` is not empty or around or inside of the array, an array cannot be read or written, or
/// `on_merged` returns an error. What was written by then is removed; where that fails too, what remains is no array.
pub fn downgrade(
    resources: &Resources,
    from: &Uri,
    to: &Uri,
    version: FormatVersion,
    on_merged: OnMerged<'_>,
) -> Result<()> {
    check_target(resources.vfs(), "downgrade", from, to, TargetContents::FailedCopy(KIND))?;
    let _trim = resources.trim_after();
    let mut config = resources.config().clone();
    config.set("sm.write_format_version", &version.number().to_string())?;
    let resources = resources.with_config(config)?.with_own_chunk_cache();
    let key = EncryptionKey::for_opening(resources.config())?;
    let vfs = resources.vfs();
    let has_folder = vfs.is_dir(to)?;
    let mut has_begun = false;
    let copied = copy_listed(&resources, "downgrade", (from, &key, CopiedHistory::Always), &mut |sources, is_again| {
        let schema = sources.schema_of_copy()?;
        check_features(from, &schema, version)?;
        check_unreserved(vfs, to, "Array: Cannot create array")?;
        if !is_again {
            remove_unpublished(vfs, to, KIND)?;
        }
        has_begun = true;
        let is_continued = is_again && has_current_copy(&resources, to, &schema, (&key, KIND))?;
        let copies = CopiedArrays::create(&resources, sources, to, &schema, &key, (KIND, is_continued))?;
        let total = copies.cells();
        let mut copy = ArrayCopy {
            resources: &resources,
            key: &key,
            version,
            is_merged: false,
            is_published: false,
            reused: 0,
            hook: CommitHook::default(),
            cells: 0,
            total,
            on_merged: &mut *on_merged,
        };
        copies.arrays.iter().try_for_each(|(source, to)| copy.array(source, to).map(drop))?;
        let published = copies.publish();
        if published.is_err() {
            // Nothing may be taken for an array while it is removed.
            copies.arrays.iter().for_each(|(_, copy)| _ = copy.withdraw());
        }
        published
    });
    if copied.is_err() && has_begun {
        // The first error is reported.
        _ = remove_unpublished(vfs, to, KIND);
        if has_folder {
            _ = vfs.create_dir(to);
        }
    }
    copied
}
