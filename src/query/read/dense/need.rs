//! The memory of a dense read: tiles on their way to the results, and the starts of variable cells.

use super::batch::BatchPlan;
use super::context::Context;
use crate::error::{Error, ErrorKind, Result};
use crate::fragment::Part;
use crate::pool::Pools;
use crate::query::input::tile_source::MAX_CHUNK;
use crate::query::predicate::program::Program;
use crate::schema::Field;

/// Bytes that a batch holds until it is delivered: where its variable cells start, in the results and in
/// the stored tiles.
pub fn of_batch(context: &Context, plan: &BatchPlan, fields: &[&Field], condition: Option<&Program>) -> u64 {
    let var = fields.iter().filter(|field| field.is_var()).count() as u64;
    let mut stored = (plan.len() as u64).saturating_mul(context.grid.tile_cells as u64);
    if !context.singles.fragments().is_empty() && var > 0 {
        // At most each single cell of a space tile lies in a stored tile of its own.
        let most = context.singles.stored_tiles();
        let singles = (0..plan.len()).map(|tile| context.singles.of_tile(&plan.tile(tile).index()).len().min(most));
        let tiles = singles.sum::<usize>() as u64;
        stored = stored.saturating_add(tiles.saturating_mul(context.singles.largest_tile() as u64));
    }
    let marks = if condition.is_some() && var > 0 { plan.cells as u64 } else { 0 };
    stored.saturating_add(plan.cells as u64).saturating_mul(8 * var).saturating_add(marks)
}

/// How many threads may work on tiles of a batch at a time, each within its share of `room` bytes.
///
/// # Errors
/// [`ErrorKind::Budget`] if the room is less than one tile takes.
pub fn pools(
    context: &Context,
    plan: &BatchPlan,
    fields: &[&Field],
    condition: Option<&Program>,
    room: u64,
) -> Result<Pools> {
    let compared: &[Field] = condition.map_or(&[], Program::columns);
    let fields: Vec<&Field> = fields.iter().copied().chain(compared).collect();
    let fields = fields.as_slice();
    let pools = *context.array.resources().pools();
    let threads = pools.compute() as u64;
    let cells = context.grid.tile_cells.max(context.singles.largest_tile()) as u64;
    let sizes =
        fields.iter().map(|field| cells.saturating_mul(if field.is_var() { 8 } else { field.cell_size() as u64 }));
    // Fields that are compared lie decoded side by side, with marks, and beside them one that is delivered.
    let beside = compared.iter().map(|field| (field.cell_size() + 9) as u64).sum::<u64>();
    let guess = sizes.max().unwrap_or(0);
    let beside = if condition.is_some() {
        beside.saturating_add(2).saturating_mul(cells.min(plan.cells as u64)).saturating_add(guess)
    } else {
        0
    };
    let guess = guess.saturating_add(beside);
    let has_var = fields.iter().any(|field| field.is_var());
    // Filters hardly ever make tiles longer; where there is this much room no table needs to be looked at.
    if !has_var && guess.saturating_mul(2 * threads) <= room {
        return Ok(pools);
    }
    let need = largest(context, plan, fields, cells)?.saturating_add(beside).max(1);
    if need > room {
        let text = format!(
            "DenseReader: Cannot read a tile of {need} bytes within the {room} bytes that are left of the memory \
             budget; raise 'sm.mem.total_budget', now {}, by at least {}",
            context.budget.limit(),
            need - room
        );
        return Err(Error::new(ErrorKind::Budget, text));
    }
    Ok(Pools::new((room / need).min(threads) as usize, pools.io()))
}

/// The most bytes that a task needs for one tile: as it is stored, a chunk of it, and the values of variable cells.
fn largest(context: &Context, plan: &BatchPlan, fields: &[&Field], cells: u64) -> Result<u64> {
    let chunk = |size: u64| size.min(MAX_CHUNK as u64);
    let mut largest = 0;
    for tile in 0..plan.len() {
        let tile = plan.tile(tile);
        for field in fields.iter().filter(|field| !field.is_dimension) {
            for stored in tile.origins_of(context, field)?.iter().filter_map(|origin| origin.stored) {
                let (fragment, number) = (stored.fragment, stored.tile);
                let Some(field) = fragment.stored(field) else { continue };
                let cell_size = if field.is_var() { 8 } else { field.cell_size() as u64 };
                let mut need = chunk(cells.saturating_mul(cell_size));
                if !field.filters.is_empty() || field.is_var() {
                    let data = fragment.tile(field, Part::Data, number)?;
                    need = need.saturating_add(data.end - data.start);
                }
                if field.is_var() {
                    let stored = fragment.tile(field, Part::Var, number)?;
                    let values = fragment.var_tile_size(field, number)?;
                    need = need.max((stored.end - stored.start).saturating_add(values).saturating_add(chunk(values)));
                }
                largest = largest.max(need);
            }
        }
    }
    Ok(largest)
}
