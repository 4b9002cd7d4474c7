//! Members of copied groups: URIs into the source become URIs into the copy.

use std::collections::HashSet;

use tiledb::{Context, Group};

use super::below;
use super::file_roles::ObjectIndex;
use super::files::Copier;
use crate::model::{Error, Member, ObjectType, Result, change_group, members, object_type};

/// A group whose members must be rewritten.
pub struct RewrittenGroup {
    /// Its folder below the root.
    pub name: String,
    members: Vec<Member>,
}

/// Members of all groups of the source.
#[derive(Default)]
pub struct GroupMembers {
    pub rewritten: Vec<RewrittenGroup>,
    /// Their folders.
    names: HashSet<String>,
    /// Members outside of the source, with their groups: they are not copied.
    pub elsewhere: Vec<String>,
}

impl GroupMembers {
    /// Reads the members of all groups of the source.
    pub fn read(ctx: &Context, objects: &ObjectIndex, from: &str, to: &str) -> Result<Self> {
        let mut found = Self::default();
        for name in &objects.groups {
            let group = below(from, name);
            let all = members(ctx, &group).map_err(|error| error.at(&group))?;
            if let Some(member) = all.iter().find(|member| member.is_outside) {
                return Err(Error::failed(format!(
                    "the member '{}' of {group} has a relative URI that leads out of the group's folder: {}. In the copy it would \
                     lead to what lies beside that; remove it from the group, and add it by its whole URI",
                    member.label(),
                    member.uri
                )));
            }
            // Unnamed members may be stored either way: rewritten they are right.
            let is_inside = |member: &Member| !member.is_relative && lies_in(&member.uri, from).is_some();
            let is_elsewhere = |member: &&Member| !member.is_relative && !is_inside(member);
            let outside = all.iter().filter(is_elsewhere);
            found.elsewhere.extend(outside.map(|member| format!("{} of {group}", member.uri)));
            if all.iter().any(is_inside) {
                let members = all.into_iter().map(|member| moved(member, &group, from, to)).collect();
                found.names.insert(name.clone());
                found.rewritten.push(RewrittenGroup { name: name.clone(), members });
            }
        }
        // Inner groups first.
        found.rewritten.sort_by_key(|group| std::cmp::Reverse(group.name.matches('/').count()));
        Ok(found)
    }

    /// Whether a file is rewritten instead of copied.
    pub fn replaces(&self, file: &str) -> bool {
        let mut start = 0;
        file.split('/').any(|part| {
            let (folder, end) = (file[..start].trim_end_matches('/'), start + part.len());
            start = end + 1;
            let is_detail =
                (part == "__group" && end < file.len()) || (part == "__tiledb_group.tdb" && end == file.len());
            is_detail && self.names.contains(folder)
        })
    }

    /// Updates the members of groups in the target.
    pub fn write(&self, ctx: &Context, copier: &Copier<'_>) -> Result<()> {
        self.rewritten.iter().try_for_each(|group| group.write(ctx, copier))
    }
}

impl RewrittenGroup {
    /// Readers see all members that there were, or all of the source.
    fn write(&self, ctx: &Context, copier: &Copier<'_>) -> Result<()> {
        let uri = &below(copier.to, &self.name);
        if object_type(ctx, uri)? != ObjectType::Group {
            return self.create(ctx, copier);
        }
        let key = |member: &Member| member.name.clone().unwrap_or_else(|| member.uri.clone());
        let whole = |member: &Member| if member.is_relative { below(uri, &member.uri) } else { member.uri.clone() };
        let (there, mut gone) = (members(ctx, uri)?, Vec::new());
        // An existing unnamed member is taken for right: an earlier run wrote it.
        let wanted: HashSet<_> = self.members.iter().map(|member| (&member.name, whole(member))).collect();
        for member in &there {
            if !wanted.contains(&(&member.name, member.uri.clone())) {
                let inner = lies_in(&member.uri, uri).filter(|_| member.name.is_none());
                gone.push(inner.map_or_else(|| key(member), str::to_owned));
            }
        }
        let old: HashSet<_> = there.iter().map(|member| (&member.name, &member.uri)).collect();
        let is_new = |wanted: &&Member| !old.contains(&(&wanted.name, &whole(wanted)));
        let new: Vec<Member> = self.members.iter().filter(is_new).cloned().collect();
        if gone.is_empty() && new.is_empty() { Ok(()) } else { change_group(ctx, uri, &gone, &new) }
    }

    /// Creates the group elsewhere, so that readers see it with its members.
    fn create(&self, ctx: &Context, copier: &Copier<'_>) -> Result<()> {
        let draft = copier.group_draft(&self.name)?;
        Group::create(ctx, &draft)?;
        change_group(ctx, &draft, &[], &self.members)?;
        copier.publish_group(&self.name)
    }
}

/// A member with its URI in the copy.
fn moved(mut member: Member, group: &str, from: &str, to: &str) -> Member {
    if let Some(inner) = lies_in(&member.uri, group) {
        (member.uri, member.is_relative) = (inner.to_owned(), true);
    } else if let Some(inner) = lies_in(&member.uri, from) {
        // Relative URIs cannot contain `..`.
        (member.uri, member.is_relative) = (below(to, inner), false);
    } else {
        member.is_relative = false;
    }
    member
}

/// The path relative to a folder.
pub fn lies_in<'a>(uri: &'a str, folder: &str) -> Option<&'a str> {
    uri.strip_prefix(folder)?.strip_prefix('/').map(|inner| inner.trim_end_matches('/'))
}
