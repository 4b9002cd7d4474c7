//! The tiles of a write: as many at a time as memory allows, made in parallel and appended in order; where it does not
//! hold two of them, field by field, filtered while they are written.

use std::sync::Mutex;

use super::encode::{Encoder, Tile, Unfiltered, recycle};
use super::fragments::Fragments;
use super::ready::ReadyTile;
use super::spec::WriteSpec;
use crate::budget::{Held, Kind, Leased};
use crate::error::{Error, Result};
use crate::schema::Field;
use crate::stats::Timer;

/// Tiles of a batch: about this many bytes are in memory at a time, apart from the tiles at work.
const BATCH_BYTES: usize = 8 << 20;

/// What takes the cells of a tile, some of which the user has as they are needed, to write them or to keep them filtered.
pub type Take<'a, 'c> = &'a mut dyn FnMut(Tile<'_, 'c>) -> Result<()>;

/// Tiles that are to be written.
struct Made<'c>(Vec<ReadyTile<'c>>);

impl Held for Made<'_> {
    fn held(&self) -> u64 {
        self.0.iter().map(ReadyTile::held).sum::<usize>() as u64
    }
}

/// Writes tiles of about `tile_bytes` over all fields; `make` gathers the cells of a tile of a field and hands them over.
///
/// # Errors
/// The first error of a tile or of storage.
pub fn write_tiles<'c>(
    spec: &WriteSpec,
    fragments: &mut Fragments,
    fields: &[&Field],
    tiles: usize,
    tile_bytes: usize,
    make: impl Fn(&Encoder<'_>, &Field, usize, usize, Take<'_, 'c>) -> Result<()> + Sync,
) -> Result<()> {
    let row = tile_bytes.max(1);
    let room = usize::try_from(spec.budget.available()).unwrap_or(usize::MAX);
    if room / LEAST_AT_WORK < row && fragments.takes_fields_apart() {
        return one_by_one(spec, fragments, fields, tiles, make);
    }
    let threads = spec.array.resources().pools().compute();
    let batch = batch(row, threads, room).min(tiles.max(1));
    in_batches(spec, fragments, fields, (tiles, batch, row), make)
}

/// A tile that is made while another is written is there as it was given and filtered.
const LEAST_AT_WORK: usize = 3;

/// How many tiles are made at a time: as many lie in memory beside them, filtered, and each thread has the cells of one.
fn batch(row: usize, threads: usize, room: usize) -> usize {
    let wanted = (BATCH_BYTES / row).max(2 * threads);
    wanted.min((room / row).saturating_sub(threads) / 2).max(1)
}

fn in_batches<'c>(
    spec: &WriteSpec,
    fragments: &mut Fragments,
    fields: &[&Field],
    (tiles, batch, row): (usize, usize, usize),
    make: impl Fn(&Encoder<'_>, &Field, usize, usize, Take<'_, 'c>) -> Result<()> + Sync,
) -> Result<()> {
    let resources = spec.array.resources();
    let encoder = Encoder::new(spec);
    let mut made: Option<Leased<Made<'c>>> = None;
    for first in (0..tiles).step_by(batch) {
        let count = batch.min(tiles - first);
        let tasks = count * fields.len();
        let next: Vec<Mutex<Option<ReadyTile<'c>>>> = std::iter::repeat_with(Mutex::default).take(tasks).collect();
        let previous = Mutex::new(Some((&mut *fragments, made.take())));
        let timer = spec.stats.timer(Timer::MakeTiles);
        resources.pools().for_each(tasks + 1, count.saturating_mul(row), resources.cancel(), |task| {
            let Some(task) = task.checked_sub(1) else {
                let taken = previous.lock().map_err(|_| poisoned())?.take();
                return taken.map_or(Ok(()), |(fragments, made)| append(spec, fragments, fields, made));
            };
            let (tile, f) = (first + task / fields.len(), task % fields.len());
            let (field, slot) = (fields[f], &next[task]);
            make(&encoder, field, f, tile, &mut |tile| {
                *slot.lock().map_err(|_| poisoned())? = Some(encoder.encode(field, tile)?);
                Ok(())
            })
        })?;
        drop(timer);
        let tiles = Made(next.into_iter().filter_map(|slot| slot.into_inner().ok().flatten()).collect());
        made = Some(spec.budget.lease(Kind::FilteredTiles, tiles.held(), || Ok(tiles))?);
    }
    append(spec, fragments, fields, made)
}

fn append(
    spec: &WriteSpec,
    fragments: &mut Fragments,
    fields: &[&Field],
    made: Option<Leased<Made<'_>>>,
) -> Result<()> {
    let _timer = spec.stats.timer(Timer::WriteTiles);
    let Some(mut made) = made else { return Ok(()) };
    made.change(|made| {
        let mut tiles = std::mem::take(&mut made.0).into_iter();
        while tiles.len() > 0 {
            fragments.append(fields, tiles.by_ref().take(fields.len()).collect())?.into_iter().for_each(recycle);
        }
        Ok(())
    })?
}

/// Writes tiles while they are filtered, field by field: in memory are the cells of one, or some of these.
fn one_by_one<'c>(
    spec: &WriteSpec,
    fragments: &mut Fragments,
    fields: &[&Field],
    tiles: usize,
    make: impl Fn(&Encoder<'_>, &Field, usize, usize, Take<'_, 'c>) -> Result<()> + Sync,
) -> Result<()> {
    let encoder = Encoder::of_little(spec);
    let _timer = spec.stats.timer(Timer::MakeTiles);
    for tile in 0..tiles {
        let (mut bounds, mut cells) = (Vec::new(), 0);
        for (f, &field) in fields.iter().enumerate() {
            spec.array.resources().cancel().check()?;
            make(&encoder, field, f, tile, &mut |tile| {
                encoder.count(&tile.cells);
                if f == 0 {
                    cells = tile.cells.count(field);
                }
                bounds.extend(tile.bounds.clone());
                fragments.append_field(field, &Unfiltered { encoder: &encoder, field, tile })
            })?;
        }
        fragments.complete_tile(&bounds, cells)?;
    }
    Ok(())
}

#[cold]
fn poisoned() -> Error {
    Error::internal("A parallel task panicked while it made a tile")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_follow_the_room() {
        assert_eq!(batch(1 << 10, 2, usize::MAX), BATCH_BYTES >> 10);
        assert_eq!(batch(1 << 30, 2, usize::MAX), 4);
        assert_eq!(batch(1 << 20, 2, 16 << 20), 7);
        assert_eq!(batch(1 << 20, 2, 3 << 20), 1);
    }
}
