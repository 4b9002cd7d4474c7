//! The registry of fragments that this process is writing. Until a fragment is committed its folder looks like what a killed
//! writer left behind; the registry tells them apart, whichever thread, context or callback asks.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::FragmentName;
use tiledb_core::fork::Lock;
use tiledb_storage::vfs::Uri;

/// By name, which is unique in the world, the folder. In a forked child those of the parent are still listed: it may go on with them.
static FRAGMENTS: Lock<BTreeMap<String, Uri>> = Lock::new(BTreeMap::new(), BTreeMap::new);

/// A fragment that is being written, registered until this is dropped.
pub struct InProgress(FragmentName);

impl InProgress {
    /// Registers a fragment of the array at `array`.
    pub fn register(name: &FragmentName, array: &Uri) -> Arc<InProgress> {
        FRAGMENTS.lock_across_fork().insert(name.as_str().to_owned(), name.folder(array));
        Arc::new(InProgress(name.clone()))
    }

    /// Its name.
    pub fn name(&self) -> &FragmentName {
        &self.0
    }
}

impl Drop for InProgress {
    fn drop(&mut self) {
        FRAGMENTS.lock_across_fork().remove(self.0.as_str());
    }
}

/// True if this process is writing a fragment.
pub fn is_in_progress(name: &FragmentName) -> bool {
    FRAGMENTS.lock_across_fork().contains_key(name.as_str())
}

/// The folder of a fragment below `folder` that this process is writing.
pub fn in_progress_below(folder: &Uri) -> Option<Uri> {
    let prefix = format!("{}/", folder.as_str().trim_end_matches('/'));
    FRAGMENTS.lock_across_fork().values().find(|fragment| fragment.as_str().starts_with(&prefix)).cloned()
}
