//! Deletion of fragments, and of whole arrays.

use std::collections::{HashMap, HashSet};

use super::commits::{self, prepared_file};
use super::copy_kind::CopyKind;
use super::directory::{FOLDERS, STAGED_SCHEMAS};
use super::removal::FileRemoval;
use super::reserved_paths::no_array;
use super::{ArrayDirectory, SchemaStore};
use crate::fragment::{FragmentName, LEGACY_SCHEMA, METADATA_FILE};
use tiledb_core::error::{ErrorContext, ErrorKind, Result, bail};
use tiledb_core::types::CURRENT_VERSION;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::{DirItem, Uri, Vfs};

/// Removes the fragments whose time range is within a window in milliseconds, both ends inclusive.
///
/// # Errors
/// If there is no array, it requires another key than the configured one, or a storage operation fails; fragments
/// removed by then are not restored.
pub fn delete_fragments(resources: &Resources, uri: &Uri, window: (u64, u64)) -> Result<()> {
    let directory = existing(resources, uri, ArrayDirectory::load)?;
    let removed: Vec<_> = directory.fragments().iter().filter(|name| name.is_in(window, false)).collect();
    remove_fragments(&mut FileRemoval::new(resources.vfs()), &directory, &removed)
}

/// Removes fragments by the URIs of their folders.
///
/// # Errors
/// If there is no array, if one of the URIs is not that of a fragment of it - then none is removed - or the storage
/// refuses.
pub fn delete_named_fragments(resources: &Resources, uri: &Uri, names: &[String]) -> Result<()> {
    let directory = existing(resources, uri, ArrayDirectory::load)?;
    let fragments = directory.fragments().iter();
    let folders: HashMap<Uri, &FragmentName> = fragments.map(|known| (known.folder(directory.uri()), known)).collect();
    let find = |name: &String| {
        let requested = Uri::parse(name.trim_end_matches('/'))?;
        match folders.get(&requested) {
            Some(known) => Ok(*known),
            None => {
                bail!(NotFound, "C API: Failed to delete fragments list; the array '{uri}' has no fragment '{name}'")
            }
        }
    };
    let removed = names.iter().map(find).collect::<Result<Vec<_>>>()?;
    remove_fragments(&mut FileRemoval::new(resources.vfs()), &directory, &removed)
}

/// Removes an array: first its fragments, last its schemas, so that one that was removed in part can be removed again.
/// Files of others in its folder stay, and so does the folder then. Nothing outside of the folder is removed: of symbolic
/// links in it only the links.
///
/// # Errors
/// If there is no array, `uri` is a symbolic link, or a storage operation fails.
pub fn delete(resources: &Resources, uri: &Uri) -> Result<()> {
    let vfs = resources.vfs();
    if vfs.is_link(uri) {
        bail!(
            "[TileDB::Array] Error: Cannot delete array '{uri}'; it is a symbolic link. Delete the array by the path that the \
             link leads to, or remove only the link with tiledb_object_remove"
        );
    }
    match existing(resources, uri, ArrayDirectory::load_schemas) {
        // After an interrupted removal only folders may remain; an incomplete copy has its schema in another folder.
        Err(error) if error.kind() == ErrorKind::NotFound && has_schema_folder(vfs, uri)? => (),
        directory => drop(directory?),
    }
    let (folders, files): (Vec<DirItem>, Vec<DirItem>) = vfs.names(uri)?.into_iter().partition(|item| item.is_dir);
    let uris = |items: &[DirItem], is_selected: &dyn Fn(&str) -> bool| -> Vec<Uri> {
        items.iter().filter(|item| is_selected(&item.name)).map(|item| uri.join(&item.name)).collect()
    };
    // Fragments of old formats count by their commits, or by their metadata alone, in the array's folder itself.
    vfs.remove_files(&uris(&files, &|name| name.ends_with(".ok")))?;
    let old = uris(&folders, &|name| FragmentName::parse(name).is_ok());
    vfs.remove_files(&old.iter().filter_map(|folder| metadata_file(vfs, folder)).collect::<Vec<_>>())?;
    let is_staged = |name: &str| name.starts_with(STAGED_SCHEMAS);
    let of_data =
        uris(&folders, &|name| !matches!(name, "__commits" | "__schema") && FOLDERS.contains(&name) || is_staged(name));
    let groups = [uris(&folders, &|name| name == "__commits"), [of_data, old].concat()];
    let mut schemas = vec![uri.join("__schema"), uri.join("__schema/__enumerations")];
    // Enumerations in a linked folder are outside of the array.
    schemas.truncate(if vfs.is_link(&schemas[0]) { 1 } else { 2 });
    vfs.remove_files(&uris(&files, &|name| is_of_array(name)))?;
    vfs.remove_dirs(&[&groups[0], &groups[1], &schemas])?;
    vfs.remove_files(&uris(&files, &|name| name == LEGACY_SCHEMA))?;
    vfs.remove_empty_dir(uri)
}

