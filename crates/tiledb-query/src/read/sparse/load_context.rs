//! Loads tiles of a sparse read in parallel, as many at a time as the memory budget holds.

use super::fragment_cursor::FragmentCursor;
use super::load::TileLoader;
use super::loaded_tile::LoadedTile;
use super::tile_memory::fitting;
use tiledb_array::array::OpenArray;
use tiledb_cells::input::decode_context::DecodeContext;
use tiledb_cells::input::prefetch::Prefetch;
use tiledb_cells::keys::plan::KeyPlan;
use tiledb_core::budget::Budget;
use tiledb_core::error::Result;
use tiledb_core::pool::ProgressCounter;
use tiledb_core::stats::{Counter, Stats, Timer};

/// Context for loading the tiles of a read.
pub(super) struct LoadContext<'r> {
    pub array: &'r OpenArray,
    pub cursors: &'r [FragmentCursor],
    pub loader: TileLoader<'r>,
    pub budget: &'r Budget,
    pub stats: &'r Stats,
    pub tally: &'r ProgressCounter,
    /// Cells are delivered more than once where ranges overlap.
    pub repeats: bool,
}

impl LoadContext<'_> {
    /// True if requested fields that can be decoded again should be dropped: half of the memory is in use.
    pub(super) fn is_short(&self) -> bool {
        self.budget.available() < self.budget.limit() / 2
    }

    /// Most bytes that loading a tile takes, with the keys of a plan.
    ///
    /// # Errors
    /// If tables of the fragment are not valid.
    pub(super) fn need(&self, &(number, place): &(usize, usize), keys: Option<&KeyPlan>) -> Result<u64> {
        let cursor = &self.cursors[number];
        cursor.tile(place).map_or(Ok(0), |(tile, full)| self.loader.need(cursor, tile, full, keys))
    }

    /// Loads tiles by their positions in cursors, as many at a time as fit into memory, and passes each with its number
    /// among them to `make`. Tiles that are loaded `again` are not counted as progress.
    ///
    /// # Errors
    /// From storage, for stored bytes that are not valid, and where the memory budget does not suffice for a single tile.
    pub(super) fn load<T: Send>(
        &self,
        places: &[(usize, usize)],
        keys: Option<&KeyPlan>,
        again: bool,
        make: impl Fn(usize, LoadedTile, DecodeContext<'_>) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let _timer = self.stats.timer(Timer::ReadCoordinates);
        let needs = places.iter().map(|place| self.need(place, keys)).collect::<Result<Vec<u64>>>()?;
        let resources = self.array.resources();
        let mut made = Vec::with_capacity(places.len());
        let mut first = 0;
        while first < places.len() {
            let count = fitting(&needs[first..], self.budget.available()).max(1);
            let batch = &places[first..first + count];
            let work = batch.iter().zip(&needs[first..]).filter(|(place, _)| !self.is_cached(place));
            let work = work.fold(0, |work: u64, (_, need)| work.saturating_add(*need)) as usize;
            let load = || {
                resources.pools().map(count, work, resources.cancel(), |task| {
                    let (number, place) = batch[task];
                    let cursor = &self.cursors[number];
                    let Some((tile, full)) = cursor.tile(place) else { return Ok(None) };
                    let mut tile = self.loader.load(cursor, number, tile, full)?;
                    if self.is_short() {
                        tile.forget(cursor);
                    }
                    if !again {
                        self.stats.add(Counter::ReaderIgnoredTiles, u64::from(tile.selected_count() == 0));
                        self.tally.add((2 * tile.cells - tile.selected_count()) as u64);
                    }
                    make(first + task, tile, self.loader.access).map(Some)
                })
            };
            let tiles = match self.ahead(batch)? {
                Some(ahead) => ahead.run(self.budget, load)?,
                None => load()?,
            };
            made.extend(tiles.into_iter().flatten());
            first += count;
        }
        Ok(made)
    }

    fn is_cached(&self, &(number, place): &(usize, usize)) -> bool {
        let cursor = &self.cursors[number];
        cursor.tile(place).is_some_and(|(tile, full)| self.loader.is_cached(cursor, tile, full))
    }

    /// Reads that loading these tiles does, to be prefetched where storage is remote.
    fn ahead(&self, places: &[(usize, usize)]) -> Result<Option<Prefetch<'_>>> {
        let Some(mut ahead) = Prefetch::new(self.array)? else { return Ok(None) };
        for &(number, place) in places {
            let cursor = &self.cursors[number];
            if let Some((tile, full)) = cursor.tile(place) {
                self.loader.fetch(cursor, tile, full, &mut ahead)?;
            }
        }
        Ok(Some(ahead))
    }
}
