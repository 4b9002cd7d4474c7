//! Where keys of metadata stand, found by their hashes.

use std::hash::{BuildHasher, RandomState};

/// A table of places by hash, open addressed: a place stands at the slot of its hash or in the free slots that follow.
#[derive(Debug)]
pub(super) struct KeyIndex {
    seed: u64,
    /// The upper half of a hash, and below it a place plus one; 0 is free. Their number is a power of two, of which
    /// at most three quarters are taken.
    slots: Box<[u64]>,
}

impl KeyIndex {
    /// The index of keys that differ from each other.
    pub(super) fn new<'a>(keys: impl ExactSizeIterator<Item = &'a [u8]>) -> KeyIndex {
        // The seed differs from run to run: nobody can prepare keys that meet in one slot.
        let seed = RandomState::new().hash_one(keys.len());
        let slots = vec![0; (keys.len() + keys.len() / 3 + 1).next_power_of_two()].into_boxed_slice();
        let mut index = KeyIndex { seed, slots };
        for (place, key) in (1..).zip(keys) {
            let (mut slot, tag) = index.start(key);
            while index.slots[slot] != 0 {
                slot = index.after(slot);
            }
            index.slots[slot] = tag | place;
        }
        index
    }

    /// The place of a key, given the keys at places.
    pub(super) fn find<'a>(&self, key: &[u8], key_at: impl Fn(usize) -> &'a [u8]) -> Option<usize> {
        let (mut slot, tag) = self.start(key);
        loop {
            let found = self.slots[slot];
            let place = (found & PLACE).checked_sub(1)? as usize;
            if found & !PLACE == tag && key_at(place) == key {
                return Some(place);
            }
            slot = self.after(slot);
        }
    }

    /// The first slot of a key, and the upper half of its hash.
    fn start(&self, key: &[u8]) -> (usize, u64) {
        let hash = hash(key, self.seed);
        (hash as usize & (self.slots.len() - 1), hash & !PLACE)
    }

    fn after(&self, slot: usize) -> usize {
        (slot + 1) & (self.slots.len() - 1)
    }
}

/// The part of a slot that is a place.
const PLACE: u64 = u32::MAX as u64;

/// Multiplies and folds, a word at a time.
fn hash(key: &[u8], seed: u64) -> u64 {
    let mix = |hash: u64, word: u64| {
        let product = u128::from(hash ^ word) * 0x9e37_79b9_7f4a_7c15;
        (product as u64) ^ (product >> 64) as u64
    };
    let (words, rest) = key.as_chunks::<8>();
    let hash = words.iter().fold(seed, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(mix(hash, u64::from_le_bytes(last)), key.len() as u64)
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
