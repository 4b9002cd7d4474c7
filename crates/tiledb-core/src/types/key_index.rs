//! A hash index over the keys of a list.
//!
//! Own code and not hashbrown: a slot is one word with position and half the hash, and most lists have too few keys to need any.

use crate::limits::compute::MAX_COMPARED_NAMES;
use std::hash::{BuildHasher, RandomState};

/// A hash table of the positions of keys, open addressed with linear probing. The keys themselves stay in the list.
#[derive(Clone, Debug, Default)]
pub struct KeyIndex {
    seed: u64,
    len: usize,
    /// The upper half of a hash, and below it a position plus one; 0 is free. Their number is a power of two, of which
    /// at most three quarters are taken: at least one is free, where the search for a key that is not there ends. There are none
    /// for up to [`MAX_COMPARED_NAMES`] keys, which are compared one after another.
    slots: Box<[u64]>,
}

impl KeyIndex {
    /// The index of a list. Of equal keys the first is found.
    pub fn new<'a>(keys: impl ExactSizeIterator<Item = &'a [u8]>) -> KeyIndex {
        let mut index = KeyIndex::default();
        if keys.len() <= MAX_COMPARED_NAMES.count() {
            index.len = keys.len();
            return index;
        }
        index.reserve(keys.len());
        keys.for_each(|key| index.take(key));
        index
    }

    /// Adds the key that was appended to the list; `key_at` gives the keys at positions, of which there is one more than before.
    pub fn append<'a>(&mut self, key_at: impl Fn(usize) -> &'a [u8]) {
        let last = self.len;
        if self.slots.is_empty() && last < MAX_COMPARED_NAMES.count() {
            self.len += 1;
            return;
        }
        if last == self.capacity() || self.slots.is_empty() {
            self.reserve(2 * last + 1);
            (0..last).for_each(|place| self.take(key_at(place)));
        }
        self.take(key_at(last));
    }

    /// The position of a key.
    pub fn find<'a>(&self, key: &[u8], key_at: impl Fn(usize) -> &'a [u8]) -> Option<usize> {
        if self.slots.is_empty() {
            return (0..self.len).find(|&place| key_at(place) == key);
        }
        let (mut slot, tag) = self.start(key);
        loop {
            let entry = self.slots[slot];
            let place = (entry & PLACE).checked_sub(1)? as usize;
            if entry & !PLACE == tag && key_at(place) == key {
                return Some(place);
            }
            slot = self.after(slot);
        }
    }

    /// Number of keys that the slots can index.
    fn capacity(&self) -> usize {
        self.slots.len() - self.slots.len() / 4
    }

    /// Allocates empty slots for this number of keys.
    fn reserve(&mut self, keys: usize) {
        if self.slots.is_empty() {
            // Random seed: colliding keys cannot be prepared in advance.
            self.seed = RandomState::new().hash_one(keys);
        }
        self.slots = vec![0; (keys + keys / 3 + 3).next_power_of_two()].into_boxed_slice();
        self.len = 0;
    }

    /// Enters the next key.
    fn take(&mut self, key: &[u8]) {
        self.len += 1;
        let (mut slot, tag) = self.start(key);
        while self.slots[slot] != 0 {
            slot = self.after(slot);
        }
        self.slots[slot] = tag | self.len as u64;
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

/// The part of a slot that is a position.
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
    use std::cell::Cell;

    #[test]
    fn lookup_returns_the_place_of_the_key() {
        for count in [0, 1, 3, 4, 5, 6, 1000] {
            let keys: Vec<String> = (0..count).map(|number| format!("key{number}")).collect();
            let mut appended = KeyIndex::default();
            (0..count).for_each(|_| appended.append(|place| keys[place].as_bytes()));
            for index in [KeyIndex::new(keys.iter().map(|key| key.as_bytes())), appended] {
                let find = |key: &str| index.find(key.as_bytes(), |place| keys[place].as_bytes());
                assert!(keys.iter().enumerate().all(|(place, key)| find(key) == Some(place)));
                assert_eq!((find(""), find("key"), find(&format!("key{count}"))), (None, None, None));
            }
        }
    }

    #[test]
    fn a_search_for_what_is_not_there_ends() {
        let keys: Vec<String> = (0..100).map(|number| number.to_string()).collect();
        for count in 0..20 {
            let mut index = KeyIndex::new(keys[..count].iter().map(|key| key.as_bytes()));
            for more in count..keys.len() {
                assert!(index.slots.contains(&0) || index.slots.is_empty(), "{more} keys, {count} of them at once");
                assert_eq!(index.find(b"missing", |place| keys[place].as_bytes()), None);
                index.append(|place| keys[place].as_bytes());
            }
        }
    }

    #[test]
    fn lookup_of_equal_keys_returns_the_first() {
        let keys: Vec<String> = (0..100).map(|number| format!("key{}", number % 10)).collect();
        let mut index = KeyIndex::default();
        keys.iter().for_each(|_| index.append(|place| keys[place].as_bytes()));
        let find = |key: &str| index.find(key.as_bytes(), |place| keys[place].as_bytes());
        assert!((0..10).all(|number| find(&format!("key{number}")) == Some(number)));
    }

    #[test]
    fn a_key_is_compared_with_few_others() {
        let keys: Vec<String> = (0..100_000).map(|number| format!("attribute_{number}")).collect();
        let looks = Cell::new(0);
        let key_at = |place: usize| {
            looks.set(looks.get() + 1);
            keys[place].as_bytes()
        };
        let mut index = KeyIndex::default();
        keys.iter().for_each(|_| index.append(key_at));
        assert!(looks.get() < 4 * keys.len(), "{} looks to append", looks.get());
        looks.set(0);
        assert!(keys.iter().enumerate().all(|(place, key)| index.find(key.as_bytes(), key_at) == Some(place)));
        assert!(looks.get() < keys.len() + keys.len() / 100, "{} looks to find", looks.get());
    }
}
