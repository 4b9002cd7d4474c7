//! Merging fragments: tiles with keys wait per fragment, and what lies below a bound that no tile still to
//! come can undercut is sorted at once. Of cells with equal coordinates the latest wins, unless the array
//! allows duplicates.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use super::batch::Batch;
use super::keyed::{KeyedTile, coords_of};
use super::order::{Equal, Slot, in_order};
use super::places::Places;
use super::room::{most_ordered, of_order};
use super::stream::Stream;
use super::tile::Tile;
use crate::keys::plan::KeyPlan;
use crate::keys::words::{Keyed, Keys};
use crate::read::position::FirstCell;
use tiledb_core::budget::{Budget, MemoryKind};
use tiledb_core::error::Result;
use tiledb_storage::resources::Resources;

/// Tiles that wait, and how they are put in order.
pub struct Merger {
    plan: KeyPlan,
    /// The streams that are merged now.
    members: Vec<usize>,
    /// Per member its tiles with the place of the first wanted cell that was not taken.
    pending: Vec<VecDeque<(Arc<KeyedTile>, usize)>>,
    equal: Equal,
}

/// A place in the order of the cells: before one of a tile, with the keys of that tile.
pub struct PlaceBefore<'t> {
    keys: Keys,
    tile: &'t Tile,
    cell: usize,
}

/// A cell, as the row of a tile.
type Bound = (Arc<KeyedTile>, usize);

impl Merger {
    /// A merger of nothing yet.
    pub fn new(plan: KeyPlan, equal: Equal) -> Merger {
        Merger { plan, members: Vec::new(), pending: Vec::new(), equal }
    }

    /// How keys are made.
    pub fn keys(&self) -> &KeyPlan {
        &self.plan
    }

    /// Begins with other streams, in ascending order; what was before is at its end.
    pub fn begin(&mut self, members: Vec<usize>) {
        self.pending.clear();
        self.pending.resize_with(members.len(), VecDeque::new);
        self.members = members;
    }

    /// The streams that are merged now.
    pub fn members(&self) -> &[usize] {
        &self.members
    }

    /// Adds the next tile of a stream.
    pub fn push(&mut self, tile: KeyedTile) {
        if let Ok(member) = self.members.binary_search(&tile.tile.stream) {
            self.pending[member].push_back((Arc::new(tile), 0));
        }
    }

    /// How many tiles of a member wait.
    pub fn waiting(&self, member: usize) -> usize {
        self.pending[member].len()
    }

    /// The first wanted cell of a stream that waits.
    pub fn first_waiting(&self, stream: usize) -> Option<FirstCell> {
        let pending = self.pending.get(self.members.binary_search(&stream).ok()?)?;
        let waits = |(keyed, next): &&(Arc<KeyedTile>, usize)| *next < keyed.tile.wanted_count();
        let (keyed, next) = pending.iter().find(waits)?;
        Some(FirstCell { tile: keyed.tile.tile, cell: keyed.tile.wanted_at(*next) as u64 })
    }

