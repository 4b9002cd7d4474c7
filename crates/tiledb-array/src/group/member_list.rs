//! The members of an open group, found by their keys and by their URIs.

use std::ops::Deref;
use std::sync::OnceLock;

use super::Member;
use tiledb_core::sort;

/// Members in the order of keys.
pub(super) struct MemberList {
    members: Vec<Member>,
    /// The positions of the members in the order of their URIs, sorted when a URI is first looked up.
    by_uri: OnceLock<Vec<usize>>,
}

impl MemberList {
    /// The member with this key.
    pub(super) fn find(&self, key: &str) -> Option<&Member> {
        let place = self.members.binary_search_by(|member| member.key().cmp(key)).ok()?;
        self.members.get(place)
    }

    /// The members with this URI.
    pub(super) fn with_uri(&self, uri: &str) -> impl Iterator<Item = &Member> {
        let uri_at = |place: usize| self.members[place].uri.as_str();
        let by_uri = self.by_uri.get_or_init(|| {
            let mut places: Vec<usize> = (0..self.members.len()).collect();
            sort::by(&mut places, |&a, &b| uri_at(a).cmp(uri_at(b)));
            places
        });
        let first = by_uri.partition_point(|&place| uri_at(place) < uri);
        let count = by_uri[first..].partition_point(|&place| uri_at(place) == uri);
        by_uri[first..first + count].iter().map(|&place| &self.members[place])
    }
}

impl From<Vec<Member>> for MemberList {
    fn from(mut members: Vec<Member>) -> MemberList {
        sort::by(&mut members, |a, b| a.key().cmp(b.key()));
        MemberList { members, by_uri: OnceLock::new() }
    }
}

impl Deref for MemberList {
    type Target = [Member];

    fn deref(&self) -> &[Member] {
        &self.members
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_core::types::ObjectType;

    #[test]
    fn members_are_looked_up_by_key_and_by_uri() {
        let member = |number: usize| Member {
            kind: ObjectType::Array,
            relative: false,
            uri: format!("mem://array{}", number % 10),
            name: (number < 20).then(|| format!("member{number:02}")),
        };
        // Of each URI two members with a name, and one without.
        let list = MemberList::from((0..30).rev().map(member).collect::<Vec<_>>());
        assert!(list.is_sorted_by_key(|member| member.key().to_owned()));
        for number in 0..10 {
            let uri = format!("mem://array{number}");
            let keys: Vec<&str> = list.with_uri(&uri).map(Member::key).collect();
            assert_eq!(keys, [uri.as_str(), &format!("member{number:02}"), &format!("member{}", number + 10)]);
            assert!(keys.iter().all(|key| list.find(key).is_some_and(|member| member.uri == uri)));
        }
        assert_eq!((list.with_uri("mem://array").count(), list.with_uri("mem://arrays").count()), (0, 0));
        assert!(list.find("member20").is_none() && MemberList::from(Vec::new()).with_uri("a").next().is_none());
    }
}
