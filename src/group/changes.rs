//! Changes of members, gathered while a group is open for writing.

use std::collections::btree_map::Entry;

use super::Member;
use super::details::{Details, Members};
use super::open::find;
use crate::error::{Result, bail};
use crate::vfs::Uri;

/// What was added and removed since opening. An addition replaces a member of the same key, and outlasts its removal.
#[derive(Default)]
pub(super) struct Changes {
    added: Members,
    removed: Members,
}

impl Changes {
    /// True if nothing was recorded.
    pub(super) fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }

    /// Those that were added.
    pub(super) fn added(&self) -> impl Iterator<Item = &Member> {
        self.added.values()
    }

    /// Those that were removed.
    pub(super) fn removed(&self) -> impl Iterator<Item = &Member> {
        self.removed.values()
    }

    /// Records a new member.
    ///
    /// # Errors
    /// If one of its name, or without one of its URI, was added already.
    pub(super) fn add(&mut self, member: Member) -> Result<()> {
        match self.added.entry(member.key().to_owned()) {
            Entry::Vacant(place) => _ = place.insert(member),
            Entry::Occupied(taken) => bail!(
                "Group Details: Cannot add group member {}, a member with the same name or URI has already been added.",
                taken.key()
            ),
        }
        Ok(())
    }

    /// Takes back the addition of a member, or records that one of the `present` members goes, given by its name or the URI it was added
    /// with.
    ///
    /// # Errors
    /// If there is no such member, several have the URI, or it was removed since opening.
    pub(super) fn remove(&mut self, present: &[Member], name_or_uri: &str) -> Result<()> {
        let key = self.key_of(present, name_or_uri)?;
        let was_added = self.added.remove(&key).is_some();
        match find(present, &key).filter(|_| !self.removed.contains_key(&key)) {
            Some(member) => _ = self.removed.insert(key, member.clone()),
            None if was_added => {}
            None => bail!(
                "Group Details: Cannot remove group member {key}, a member with the same name or URI has already been removed."
            ),
        }
        Ok(())
    }

    /// The key of the member that a name or a URI stands for.
    fn key_of(&self, present: &[Member], name_or_uri: &str) -> Result<String> {
        let whole = Uri::parse(name_or_uri).ok();
        let whole = whole.as_ref().map_or(name_or_uri, Uri::as_str);
        let is_key = |key: &&str| self.added.contains_key(*key) || find(present, key).is_some();
        if let Some(key) = [name_or_uri, whole].into_iter().find(is_key) {
            return Ok(key.to_owned());
        }
        let replaced = |member: &&Member| self.added.contains_key(member.key());
        let all = self.added.values().chain(present.iter().filter(|member| !replaced(member)));
        let mut same = all.filter(|member| member.uri == name_or_uri || member.uri == whole);
        let why = match (same.next(), same.next()) {
            (Some(only), None) => return Ok(only.key().to_owned()),
            (None, _) => "member does not exist in group.",
            _ => "there are multiple members with the same URI, please remove by name.",
        };
        bail!("Group Details: Cannot remove group member {name_or_uri}, {why}")
    }

    /// Makes the changes, and gives what was removed.
    pub(super) fn apply(mut self, details: &mut Details) -> Members {
        self.removed.keys().for_each(|key| _ = details.members.remove(key));
        details.members.append(&mut self.added);
        self.removed
    }
}