/// True if there is a folder of schemas, of an array or of an incomplete copy.
fn has_schema_folder(vfs: &Vfs, uri: &Uri) -> Result<bool> {
    let of_copies = CopyKind::ALL.map(CopyKind::folder);
    for folder in ["__schema"].iter().chain(&of_copies) {
        if vfs.is_dir(&uri.join(folder))? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The metadata file of a fragment; none if the folder is a symbolic link, since the file is outside of the array then.
fn metadata_file(vfs: &Vfs, folder: &Uri) -> Option<Uri> {
    (!vfs.is_link(folder)).then(|| folder.join(METADATA_FILE))
}

/// True for the files that arrays had in their folder itself before there were folders for them.
fn is_of_array(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    name == "__lock.tdb" || name.starts_with("__") && matches!(extension, "ok" | "con" | "ign" | "vac" | "meta")
}

/// Lists the directory of an array.
type Load = fn(&Vfs, &Uri) -> Result<ArrayDirectory>;

/// Lists the directory, if the array can be read: otherwise it may not be removed.
fn existing(resources: &Resources, uri: &Uri, load: Load) -> Result<ArrayDirectory> {
    let directory = match load(resources.vfs(), uri) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            bail!(NotFound, "[TileDB::Array] Error: Cannot open array; {}", no_array(uri))
        }
        directory => directory?,
    };
    let key = resources.threads().check_computing().and_then(|()| EncryptionKey::for_opening(resources.config()));
    match key.and_then(|key| SchemaStore::new(resources, &directory, &key).newest()) {
        // Corrupt arrays can be removed.
        Err(error) if matches!(error.kind(), ErrorKind::Key | ErrorKind::Invalid) => {
            Err(error.prefixed("[TileDB::Array] Error: "))
        }
        _ => Ok(directory),
    }
}

/// A step of the removal of fragments. A fragment without a commit is ignored, so that commits are removed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemovalStep {
    /// Store an ignore file of those commits that are in consolidated files.
    Ignore,
    /// Remove the commit files.
    RemoveCommits,
    /// Remove the prepared files of consolidated commits: those who stored them have listed the commits before, or give up.
    Fence,
    /// Remove the folders of the fragments.
    RemoveFolders,
}

/// The steps of a removal. Commits may be consolidated until the fence.
pub const REMOVAL: [RemovalStep; 5] = [
    RemovalStep::Ignore,
    RemovalStep::RemoveCommits,
    RemovalStep::Fence,
    RemovalStep::Ignore,
    RemovalStep::RemoveFolders,
];

/// The steps after which no commit names fragments that stay stored.
pub const REVOCATION: [RemovalStep; 3] = [RemovalStep::RemoveCommits, RemovalStep::Fence, RemovalStep::Ignore];

/// Removes fragments by the [steps](REMOVAL). Remains of fragments from an earlier attempt are removed, too.
///
/// # Errors
/// If a storage operation fails or the removal is stopped; files removed by then are not restored.
pub fn remove_fragments(
    removal: &mut FileRemoval<'_>,
    directory: &ArrayDirectory,
    names: &[&FragmentName],
) -> Result<()> {
    let vfs = removal.vfs();
    let uri = directory.uri();
    // Without commit files, fragments are committed by their metadata.
    let commit = |name: &&FragmentName| match name.commit() {
        Some(commit) => Some(uri.join(&commit)),
        None => metadata_file(vfs, &name.folder(uri)),
    };
    let commits = names.iter().filter_map(commit).collect::<Vec<_>>();
    let steps = if directory.has_consolidated_commits() { &REMOVAL[..] } else { &REMOVAL[1..] };
    take_steps(removal, uri, steps, names, &commits)
}

