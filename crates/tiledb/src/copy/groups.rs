//! Members of copied groups: URIs into the source become URIs into the copy.

use std::collections::HashSet;

use super::ends::{below, lies_in};
use super::errors::about;
use super::file_roles::ObjectIndex;
use super::files::Copier;
use crate::context::Context;
use crate::datatype::ObjectType;
use crate::error::{Error, ErrorKind, Result};
use crate::group::{self, Group};
use crate::object::{self, object_type};

/// A member of a group of the source, and its URI in the copy.
#[derive(Clone, PartialEq, Eq)]
struct Member {
    uri: String,
    /// Its name in the group; none if it has none.
    name: Option<String>,
    kind: Option<ObjectType>,
    /// Whether its URI is relative to the group; taken for absolute of unnamed members.
    is_relative: bool,
    is_outside: bool,
}

/// A group whose members must be rewritten.
pub(super) struct RewrittenGroup {
    /// Its folder below the root.
    pub name: String,
    members: Vec<Member>,
}

/// Members of all groups of the source.
#[derive(Default)]
pub(super) struct GroupMembers {
    pub rewritten: Vec<RewrittenGroup>,
    /// Their folders.
    names: HashSet<String>,
    /// Members outside of the source, with their groups: they are not copied.
    pub elsewhere: Vec<String>,
}

impl GroupMembers {
    /// Reads the members of all groups of the source.
    pub(super) fn read(ctx: &Context, objects: &ObjectIndex, from: &str, to: &str) -> Result<Self> {
        let mut groups = Self::default();
        for name in &objects.groups {
            let group = below(from, name);
            let all = members(ctx, &group).map_err(|error| about(error, &group))?;
            if let Some(member) = all.iter().find(|member| member.is_outside) {
                let text = format!(
                    "the member '{}' of {group} has a relative URI that leads out of the group's folder: {}. In the copy it would \
                     lead to what lies beside that; remove it from the group, and add it by its whole URI",
                    member.label(),
                    member.uri
                );
                return Err(Error::new(ErrorKind::Unsupported, text));
            }
            // Unnamed members may be stored either way: rewritten they are right.
            let is_inside = |member: &Member| !member.is_relative && lies_in(&member.uri, from).is_some();
            let is_elsewhere = |member: &&Member| !member.is_relative && !is_inside(member);
            let outside = all.iter().filter(is_elsewhere);
            groups.elsewhere.extend(outside.map(|member| format!("{} of {group}", member.uri)));
            if all.iter().any(is_inside) {
                let members = all.into_iter().map(|member| moved(member, &group, from, to)).collect();
                groups.names.insert(name.clone());
                groups.rewritten.push(RewrittenGroup { name: name.clone(), members });
            }
        }
        // Inner groups first.
        groups.rewritten.sort_by_key(|group| std::cmp::Reverse(group.name.matches('/').count()));
        Ok(groups)
    }

    /// Whether a file is rewritten instead of copied.
    pub(super) fn replaces(&self, file: &str) -> bool {
        let mut start = 0;
        file.split('/').any(|part| {
            let folder = file[..start].trim_end_matches('/');
            let end = start + part.len();
            start = end + 1;
            let is_detail =
                (part == "__group" && end < file.len()) || (part == "__tiledb_group.tdb" && end == file.len());
            is_detail && self.names.contains(folder)
        })
    }

    /// Updates the members of groups in the target.
    pub(super) fn write(&self, ctx: &Context, copier: &Copier<'_, '_>) -> Result<()> {
        self.rewritten.iter().try_for_each(|group| group.write(ctx, copier))
    }
}

impl RewrittenGroup {
    /// Readers see all members that there were, or all of the source.
    fn write(&self, ctx: &Context, copier: &Copier<'_, '_>) -> Result<()> {
        let uri = &below(copier.to, &self.name);
        if object_type(ctx, uri)? != Some(ObjectType::Group) {
            return self.create(ctx, copier);
        }
        let key = |member: &Member| member.name.clone().unwrap_or_else(|| member.uri.clone());
        let whole_uri = |member: &Member| if member.is_relative { below(uri, &member.uri) } else { member.uri.clone() };
        let there = members(ctx, uri)?;
        let mut removed = Vec::new();
        // An existing unnamed member is taken for right: an earlier run wrote it.
        let expected: HashSet<_> = self.members.iter().map(|member| (&member.name, whole_uri(member))).collect();
        for member in &there {
            if !expected.contains(&(&member.name, member.uri.clone())) {
                let inner = lies_in(&member.uri, uri).filter(|_| member.name.is_none());
                removed.push(inner.map_or_else(|| key(member), str::to_owned));
            }
        }
        let old: HashSet<_> = there.iter().map(|member| (&member.name, &member.uri)).collect();
        let is_new = |expected: &&Member| !old.contains(&(&expected.name, &whole_uri(expected)));
        let new: Vec<Member> = self.members.iter().filter(is_new).cloned().collect();
        if removed.is_empty() && new.is_empty() { Ok(()) } else { change_group(ctx, uri, &removed, &new) }
    }

    /// Creates the group elsewhere, so that readers see it with its members.
    fn create(&self, ctx: &Context, copier: &Copier<'_, '_>) -> Result<()> {
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

impl Member {
    fn of_group(member: &group::Member) -> Member {
        let name = member.name().filter(|name| !name.is_empty()).map(str::to_owned);
        Member {
            uri: member.uri().to_owned(),
            is_relative: name.is_some() && member.is_relative(),
            name,
            kind: member.kind(),
            is_outside: member.is_outside(),
        }
    }

    fn in_folder((uri, kind): (String, ObjectType)) -> Member {
        Member { uri, name: None, kind: Some(kind), is_relative: false, is_outside: false }
    }

    /// Its name, or the last part of its URI.
    fn label(&self) -> &str {
        let last = || self.uri.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        self.name.as_deref().unwrap_or_else(last)
    }
}

/// The members of a group, or the arrays and groups in a folder, by name.
fn members(ctx: &Context, uri: &str) -> Result<Vec<Member>> {
    let mut members: Vec<Member> = match object_type(ctx, uri)? {
        Some(ObjectType::Group) => Group::open(ctx, uri)?.members()?.iter().map(Member::of_group).collect(),
        _ => object::list(ctx, uri)?.into_iter().map(Member::in_folder).collect(),
    };
    members.sort_by(|a, b| a.label().cmp(b.label()));
    Ok(members)
}

/// Removes members from a group, by name or URI, and adds others.
fn change_group(ctx: &Context, uri: &str, removed: &[String], added: &[Member]) -> Result<()> {
    let group = Group::open_for_writing(ctx, uri)?;
    for member in removed {
        group.remove(member)?;
    }
    for member in added {
        let name = member.name.as_deref();
        match (member.kind, member.is_relative) {
            (Some(kind), is_relative) => group.add_as(kind, &member.uri, is_relative, name)?,
            (None, true) => group.add_relative(&member.uri, name)?,
            (None, false) => group.add(&member.uri, name)?,
        }
    }
    group.close()
}
