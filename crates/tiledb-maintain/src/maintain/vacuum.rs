//! Vacuuming of fragments that were replaced by consolidation.

use std::collections::HashSet;

use super::directories;
use tiledb_array::array::commits::vacuumed;
use tiledb_array::array::{FileRemoval, remove_fragments};
use tiledb_array::fragment::FragmentName;
use tiledb_core::error::{ErrorContext, Result};
use tiledb_core::sort;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Removes the fragments that vacuum files of consolidations up to the time `until` list, then these files: as long as
/// one is there it hides what it lists, so that this can stop anywhere and be done again.
pub(super) fn fragments(resources: &Resources, uri: &Uri, until: u64, removal: &mut FileRemoval<'_>) -> Result<()> {
    let vfs = resources.vfs();
    let directory = directories::commits(resources, uri)?;
    let mut replaced = HashSet::new();
    let files: Vec<Uri> = directory
        .settled_vacuums()
        .filter(|(name, _)| name.timestamps().1 <= until)
        .map(|(_, file)| file.clone())
        .collect();
    let texts = vfs.map(uri, files.len(), |index| vfs.read(&files[index]))?;
    for (file, text) in files.iter().zip(texts) {
        for name in vacuumed(&text) {
            replaced.insert(FragmentName::parse(&name).context(|| format!("Cannot vacuum what '{file}' lists"))?);
        }
    }
    let mut replaced: Vec<&FragmentName> = replaced.iter().collect();
    sort::by(&mut replaced, Ord::cmp);
    // The commit and the folder of each fragment.
    removal.expect(2 * replaced.len() + files.len());
    remove_fragments(removal, &directory, &replaced)?;
    removal.files(&files)
}
