//! Hash sets of values of any size, looked up by their bytes.

use tiledb_core::types::KeyIndex;

/// A hash set of values.
pub struct TextSet {
    /// The members one after the other, and where each ends.
    data: Vec<u8>,
    ends: Vec<usize>,
    index: KeyIndex,
}

impl TextSet {
    /// The set of these values.
    pub(crate) fn new<'a>(members: impl Iterator<Item = &'a [u8]>) -> TextSet {
        let mut data = Vec::new();
        let mut ends = Vec::new();
        for member in members {
            data.extend_from_slice(member);
            ends.push(data.len());
        }
        let mut set = TextSet { data, ends, index: KeyIndex::default() };
        set.index = KeyIndex::new((0..set.ends.len()).map(|place| set.member(place)));
        set
    }

    fn member(&self, place: usize) -> &[u8] {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.data[start..self.ends[place]]
    }

    /// True if the value is a member.
    #[inline]
    pub(crate) fn contains(&self, value: &[u8]) -> bool {
        self.index.find(value, |place| self.member(place)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text() -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(prop::sample::select(vec![0, b'a', b'b']), 0..10)
    }

    proptest! {
        #[test]
        fn set_contains_its_members_only(members in prop::collection::vec(text(), 0..60), values in prop::collection::vec(text(), 0..60)) {
            let set = TextSet::new(members.iter().map(Vec::as_slice));
            for value in members.iter().chain(&values) {
                prop_assert_eq!(set.contains(value), members.contains(value));
            }
        }
    }
}
