//! Fragments that a consolidation has replaced, but no vacuum has removed: readers as of past times see them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::directories;
use tiledb_array::array::commits::{last_part, vacuumed};
use tiledb_array::array::{FragmentInfo, LoadedFragments, MergedFragment, OpenArray};
use tiledb_array::fragment::{Fragment, FragmentName};
use tiledb_core::error::Result;
use tiledb_core::types::QueryType;
use tiledb_filters::crypto::EncryptionKey;

/// A fragment that some readers see.
pub(super) struct ReplacedFragment {
    pub(super) fragment: Arc<Fragment>,
    /// The last time of the fragment that replaced it. Readers whose window reaches it see that one.
    pub(super) replaced_by: u64,
}

/// The replaced fragments that merges can affect: those which begin at the time of a visible fragment, and which end before
/// the fragment that replaced them. A merge that leaves this fragment in order leaves all others that it replaced in order,
/// too: these begin later than the sources that compete with them.
pub(super) fn load(info: &FragmentInfo, loaded: &LoadedFragments) -> Result<Vec<ReplacedFragment>> {
    let resources = info.resources();
    let uri = info.uri();
    let starts: HashSet<u64> = loaded.iter().map(|info| info.fragment().timestamps().0).collect();
    let mut replaced = Vec::new();
    for MergedFragment { fragment, replaced_by } in loaded.merged() {
        let (start, end) = fragment.timestamps();
        let by = replaced_by.timestamps();
        if starts.contains(&start) && by.0 == start && end < by.1 {
            replaced.push(ReplacedFragment { fragment: fragment.clone(), replaced_by: by.1 });
        }
    }
    let merged: HashSet<&str> = loaded.merged().iter().map(|merged| merged.fragment.name().as_str()).collect();
    let others = loaded.to_vacuum().iter().map(|uri| last_part(uri.as_str())).filter(|name| !merged.contains(name));
    let mut names = others.map(FragmentName::parse).collect::<Result<Vec<_>>>()?;
    names.retain(|name| starts.contains(&name.timestamps().0));
    if names.is_empty() {
        return Ok(replaced);
    }
    let vfs = resources.vfs();
    let directory = directories::commits(&resources, uri)?;
    let vacuums: Vec<_> =
        directory.vacuums().iter().filter(|(name, _)| starts.contains(&name.timestamps().0)).collect();
    let texts = vfs.map(uri, vacuums.len(), |index| vfs.read(&vacuums[index].1))?;
    let mut replaced_by: HashMap<String, (u64, u64)> = HashMap::new();
    for ((vacuum, _), text) in vacuums.iter().zip(&texts) {
        replaced_by.extend(vacuumed(text).map(|name| (name, vacuum.timestamps())));
    }
    let replaced_by = |name: &FragmentName| {
        let (start, end) = name.timestamps();
        let by = replaced_by.get(name.as_str()).filter(|by| by.0 == start && end < by.1);
        by.map(|by| by.1)
    };
    let windows: BTreeSet<(u64, u64)> =
        names.iter().filter(|name| replaced_by(name).is_some()).map(FragmentName::timestamps).collect();
    let key = EncryptionKey::for_opening(resources.config())?;
    for window in windows {
        let array = OpenArray::open(&resources, uri, QueryType::Read, window, &key)?;
        for fragment in array.fragments()?.iter().filter(|fragment| fragment.name().timestamps() == window) {
            if let Some(replaced_by) = replaced_by(fragment.name()) {
                replaced.push(ReplacedFragment { fragment: fragment.clone(), replaced_by });
            }
        }
    }
    Ok(replaced)
}