    /// A place in the order of the cells: before a cell of a tile.
    ///
    /// # Errors
    /// If there is no memory for keys.
    pub fn place_before<'t>(&self, tile: &'t Tile, cell: usize) -> Result<PlaceBefore<'t>> {
        Ok(PlaceBefore { keys: self.keys_of(tile)?, tile, cell })
    }

    /// The first wanted cell of a tile that does not come before a place.
    ///
    /// # Errors
    /// As [`Merger::place_before`].
    pub fn first_behind(&self, tile: &Tile, place: &PlaceBefore<'_>) -> Result<Option<usize>> {
        let (keys, coords, others) = (self.keys_of(tile)?, coords_of(tile, None), coords_of(place.tile, None));
        let (own, other) = (Keyed { keys: &keys, coords: &coords }, Keyed { keys: &place.keys, coords: &others });
        let mut wanted = (0..tile.wanted_count()).map(|at| tile.wanted_at(at));
        Ok(wanted.find(|&cell| self.plan.compare_exactly(own, cell, other, place.cell).is_ge()))
    }

    /// The keys of all cells of a tile.
    fn keys_of(&self, tile: &Tile) -> Result<Keys> {
        let mut keys = Keys::default();
        self.plan.compute(&coords_of(tile, None), tile.cells, &mut keys)?;
        Ok(keys)
    }

    /// Forgets what tiles that wait have decoded of requested fields, unless a batch has them too.
    pub fn forget(&mut self, streams: &[Stream]) {
        for (tile, _) in self.pending.iter_mut().flatten() {
            if let Some(tile) = Arc::get_mut(tile).and_then(|keyed| Arc::get_mut(&mut keyed.tile)) {
                tile.forget(&streams[tile.stream]);
            }
        }
    }

    /// Takes the cells that no tile still to come can precede, as many as there is memory to put in order. Nothing is
    /// returned if more tiles are needed, or all is done. Streams with tiles to come must have one waiting.
    pub fn take(&mut self, streams: &[Stream], resources: &Resources, budget: &Budget) -> Result<Option<Batch>> {
        let bound = self.bound(streams);
        let mut slots = Vec::new();
        if let Some(nearer) = self.share_of(most_ordered(budget.available())) {
            let nearest = self.first_of([Some(nearer), bound.clone()].into_iter().flatten());
            slots = self.cut(streams, nearest.as_ref());
        }
        if slots.is_empty() {
            slots = self.cut(streams, bound.as_ref());
        }
        if slots.is_empty() {
            return Ok(None);
        }
        let cells = slots.iter().map(|slot| slot.places.len()).sum();
        let slabs = budget.lease(MemoryKind::Results, of_order(cells), || {
            in_order(&self.plan, &slots, streams, self.equal, resources, false).map(|ordered| ordered.0)
        })?;
        let tiles = slots.into_iter().map(|slot| slot.tile.tile.clone()).collect();
        Ok(Some(Batch::new(tiles, slabs.fit(), false)))
    }

    /// Takes the cells before a bound, or all.
    fn cut(&mut self, streams: &[Stream], bound: Option<&Bound>) -> Vec<Slot> {
        let mut slots = Vec::new();
        for (&stream, pending) in self.members.iter().zip(&mut self.pending) {
            while let Some((tile, next)) = pending.front_mut() {
                let count = tile.tile.wanted_count();
                let end = match bound {
                    Some((limit, cell)) => {
                        below(&self.plan, tile, *next..count, limit, *cell, self.equal == Equal::Any)
                    }
                    None => count,
                };
                if end > *next {
                    slots.push(Slot { tile: tile.clone(), places: Places::Range(*next..end) });
                }
                *next = end;
                // The last tile of a stream stays while more are to come: it is the bound of the next round.
                let last = pending.len() == 1 && !streams[stream].is_done();
                if end < count || last {
                    break;
                }
                pending.pop_front();
            }
        }
        slots
    }

    /// The least of the last cells of the streams that have more tiles.
    fn bound(&self, streams: &[Stream]) -> Option<Bound> {
        let open = self.members.iter().zip(&self.pending).filter(|(stream, _)| !streams[**stream].is_done());
        self.first_of(open.filter_map(|(_, pending)| pending.back().map(|(tile, _)| (tile.clone(), tile.last()))))
    }

    /// A cell before which there are no more than `most` cells, if there are more in all; nor is there none, unless many
    /// are equal.
    fn share_of(&self, most: usize) -> Option<Bound> {
        let waiting = self.pending.iter().flatten().map(|(tile, next)| tile.tile.wanted_count() - next);
        if waiting.sum::<usize>() <= most {
            return None;
        }
        let share = (most / self.members.len().max(1)).max(1);
        let cell_of = |pending: &VecDeque<(Arc<KeyedTile>, usize)>| {
            let mut left = share;
            pending.iter().find_map(|(tile, next)| {
                let held = tile.tile.wanted_count() - next;
                if left < held {
                    return Some((tile.clone(), tile.row(next + left)));
                }
                left -= held;
                None
            })
        };
        self.first_of(self.pending.iter().filter_map(cell_of))
    }

    fn first_of(&self, cells: impl Iterator<Item = Bound>) -> Option<Bound> {
        cells.min_by(|(a, i), (b, j)| {
            let (x, y) = (a.coords(), b.coords());
            self.plan.compare(Keyed { keys: &a.keys, coords: &x }, *i, Keyed { keys: &b.keys, coords: &y }, *j)
        })
    }
}

/// The first of the `places` whose cell does not come before a cell of another tile (nor equals it, where
/// `equal` ones may go too).
fn below(plan: &KeyPlan, tile: &KeyedTile, places: Range<usize>, limit: &KeyedTile, cell: usize, equal: bool) -> usize {
    let (own, other) = (tile.coords(), limit.coords());
    let (own, other) = (Keyed { keys: &tile.keys, coords: &own }, Keyed { keys: &limit.keys, coords: &other });
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
