//! Arrays and groups as objects in a directory tree: detecting, listing, walking, moving, removing.

use crate::array::{check_stays_in_groups, check_unreserved};
use tiledb_core::error::{Error, ErrorKind, Result};
use tiledb_core::types::ObjectType;
use tiledb_storage::vfs::{DirHandle, DirItem, Uri, Vfs};

/// The type of the object at `uri`. An array has a directory of schemas, or the schema file of early versions; a group
/// likewise.
///
/// # Errors
/// If a storage operation fails.
pub fn object_type(vfs: &Vfs, uri: &Uri) -> Result<ObjectType> {
    Ok(type_by(vfs.first_of(uri, &MARKS)?))
}

/// The array that contains `uri`. On remote storage only the parent folder is checked, since each level takes requests
/// and may be inaccessible.
///
/// # Errors
/// For a scheme that is not supported.
pub fn array_around(vfs: &Vfs, uri: &Uri) -> Result<Option<Uri>> {
    let levels = if vfs.is_remote(uri)? { 1 } else { usize::MAX };
    let is_array = |folder: &Uri| object_type(vfs, folder).is_ok_and(|kind| kind == ObjectType::Array);
    Ok(std::iter::successors(uri.parent(), Uri::parent).take(levels).find(is_array))
}

/// Type of a name in a folder; `None` if [`object_type`] has to determine it.
pub fn type_in(folder: &dyn DirHandle, name: &str) -> Option<ObjectType> {
    folder.first_of(name, &MARKS).map(type_by)
}

/// Type of a folder by its marker.
fn type_by(mark: Option<usize>) -> ObjectType {
    match mark {
        Some(0 | 1) => ObjectType::Array,
        Some(_) => ObjectType::Group,
        None => ObjectType::Invalid,
    }
}

/// Markers of arrays, the first two, and of groups; the flag states whether the marker is a folder.
const MARKS: [(&str, bool); 4] =
    [("__schema", true), ("__array_schema.tdb", false), ("__tiledb_group.tdb", false), ("__group", true)];

/// Removes the array or group at `path` recursively. The files that identify it are removed last, so that an interrupted
/// removal can be repeated. Of symbolic links, also one at `path` itself, only the link is removed.
///
/// # Errors
/// If there is none, or a storage operation fails; files removed by then are not restored.
pub fn remove(vfs: &Vfs, path: &str) -> Result<()> {
    let cannot = |why| Error::invalid(format!("Object: Cannot remove object '{path}'; {why}"));
    let uri = Uri::parse(path).map_err(|_| cannot("Invalid URI"))?;
    if uri.is_tiledb() {
        return Err(cannot("it is not in storage but on a TileDB server; delete the array or the group itself"));
    }
    if object_type(vfs, &uri)? == ObjectType::Invalid {
        return Err(cannot("Invalid TileDB object: neither an array nor a group is there"));
    }
    check_stays_in_groups(vfs, &uri)?;
    if vfs.is_link(&uri) {
        return vfs.remove_dir(&uri);
    }
    let items = vfs.names(&uri)?.into_iter().filter(|item| MARKS.iter().all(|mark| mark.0 != item.name));
    let (folders, files): (Vec<DirItem>, Vec<DirItem>) = items.partition(|item| item.is_dir);
    // Commits go before what they make count.
    let (commits, others) = folders.into_iter().partition(|item| item.name == "__commits");
    let uris = |items: Vec<DirItem>| items.iter().map(|item| uri.join(&item.name)).collect::<Vec<_>>();
    vfs.remove_files(&uris(files))?;
    vfs.remove_dirs(&[&uris(commits), &uris(others), std::slice::from_ref(&uri)])
}

/// Renames the array or group at `old` to `new`.
///
/// # Errors
/// If there is none, the new name is in use or among the files of an array or a group, or a storage operation fails.
pub fn rename(vfs: &Vfs, old: &str, new: &str) -> Result<()> {
    let parse = |path: &str, which| {
        Uri::parse(path).map_err(|_| Error::invalid(format!("Object: Cannot move object {which}'{path}'; Invalid URI")))
    };
    let (from, to) = (parse(old, "")?, parse(new, "to ")?);
    if from.is_tiledb() || to.is_tiledb() {
        let text = "what is on a TileDB server is not moved, and nothing is moved there";
        return Err(Error::invalid(format!("Object: Cannot move object '{old}' to '{new}'; {text}")));
    }
    if object_type(vfs, &from)? == ObjectType::Invalid {
        return Err(Error::invalid(format!(
            "Object: Cannot move object '{old}'; Invalid TileDB object: neither an array nor a group is there"
        )));
    }
    check_stays_in_groups(vfs, &from)?;
    check_unreserved(vfs, &to, &format!("Object: Cannot move object '{old}'"))?;
    vfs.move_dir(&from, &to)
}

