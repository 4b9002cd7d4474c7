//! Text dump of a group: one line per member, indented by depth.

use std::fmt::Write;

use super::{Member, OpenGroup};
use tiledb_core::error::{ErrorKind, Result};
use tiledb_core::types::{ObjectType, QueryType};
use tiledb_storage::vfs::Uri;

/// A group whose members are being written.
struct DumpLevel {
    uri: Uri,
    /// The next one last.
    members: Vec<Member>,
}

impl DumpLevel {
    fn of(group: &OpenGroup) -> DumpLevel {
        DumpLevel { uri: group.uri().clone(), members: group.members().iter().rev().cloned().collect() }
    }
}

/// The line of the group itself.
pub(super) fn title(uri: &Uri) -> String {
    format!("{} GROUP\n", uri.last_part())
}

/// The group and its members, and with `recursive` the members of groups below it, each group once on its own path.
///
/// # Errors
/// If a group below exists and cannot be read.
pub(super) fn dump(group: &OpenGroup, recursive: bool) -> Result<String> {
    let mut text = title(group.uri());
    let mut levels = vec![DumpLevel::of(group)];
    while let Some(level) = levels.last_mut() {
        let Some(member) = level.members.pop() else {
            levels.pop();
            continue;
        };
        let location = member.place(&level.uri);
        let last = location.as_ref().map_or(member.uri.as_str(), Uri::last_part);
        let name = member.name.as_deref().unwrap_or(last);
        let kind = member.kind.name();
        let _ = write!(text, "|{} {name} {kind}", "-".repeat(4 * levels.len() - 2));
        if recursive && member.kind == ObjectType::Group {
            let is_outside = location.as_ref().is_err_and(|error| error.kind() == ErrorKind::Corrupt);
            match location.and_then(|uri| descend(group, &levels, &uri)) {
                Err(_) if is_outside => text.push_str(" (outside of this group)"),
                Ok(Some(level)) => levels.push(level),
                Ok(None) => text.push_str(" (contains this group)"),
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Invalid) => {
                    text.push_str(" (does not exist)");
                }
                Err(error) => return Err(error),
            }
        }
        text.push('\n');
    }
    Ok(text)
}

/// The group at `uri`; `None` if it is one of the enclosing groups (a cycle).
fn descend(root: &OpenGroup, levels: &[DumpLevel], uri: &Uri) -> Result<Option<DumpLevel>> {
    let uri = uri.without_trailing_slash();
    if levels.iter().any(|level| level.uri.without_trailing_slash() == uri) {
        return Ok(None);
    }
    OpenGroup::open(root.resources(), &uri, QueryType::Read).map(|group| Some(DumpLevel::of(&group)))
}
