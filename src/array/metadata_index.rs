//! Where keys of metadata stand, found by their hashes.

use std::hash::{BuildHasher, RandomState};

/// A table of places by hash, open addressed: a place stands at the slot of its hash or in the free slots that follow.
#[derive(Debug)]
pub(super) struct KeyIndex {
    hashes: RandomState,
    /// Places plus one; 0 is free. Their number is a power of two, at most half of them taken.
    slots: Box<[u32]>,
}

impl KeyIndex {
    /// The index of keys that differ from each other.
    pub(super) fn new<'a>(keys: impl ExactSizeIterator<Item = &'a [u8]>) -> KeyIndex {
        let hashes = RandomState::new();
        let mut slots = vec![0; (2 * keys.len() + 1).next_power_of_two()].into_boxed_slice();
        let mask = slots.len() - 1;
        for (place, key) in (1..).zip(keys) {
            let mut slot = hashes.hash_one(key) as usize & mask;
            while slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            slots[slot] = place;
        }
        KeyIndex { hashes, slots }
    }

    /// The place of a key, given the keys at places.
    pub(super) fn find<'a>(&self, key: &[u8], key_at: impl Fn(usize) -> &'a [u8]) -> Option<usize> {
        let mask = self.slots.len() - 1;
        let mut slot = self.hashes.hash_one(key) as usize & mask;
        while let Some(place) = self.slots[slot].checked_sub(1) {
            if key_at(place as usize) == key {
                return Some(place as usize);
            }
            slot = (slot + 1) & mask;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_where_they_stand() {
        for count in [0, 1, 2, 3, 4, 1000] {
            let keys: Vec<String> = (0..count).map(|number| format!("key{number}")).collect();
            let index = KeyIndex::new(keys.iter().map(|key| key.as_bytes()));
            let find = |key: &str| index.find(key.as_bytes(), |place| keys[place].as_bytes());
            assert!(keys.iter().enumerate().all(|(place, key)| find(key) == Some(place)));
            assert_eq!((find(""), find("key"), find(&format!("key{count}"))), (None, None, None));
        }
    }
}