/// Whether a walk visits groups before or after their contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkOrder {
    /// Before.
    Preorder,
    /// After.
    Postorder,
}

/// Visits the arrays and groups directly in `path`, by name, until `visit` returns false.
///
/// # Errors
/// Those of `visit`, or if a storage operation fails.
pub fn list(vfs: &Vfs, path: &str, mut visit: impl FnMut(&Uri, ObjectType) -> Result<bool>) -> Result<()> {
    for (uri, kind) in children(vfs, &start(path)?)? {
        if !visit(&uri, kind)? {
            break;
        }
    }
    Ok(())
}

/// As [`list`], including the contents of groups; plain directories are not entered.
///
/// # Errors
/// As [`list`].
pub fn walk(
    vfs: &Vfs,
    path: &str,
    order: WalkOrder,
    mut visit: impl FnMut(&Uri, ObjectType) -> Result<bool>,
) -> Result<()> {
    // Stack of objects to visit; entered groups are visited in postorder.
    let mut waiting: Vec<(Uri, ObjectType, bool)> = Vec::new();
    let enter = |waiting: &mut Vec<_>, uri: &Uri| -> Result<()> {
        let children = children(vfs, uri)?;
        waiting.extend(children.into_iter().rev().map(|(uri, kind)| (uri, kind, false)));
        Ok(())
    };
    enter(&mut waiting, &start(path)?)?;
    while let Some((uri, kind, entered)) = waiting.pop() {
        let group = kind == ObjectType::Group && !entered;
        if group && order == WalkOrder::Postorder {
            waiting.push((uri.clone(), kind, true));
            enter(&mut waiting, &uri)?;
            continue;
        }
        if !visit(&uri, kind)? {
            break;
        }
        if group {
            enter(&mut waiting, &uri)?;
        }
    }
    Ok(())
}

fn start(path: &str) -> Result<Uri> {
    Uri::parse(path)
        .map_err(|_| Error::new(ErrorKind::Invalid, "ObjectIter: Cannot create object iterator; Invalid input path"))
}

