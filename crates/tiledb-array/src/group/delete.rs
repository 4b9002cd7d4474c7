//! Deletion of a group, optionally with all its members.

use std::collections::HashSet;

use super::create::{exists, no_group};
use super::{DETAILS, MARKER, Member, OpenGroup};
use crate::array::{self, check_stays_in_groups};
use crate::object::object_type;
use tiledb_core::error::{ErrorKind, Result, bail};
use tiledb_core::types::{ObjectType, QueryType};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::{Uri, Vfs};

/// Deletes the group at `uri`; with `recursive` also the arrays and groups that are its members, wherever they are, and
/// theirs. Missing members are ignored, and groups are deleted after their members, so that an interrupted deletion can
/// be repeated. Foreign files in the folders are not deleted.
///
/// # Errors
/// If there is no group, a group among the members cannot be read, the group or a member is a symbolic link or a relative
/// member leaves its group's folder - then nothing is deleted - or a storage operation fails.
pub fn delete(resources: &Resources, uri: &Uri, recursive: bool) -> Result<()> {
    let vfs = resources.vfs();
    check_stays_in_groups(vfs, uri)?;
    if !exists(vfs, uri)? {
        return Err(no_group(uri));
    }
    if vfs.is_link(uri) {
        bail!(
            "Group: Cannot delete the group '{uri}'; it is a symbolic link. Delete the group by the path that the link leads \
             to, or remove only the link with tiledb_object_remove"
        );
    }
    let mut doomed = vec![(uri.clone(), ObjectType::Group)];
    if recursive {
        add_members(resources, &mut doomed)?;
    }
    for (uri, kind) in doomed.iter().rev() {
        match kind {
            ObjectType::Array => array::delete(resources, uri)?,
            _ => remove_group(vfs, uri)?,
        }
    }
    Ok(())
}

/// Appends the members of groups, each once.
fn add_members(resources: &Resources, doomed: &mut Vec<(Uri, ObjectType)>) -> Result<()> {
    let mut visited: HashSet<Uri> = doomed.iter().map(|(uri, _)| uri.without_trailing_slash()).collect();
    let mut next = 0;
    while let Some((group, kind)) = doomed.get(next).cloned() {
        next += 1;
        if kind != ObjectType::Group {
            continue;
        }
        let group = OpenGroup::open(resources, &group, QueryType::Read)?;
        for member in group.members() {
            let uri = member.place(group.uri())?.without_trailing_slash();
            check_links(resources.vfs(), member, group.uri(), &uri)?;
            let kind = object_type(resources.vfs(), &uri)?;
            if kind != ObjectType::Invalid && visited.insert(uri.clone()) {
                doomed.push((uri, kind));
            }
        }
    }
    Ok(())
}

/// Rejects a member that is a symbolic link, and a relative one that links of the group's folder lead out of it.
fn check_links(vfs: &Vfs, member: &Member, group: &Uri, uri: &Uri) -> Result<()> {
    let (Some(folder), Some(path)) = (group.local()?, uri.local()?) else { return Ok(()) };
    let (Ok(folder), Ok(path)) = (folder.canonicalize(), path.canonicalize()) else { return Ok(()) };
    if vfs.is_link(uri) {
        bail!(
            "Group: Cannot delete the group '{group}' recursively; its member '{}', '{uri}', is a symbolic link. Remove the member \
             from the group first",
            member.key()
        );
    }
    if member.relative && !path.starts_with(&folder) {
        bail!(
            "Group: Cannot delete the group '{group}' recursively; a symbolic link in its folder leads from the member '{}' to \
             '{}', outside of the folder. Remove the member from the group first",
            member.key(),
            path.display()
        );
    }
    Ok(())
}

/// Removes what makes a folder a group, and the folder if nothing else is in it. The file that marks it goes last.
fn remove_group(vfs: &Vfs, uri: &Uri) -> Result<()> {
    let gone = |removed: Result<()>| match removed {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    };
    gone(vfs.remove_dir(&uri.join("__meta")))?;
    gone(vfs.remove_dir(&uri.join(DETAILS)))?;
    gone(vfs.remove_file(&uri.join(MARKER)))?;
    if vfs.names(uri)?.is_empty() { gone(vfs.remove_dir(uri)) } else { Ok(()) }
}
