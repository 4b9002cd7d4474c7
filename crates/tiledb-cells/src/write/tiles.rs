//! Produces the tiles of a write: as many at a time as memory allows, in parallel, and appended in order. If memory does not
//! suffice for two tiles, fields are processed one after another and filtered while they are written.

use super::encode::{Encoder, PendingTile, UnfilteredTile, recycle};
use super::fragments::FragmentSplitter;
use super::ready_tile::ReadyTile;
use super::spec::WriteSpec;
use tiledb_array::schema::Field;
use tiledb_core::budget::{Lease, MemoryKind, MemoryUsage};
use tiledb_core::error::Result;
use tiledb_core::limits::write::{MAX_WAITING_BYTES, MIN_CONCURRENT_TILES};
use tiledb_core::stats::Timer;

/// Receives the cells of a tile, some of which are borrowed from the user's buffer, to write them or to retain them
/// filtered.
pub(crate) type TileSink<'a, 'c> = &'a mut dyn FnMut(PendingTile<'_, 'c>) -> Result<()>;

/// Gathers the cells of a field, the first number, in a tile, the second, and passes them on.
pub(crate) type TileProducer<'a, 'c> =
    &'a (dyn Fn(&Encoder<'_>, &Field, usize, usize, TileSink<'_, 'c>) -> Result<()> + Sync);

/// Tiles that are to be written.
struct FilteredTiles<'c>(Vec<ReadyTile<'c>>);

impl MemoryUsage for FilteredTiles<'_> {
    fn memory_usage(&self) -> u64 {
        self.0.iter().map(ReadyTile::memory_bytes).sum::<usize>() as u64
    }
}

/// Writes tiles of about `tile_bytes` over all fields; `make` gathers the cells of a tile of a field and passes them
/// on.
///
/// # Errors
/// The first error of a tile or of storage.
pub(crate) fn write_tiles<'c>(
    spec: &WriteSpec,
    fragments: &mut FragmentSplitter,
    fields: &[&Field],
    tiles: usize,
    tile_bytes: usize,
    make: TileProducer<'_, 'c>,
) -> Result<()> {
    let row = tile_bytes.max(1);
    let available = usize::try_from(spec.budget.available()).unwrap_or(usize::MAX);
    if available / MIN_CONCURRENT_TILES.count() < row && fragments.allows_field_by_field() {
        return one_by_one(spec, fragments, fields, tiles, make);
    }
    let threads = spec.array.resources().pools().compute();
    side_by_side(spec, fragments, fields, (tiles, waiting(row, threads, available), row), make)
}

/// How many tiles are made or wait at a time: each thread has the cells of one.
fn waiting(row: usize, threads: usize, available: usize) -> usize {
    let limit = (MAX_WAITING_BYTES.count() / row).max(2 * threads);
    limit.min((available / row).saturating_sub(threads + 1)).max(1)
}

fn side_by_side<'c>(
    spec: &WriteSpec,
    fragments: &mut FragmentSplitter,
    fields: &[&Field],
    (tiles, waiting, row): (usize, usize, usize),
    make: TileProducer<'_, 'c>,
) -> Result<()> {
    let resources = spec.array.resources();
    let encoder = Encoder::new(spec);
    let _timer = spec.stats.timer(Timer::MakeTiles);
    let mut at_place = Vec::with_capacity(fields.len());
    resources.pools().for_each_ordered(
        (tiles.saturating_mul(fields.len()), waiting.saturating_mul(fields.len())),
        tiles.saturating_mul(row),
        resources.cancel(),
        |task| {
            let (tile, f) = (task / fields.len(), task % fields.len());
            let mut made = FilteredTiles(Vec::new());
            make(&encoder, fields[f], f, tile, &mut |tile| {
                made.0 = vec![encoder.encode(fields[f], tile)?];
                Ok(())
            })?;
            spec.budget.lease(MemoryKind::FilteredTiles, made.memory_usage(), || Ok(made))
        },
        |made| {
            at_place.push(made);
            if at_place.len() < fields.len() {
                return Ok(());
            }
            append(spec, fragments, fields, &mut at_place)
        },
    )
}

/// Writes the tiles of all fields at a position.
fn append(
    spec: &WriteSpec,
    fragments: &mut FragmentSplitter,
    fields: &[&Field],
    at_place: &mut Vec<Lease<FilteredTiles<'_>>>,
) -> Result<()> {
    let _timer = spec.stats.timer(Timer::WriteTiles);
    let mut tiles = Vec::with_capacity(fields.len());
    for mut made in at_place.drain(..) {
        made.change(|made| tiles.append(&mut made.0))?;
    }
    let tiles = FilteredTiles(tiles);
    let mut tiles = spec.budget.lease(MemoryKind::FilteredTiles, tiles.memory_usage(), || Ok(tiles))?;
    tiles.change(|tiles| {
        fragments.append(fields, std::mem::take(&mut tiles.0)).map(|written| written.into_iter().for_each(recycle))
    })?
}

/// Writes tiles while they are filtered, field by field: in memory are the cells of one, or some of these.
fn one_by_one<'c>(
    spec: &WriteSpec,
    fragments: &mut FragmentSplitter,
    fields: &[&Field],
    tiles: usize,
    make: TileProducer<'_, 'c>,
) -> Result<()> {
    let encoder = Encoder::of_little(spec);
    let _timer = spec.stats.timer(Timer::MakeTiles);
    for tile in 0..tiles {
        let (mut bounds, mut cells) = (Vec::new(), 0);
        for (f, &field) in fields.iter().enumerate() {
            spec.array.resources().cancel().check()?;
            make(&encoder, field, f, tile, &mut |mut tile| {
                let stats = encoder.pending_stats(field, &mut tile)?;
                encoder.count(&tile.cells);
                if f == 0 {
                    cells = tile.cells.count(field);
                }
                bounds.extend(tile.bounds.clone());
                fragments.append_field(field, &UnfilteredTile { encoder: &encoder, field, tile, stats })
            })?;
        }
        fragments.complete_tile(&bounds, cells)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_follows_the_room() {
        assert_eq!(waiting(1 << 10, 2, usize::MAX), MAX_WAITING_BYTES.count() >> 10);
        assert_eq!(waiting(1 << 30, 2, usize::MAX), 4);
        assert_eq!(waiting(1 << 20, 2, 6 << 20), 3);
        assert_eq!(waiting(1 << 20, 2, 2 << 20), 1);
    }
}
