//! Validation of URIs: nothing may be created among the files of an array or group, and relative members may not lead out of
//! their group.

use tiledb_core::error::{Result, bail};
use tiledb_core::types::ObjectType;
use tiledb_storage::vfs::{Uri, Vfs, normalize_relative};

/// The folder of a group's members and that of its metadata.
const GROUP_FOLDERS: [&str; 2] = ["__group", "__meta"];
/// Markers of groups and arrays; the flag states whether the marker is a folder.
const GROUP_MARKS: [(&str, bool); 2] = [("__tiledb_group.tdb", false), (GROUP_FOLDERS[0], true)];
const ARRAY_MARKS: [(&str, bool); 2] = [("__schema", true), ("__array_schema.tdb", false)];

/// Rejects a URI among the files of an array or a group, at any depth: an object there would be mistaken for one of
/// them, and deleted with them. Storage is accessed only if a part of the URI has the name of such a folder. `what`
/// describes the operation in errors.
///
/// # Errors
/// If the URI is reserved, or a storage operation fails.
pub fn check_unreserved(vfs: &Vfs, uri: &Uri, what: &str) -> Result<()> {
    check_stays_in_groups(vfs, uri)?;
    let Some((kind, owner)) = owner_of(vfs, uri)? else { return Ok(()) };
    let kind = if kind == ObjectType::Array { "array" } else { "group" };
    bail!("{what}; '{uri}' lies among the files of the {kind} '{owner}'. Choose another folder")
}

/// The array or group that has `uri` among its own files.
fn owner_of(vfs: &Vfs, uri: &Uri) -> Result<Option<(ObjectType, Uri)>> {
    for folder in std::iter::successors(Some(uri.clone()), Uri::parent) {
        // All that begins like this is the array's: folders, and fragments of old formats.
        let Some(owner) = folder.parent().filter(|_| folder.last_part().starts_with("__")) else { continue };
        // An object with the name of a mark of arrays would make an array of the group.
        let is_array_mark = ARRAY_MARKS.iter().any(|(mark, _)| *mark == folder.last_part());
        if (GROUP_FOLDERS.contains(&folder.last_part()) || is_array_mark) && is_marked(vfs, &owner, &GROUP_MARKS)? {
            return Ok(Some((ObjectType::Group, owner)));
        }
        if is_marked(vfs, &owner, &ARRAY_MARKS)? {
            return Ok(Some((ObjectType::Array, owner)));
        }
    }
    Ok(None)
}

fn is_marked(vfs: &Vfs, uri: &Uri, marks: &[(&str, bool)]) -> Result<bool> {
    Ok(vfs.first_of(uri, marks)?.is_some())
}

/// Rejects a local URI that leaves a group by `..`, as that of a relative member may: a group from an untrusted source
/// could reach any file. On other storage `..` is an ordinary name.
///
/// # Errors
/// If the URI leaves a group, or a storage operation fails.
pub fn check_stays_in_groups(vfs: &Vfs, uri: &Uri) -> Result<()> {
    if uri.scheme() != "file" || !uri.path().contains("/..") {
        return Ok(());
    }
    let components: Vec<&str> = uri.path().split('/').collect();
    for (at, _) in components.iter().enumerate().filter(|(_, component)| **component == "..") {
        let Ok(left) = normalize_relative(&components[..at].join("/")) else { continue };
        let group = Uri::parse(&format!("/{left}"))?;
        if is_marked(vfs, &group, &GROUP_MARKS)? {
            bail!("'{uri}' leads out of the group '{group}' by '..'. Use the URI without '..' if that is wanted");
        }
    }
    Ok(())
}

/// The end of errors about an array that does not exist.
#[cold]
pub fn no_array(uri: &Uri) -> String {
    let remedy = if uri.is_web() {
        "check the address, or publish the array there with `tiledb-rs publish`"
    } else {
        "check the URI, or create the array with tiledb_array_create"
    };
    format!("Array does not exist. There is no array at '{uri}': {remedy}")
}
