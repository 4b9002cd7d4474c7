//! Memory requirements of a dense read that are known before a batch is decoded.

use super::batch::BatchPlan;
use super::context::DenseContext;
use tiledb_array::schema::Field;
use tiledb_cells::predicate::program::Program;

/// Bytes that a batch holds until it is delivered.
pub struct BatchMemory {
    /// In proportion to its cells: the starts of variable cells of fields whose offsets have another format, and the
    /// selection mask.
    pub results: u64,
    /// The starts of variable cells in the stored tiles, if these are not to be decoded twice. Those of a single tile are not
    /// counted: a smaller part of it needs no less, and if they do not fit some are decoded at a time.
    pub starts: u64,
}

/// Bytes that a batch holds, in which `own_starts` fields have offsets of another format.
pub fn of_batch(
    context: &DenseContext,
    plan: &BatchPlan,
    fields: &[&Field],
    own_starts: usize,
    condition: Option<&Program>,
) -> BatchMemory {
    let var = fields.iter().filter(|field| field.is_var()).count() as u64;
    let stored = if plan.len() > 1 && var > 0 { stored_cells(context, plan) } else { 0 };
    let marks = if condition.is_some() && var > 0 { plan.cells as u64 } else { 0 };
    let results = (plan.cells as u64).saturating_mul(8 * own_starts as u64);
    BatchMemory { results: results.saturating_add(marks), starts: stored.saturating_mul(8 * var) }
}

/// The cells of the stored tiles of a batch.
fn stored_cells(context: &DenseContext, plan: &BatchPlan) -> u64 {
    let tiles = (plan.len() as u64).saturating_mul(context.grid.tile_cells as u64);
    if context.singles.fragments().is_empty() {
        return tiles;
    }
    // In the worst case each single cell of a space tile is in a different stored tile.
    let most = context.singles.stored_tiles();
    let singles = (0..plan.len()).map(|tile| context.singles.of_tile(&plan.tile(tile).index()).len().min(most));
    let singles = singles.sum::<usize>() as u64;
    tiles.saturating_add(singles.saturating_mul(context.singles.largest_tile() as u64))
}
