//! The order of cells from parts of several tiles: sorted by their keys, of equal cells those left out that another hides, and
//! what follows one another in its tile joined to slabs.

use std::cmp::{Ordering, Reverse};
use std::ops::Range;
use std::sync::Arc;

use super::keyed::KeyedTile;
use super::slab::Slab;
use super::stream::Stream;
use crate::error::{Error, Result};
use crate::memory;
use crate::query::columns::coords::Coords;
use crate::query::keys::plan::KeyPlan;
use crate::query::keys::sort::{Pairs, Sorted, is_ascending, sort};
use crate::query::keys::words::Keyed;
use crate::resources::Resources;

/// What becomes of cells with equal coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equal {
    /// They come in any order.
    Any,
    /// Only the latest comes; of equally late ones that of the last fragment.
    Latest,
    /// They come from the latest to the earliest; equally late ones as the fragments do.
    LatestFirst,
    /// As `LatestFirst`, up to the first that does not meet the conditions.
    Living,
}

/// Part of a tile whose cells are put in order.
pub struct Slot {
    pub tile: Arc<KeyedTile>,
    /// Places among the wanted cells of the tile.
    pub places: Range<usize>,
}

/// What one round of merging puts in order: parts of tiles. A cell is known by a code: the number of its part in the upper
/// bits, its place among the wanted cells of the tile in the lower ones, so that later fragments have greater codes.
pub struct Round<'p> {
    plan: &'p KeyPlan,
    slots: &'p [Slot],
    streams: &'p [Stream],
    /// The coordinates of each part's tile.
    coords: Vec<Vec<Coords<'p>>>,
    /// How many bits of a code are the place.
    place_bits: u32,
}

impl<'p> Round<'p> {
    /// Parts of tiles of these streams.
    pub fn new(plan: &'p KeyPlan, slots: &'p [Slot], streams: &'p [Stream]) -> Round<'p> {
        let most = slots.iter().map(|slot| slot.tile.tile.cells).max().unwrap_or(0) as u64;
        let coords = slots.iter().map(|slot| slot.tile.coords()).collect();
        Round { plan, slots, streams, coords, place_bits: 64 - most.leading_zeros() }
    }

    /// The codes of all cells in the order of the first words of their keys.
    ///
    /// # Errors
    /// If there is no memory, or the work is cancelled.
    pub fn sort(&self, resources: &Resources) -> Result<Sorted> {
        let total: usize = self.slots.iter().map(|slot| slot.places.len()).sum();
        let (mut words, mut codes) = (Vec::new(), Vec::new());
        let memory = |_| Error::out_of_memory("merging", total.saturating_mul(16));
        words.try_reserve_exact(total).map_err(memory)?;
        codes.try_reserve_exact(total).map_err(memory)?;
        for (number, slot) in self.slots.iter().enumerate() {
            let first = slot.tile.keys.first();
            words.extend(slot.places.clone().map(|place| first[slot.tile.row(place)]));
            codes.extend(slot.places.clone().map(|place| (number as u64) << self.place_bits | place as u64));
        }
        if is_ascending(&words) {
            return Ok(Sorted { codes, ties: ties_of(&words)? });
        }
        let code_bits = self.place_bits + 64 - (self.slots.len() as u64).leading_zeros();
        let pairs = Pairs { keys: &words, codes: Some(&codes) };
        sort(pairs, code_bits, resources.pools(), resources.cancel())
    }

    /// Puts cells with equal first words in order, and those with equal coordinates as `equal` says. Returns where the cells
    /// are that others hide, in ascending order.
    pub fn settle(&self, sorted: &mut Sorted, equal: Equal) -> Vec<usize> {
        let one_word = self.plan.is_one_exact_word();
        let mut hidden = Vec::new();
        for run in &sorted.ties {
            let codes = &mut sorted.codes[run.clone()];
            if !one_word {
                codes.sort_unstable_by(|&a, &b| self.compare(a, b).then(a.cmp(&b)));
            }
            if equal == Equal::Any {
                continue;
            }
            let mut start = run.start;
            for codes in codes.chunk_by_mut(|&a, &b| one_word || self.compare(a, b).is_eq()) {
                self.hide(codes, equal, |place| hidden.push(start + place));
                start += codes.len();
            }
        }
        hidden
    }

    /// Puts cells with equal coordinates in order and tells which of them are hidden, from first to last.
    fn hide(&self, codes: &mut [u64], equal: Equal, hidden: impl FnMut(usize)) {
        if equal == Equal::Latest {
            // The latest, and of equally late ones the last.
            let winner = (0..codes.len()).max_by_key(|&at| (self.time(codes[at]), codes[at])).unwrap_or(0);
            return (0..codes.len()).filter(|&at| at != winner).for_each(hidden);
        }
        codes.sort_unstable_by_key(|&code| (Reverse(self.time(code)), code));
        if equal == Equal::Living {
            let living = codes.iter().take_while(|&&code| self.passes(code)).count();
            (living..codes.len()).for_each(hidden);
        }
    }

    /// True if the cells meet in one fragment.
    pub fn are_of_one_fragment(&self, codes: &[u64]) -> bool {
        let mut origins = codes.iter().map(|&code| self.slots[self.split(code).0].tile.tile.stream);
        let first = origins.next();
        origins.all(|origin| Some(origin) == first)
    }

    /// True if a cell meets the conditions.
    pub fn passes(&self, code: u64) -> bool {
        let (slot, place) = self.split(code);
        self.slots[slot].tile.tile.passes_at(place)
    }

    /// Joins cells that follow one another in a tile, but for those behind `gaps`.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn slabs(&self, codes: &[u64], gaps: &[usize]) -> Result<Vec<Slab>> {
        let mut slabs: Vec<Slab> = Vec::new();
        let mut gaps = gaps.iter().peekable();
        for (place, &code) in codes.iter().enumerate() {
            let (slot, wanted) = self.split(code);
            let cell = self.slots[slot].tile.tile.wanted_at(wanted);
            let mut joins = true;
            while gaps.next_if(|&&gap| gap <= place).is_some() {
                joins = false;
            }
            match slabs.last_mut() {
                Some(slab)
                    if joins && slab.tile as usize == slot && slab.first as usize + slab.len as usize == cell =>
                {
                    slab.len += 1
                }
                _ => memory::push("slabs", &mut slabs, Slab { tile: slot as u32, first: cell as u32, len: 1 })?,
            }
        }
        Ok(slabs)
    }

