//! Scans sparse tiles in row- or column-major order where memory does not hold the tiles that are open at a time: an external
//! selection over packed sort keys.
//!
//! A pass decodes the coordinates of the tiles that overlap the window, one after another, and retains of their cells the
//! lowest that have not been delivered, as packed integers ([`Packed`]), as many as memory holds. Sorted in place they are
//! the window. Coordinates are unpacked from them; of attributes only, tiles are decoded again when cells are delivered.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::batch::{Batch, Sorted};
use super::corners::Corners;
use super::keyed::coords_of;
use super::order::Equal;
use super::packed::{CodeLayout, Lowest, Packed, SortedCells};
use super::slab::Slab;
use super::source::Source;
use super::stream::Stream;
use super::tile::{Marked, Tile, Wanted};
use super::tile_loads::TileLoads;
use crate::budget::{Kind, Leased};
use crate::error::Result;
use crate::memory;
use crate::query::input::access::Access;
use crate::query::keys::plan::KeyPlan;
use crate::query::keys::unpack::Unpack;
use crate::query::keys::words::Keys;

/// Cells that can be put in order however little memory there is.
const LEAST: u64 = 16;
/// Of the memory that a window leaves, the slabs of a batch may take this part: several times as much goes to the places of the
/// cells while they are delivered, all of them together.
const BATCH_PART: u64 = 7;
/// A window has at most so many cells however much memory there is.
const MOST: u64 = if cfg!(test) { 64 } else { 1 << 22 };

/// Delivers the cells of tiles in order.
pub trait Scan: Send + Sync {
    /// True once all cells were delivered.
    fn is_done(&self) -> bool;

    /// The next cells in order; `None` at the end.
    ///
    /// # Errors
    /// From storage, for stored bytes that are not valid, and where memory does not suffice.
    fn next(&mut self, loads: &TileLoads<'_>) -> Result<Option<Batch>>;
}

/// A tile with the bounds of its keys.
#[derive(Clone, Copy)]
struct ScanTile {
    low: u64,
    high: u64,
    /// Its place among the tiles of all streams.
    number: u32,
}

/// What does not depend on how wide packed cells are.
struct Common {
    dimensions: Vec<Unpack>,
    layout: CodeLayout,
    equal: Equal,
    /// By their low keys.
    tiles: Vec<ScanTile>,
    /// The number of each stream's first tile.
    first: Vec<usize>,
    /// When the cells of each stream were written.
    times: Vec<u64>,
    /// The most bytes that loading a tile takes.
    largest: u64,
    /// Cells of all tiles.
    cells: u64,
    /// The highest key.
    highest: u64,
    /// As [`attribute_weight`] tells.
    weight: f64,
    /// The slots that tiles have in a batch, by number.
    slots: Vec<u32>,
}

/// No slot.
const NONE: u32 = u32::MAX;

impl Common {
    /// The stream and the place in it of a tile.
    fn place(&self, number: usize) -> (usize, usize) {
        let stream = self.first.partition_point(|&first| first <= number).saturating_sub(1);
        (stream, number - self.first[stream])
    }

    /// When a cell was written, and its code: of equal cells the greatest counts.
    fn age(&self, code: u64) -> (u64, u64) {
        let (number, _) = self.layout.split(code);
        (self.times[self.place(number).0], code)
    }

    /// Drops of sorted cells those that others hide, and those that do not meet the conditions.
    fn resolve<P: Packed>(&self, cells: &mut Vec<P>) {
        if self.equal == Equal::Any {
            return;
        }
        let (shift, mut from, mut to) = (self.layout.shift, 0, 0);
        while from < cells.len() {
            let (mut latest, key) = (cells[from], cells[from].key(shift));
            from += 1;
            while from < cells.len() && cells[from].key(shift) == key {
                if self.age(cells[from].code(shift)) > self.age(latest.code(shift)) {
                    latest = cells[from];
                }
                from += 1;
            }
            if CodeLayout::passes(latest.code(shift)) {
                cells[to] = latest;
                to += 1;
            }
        }
        cells.truncate(to);
    }
}

struct PackedScan<P> {
    plan: Arc<KeyPlan>,
    common: Common,
    /// The first tile that was not opened.
    next: usize,
    /// Opened tiles that may have cells from the lower bound on.
    open: Vec<usize>,
    /// Cells below it were delivered or are in the window.
    from: P,
    /// The range of keys of the last window, and how many cells it had.
    density: (u64, usize),
    window: Option<Arc<SortedCells<P>>>,
    /// The first cell of the window that was not delivered.
    at: usize,
}

impl<P: Packed> Scan for PackedScan<P> {
    fn is_done(&self) -> bool {
        self.window.is_none() && self.open.is_empty() && self.next == self.common.tiles.len()
    }

