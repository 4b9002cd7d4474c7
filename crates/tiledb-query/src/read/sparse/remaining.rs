//! The remaining cells of a sparse read, by fragment: the delivered ones are a prefix of each.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::Arc;

use super::batch::TileBatch;
use super::fragment_cursor::FragmentCursor;
use super::merge::{CellPosition, Merger};
use super::merge_runs::{MergeRun, TileSpan};
use crate::read::position::FirstCell;
use tiledb_array::fragment::Fragment;
use tiledb_array::schema::Field;
use tiledb_cells::input::decode_context::DecodeContext;
use tiledb_cells::input::decoded::{DecodedTile, read_field};
use tiledb_core::error::{Result, bail};

/// The state of a reader that determines its remaining cells.
pub struct RemainingCells<'a> {
    pub cursors: &'a [FragmentCursor],
    pub runs: &'a [MergeRun],
    pub merger: Option<&'a Merger>,
    pub batch: Option<&'a TileBatch>,
}

impl RemainingCells<'_> {
    /// The first cell that is left of each fragment.
    ///
    /// # Errors
    /// Between copies of one cell.
    pub fn first_cells(&self, fragments: &[Arc<Fragment>]) -> Result<Vec<FirstCell>> {
        if self.batch.is_some_and(TileBatch::is_within_copies) {
            bail!("Cannot tell where the read stands; it stands between copies of a cell in several ranges");
        }
        let in_batch = match self.tombstones()? {
            Some(tombstones) => tombstones.first_cells()?,
            None => self.batch.map(TileBatch::first_cells).unwrap_or_default(),
        };
        let in_runs = self.first_places();
        let mut cursors = self.cursors.iter().enumerate().peekable();
        let mut first = |fragment: &Arc<Fragment>| {
            let cursor = cursors.next_if(|(_, cursor)| Arc::ptr_eq(&cursor.fragment, fragment));
            let found = cursor.and_then(|(number, cursor)| {
                let waiting = || self.merger.and_then(|merger| merger.first_waiting(number));
                let in_tiles = || {
                    let merged = self.merger.filter(|merger| merger.members().binary_search(&number).is_ok());
                    let next = merged.filter(|_| !cursor.is_done()).map(|_| cursor.next);
                    let place = next.into_iter().chain(in_runs.get(&number).copied()).min()?;
                    Some(FirstCell { tile: cursor.tile(place)?.0, cell: 0 })
                };
                in_batch.get(&number).copied().or_else(waiting).or_else(in_tiles)
            });
            found.unwrap_or_else(|| FirstCell { tile: fragment.tile_count(), cell: 0 })
        };
        Ok(fragments.iter().map(&mut first).collect())
    }

    /// The first position of each cursor in the runs.
    fn first_places(&self) -> HashMap<usize, usize> {
        let mut first: HashMap<usize, usize> = HashMap::new();
        for (cursor, places) in self.runs.iter().flat_map(MergeRun::places).filter(|(_, places)| !places.is_empty()) {
            let place = first.entry(*cursor).or_insert(places.start);
            *place = places.start.min(*place);
        }
        first
    }

    /// The batch, if it contains tombstones.
    fn tombstones(&self) -> Result<Option<TombstoneBatch<'_>>> {
        let Some((merger, batch)) = self.merger.zip(self.batch) else { return Ok(None) };
        let next = batch.next_cell().filter(|_| batch.tiles.iter().any(|tile| tile.has_tombstones()));
        let Some((tile, cell)) = next else { return Ok(None) };
        Ok(Some(TombstoneBatch { merger, batch, next: merger.position_before(tile, cell)? }))
    }
}

/// A batch with tombstones: cells that do not match the conditions, but supersede older ones. They remain as long as
/// those may follow.
struct TombstoneBatch<'a> {
    merger: &'a Merger,
    batch: &'a TileBatch,
    next: CellPosition<'a>,
}