/// Revokes a commit by the [steps](REVOCATION): fragments of which `files` are the commits, unless others have consolidated these.
///
/// # Errors
/// If a storage operation fails; then some may still be committed.
pub fn revoke_commits(vfs: &Vfs, array: &Uri, names: &[FragmentName], files: &[Uri]) -> Result<()> {
    take_steps(&mut FileRemoval::new(vfs), array, &REVOCATION, &names.iter().collect::<Vec<_>>(), files)
}

/// Takes steps of the removal of fragments that `commits` commit.
fn take_steps(
    removal: &mut FileRemoval<'_>,
    array: &Uri,
    steps: &[RemovalStep],
    names: &[&FragmentName],
    commits: &[Uri],
) -> Result<()> {
    let vfs = removal.vfs();
    for step in steps {
        match step {
            RemovalStep::Ignore | RemovalStep::Fence if removal.is_dry_run() => (),
            RemovalStep::Ignore => ignore_commits(vfs, array, names)?,
            RemovalStep::RemoveCommits => {
                let removed = removal.files(commits);
                removed.context(|| format!("Cannot delete the commits of fragments in '{array}'"))?;
            }
            RemovalStep::Fence => fence_consolidations(vfs, array)?,
            RemovalStep::RemoveFolders => {
                let folders: Vec<Uri> = names.iter().map(|name| name.folder(array)).collect();
                removal.folders(&folders).context(|| format!("Cannot delete fragments in '{array}'"))?;
            }
        }
    }
    Ok(())
}

/// Removes prepared files of consolidated commits, so that nobody stores one that names removed fragments.
fn fence_consolidations(vfs: &Vfs, array: &Uri) -> Result<()> {
    let folder = array.join("__commits");
    let is_prepared = |item: &DirItem| prepared_file(&item.name).is_some_and(|name| name.ends_with(".con"));
    let prepared = vfs.names(&folder)?.into_iter().filter(is_prepared);
    vfs.remove_files(&prepared.map(|item| folder.join(&item.name)).collect::<Vec<_>>())
}

