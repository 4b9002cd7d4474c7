//! Deletion times and conditions of cells, for fragments that retain deleted cells.

use super::filter::Deletion;
use super::loaded_tile::{FieldData, TileDeletions};
use tiledb_cells::input::decode_context::DecodeContext;
use tiledb_cells::input::decoded::DecodedTile;
use tiledb_core::budget::{Lease, MemoryKind};
use tiledb_core::error::{Result, bail};
use tiledb_core::pool::Scratch;

/// The deletions of the cells of a tile: the maximum number for cells that were not deleted.
pub struct Deletions {
    times: Lease<Scratch>,
    conditions: Lease<Scratch>,
}

impl Deletions {
    /// Of cells that are all alive.
    pub fn new(cells: usize, access: DecodeContext<'_>) -> Result<Deletions> {
        let words = || {
            let mut words = access.scratch(MemoryKind::AttributeTiles, cells * 8)?;
            words.slice_mut().fill(u8::MAX);
            Ok(words)
        };
        Ok(Deletions { times: words()?, conditions: words()? })
    }

    /// Adds those that a fragment stores; `indexes` are the new indexes of its conditions.
    pub fn add_stored(&mut self, times: &DecodedTile, conditions: &DecodedTile, indexes: &[u64]) -> Result<()> {
        self.times.slice_mut().copy_from_slice(times.bytes());
        let stored = conditions.bytes().as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
        for (condition, stored) in words(&mut self.conditions).iter_mut().zip(stored) {
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
        let cells = words(&mut self.times).iter_mut().zip(words(&mut self.conditions));
        for ((time, condition), mark) in cells.zip(marks) {
            if *mark == 0 && deletion.time < *time {
                (*time, *condition) = (deletion.time, deletion.index);
            }
        }
    }

    /// The deletions, as a tile has them.
    ///
    /// # Errors
    /// If the columns are too long.
    pub fn of_tile(self) -> Result<TileDeletions> {
        let [times, conditions] = [DecodedTile::fixed(self.times)?, DecodedTile::fixed(self.conditions)?];
        Ok(TileDeletions::Some([FieldData::Whole(times), FieldData::Whole(conditions)]))
    }
}

fn words(bytes: &mut Lease<Scratch>) -> &mut [u64] {
    bytemuck::try_cast_slice_mut(bytes.slice_mut()).unwrap_or_default()
}