impl TombstoneBatch<'_> {
    /// The first remaining cell of each cursor.
    fn first_cells(&self) -> Result<HashMap<usize, FirstCell>> {
        let mut first = HashMap::new();
        for tile in &self.batch.tiles {
            if let Entry::Vacant(place) = first.entry(tile.cursor)
                && let Some(cell) = self.merger.first_after(tile, &self.next)?
            {
                place.insert(FirstCell { tile: tile.tile, cell: cell as u64 });
            }
        }
        Ok(first)
    }
}

/// Skips cells before these, one of each fragment; if only the latest of equal cells counts, `latest` is used to look
/// for older ones.
///
/// # Errors
/// If the array has other fragments, or coordinates cannot be read.
pub fn skip_delivered(
    cursors: &mut [FragmentCursor],
    runs: &mut Vec<MergeRun>,
    fragments: &[Arc<Fragment>],
    first: &[FirstCell],
    latest: Option<DecodeContext<'_>>,
) -> Result<()> {
    if first.len() != fragments.len() {
        bail!("Cannot go on with the read; it stands in {} fragments, the array has {}", first.len(), fragments.len());
    }
    let mut cells = fragments.iter().zip(first);
    for cursor in &mut *cursors {
        if let Some((_, first)) = cells.find(|(fragment, _)| Arc::ptr_eq(fragment, &cursor.fragment)) {
            cursor.first = *first;
            if let Some(access) = latest {
                skip_older(cursor, access)?;
            }
        }
    }
    let after = |(number, places): &TileSpan| -> Range<usize> {
        let cursor = &cursors[*number];
        let is_left = |place: usize| cursor.tile(place).is_none_or(|(tile, _)| tile >= cursor.first.tile);
        let (mut low, mut high) = (places.start, places.end);
        while low < high {
            let middle = low + (high - low) / 2;
            (low, high) = if is_left(middle) { (low, middle) } else { (middle + 1, high) };
        }
        low..places.end
    };
    for run in &mut *runs {
        match run {
            MergeRun::Alone(places) => places.1 = after(places),
            MergeRun::Merged(members) => {
                members.iter_mut().for_each(|places| places.1 = after(places));
                members.retain(|(_, places)| !places.is_empty());
            }
        }
    }
    runs.retain(|run| run.places().iter().any(|(_, places)| !places.is_empty()));
    Ok(())
}

fn value<'a>(column: &'a DecodedTile, cell: u64, field: &Field) -> &'a [u8] {
    column.coords().value(cell as usize, field.cell_size())
}

/// Libtiledb's position is after the last cell of a tile even if older ones with its coordinates begin the next tiles.
fn skip_older(cursor: &mut FragmentCursor, access: DecodeContext<'_>) -> Result<()> {
    let FragmentCursor { fragment, first, dimensions, .. } = cursor;
    let Some(tiles) = fragment.tile_count().checked_sub(first.tile).filter(|tiles| *tiles > 1) else { return Ok(()) };
    let (of, cells) = (first.tile, fragment.cells_in_tile(first.tile));
    if !fragment.has_timestamps() || cells == 0 || first.cell < cells {
        return Ok(());
    }
    let coordinates = |tile: u64| -> Result<Vec<DecodedTile>> {
        let cells = usize::try_from(fragment.cells_in_tile(tile)).unwrap_or(usize::MAX);
        dimensions.iter().map(|field| read_field(fragment, field, tile, cells, access, false)).collect()
    };
    let tile = coordinates(of)?;
    let last: Vec<&[u8]> =
        tile.iter().zip(&*dimensions).map(|(column, field)| value(column, cells - 1, field)).collect();
    for tile in (of..).take(usize::try_from(tiles).unwrap_or(usize::MAX)).skip(1) {
        let next = coordinates(tile)?;
        let is_older = |cell: u64| {
            let mut columns = last.iter().zip(next.iter().zip(&*dimensions));
            columns.all(|(last, (column, field))| *last == value(column, cell, field))
        };
        let count = fragment.cells_in_tile(tile);
        let older = (0..count).take_while(|cell| is_older(*cell)).count() as u64;
        *first = FirstCell { tile, cell: older };
        if older < count {
            break;
        }
    }
    Ok(())
}
