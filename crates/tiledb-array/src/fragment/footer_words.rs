//! Words of a footer in memory. Arrays have thousands of footers: words take 32 bits each if all of them fit, as those of
//! files below 4 GiB do.

/// Immutable words. Equal words are stored alike.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum FooterWords {
    Narrow(Box<[u32]>),
    Wide(Box<[u64]>),
}

impl FooterWords {
    pub(super) fn new(words: Vec<u64>) -> FooterWords {
        match words.iter().all(|&word| word <= u64::from(u32::MAX)) {
            true => FooterWords::Narrow(words.iter().map(|&word| word as u32).collect()),
            false => FooterWords::Wide(words.into_boxed_slice()),
        }
    }

    pub(super) fn get(&self, index: usize) -> Option<u64> {
        match self {
            FooterWords::Narrow(words) => words.get(index).copied().map(u64::from),
            FooterWords::Wide(words) => words.get(index).copied(),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u64> {
        (0..).map_while(|index| self.get(index))
    }

    /// Bytes of memory.
    pub(super) fn size_in_memory(&self) -> usize {
        match self {
            FooterWords::Narrow(words) => size_of_val(&**words),
            FooterWords::Wide(words) => size_of_val(&**words),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_any_size_are_returned_unchanged() {
        for (words, size) in [(vec![], 0), (vec![0, 7, u64::from(u32::MAX)], 12), (vec![1, 1 << 32, u64::MAX], 24)] {
            let packed = FooterWords::new(words.clone());
            assert_eq!((packed.iter().collect::<Vec<_>>(), packed.get(words.len())), (words, None));
            assert_eq!(packed.size_in_memory(), size);
        }
    }
}
