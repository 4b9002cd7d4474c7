//! When and by which condition cells were deleted, for fragments that keep deleted cells.

use super::filter::Deletion;
use crate::budget::{Kind, Lease};
use crate::error::{Result, bail};
use crate::pool::{Scratch, scratch, scratch_size};
use crate::query::input::access::Access;
use crate::query::input::decoded::TileData;

/// The deletions of the cells of a tile: the greatest number for cells that are alive.
pub struct Deletions {
    times: Scratch,
    conditions: Scratch,
    leases: [Lease; 2],
}

impl Deletions {
    /// Of cells that are all alive.
    pub fn new(cells: usize, access: Access<'_>) -> Result<Deletions> {
        let lease = || access.lease(Kind::AttributeTiles, scratch_size(cells as u64 * 8));
        let leases = [lease()?, lease()?];
        let mut deletions = Deletions { times: scratch(cells * 8)?, conditions: scratch(cells * 8)?, leases };
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
        let [times, conditions] = self.leases;
        [TileData::fixed(self.times, times), TileData::fixed(self.conditions, conditions)]
    }
}
