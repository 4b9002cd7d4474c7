//! Copies an array into a new one of another format version, for readers that do not know the version of the array.

use super::target::{TargetContents, check_target};
use super::{ArrayCopy, CopySource, check_features};
use crate::maintain::OnMerged;
use tiledb_array::array::{create, delete};
use tiledb_core::error::Result;
use tiledb_core::types::FormatVersion;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Copies the array at `from` into a new array of format version `version` at `to`: the newest schema, the fragments that a
/// reader sees, with their timestamps, the deletes, the array metadata, and the arrays of dimension labels.
///
/// # Errors
/// If the version cannot express a feature of the array, the folder `to` is not empty or around or inside of the array, an array cannot be read or written, or
/// `on_merged` returns an error. What was written by then is removed.
pub fn downgrade(
    resources: &Resources,
    from: &Uri,
    to: &Uri,
    version: FormatVersion,
    on_merged: OnMerged<'_>,
) -> Result<()> {
    check_target(resources.vfs(), "downgrade", from, to, TargetContents::Empty)?;
    let _trim = resources.trim_after();
    let mut config = resources.config().clone();
    config.set("sm.write_format_version", &version.number().to_string())?;
    let resources = resources.with_config(config)?.with_own_chunk_cache();
    let key = EncryptionKey::for_opening(resources.config())?;
    let source = CopySource::open(&resources, from, &key)?;
    let labels = source.labels(&resources, &key)?;
    for array in labels.iter().map(|(_, label)| label).chain([&source]) {
        array.check_fragments()?;
    }
    let schema = source.schema_of_copy(&labels)?;
    check_features(from, &schema, version)?;
    let has_folder = resources.vfs().is_dir(to)?;
    create(&resources, to, &schema, &key)?;
    let total = source.cells()?;
    let mut copy =
        ArrayCopy { resources: &resources, key: &key, version, is_merged: false, cells: 0, total, on_merged };
    for (_, label) in &labels {
        copy.total = copy.total.saturating_add(label.cells()?);
    }
    let mut copied = copy.array(&source, to);
    for (label, array) in &labels {
        copied = copied.and_then(|()| copy.array(array, &label.array_uri(to)?));
    }
    if copied.is_err() {
        // The first error is reported.
        _ = delete(&resources, to);
        if has_folder {
            _ = resources.vfs().create_dir(to);
        }
    }
    copied
}
