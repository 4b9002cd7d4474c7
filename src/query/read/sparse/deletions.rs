//! When and by which condition cells were deleted, for fragments that keep deleted cells.

use std::sync::Arc;

use super::filter::Deletion;
use crate::error::{Result, bail};
use crate::pool::{Scratch, scratch};
use crate::query::input::decoded::TileData;

/// The deletions of the cells of a tile: the greatest number for cells that are alive.
pub struct Deletions {
    times: Scratch,
    conditions: Scratch,
}

impl Deletions {
    /// Of cells that are all alive.
    pub fn new(cells: usize) -> Result<Deletions> {
        let mut deletions = Deletions { times: scratch(cells * 8)?, conditions: scratch(cells * 8)? };
        deletions.times.cast_mut::<u64>().fill(u64::MAX);
        deletions.conditions.cast_mut::<u64>().fill(u64::MAX);
        Ok(deletions)
    }

    /// Takes over what a fragment stores; `indexes` gives the new indexes of its conditions.
    pub fn add_stored(&mut self, times: &TileData, conditions: &TileData, indexes: &[u64]) -> Result<()> {
        self.times.copy_from_slice(&times.data);
        let stored = conditions.data.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
        for (condition, stored) in self.conditions.cast_mut::<u64>().iter_mut().zip(stored) {
            *condition = match usize::try_from(stored).ok().and_then(|stored| indexes.get(stored)) {
                Some(index) => *index,
                None if stored == u64::MAX => stored,
                None => bail!(Corrupt, "A cell was deleted by condition {stored} of {}", indexes.len()),
            };
        }
        Ok(())
    }

    /// Adds a deletion of the cells whose mark is 0; of several the earliest counts.
    pub fn add(&mut self, deletion: Deletion, marks: &[u8]) {
        let cells = self.times.cast_mut::<u64>().iter_mut().zip(self.conditions.cast_mut::<u64>());
        for ((time, condition), mark) in cells.zip(marks) {
            if *mark == 0 && deletion.time < *time {
                (*time, *condition) = (deletion.time, deletion.index);
            }
        }
    }

    /// The times and the conditions.
    pub fn columns(self) -> [TileData; 2] {
        [self.times, self.conditions].map(|words| TileData::fixed(Arc::new(words)))
    }
}
