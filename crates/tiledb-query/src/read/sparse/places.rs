//! Selected cells of a tile.

use std::ops::Range;

/// Places among the wanted cells of a tile, ascending.
#[derive(Clone, Debug)]
pub enum Places {
    Range(Range<usize>),
    List(Vec<u32>),
}

impl Places {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Places::Range(range) => range.len(),
            Places::List(list) => list.len(),
        }
    }

    /// The place with a number among them.
    pub fn at(&self, number: usize) -> usize {
        match self {
            Places::Range(range) => range.start + number,
            Places::List(list) => list[number] as usize,
        }
    }
}
