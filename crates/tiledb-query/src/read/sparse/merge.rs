//! K-way merge of fragments: tiles with keys are queued per fragment, and cells below a bound that no later tile can
//! undercut are sorted at once. Of cells with equal coordinates the latest wins, unless the array allows duplicates: then
//! those of earlier fragments come first, in as many rounds as it takes.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use super::batch::TileBatch;
use super::cell_indexes::CellIndexes;
use super::fragment_cursor::FragmentCursor;
use super::keyed_tile::{KeyedTile, coords_of};
use super::loaded_tile::LoadedTile;
use super::merge_round::{DuplicatePolicy, TileSlice, in_order};
use super::tile_memory::{max_ordered, of_order};
use crate::read::position::FirstCell;
use tiledb_cells::input::decode_context::{DecodeContext, within_budget};
use tiledb_cells::keys::plan::KeyPlan;
use tiledb_cells::keys::words::{CellKeys, Keys};
use tiledb_core::budget::{Budget, MemoryKind};
use tiledb_core::error::Result;
use tiledb_core::limits::sparse_read::COMPACTED_PART;
use tiledb_storage::resources::Resources;

/// Queued tiles, and their sort order.
pub struct Merger {
    plan: KeyPlan,
    /// The cursors that are merged now.
    members: Vec<usize>,
    /// Per member its tiles with the index of the first selected cell that was not taken.
    pending: Vec<VecDeque<(Arc<KeyedTile>, usize)>>,
    equal: DuplicatePolicy,
}

/// A position in the order of the cells: before a cell of a tile, with the keys of that tile.
pub struct CellPosition<'t> {
    keys: Keys,
    tile: &'t LoadedTile,
    row: usize,
}

/// A cell, as the row of a tile.
type Bound = (Arc<KeyedTile>, usize);

impl Merger {
    /// An empty merger.
    pub fn new(plan: KeyPlan, equal: DuplicatePolicy) -> Merger {
        Merger { plan, members: Vec::new(), pending: Vec::new(), equal }
    }

    /// How keys are made.
    pub fn keys(&self) -> &KeyPlan {
        &self.plan
    }

    /// Begins with other cursors, in ascending order, after the previous ones are exhausted.
    pub fn begin(&mut self, members: Vec<usize>) {
        self.pending.clear();
        self.pending.resize_with(members.len(), VecDeque::new);
        self.members = members;
    }

    /// The cursors that are merged now.
    pub fn members(&self) -> &[usize] {
        &self.members
    }

    /// Adds the next tile of a cursor.
    pub fn push(&mut self, tile: KeyedTile) {
        if let Ok(member) = self.members.binary_search(&tile.tile.cursor) {
            self.pending[member].push_back((Arc::new(tile), 0));
        }
    }

    /// How many tiles of a member wait.
    pub fn waiting(&self, member: usize) -> usize {
        self.pending[member].len()
    }

    /// The first selected cell of a cursor that is queued.
    pub fn first_waiting(&self, cursor: usize) -> Option<FirstCell> {
        let pending = self.pending.get(self.members.binary_search(&cursor).ok()?)?;
        let waits = |(keyed, next): &&(Arc<KeyedTile>, usize)| *next < keyed.tile.selected_count();
        let (keyed, next) = pending.iter().find(waits)?;
        Some(FirstCell { tile: keyed.tile.tile, cell: keyed.tile.selected_at(*next) as u64 })
    }

