//! Process-wide registry of the fragments that are being written. Until a fragment is committed, its folder cannot be
//! distinguished from the orphan of a killed writer; the registry distinguishes them, for every thread, context and callback.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use super::FragmentName;
use tiledb_core::fork::{Lock, lock_with_spare};
use tiledb_storage::vfs::Uri;

/// Folders by fragment name, which is globally unique. A forked child inherits the entries: it may continue those writes.
static FRAGMENTS: Lock<HashMap<String, Uri, BuildHasherDefault<DefaultHasher>>> =
    Lock::new(HashMap::with_hasher(BuildHasherDefault::new()), HashMap::default);

/// Registration of a fragment that is being written; removed on drop.
pub struct FragmentRegistration(FragmentName);

impl FragmentRegistration {
    /// Registers a fragment of the array at `array`.
    pub fn register(name: &FragmentName, array: &Uri) -> Arc<FragmentRegistration> {
        let key = name.as_str().to_owned();
        let folder = name.folder(array);
        let replaced = lock_with_spare(1, || FRAGMENTS.lock_across_fork()).insert(key, folder);
        drop(replaced);
        Arc::new(FragmentRegistration(name.clone()))
    }

    pub fn name(&self) -> &FragmentName {
        &self.0
    }
}

impl Drop for FragmentRegistration {
    fn drop(&mut self) {
        let removed = FRAGMENTS.lock_across_fork().remove_entry(self.0.as_str());
        drop(removed);
    }
}

/// True if this process is writing a fragment.
pub fn is_in_progress(name: &FragmentName) -> bool {
    FRAGMENTS.lock_across_fork().contains_key(name.as_str())
}

/// The folder of a fragment below `folder` that this process is writing; any one of several.
pub fn in_progress_below(folder: &Uri) -> Option<Uri> {
    let prefix = format!("{}/", folder.as_str().trim_end_matches('/'));
    FRAGMENTS.lock_across_fork().values().find(|fragment| fragment.as_str().starts_with(&prefix)).cloned()
}
