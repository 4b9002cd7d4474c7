//! Orphaned fragments of writers that were killed before they committed: fragment folders without a commit. Readers
//! ignore them; they only occupy disk space.

use std::collections::HashSet;

use tiledb_array::array::{ArrayDirectory, OnRemoved, UnpublishedArray};
use tiledb_array::fragment::{FragmentName, in_progress_below, is_in_progress};
use tiledb_core::error::{ErrorKind, Result, bail};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::{Uri, Vfs};

/// The folders of fragments of the array at `uri`, and of its dimension labels, that were never committed. Those of
/// writers at work are among them.
///
/// # Errors
/// If there is no array or the storage cannot be listed.
pub fn orphans(resources: &Resources, uri: &Uri) -> Result<Vec<Uri>> {
    Ok(find(resources, uri)?.into_iter().map(|orphan| orphan.folder).collect())
}

/// A fragment folder without a commit.
struct Orphan {
    folder: Uri,
    /// This process is writing it.
    is_in_progress: bool,
}

fn find(resources: &Resources, uri: &Uri) -> Result<Vec<Orphan>> {
    let vfs = resources.vfs();
    let mut found = of_array(vfs, uri, || ArrayDirectory::load(vfs, uri))?;
    for item in or_nothing(vfs.names(&uri.join("__labels")))? {
        if item.is_dir {
            let label = uri.join("__labels").join(&item.name);
            found.extend(of_array(vfs, &label, || ArrayDirectory::load(vfs, &label))?);
        }
    }
    Ok(found)
}

/// Removes the folders that [`orphans`] lists, and returns their number. No writer may be active.
///
/// # Errors
/// As [`orphans`], if this process is writing one of them, if a storage operation fails, and on cancellation; folders
/// removed by then are not restored.
pub fn sweep(resources: &Resources, uri: &Uri) -> Result<usize> {
    sweep_with_progress(resources, uri, &mut |_, _| Ok(()))
}

/// As [`sweep`], of some folders of copies that are not complete.
///
/// # Errors
/// As [`sweep`].
pub(super) fn sweep_among(resources: &Resources, copies: &[&UnpublishedArray], folders: &HashSet<Uri>) -> Result<()> {
    let Some(first) = copies.first() else { return Ok(()) };
    let is_among = |orphan: &Orphan| folders.contains(&orphan.folder);
    let found = find_in(resources, copies)?.into_iter().filter(is_among).collect::<Vec<_>>();
    remove(resources, first.uri(), &found, &mut |_, _| Ok(()))
}

/// As [`sweep`], reporting after each folder how many are removed.
///
/// # Errors
/// As [`sweep`], and those of `on_removed`.
pub fn sweep_with_progress(resources: &Resources, uri: &Uri, on_removed: OnRemoved<'_>) -> Result<usize> {
    let found = find(resources, uri)?;
    remove(resources, uri, &found, on_removed)?;
    Ok(found.len())
}

/// As [`orphans`], of copies that are not complete, without their dimension labels.
///
/// # Errors
/// If the storage cannot be listed.
pub(super) fn orphans_of(resources: &Resources, copies: &[&UnpublishedArray]) -> Result<HashSet<Uri>> {
    Ok(find_in(resources, copies)?.into_iter().map(|orphan| orphan.folder).collect())
}

fn find_in(resources: &Resources, copies: &[&UnpublishedArray]) -> Result<Vec<Orphan>> {
    let found = copies.iter().map(|copy| of_array(resources.vfs(), copy.uri(), || copy.directory()));
    Ok(found.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

fn remove(resources: &Resources, uri: &Uri, orphans: &[Orphan], on_removed: OnRemoved<'_>) -> Result<()> {
    if let Some(Orphan { folder, .. }) = orphans.iter().find(|orphan| orphan.is_in_progress) {
        bail!(
            "Cannot sweep '{uri}': this process is writing fragment '{}'; complete or free the write or consolidation first",
            folder.last_part()
        );
    }
    (1..).zip(orphans).try_for_each(|(number, orphan)| {
        resources.cancel().check()?;
        resources.vfs().remove_dir(&orphan.folder)?;
        on_removed(number, orphans.len() as u64)
    })
}

/// Aborts the orphaned multipart uploads below a folder of an object store.
///
/// # Errors
/// If this process is writing a fragment there, or a storage operation fails.
pub fn sweep_uploads(vfs: &Vfs, directory: &Uri) -> Result<u64> {
    if let Some(fragment) = in_progress_below(directory) {
        bail!(
            "Cannot sweep uploads below '{directory}': this process is writing '{fragment}'; complete or free the write first"
        );
    }
    vfs.sweep_uploads(directory)
}

fn of_array(vfs: &Vfs, uri: &Uri, load: impl FnOnce() -> Result<ArrayDirectory>) -> Result<Vec<Orphan>> {
    // Folders are listed before the registry is queried, and the registry before commits, so that a fragment that is committed
    // meanwhile is not mistaken for an orphan.
    let mut folders = Vec::new();
    for (place, is_new) in [(uri.clone(), false), (uri.join("__fragments"), true)] {
        for item in or_nothing(vfs.names(&place))?.into_iter().filter(|item| item.is_dir) {
            let name = FragmentName::parse(&item.name).ok();
            if let Some(name) = name.filter(|name| name.version().has_commits_folder() == is_new) {
                let is_in_progress = is_in_progress(&name);
                folders.push((name, Orphan { folder: place.join(&item.name), is_in_progress }));
            }
        }
    }
    let directory = load()?;
    let committed: HashSet<&FragmentName> = directory.fragments().iter().collect();
    Ok(folders.into_iter().filter(|(name, _)| !committed.contains(name)).map(|(_, orphan)| orphan).collect())
}

/// Arrays of early versions lack some folders.
fn or_nothing<T: Default>(listed: Result<T>) -> Result<T> {
    match listed {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(T::default()),
        listed => listed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_core::config::Config;

    #[test]
    fn what_nobody_committed_is_found_and_swept() {
        let resources = Resources::new(Config::new()).unwrap();
        let vfs = resources.vfs();
        let uri = Uri::parse("mem://orphans/array").unwrap();
        let uuid = "0123456789abcdef0123456789abcdef";
        let put = |file: &str| vfs.put(&uri.join(file), b"").unwrap();
        assert!(orphans(&resources, &uri).is_err());
        put(&format!("__schema/__1_1_{uuid}"));
        for name in
            [format!("__fragments/__1_1_{uuid}_22"), format!("__fragments/__2_2_{uuid}_22"), format!("__3_3_{uuid}_9")]
        {
            put(&format!("{name}/a0.tdb"));
        }
        put("__fragments/of_the_user/a0.tdb");
        put(&format!("__commits/__2_2_{uuid}_22.wrt"));
        put(&format!("__labels/l0/__schema/__1_1_{uuid}"));
        put(&format!("__labels/l0/__fragments/__4_4_{uuid}_22/a0.tdb"));
        let found: Vec<String> =
            orphans(&resources, &uri).unwrap().iter().map(|uri| uri.last_part().to_owned()).collect();
        assert_eq!(found, [format!("__3_3_{uuid}_9"), format!("__1_1_{uuid}_22"), format!("__4_4_{uuid}_22")]);
        assert_eq!(sweep(&resources, &uri).unwrap(), 3);
        assert!(orphans(&resources, &uri).unwrap().is_empty());
        assert!(vfs.is_dir(&uri.join(&format!("__fragments/__2_2_{uuid}_22"))).unwrap());
        assert!(vfs.is_dir(&uri.join("__fragments/of_the_user")).unwrap());
    }
}