    /// A position in the order of the cells: before a cell of a tile.
    ///
    /// # Errors
    /// If there is no memory for keys.
    pub fn position_before<'t>(&self, tile: &'t LoadedTile, cell: usize) -> Result<CellPosition<'t>> {
        Ok(CellPosition { keys: self.keys_of(tile)?, tile, row: tile.row_of(cell) })
    }

    /// The first selected cell of a tile that does not precede a position.
    ///
    /// # Errors
    /// As [`Merger::position_before`].
    pub fn first_after(&self, tile: &LoadedTile, place: &CellPosition<'_>) -> Result<Option<usize>> {
        let keys = self.keys_of(tile)?;
        let coords = coords_of(tile, None);
        let others = coords_of(place.tile, None);
        let (own, other) = (CellKeys { keys: &keys, coords: &coords }, CellKeys { keys: &place.keys, coords: &others });
        let follows = |at: &usize| self.plan.compare_exactly(own, tile.row_at(*at), other, place.row).is_ge();
        Ok((0..tile.selected_count()).find(follows).map(|at| tile.selected_at(at)))
    }

    /// The keys of all cells of a tile that are in memory.
    fn keys_of(&self, tile: &LoadedTile) -> Result<Keys> {
        let mut keys = Keys::default();
        self.plan.compute(&coords_of(tile, None), tile.rows(), &mut keys)?;
        Ok(keys)
    }

    /// Drops the decoded requested fields of queued tiles, unless a batch has them too.
    pub fn forget(&mut self, cursors: &[FragmentCursor]) {
        for (tile, _) in self.pending.iter_mut().flatten() {
            if let Some(tile) = Arc::get_mut(tile).and_then(|keyed| Arc::get_mut(&mut keyed.tile)) {
                tile.forget(&cursors[tile.cursor]);
            }
        }
    }

    /// Drops the cells that were taken of tiles of which few are left. They wait for the next tiles of all cursors, which take
    /// as much memory again.
    ///
    /// # Errors
    /// If the system has no memory.
    pub fn compact(&mut self, cursors: &[FragmentCursor], access: DecodeContext<'_>) -> Result<()> {
        for (tile, next) in self.pending.iter_mut().filter_map(VecDeque::front_mut) {
            if *next == 0 || tile.tile.selected_count() - *next > tile.rows() / COMPACTED_PART.count() {
                continue;
            }
            let compact = tile.compact(&self.plan, *next, &cursors[tile.tile.cursor], access);
            if let Some(compact) = within_budget(compact)? {
                (*tile, *next) = (Arc::new(compact), 0);
            }
        }
        Ok(())
    }

    /// Takes the cells that no later tile can precede, as many as there is memory to sort. Returns nothing if more
    /// tiles are needed, or all is done. Cursors with more tiles must have one queued.
    pub fn take(
        &mut self,
        cursors: &[FragmentCursor],
        resources: &Resources,
        budget: &Budget,
    ) -> Result<Option<TileBatch>> {
        let bound = self.bound(cursors);
        let mut slots = Vec::new();
        if let Some(nearer) = self.share_of(max_ordered(budget.available())) {
            let nearest = self.first_of([Some(nearer), bound.clone()].into_iter().flatten());
            slots = self.cut(cursors, nearest.as_ref());
        }
        if slots.is_empty() {
            slots = self.cut(cursors, bound.as_ref());
        }
        if slots.is_empty() {
            return Ok(None);
        }
        let cells = slots.iter().map(|slot| slot.places.len()).sum();
        let cell_runs = budget.lease(MemoryKind::Results, of_order(cells), || {
            in_order(&self.plan, &slots, cursors, self.equal, resources, false).map(|ordered| ordered.0)
        })?;
        let tiles = slots.into_iter().map(|slot| slot.tile.tile.clone()).collect();
        Ok(Some(TileBatch::new(tiles, cell_runs.fit(), false)))
    }

    /// Takes the cells before a bound, or all.
    fn cut(&mut self, cursors: &[FragmentCursor], bound: Option<&Bound>) -> Vec<TileSlice> {
        let mut slots = Vec::new();
        for (&cursor, pending) in self.members.iter().zip(&mut self.pending) {
            while let Some((tile, next)) = pending.front_mut() {
                let count = tile.tile.selected_count();
                let end = match bound {
                    Some((limit, cell)) => {
                        // The cursor of the limit may have more cells that are equal, to be delivered before those of later ones.
                        let is_equal_below = self.equal == DuplicatePolicy::Any && cursor <= limit.tile.cursor;
                        below(&self.plan, tile, *next..count, limit, *cell, is_equal_below)
                    }
                    None => count,
                };
                if end > *next {
                    slots.push(TileSlice { tile: tile.clone(), places: CellIndexes::Range(*next..end) });
                }
                *next = end;
                // The last tile of a cursor stays while more are to come: it is the bound of the next round.
                let last = pending.len() == 1 && !cursors[cursor].is_done();
                if end < count || last {
                    break;
                }
                pending.pop_front();
            }
        }
        slots
    }

    /// The minimum of the last cells of the cursors that have more tiles.
    fn bound(&self, cursors: &[FragmentCursor]) -> Option<Bound> {
        let open = self.members.iter().zip(&self.pending).filter(|(cursor, _)| !cursors[**cursor].is_done());
        self.first_of(open.filter_map(|(_, pending)| pending.back().map(|(tile, _)| (tile.clone(), tile.last()))))
    }

    /// A cell before which there are no more than `most` cells, if there are more in all; nor is there none, unless many
    /// are equal.
    fn share_of(&self, most: usize) -> Option<Bound> {
        let waiting = self.pending.iter().flatten().map(|(tile, next)| tile.tile.selected_count() - next);
        if waiting.sum::<usize>() <= most {
            return None;
        }
        let share = (most / self.members.len().max(1)).max(1);
        let cell_of = |pending: &VecDeque<(Arc<KeyedTile>, usize)>| {
            let mut left = share;
            pending.iter().find_map(|(tile, next)| {
                let remaining = tile.tile.selected_count() - next;
                if left < remaining {
                    return Some((tile.clone(), tile.row(next + left)));
                }
                left -= remaining;
                None
            })
        };
        self.first_of(self.pending.iter().filter_map(cell_of))
    }

    fn first_of(&self, cells: impl Iterator<Item = Bound>) -> Option<Bound> {
        cells.min_by(|(a, i), (b, j)| {
            let (x, y) = (a.coords(), b.coords());
            let (x, y) = (CellKeys { keys: &a.keys, coords: &x }, CellKeys { keys: &b.keys, coords: &y });
            self.plan.compare(x, *i, y, *j).then(a.tile.cursor.cmp(&b.tile.cursor))
        })
    }
}

/// The first of the `places` whose cell does not precede a cell of another tile (nor equals it, if `equal` ones may go
/// too).
fn below(plan: &KeyPlan, tile: &KeyedTile, places: Range<usize>, limit: &KeyedTile, cell: usize, equal: bool) -> usize {
    let (own, other) = (tile.coords(), limit.coords());
    let (own, other) = (CellKeys { keys: &tile.keys, coords: &own }, CellKeys { keys: &limit.keys, coords: &other });
    let (mut low, mut high) = (places.start, places.end);
    while low < high {
        let middle = low + (high - low) / 2;
        let order = plan.compare(own, tile.row(middle), other, cell);
        if order.is_lt() || (equal && order.is_eq()) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
