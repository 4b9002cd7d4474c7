//! Hash sets of fixed-size values, looked up by their bytes.

/// A hash set of words with open addressing, at most half full.
pub struct WordSet {
    slots: Vec<u64>,
    /// Zero marks an empty slot, so the value zero has a flag.
    has_zero: bool,
    shift: u32,
}

impl WordSet {
    /// The set of these words.
    pub(crate) fn new(words: &[u64]) -> WordSet {
        let bits = (2 * words.len().max(2)).next_power_of_two().trailing_zeros();
        let mut set = WordSet { slots: vec![0; 1 << bits], has_zero: words.contains(&0), shift: 64 - bits };
        for &word in words {
            let slot = set.find(word);
            set.slots[slot] = word;
        }
        set
    }

    /// The slot that holds the word or, if it is not there, where it would be put.
    #[inline]
    fn find(&self, word: u64) -> usize {
        let mut slot = (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize;
        while self.slots[slot] != word && self.slots[slot] != 0 {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        slot
    }

    /// True if the word is a member.
    #[inline]
    pub(crate) fn contains(&self, word: u64) -> bool {
        if word == 0 { self.has_zero } else { self.slots[self.find(word)] == word }
    }
}

/// The bytes of a value of at most eight as a word.
pub(crate) fn word(value: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    for (byte, value) in bytes.iter_mut().zip(value) {
        *byte = *value;
    }
    u64::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn set_contains_its_members_only(words in prop::collection::vec(0u64..500, 0..300), far in any::<u64>()) {
            let set = WordSet::new(&words);
            for word in 0..500 {
                prop_assert_eq!(set.contains(word), words.contains(&word));
            }
            prop_assert_eq!(set.contains(far), words.contains(&far));
        }
    }

    #[test]
    fn a_value_is_a_word() {
        assert_eq!(word(&[1, 2]), 0x201);
        assert_eq!(word(&[1; 9]), 0x0101_0101_0101_0101);
    }
}
