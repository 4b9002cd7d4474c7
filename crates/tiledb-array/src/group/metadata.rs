//! Consolidation of group metadata.

use super::OpenGroup;
use super::create::exists;
use super::open::check_threads;
use crate::array::{self, FileRemoval};
use tiledb_core::error::{Result, bail};
use tiledb_core::stats::Timer;
use tiledb_core::types::{CURRENT_VERSION, QueryType};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Merges the metadata files that the group got in the window of `sm.consolidation.timestamp_start` and `_end`.
///
/// # Errors
/// If there is no group, a file cannot be read or a storage operation fails.
pub fn consolidate_metadata(resources: &Resources, group: &str) -> Result<()> {
    let _timer = resources.stats().timer(Timer::ConsolidateGroupMetadata);
    let group = existing(resources, group, "consolidate")?;
    let config = resources.config();
    let window = (config.u64("sm.consolidation.timestamp_start")?, config.u64("sm.consolidation.timestamp_end")?);
    // Requires read access to the group.
    let open = OpenGroup::open(resources, &group, QueryType::Read)?;
    let version = config.write_format_version()?.unwrap_or(CURRENT_VERSION);
    array::consolidate_metadata(resources, &group, window, version, false, open.key())
}

/// Removes the metadata files of the group that were merged into others.
///
/// # Errors
/// If there is no group or a storage operation fails.
pub fn vacuum_metadata(resources: &Resources, group: &str) -> Result<()> {
    let group = existing(resources, group, "vacuum")?;
    check_threads(resources)?;
    array::vacuum_metadata(&group, &mut FileRemoval::new(resources.vfs()))
}

fn existing(resources: &Resources, group: &str, what: &str) -> Result<Uri> {
    let Ok(uri) = Uri::parse(group) else { bail!("Group: Cannot {what} group metadata; Invalid URI") };
    match exists(resources.vfs(), &uri)? {
        true => Ok(uri),
        false => bail!(NotFound, "Group: Cannot {what} group metadata; Group does not exist"),
    }
}
