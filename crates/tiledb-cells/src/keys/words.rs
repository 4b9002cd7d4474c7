//! The words of keys.

use crate::columns::coords::Coords;
use tiledb_core::budget::MemoryUsage;
use tiledb_core::error::Result;
use tiledb_core::memory;

/// The keys of some cells: word by word, in each word cell by cell.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    pub(super) words: Vec<u64>,
    pub(super) count: usize,
}

impl MemoryUsage for Keys {
    fn memory_usage(&self) -> u64 {
        self.words.memory_usage()
    }
}

impl Keys {
    /// The first words of all cells.
    #[inline]
    pub fn first(&self) -> &[u64] {
        &self.words[..self.count]
    }

    /// The keys of some of the cells.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn gather(&self, cells: impl ExactSizeIterator<Item = usize> + Clone) -> Result<Keys> {
        let (words, count) = (self.words.len() / self.count.max(1), cells.len());
        let mut gathered = memory::with_capacity("sort keys", words * count)?;
        for word in 0..words {
            gathered.extend(cells.clone().map(|cell| self.word(word, cell)));
        }
        Ok(Keys { words: gathered, count })
    }

    /// A word of the key of a cell.
    #[inline]
    pub fn word(&self, word: usize, cell: usize) -> u64 {
        self.words[word * self.count + cell]
    }
}

/// Cells with their keys, for comparisons that go beyond the first word.
#[derive(Clone, Copy)]
pub struct CellKeys<'a> {
    pub keys: &'a Keys,
    /// The coordinates, one column per dimension.
    pub coords: &'a [Coords<'a>],
}
