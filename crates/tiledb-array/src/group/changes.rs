//! Changes of members, gathered while a group is open for writing.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use super::Member;
use super::details::GroupDetails;
use super::member_list::MemberList;
use tiledb_core::error::{Result, bail};
use tiledb_core::sort;
use tiledb_storage::vfs::Uri;

/// Members added and removed since opening. An addition replaces a member of the same key, and takes precedence over
/// its removal.
#[derive(Default)]
pub(super) struct GroupChanges {
    added: BTreeMap<String, Member>,
    /// The URIs of those that were added, with their keys; collected when a member is first removed.
    added_uris: Option<BTreeSet<(String, String)>>,
    removed: BTreeMap<String, Member>,
}

impl GroupChanges {
    /// True if nothing was recorded.
    pub(super) fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }

    pub(super) fn added(&self) -> impl Iterator<Item = &Member> {
        self.added.values()
    }

    pub(super) fn removed(&self) -> impl Iterator<Item = &Member> {
        self.removed.values()
    }

    /// Records a new member.
    ///
    /// # Errors
    /// If one of its name, or without one of its URI, was added already.
    pub(super) fn add(&mut self, member: Member) -> Result<()> {
        match self.added.entry(member.key().to_owned()) {
            Entry::Vacant(place) => {
                if let Some(uris) = &mut self.added_uris {
                    uris.insert((member.uri.clone(), place.key().clone()));
                }
                place.insert(member);
            }
            Entry::Occupied(taken) => bail!(
                "Group Details: Cannot add group member {}, a member with the same name or URI has already been added.",
                taken.key()
            ),
        }
        Ok(())
    }

    /// Reverts the addition of a member, or records the removal of one of the `present` members, identified by its name
    /// or the URI it was added with.
    ///
    /// # Errors
    /// If there is no such member, several have the URI, or it was removed since opening.
    pub(super) fn remove(&mut self, present: &MemberList, name_or_uri: &str) -> Result<()> {
        let added = &self.added;
        let collect = || added.iter().map(|(key, member)| (member.uri.clone(), key.clone())).collect();
        self.added_uris.get_or_insert_with(collect);
        let key = self.key_of(present, name_or_uri)?;
        let was_added = match (self.added.remove_entry(&key), &mut self.added_uris) {
            (Some((key, member)), Some(uris)) => uris.remove(&(member.uri, key)),
            _ => false,
        };
        match present.find(&key).filter(|_| !self.removed.contains_key(&key)) {
            Some(member) => _ = self.removed.insert(key, member.clone()),
            None if was_added => {}
            None => bail!(
                "Group Details: Cannot remove group member {key}, a member with the same name or URI has already been removed."
            ),
        }
        Ok(())
    }

    /// The key of the member with a name or URI.
    fn key_of(&self, present: &MemberList, name_or_uri: &str) -> Result<String> {
        let whole = Uri::parse(name_or_uri).ok();
        let whole = whole.as_ref().map_or(name_or_uri, Uri::as_str);
        let is_key = |key: &&str| self.added.contains_key(*key) || present.find(key).is_some();
        if let Some(key) = [name_or_uri, whole].into_iter().find(is_key) {
            return Ok(key.to_owned());
        }
        let is_replaced = |member: &&Member| self.added.contains_key(member.key());
        let with_uri = |uri: &str| {
            let present = present.with_uri(uri).filter(|member| !is_replaced(member)).map(Member::key);
            self.added_with_uri(uri).chain(present).map(str::to_owned).take(2).collect::<Vec<_>>()
        };
        let mut same = with_uri(name_or_uri);
        if whole != name_or_uri {
            same.extend(with_uri(whole));
        }
        let why = match same.as_slice() {
            [only] => return Ok(only.clone()),
            [] => "member does not exist in group.",
            _ => "there are multiple members with the same URI, please remove by name.",
        };
        bail!("Group Details: Cannot remove group member {name_or_uri}, {why}")
    }

    /// The keys of the members with this URI that were added.
    fn added_with_uri(&self, uri: &str) -> impl Iterator<Item = &str> {
        let first = (uri.to_owned(), String::new());
        let rest =
            self.added_uris.iter().flat_map(move |uris| uris.range((Bound::Included(first.clone()), Bound::Unbounded)));
        rest.take_while(move |(own, _)| own == uri).map(|(_, key)| key.as_str())
    }

    /// The details of a group after the changes, which had the `present` members; `version` is that of its files.
    pub(super) fn details<'a>(&'a self, present: &'a MemberList, version: u32) -> GroupDetails<'a> {
        let is_unchanged =
            |member: &&Member| !self.added.contains_key(member.key()) && !self.removed.contains_key(member.key());
        let mut members: Vec<&Member> = present.iter().filter(is_unchanged).chain(self.added.values()).collect();
        sort::by(&mut members, |a, b| a.key().cmp(b.key()));
        let removed = self.removed.values().filter(|member| !self.added.contains_key(member.key())).collect();
        GroupDetails { version, members, removed }
    }
}