/// The arrays and groups directly in a directory.
fn children(vfs: &Vfs, uri: &Uri) -> Result<Vec<(Uri, ObjectType)>> {
    let folders: Vec<Uri> = vfs.list(uri)?.into_iter().filter(|entry| entry.is_dir).map(|entry| entry.uri).collect();
    let kinds = vfs.map(uri, folders.len(), |index| object_type(vfs, &folders[index]))?;
    Ok(folders.into_iter().zip(kinds).filter(|(_, kind)| *kind != ObjectType::Invalid).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_core::pool::Pools;
    use tiledb_storage::vfs::VfsOptions;

    /// `a` and `g/s/b` are arrays, `g`, `g/s` and `o` groups, `p` is neither and hides an array.
    fn tree() -> Vfs {
        let vfs = Vfs::with_options(&VfsOptions::default(), &Pools::new(1, 1));
        let make_dir = |name: &str| vfs.create_dir(&Uri::parse(&format!("mem://{name}")).unwrap()).unwrap();
        ["a/__schema", "g/__group", "g/s/__group", "g/s/b/__schema", "g/p", "p/x/__schema"]
            .into_iter()
            .for_each(make_dir);
        let make_file = |name: &str| vfs.touch(&Uri::parse(&format!("mem://{name}")).unwrap()).unwrap();
        ["o/__tiledb_group.tdb", "g/old/__array_schema.tdb", "f"].into_iter().for_each(make_file);
        vfs
    }

    fn names(vfs: &Vfs, path: &str, order: WalkOrder, most: usize) -> Vec<String> {
        let mut names = Vec::new();
        walk(vfs, path, order, |uri, _| {
            names.push(uri.path().to_owned());
            Ok(names.len() < most)
        })
        .unwrap();
        names
    }

    #[test]
    fn types_follow_from_the_contents_of_a_directory() {
        let vfs = tree();
        for (name, expected) in [
            ("a", ObjectType::Array),
            ("a/", ObjectType::Array),
            ("g/old", ObjectType::Array),
            ("g", ObjectType::Group),
            ("o", ObjectType::Group),
            ("p", ObjectType::Invalid),
            ("f", ObjectType::Invalid),
            ("none", ObjectType::Invalid),
        ] {
            assert_eq!(object_type(&vfs, &Uri::parse(&format!("mem://{name}")).unwrap()).unwrap(), expected, "{name}");
        }
    }

    #[test]
    fn walks_go_by_name_and_stop_on_request() {
        let vfs = tree();
        let all = ["a", "g", "g/old", "g/s", "g/s/b", "o"];
        assert_eq!(names(&vfs, "mem://", WalkOrder::Preorder, 99), all);
        assert_eq!(names(&vfs, "mem://", WalkOrder::Preorder, 3), all[..3]);
        assert_eq!(names(&vfs, "mem://", WalkOrder::Postorder, 99), ["a", "g/old", "g/s/b", "g/s", "g", "o"]);
        assert_eq!(names(&vfs, "mem://a", WalkOrder::Preorder, 99), [""; 0]);
        let mut listed = Vec::new();
        list(&vfs, "mem://g", |uri, kind| {
            listed.push((uri.last_part().to_owned(), kind));
            Ok(true)
        })
        .unwrap();
        assert_eq!(listed, [("old".to_owned(), ObjectType::Array), ("s".to_owned(), ObjectType::Group)]);
        assert!(walk(&vfs, "foo://x", WalkOrder::Preorder, |_, _| Ok(true)).is_err());
    }

    #[test]
    fn only_arrays_and_groups_are_moved_and_removed() {
        let vfs = tree();
        rename(&vfs, "mem://g/s", "mem://t").unwrap();
        remove(&vfs, "mem://a").unwrap();
        assert_eq!(names(&vfs, "mem://", WalkOrder::Preorder, 99), ["g", "g/old", "o", "t", "t/b"]);
        for path in ["mem://p", "mem://f", "mem://none"] {
            let why = "Invalid TileDB object: neither an array nor a group is there";
            let text = format!("Object: Cannot remove object '{path}'; {why}");
            assert_eq!(remove(&vfs, path).unwrap_err().text(), text);
            assert!(rename(&vfs, path, "mem://new").is_err());
        }
        let error = rename(&vfs, "mem://g", "foo://x").unwrap_err();
        assert_eq!(error.text(), "Object: Cannot move object to 'foo://x'; Invalid URI");
    }

    /// Of links, only the link is removed and moved, however it is spelled and wherever it lies.
    #[test]
    fn links_are_not_followed() {
        let vfs = tree();
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        let spelled = |name: &str| at("").to_str().unwrap().to_owned() + name;
        for folder in ["array/__schema", "array/__fragments/f", "outside", "other/__group"] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        for file in ["array/__fragments/f/a.tdb", "outside/x", "file"] {
            std::fs::write(at(file), "kept").unwrap();
        }
        let link = |to: &str, name: &str| std::os::unix::fs::symlink(at(to), at(name)).unwrap();
        for spelling in ["link", "link/", "link//", "link/."] {
            link("array", "link");
            remove(&vfs, &spelled(spelling)).unwrap();
            assert!(std::fs::symlink_metadata(at("link")).is_err(), "{spelling}");
            assert!(at("array/__fragments/f/a.tdb").exists() && at("array/__schema").exists(), "{spelling}");
        }
        link("array", "link");
        rename(&vfs, &spelled("link"), &spelled("moved")).unwrap();
        assert!(at("moved").is_symlink() && at("array/__fragments/f/a.tdb").exists());
        // Links to a plain folder and to nowhere are no objects, and stay.
        link("outside", "plain");
        link("nowhere", "dangling");
        for name in ["plain", "dangling"] {
            remove(&vfs, &spelled(name)).unwrap_err();
            assert!(at(name).is_symlink());
        }
        for (to, name) in [("outside", "__commits"), ("outside", "__meta"), ("file", "f"), ("nowhere", "__labels")] {
            link(to, &format!("other/{name}"));
        }
        remove(&vfs, &spelled("other")).unwrap();
        assert!(!at("other").exists() && at("outside/x").exists() && at("file").exists());
        // The markers are links themselves.
        std::fs::create_dir(at("marked")).unwrap();
        link("array/__schema", "marked/__schema");
        remove(&vfs, &spelled("marked")).unwrap();
        assert!(!at("marked").exists() && at("array/__schema").exists());
    }
}