/// Revokes commits that are in consolidated files, by an ignore file that lists them.
///
/// # Errors
/// If a storage operation fails.
pub fn ignore_commits(vfs: &Vfs, array: &Uri, names: &[&FragmentName]) -> Result<()> {
    let folder = array.join("__commits");
    let files = vfs.names(&folder)?;
    let files = |extension| files.iter().map(|file| &file.name).filter(move |name| name.ends_with(extension));
    let mut ignored = HashSet::new();
    for name in files(".ign") {
        ignored.extend(commits::ignored(&vfs.read(&folder.join(name))?));
    }
    let mut consolidated = HashSet::new();
    for name in files(".con") {
        consolidated.extend(commits::read(&vfs.read(&folder.join(name))?, &ignored)?.fragments);
    }
    let mut lines = String::new();
    let mut ignored = Vec::new();
    for name in names {
        if let Some(commit) = name.commit().filter(|line| consolidated.contains(commits::last_part(line))) {
            lines.push_str(&commit);
            lines.push('\n');
            ignored.push(name.timestamps());
        }
    }
    let Some(start) = ignored.iter().map(|times| times.0).min() else { return Ok(()) };
    let end = ignored.iter().map(|times| times.1).max().unwrap_or(start);
    // Old readers may not know a version newer than that of what they ignore.
    let version = names.iter().map(|name| name.version()).max().unwrap_or(CURRENT_VERSION);
    let file = format!("{}.ign", FragmentName::new(start, end, version));
    vfs.put(&folder.join(&file), lines.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::array::create;
    use crate::schema::{ArraySchema, Attribute, Dimension, Domain};
    use tiledb_core::config::Config;
    use tiledb_core::types::{ArrayType, Datatype};

    fn new_array(resources: &Resources, uri: &Uri) {
        let ends = [1i32, 4].map(i32::to_le_bytes).concat();
        let dimension = Dimension::new("d", Datatype::Int32, Some(&ends), Some(&4i32.to_le_bytes())).unwrap();
        let mut schema = ArraySchema::new(ArrayType::Dense);
        schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
        schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Int8))).unwrap();
        create(resources, uri, &schema, &EncryptionKey::None).unwrap();
    }

    #[test]
    fn consolidated_commits_are_taken_back() {
        let resources = Resources::new(Config::new()).unwrap();
        let vfs = resources.vfs();
        let uri = Uri::parse("mem://remove/array").unwrap();
        new_array(&resources, &uri);
        let version = tiledb_core::types::CURRENT_VERSION;
        let names = [1, 2, 3].map(|time| FragmentName::new(time, time, version));
        // The first two commits are consolidated, the second one still has a file of its own.
        let lines = names[..2].iter().map(|name| format!("__commits/{name}.wrt\n")).collect::<String>();
        vfs.put(&uri.join("__commits").join("__1_2_0123456789abcdef0123456789abcdef_22.con"), lines.as_bytes())
            .unwrap();
        for name in &names[1..] {
            vfs.touch(&uri.join("__commits").join(&format!("{name}.wrt"))).unwrap();
        }
        let left = || ArrayDirectory::load(vfs, &uri).unwrap().fragments().to_vec();
        assert_eq!(left().len(), 3);
        delete_fragments(&resources, &uri, (1, 2)).unwrap();
        assert_eq!(left(), names[2..]);
        let missing =
            delete_named_fragments(&resources, &uri, &names.clone().map(|name| format!("{uri}/__fragments/{name}")));
        assert!(missing.is_err() && left().len() == 1);
        delete_named_fragments(&resources, &uri, &[format!("{uri}/__fragments/{}", names[2])]).unwrap();
        assert!(left().is_empty());
        delete(&resources, &uri).unwrap();
        assert!(!vfs.is_dir(&uri).unwrap() && delete(&resources, &uri).is_err());
    }

    /// A link at the array's own path is refused; of links in its folder only the link is removed.
    #[test]
    fn nothing_outside_of_the_folder_is_deleted() {
        let resources = Resources::new(Config::new()).unwrap();
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        let uri = Uri::from_path(&at("array")).unwrap();
        let old = "array/__5_5_0123456789abcdef0123456789abcdef_4";
        for folder in ["__schema", "__fragments", "__commits", "__meta", "__schema/__enumerations", "old fragment"] {
            new_array(&resources, &uri);
            let outside = at("outside");
            std::fs::create_dir_all(at("array").join(folder)).unwrap();
            let inner = if folder == "old fragment" { at(old) } else { at("array").join(folder) };
            match folder {
                "old fragment" => std::fs::create_dir(&outside).unwrap(),
                _ => std::fs::rename(&inner, &outside).unwrap(),
            }
            std::os::unix::fs::symlink(&outside, &inner).unwrap();
            std::fs::create_dir_all(outside.join("__enumerations")).unwrap();
            let files = ["x", METADATA_FILE, "__enumerations/e"].map(|name| outside.join(name));
            files.iter().for_each(|file| std::fs::write(file, "kept").unwrap());
            std::os::unix::fs::symlink(at("array"), at("link")).unwrap();
            for path in ["link", "link/", "link/."] {
                let refused = delete(&resources, &Uri::from_path(&at(path)).unwrap()).unwrap_err();
                assert!(refused.text().contains("is a symbolic link"), "{refused:?}");
                assert!(at("array/__schema").exists() && at("link").is_symlink());
            }
            if folder == "old fragment" {
                delete_fragments(&resources, &uri, (0, u64::MAX)).unwrap();
                assert!(!inner.is_symlink() && files.iter().all(|file| file.exists()));
                std::os::unix::fs::symlink(&outside, &inner).unwrap();
                std::fs::remove_dir(at("array").join(folder)).unwrap();
            }
            delete(&resources, &uri).unwrap();
            assert!(!at("array").exists(), "{folder}");
            assert!(files.iter().all(|file| file.exists()), "{folder}");
            std::fs::remove_file(at("link")).unwrap();
            std::fs::remove_dir_all(&outside).unwrap();
        }
    }
}
