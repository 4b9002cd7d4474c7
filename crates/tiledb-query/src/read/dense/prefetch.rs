//! Prefetch lists of the batches of a dense read.

use std::collections::HashSet;

use super::batch::{BatchPlan, TileView};
use super::condition::TileRead;
use super::context::DenseContext;
use tiledb_array::schema::Field;
use tiledb_cells::input::prefetch::Prefetch;
use tiledb_cells::predicate::program::Program;
use tiledb_cells::predicate::verdict::Verdict;
use tiledb_core::error::Result;
use tiledb_core::limits::dense_read::WHOLE_TILE_PART;

/// The tiles of a batch, to be prefetched; `None` for local storage.
///
/// # Errors
/// If tables of a fragment cannot be read.
pub fn of_batch<'a>(
    context: &'a DenseContext,
    plan: &BatchPlan,
    fields: &[&Field],
    condition: Option<&Program>,
) -> Result<Option<Prefetch<'a>>> {
    let Some(mut ahead) = Prefetch::new(&context.array)? else { return Ok(None) };
    let names: HashSet<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    let compared = context.compared.iter().filter(|compared| !names.contains(compared.name.as_str()));
    for field in compared.chain(fields.iter().copied()).filter(|field| !field.is_dimension) {
        for number in 0..plan.len() {
            let tile = plan.tile(number);
            let is_read = match condition {
                Some(program) => {
                    TileRead::search(context, program, &tile).decide(&tile.origins(context)?)? != Verdict::Never
                }
                None => true,
            };
            if is_read {
                add_tile(context, &tile, field, &mut ahead)?;
            }
        }
    }
    Ok(Some(ahead))
}

/// Adds the parts of a tile that hold a field.
///
/// # Errors
/// If tables of a fragment cannot be read.
pub fn add_tile(context: &DenseContext, tile: &TileView<'_>, field: &Field, ahead: &mut Prefetch<'_>) -> Result<()> {
    let is_much = tile.cells()? as u64 >= context.grid.tile_cells as u64 / WHOLE_TILE_PART.bytes();
    for stored in tile.origins(context)?.iter().filter_map(|origin| origin.stored) {
        if let Some(own) = stored.fragment.stored(field) {
            ahead.add(stored.fragment, own, stored.tile, is_much)?;
        }
    }
    Ok(())
}