    fn next(&mut self, loads: &TileLoads<'_>) -> Result<Option<Batch>> {
        while !self.is_done() {
            let window = match self.window.take() {
                Some(window) => window,
                None => {
                    let cells = self.fill(loads)?;
                    let Common { layout, dimensions, .. } = &self.common;
                    self.at = 0;
                    Arc::new(SortedCells { cells, layout: *layout, dimensions: dimensions.clone() })
                }
            };
            if self.at < window.cells.len() {
                let batch = self.batch(&window, loads)?;
                if self.at < window.cells.len() {
                    self.window = Some(window);
                }
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }
}

impl<P: Packed> PackedScan<P> {
    fn new(plan: Arc<KeyPlan>, common: Common) -> PackedScan<P> {
        let from = P::pack(0, common.layout.shift, 0);
        PackedScan { plan, common, next: 0, open: Vec::new(), from, density: (0, 0), window: None, at: 0 }
    }

    /// The next window: the lowest cells from the lower bound on.
    fn fill(&mut self, loads: &TileLoads<'_>) -> Result<Leased<Vec<P>>> {
        let (budget, layout, size) = (loads.budget, self.common.layout, size_of::<P>() as u64);
        let (available, part) = (budget.available(), window_part(self.common.weight, size));
        let bytes = (available / 16 * part).min(available.saturating_sub(self.common.largest));
        let capacity = (bytes / size).min(self.common.cells).clamp(LEAST, MOST);
        let cells = budget.lease(Kind::Results, capacity.saturating_mul(size), || {
            memory::with_room("sort keys", usize::try_from(capacity).unwrap_or(usize::MAX))
        })?;
        let guess = self.guess(capacity);
        let mut lowest = Lowest::new(cells, layout.shift, self.common.equal != Equal::Any, guess);
        let (opened, next) = (std::mem::take(&mut self.open), self.next);
        let mut again = opened.iter().copied();
        loop {
            let is_open = |&at: &usize| P::pack(self.common.tiles[at].low, layout.shift, 0) < lowest.to;
            let mut group = self.group(loads, &mut again.by_ref().filter(is_open))?;
            let is_again = !group.is_empty();
            if !is_again {
                let tiles = self.next..self.common.tiles.len();
                group = self.group(loads, &mut tiles.take_while(is_open))?;
                self.next += group.len();
            }
            if group.is_empty() {
                break;
            }
            let places: Vec<(usize, usize)> =
                group.iter().map(|&at| self.common.place(self.common.tiles[at].number as usize)).collect();
            let (from, to) = (self.from, lowest.to);
            let selected = loads.load(&places, Some(&self.plan), is_again, |at, tile, access| {
                self.select(self.common.tiles[group[at]].number as usize, &tile, from..to, access)
            })?;
            selected.iter().try_for_each(|cells| lowest.add(cells))?;
        }
        let to = lowest.to.key(layout.shift);
        self.density = (to.saturating_sub(self.from.key(layout.shift)), lowest.count());
        self.from = lowest.to;
        let is_left = |at: &usize| lowest.to != P::MAX && self.common.tiles[*at].high >= to;
        let open: Vec<usize> = opened.into_iter().chain(next..self.next).filter(is_left).collect();
        self.open = open;
        lowest.sorted(|cells| self.common.resolve(cells))
    }

    /// An upper bound below which there are about as many cells as memory holds, and some more, if they are as dense as in the
    /// last window. A low one makes a small window, so that the next is larger.
    fn guess(&self, capacity: u64) -> P {
        let ((range, count), shift) = (self.density, self.common.layout.shift);
        if count == 0 {
            return P::MAX;
        }
        let range = u128::from(range) * u128::from(capacity) / count as u128;
        let key = u128::from(self.from.key(shift)) + (range + range / 8).max(1);
        let highest = u128::from(self.common.highest);
        if key > highest { P::MAX } else { P::pack(key as u64, shift, 0) }
    }

    /// Some of the next tiles, which memory holds together.
    fn group(&self, loads: &TileLoads<'_>, tiles: &mut dyn Iterator<Item = usize>) -> Result<Vec<usize>> {
        let (mut group, mut left) = (Vec::new(), loads.budget.available() / 2);
        let most = loads.array.resources().pools().compute().max(1) * TILES_PER_TASK;
        while group.len() < most && left >= self.common.largest || group.is_empty() {
            let Some(tile) = tiles.next() else { break };
            left = left.saturating_sub(self.common.largest);
            group.push(tile);
        }
        Ok(group)
    }

    /// The cells of a tile within bounds.
    fn select(&self, number: usize, tile: &Tile, within: Range<P>, access: Access<'_>) -> Result<Leased<Vec<P>>> {
        let layout = self.common.layout;
        let keys = access.lease(Kind::Results, tile.cells.saturating_mul(self.plan.key_size()) as u64, || {
            let mut keys = Keys::default();
            self.plan.compute(&coords_of(tile, None), tile.cells, &mut keys)?;
            Ok(keys)
        })?;
        let first = keys.first();
        // The bounds by their keys alone tell how many there are at most.
        let bounds = within.start.key(layout.shift)..=within.end.key(layout.shift);
        let most = match tile.wanted() {
            Wanted::All => first.iter().filter(|key| bounds.contains(key)).count(),
            Wanted::Some(list) => list.iter().filter(|&&cell| bounds.contains(&first[cell as usize])).count(),
        };
        access.lease(Kind::Results, ((most + 1) * size_of::<P>()) as u64, || {
            let mut cells = memory::filled("sort keys", P::MAX, most + 1)?;
            let mut count = 0;
            let mut put = |cell: usize, passes: bool| {
                let packed = P::pack(first[cell], layout.shift, layout.code(number, cell, passes));
                // Every cell is written, at the place of the next one selected: no branch that depends on it.
                cells[count.min(most)] = packed;
                count += usize::from(within.contains(&packed));
            };
            match (tile.wanted(), &tile.marked.passes) {
                (Wanted::All, None) => (0..tile.cells).for_each(|cell| put(cell, true)),
                _ => (0..tile.wanted_count()).for_each(|at| put(tile.wanted_at(at), tile.passes_at(at))),
            }
            cells.truncate(count);
            Ok(cells)
        })
    }

    /// The next cells of the window.
    fn batch(&mut self, window: &Arc<SortedCells<P>>, loads: &TileLoads<'_>) -> Result<Batch> {
        let (layout, first) = (self.common.layout, self.at);
        let most = (loads.budget.available() / BATCH_PART / size_of::<Slab>() as u64).max(LEAST);
        let rest = &window.cells[first..];
        let cells = &rest[..rest.len().min(usize::try_from(most).unwrap_or(usize::MAX))];
        let mut numbers = Vec::new();
        let slots = &mut self.common.slots;
        let slabs = loads.budget.lease(Kind::Results, (cells.len() * size_of::<Slab>()) as u64, || {
            let mut slabs: Vec<Slab> = memory::with_room("slabs", cells.len())?;
            for packed in cells {
                let (number, cell) = layout.split(packed.code(layout.shift));
                if slots[number] == NONE {
                    slots[number] = numbers.len() as u32;
                    memory::push("tiles", &mut numbers, number)?;
                }
                let slab = Slab { tile: slots[number], first: cell as u32, len: 1 };
                match slabs.last_mut() {
                    Some(last) if last.is_followed_by(&slab) => last.len += 1,
                    _ => slabs.push(slab),
                }
            }
            Ok(slabs)
        });
        numbers.iter().for_each(|&number| slots[number] = NONE);
        let slabs = slabs?;
        self.at += cells.len();
        let tiles = numbers.iter().map(|&number| self.shell(number, loads)).collect::<Result<Vec<_>>>()?;
        Ok(Batch::with_coordinates(tiles, slabs, Sorted { coordinates: window.clone(), next: first }))
    }

    /// A tile of which nothing is decoded.
    fn shell(&self, number: usize, loads: &TileLoads<'_>) -> Result<Arc<Tile>> {
        let (stream, place) = self.common.place(number);
        let of = &loads.streams[stream];
        let (tile, full) = of.tile(place).unwrap_or_default();
        let marked = Marked { wanted: Wanted::All, passes: None };
        Ok(Arc::new(Tile {
            stream,
            tile,
            cells: of.fragment.cells_in_tile(tile) as usize,
            full,
            marked: loads.budget.lease(Kind::Results, 0, || Ok(marked))?,
            selected: true,
            coords: of.dimensions.iter().map(|_| None).collect(),
            times: None,
            data: of.sources.iter().map(|_| OnceLock::new()).collect(),
        }))
    }
}

/// Sixteenths of the memory that is left that a window takes; batches have the rest. A larger window has coordinates decoded less
/// often, a larger batch attributes: the sum is least where the ratio of their sizes is the square root of that of the costs,
/// `weight`, in cells of so many bytes.
fn window_part(weight: f64, size: u64) -> u64 {
    let of_batch = (BATCH_PART * size_of::<Slab>() as u64) as f64;
    (16.0 / (1.0 + (weight * of_batch / size as f64).sqrt())).clamp(3.0, 10.0) as u64
}

/// What decoding the requested attributes costs in relation to decoding the coordinates, about.
fn attribute_weight(streams: &[Stream]) -> Result<f64> {
    let (mut coordinates, mut attributes) = (1.0, 0.0);
    for stream in streams {
        let filtered = stream.sources.iter().filter_map(|source| match source {
            Source::Stored(field) => Some(field).filter(|field| !field.filters.is_empty()),
            _ => None,
        });
        let filtered = stream.middle_size(filtered)?;
        let copied = stream.tile_bytes.saturating_sub(stream.coordinate_bytes).saturating_sub(filtered);
        let tiles = stream.tiles.count() as f64;
        coordinates += tiles * stream.coordinate_bytes as f64;
        attributes += tiles * (filtered as f64 + copied as f64 / COPYING);
    }
    Ok(attributes / coordinates)
}

/// Cells without filters cost so many times less than those that are decoded.
const COPYING: f64 = 20.0;
/// Tiles that are decoded for each thread before the upper bound is looked at again.
const TILES_PER_TASK: usize = 2;

/// A scan by packed sort keys of the tiles of `streams`, by the lower and upper bounds of their keys in order of the lower ones;
/// nothing where cells cannot be packed, or memory holds the tiles that are open at a time.
///
/// # Errors
/// If tables of a fragment are not valid, or memory does not suffice.
pub fn packed_scan(
    plan: &Arc<KeyPlan>,
    equal: Equal,
    ranks: &[usize],
    lows: &Keys,
    loads: &TileLoads<'_>,
) -> Result<Option<Box<dyn Scan>>> {
    let streams = loads.streams;
    let has_times = streams.iter().any(|stream| stream.fragment.has_timestamps());
    let is_resolved = equal == Equal::Any || (equal == Equal::Latest && !has_times);
    let Some((dimensions, key_bits)) = plan.unpack().filter(|_| is_resolved && !loads.repeats) else { return Ok(None) };
    let needs: Vec<u64> = streams.iter().map(|stream| stream.open_bytes(plan)).collect();
    let limit = loads.budget.limit() / OPEN_PART;
    let all = streams.iter().zip(&needs).map(|(stream, need)| need.saturating_mul(stream.tiles.count() as u64));
    if all.fold(0, u64::saturating_add) <= limit || u32::try_from(ranks.len()).is_err() {
        return Ok(None);
    }
    let (highs, lows) = (Corners::of_tiles(plan, streams, true)?.keys(plan)?, lows.first());
    let mut tiles = memory::with_room("tiles", ranks.len())?;
    tiles.extend(ranks.iter().map(|&number| {
        let (low, high) = (lows[number], highs.first()[number]);
        ScanTile { low, high: high.max(low), number: number as u32 }
    }));
    let mut first = memory::with_room("fragments", streams.len())?;
    let (mut count, mut largest, mut most, mut cells) = (0, 0, 0, 0u64);
    for (number, stream) in streams.iter().enumerate() {
        first.push(count);
        for place in 0..stream.tiles.count() {
            largest = loads.need(&(number, place), Some(plan))?.max(largest);
            let of_tile = stream.tile(place).map_or(0, |(tile, _)| stream.fragment.cells_in_tile(tile));
            (most, cells) = (of_tile.max(most), cells.saturating_add(of_tile));
        }
        count += stream.tiles.count();
    }
    let stream_of = |number: u32| first.partition_point(|&first| first <= number as usize).saturating_sub(1);
    if open_at_once(&tiles, |tile| needs[stream_of(tile.number)]) <= limit {
        return Ok(None);
    }
    let layout = CodeLayout::new(count, most);
    let slots = memory::filled("tiles", NONE, count)?;
    let weight = attribute_weight(streams)?;
    let highest = tiles.iter().map(|tile| tile.high).max().unwrap_or(0);
    let times = streams.iter().map(|stream| stream.fragment.timestamps().0).collect();
    let (plan, common) = (
        plan.clone(),
        Common { dimensions, layout, equal, tiles, first, times, largest, cells, highest, weight, slots },
    );
    // One value above all packed cells is needed.
    Ok(match key_bits + layout.shift {
        _ if layout.shift >= u64::BITS => None,
        bits if bits < u64::BITS => Some(Box::new(PackedScan::<u64>::new(plan, common))),
        bits if bits < u128::BITS => Some(Box::new(PackedScan::<u128>::new(plan, common))),
        _ => None,
    })
}

/// Of the memory limit, tiles that are open at a time may take this part and be kept.
const OPEN_PART: u64 = if cfg!(test) { 16 } else { 4 };

/// The most bytes that tiles take which overlap in the order of keys.
fn open_at_once(tiles: &[ScanTile], need: impl Fn(&ScanTile) -> u64) -> u64 {
    let (mut open, mut bytes, mut most) = (BinaryHeap::new(), 0u64, 0);
    for tile in tiles {
        while open.peek().is_some_and(|Reverse((high, _))| *high < tile.low) {
            let closed = open.pop();
            bytes = bytes.saturating_sub(closed.map_or(0, |Reverse((_, need))| need));
        }
        bytes = bytes.saturating_add(need(tile));
        open.push(Reverse((tile.high, need(tile))));
        most = bytes.max(most);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costly_attributes_have_small_windows() {
        let parts: Vec<u64> = [0.0, 0.05, 0.5, 10.0].iter().map(|&weight| window_part(weight, 8)).collect();
        assert_eq!(parts, [10, 9, 4, 3]);
        assert_eq!(window_part(0.5, 16), 6);
    }

    #[test]
    fn overlapping_tiles_are_open_at_once() {
        let tile = |(number, (low, high))| ScanTile { low, high, number };
        let most = |bounds: &[(u64, u64)]| {
            let tiles: Vec<ScanTile> = (0..).zip(bounds.iter().copied()).map(tile).collect();
            open_at_once(&tiles, |tile| 10 + u64::from(tile.number))
        };
        assert_eq!(most(&[(0, 4), (5, 9), (10, 14)]), 12);
        assert_eq!(most(&[(0, 5), (5, 9), (10, 14)]), 21);
        assert_eq!(most(&[(0, 20), (5, 9), (10, 14)]), 22);
        assert_eq!(most(&[(0, 20), (5, 10), (10, 14)]), 33);
        assert_eq!(most(&[]), 0);
    }
}