    /// The part and the place in it.
    #[inline]
    fn split(&self, code: u64) -> (usize, usize) {
        ((code >> self.place_bits) as usize, (code & ((1 << self.place_bits) - 1)) as usize)
    }

    /// Compares two cells by all their keys and coordinates.
    fn compare(&self, a: u64, b: u64) -> Ordering {
        let ((s, i), (t, j)) = (self.split(a), self.split(b));
        let keyed = |slot: usize| Keyed { keys: &self.slots[slot].tile.keys, coords: &self.coords[slot] };
        self.plan.compare_exactly(keyed(s), self.slots[s].tile.row(i), keyed(t), self.slots[t].tile.row(j))
    }

    /// When a cell was written.
    fn time(&self, code: u64) -> u64 {
        let (slot, place) = self.split(code);
        let tile = &self.slots[slot].tile.tile;
        tile.time(tile.wanted_at(place), self.streams[tile.stream].fragment.timestamps().0)
    }
}

/// Takes cells out, whose places ascend. Returns before which of the others some stood: cells around these are no run, and
/// aggregates look at them one by one.
///
/// # Errors
/// If there is no memory.
pub fn take_out(codes: &mut Vec<u64>, places: Vec<usize>) -> Result<Vec<usize>> {
    let mut gaps = Vec::new();
    if places.is_empty() {
        return Ok(gaps);
    }
    let size = places.len().saturating_mul(8);
    gaps.try_reserve_exact(places.len()).map_err(|_| Error::out_of_memory("merging", size))?;
    let mut places = places.into_iter().peekable();
    let mut place = 0;
    codes.retain(|_| {
        place += 1;
        let stays = places.next_if_eq(&(place - 1)).is_none();
        if !stays {
            gaps.push(place - 1 - gaps.len());
        }
        stays
    });
    Ok(gaps)
}

/// Runs of equal words.
fn ties_of(words: &[u64]) -> Result<Vec<Range<usize>>> {
    let mut ties = Vec::new();
    let mut start = 0;
    for run in words.chunk_by(|a, b| a == b) {
        if run.len() > 1 {
            memory::push("equal keys", &mut ties, start..start + run.len())?;
        }
        start += run.len();
    }
    Ok(ties)
}
