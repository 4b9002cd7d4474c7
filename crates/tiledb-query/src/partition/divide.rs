//! Divides a box by weight: recursively along the dimension, and at the key, with the most even halves and the fewest
//! tiles cut.

use super::axis::PartitionAxis;
use tiledb_core::error::Result;
use tiledb_core::memory;
use tiledb_core::pool::CancelToken;
use tiledb_core::sort;

/// Cost of a cut through tiles as a fraction of their weight: both sides read them, and their share of the cells is
/// estimated.
pub(super) const THROUGH_SPARSE: f64 = 0.15;
/// The same in a grid: high enough to cut between its tiles wherever there are two.
pub(super) const THROUGH_DENSE: f64 = 1.0;

/// Tiles with their bounds, measured along the axes, and their weights.
pub(super) struct WeightedTiles {
    /// First and last key of each tile along each dimension.
    pub keys: Vec<(u64, u64)>,
    /// The cells of each that are selected.
    pub weights: Vec<f64>,
    /// The cost of a cut through them.
    pub through: f64,
}

/// The distribution of the weight.
pub(super) enum Weight {
    /// Uniform, in a grid of tiles that end at these keys and then at a fixed distance.
    Even(Vec<(u64, u64)>),
    Tiles(WeightedTiles),
}

/// A part: its first and last key along each dimension, which of them are cuts, and its weight.
#[derive(Clone, Debug)]
pub(super) struct PartBounds {
    pub ends: Vec<(u64, u64)>,
    pub is_cut: Vec<(bool, bool)>,
    pub weight: f64,
    part_count: u64,
    tiles: Vec<(u32, f64)>,
}

struct Cut {
    dimension: usize,
    /// The last key of the lower side.
    key: u64,
    /// The part of the weight on that side.
    share: f64,
    cost: f64,
}

/// Divides everything into `part_count` parts, or fewer if no part can be divided further or there are fewer cells, in the order of the cuts.
///
/// # Errors
/// If memory does not suffice, or on cancellation.
pub(super) fn divide(
    axes: &[PartitionAxis],
    weight: &Weight,
    part_count: u64,
    cancel: &CancelToken,
) -> Result<Vec<PartBounds>> {
    let Some(ends) = axes.iter().map(PartitionAxis::ends).collect::<Option<Vec<_>>>() else { return Ok(Vec::new()) };
    let tiles = match weight {
        Weight::Even(_) => Vec::new(),
        Weight::Tiles(tiles) => memory::collect("tiles", (0..).zip(tiles.weights.iter().copied()))?,
    };
    let mut whole = PartBounds { is_cut: vec![(false, false); ends.len()], ends, weight: 0.0, part_count, tiles };
    whole.weigh(axes, weight);
    // More parts than cells would have none.
    whole.part_count = part_count.min(whole.weight.ceil() as u64);
    let (mut open, mut done) = (vec![whole], Vec::new());
    while let Some(mut part) = open.pop() {
        cancel.check()?;
        match part.best_cut(axes, weight) {
            Some(cut) => {
                let (low, high) = part.at(axes, weight, &cut)?;
                open.extend([high, low]);
            }
            None => {
                part.tiles = Vec::new();
                memory::push("parts", &mut done, part)?;
            }
        }
    }
    Ok(done)
}

impl PartBounds {
    fn weigh(&mut self, axes: &[PartitionAxis], weight: &Weight) {
        self.weight = match weight {
            Weight::Tiles(_) => self.tiles.iter().map(|(_, weight)| weight).sum(),
            Weight::Even(_) => axes.iter().zip(&self.ends).map(|(axis, ends)| axis.measure(*ends)).product(),
        };
    }

    fn best_cut(&self, axes: &[PartitionAxis], weight: &Weight) -> Option<Cut> {
        if self.part_count < 2 || self.weight <= 0.0 {
            return None;
        }
        let target_share = (self.part_count / 2) as f64 / self.part_count as f64;
        let price = match weight {
            Weight::Even(_) => THROUGH_DENSE,
            Weight::Tiles(tiles) => tiles.through,
        };
        let mut best: Option<Cut> = None;
        for (dimension, axis) in axes.iter().enumerate() {
            let ends = self.ends[dimension];
            let mut offer = |key: u64, share: f64, through: f64| {
                let is_inside = key >= ends.0 && key < ends.1 && !axis.is_nothing(key) && share > 0.0 && share < 1.0;
                // Both sides have a selection: a cut may be between two ranges.
                if !is_inside || axis.measure((ends.0, key)) <= 0.0 || axis.measure((axis.next(key), ends.1)) <= 0.0 {
                    return;
                }
                let cost = (share - target_share).abs() + price * through;
                if best.as_ref().is_none_or(|best| cost < best.cost) {
                    best = Some(Cut { dimension, key, share, cost });
                }
            };
            match weight {
                Weight::Even(grid) => even(axis, ends, grid[dimension], target_share, &mut offer),
                Weight::Tiles(tiles) => self.sweep(axis, dimension, axes.len(), tiles, target_share, &mut offer),
            }
        }
        best
    }

    /// Offers the ends of tiles, and the key where the weight is halved if they were filled evenly.
    fn sweep(
        &self,
        axis: &PartitionAxis,
        dimension: usize,
        dimensions: usize,
        tiles: &WeightedTiles,
        target_share: f64,
        offer: &mut impl FnMut(u64, f64, f64),
    ) {
        let ends = self.ends[dimension];
        // The last key before a change; the weight per length that opens there, and the weight already used.
        let mut events: Vec<(u64, f64, f64, f64)> = Vec::with_capacity(2 * self.tiles.len());
        for &(tile, weight) in &self.tiles {
            let keys = tiles.keys[tile as usize * dimensions + dimension];
            let (low, high) = (keys.0.max(ends.0), keys.1.min(ends.1));
            let slope = weight / axis.measure((low, high)).max(f64::MIN_POSITIVE);
            if low > ends.0 {
                events.push((axis.before(low), slope, weight, 0.0));
            } else {
                events.push((ends.0, slope, weight, f64::NAN));
            }
            events.push((high, -slope, -weight, weight));
        }
        // Tiles that are open from the start sort first, whatever their first key is.
        sort::by_key(&mut events, |event| (!event.3.is_nan(), event.0));
        let (mut from, mut reached, mut slope, mut open, mut filled) = (ends.0, 0.0, 0.0, 0.0, 0.0);
        let mut events = events.into_iter().peekable();
        while let Some((_, more, weight, _)) = events.next_if(|event| event.3.is_nan()) {
            slope += more;
            open += weight;
        }
        let goal = target_share * self.weight;
        let mut halved = false;
        while let Some(&(key, ..)) = events.peek() {
            let next = reached + slope * axis.measure((from, key));
            if !halved && next >= goal {
                halved = true;
                if slope > 0.0 {
                    let middle = axis.advance(from, (goal - reached) / slope);
                    let share = (reached + slope * axis.measure((from, middle))).clamp(0.0, self.weight) / self.weight;
                    offer(middle, share, open / self.weight);
                }
            }
            (from, reached) = (axis.next(key), next);
            let mut opening = 0.0;
            while let Some((_, more, weight, full)) = events.next_if(|event| event.0 == key) {
                slope += more;
                open += weight;
                filled += full;
                opening += weight.max(0.0);
            }
            if open <= self.weight * 1e-12 {
                // No tile is open: the sum is known without rounding errors.
                (slope, open, reached) = (0.0, 0.0, filled);
            }
            offer(key, reached / self.weight, (open - opening).max(0.0) / self.weight);
        }
    }

    /// Both sides of a cut.
    fn at(self, axes: &[PartitionAxis], weight: &Weight, cut: &Cut) -> Result<(PartBounds, PartBounds)> {
        let (d, axis) = (cut.dimension, &axes[cut.dimension]);
        let ends = self.ends[d];
        let part_count = ((self.part_count as f64 * cut.share).round() as u64).clamp(1, self.part_count - 1);
        let mut low = PartBounds { tiles: Vec::new(), part_count, ..self.clone_without_tiles() };
        let mut high =
            PartBounds { tiles: Vec::new(), part_count: self.part_count - part_count, ..self.clone_without_tiles() };
        low.ends[d].1 = cut.key;
        low.is_cut[d].1 = true;
        high.ends[d].0 = axis.next(cut.key);
        high.is_cut[d].0 = true;
        if let Weight::Tiles(tiles) = weight {
            memory::reserve("tiles", &mut low.tiles, self.tiles.len())?;
            memory::reserve("tiles", &mut high.tiles, self.tiles.len())?;
            for &(tile, weight) in &self.tiles {
                let keys = tiles.keys[tile as usize * axes.len() + d];
                let (first, last) = (keys.0.max(ends.0), keys.1.min(ends.1));
                if last <= cut.key {
                    low.tiles.push((tile, weight));
                } else if first > cut.key {
                    high.tiles.push((tile, weight));
                } else {
                    let share = axis.measure((first, cut.key)) / axis.measure((first, last)).max(f64::MIN_POSITIVE);
                    let share = share.clamp(0.0, 1.0);
                    low.tiles.push((tile, weight * share));
                    high.tiles.push((tile, weight * (1.0 - share)));
                }
            }
        }
        low.weigh(axes, weight);
        high.weigh(axes, weight);
        Ok((low, high))
    }

    fn clone_without_tiles(&self) -> PartBounds {
        PartBounds {
            ends: self.ends.clone(),
            is_cut: self.is_cut.clone(),
            weight: 0.0,
            part_count: self.part_count,
            tiles: Vec::new(),
        }
    }
}

/// Offers the ends of the tiles around the middle, and the middle itself. `tile` is the end of a tile and the keys of one.
fn even(
    axis: &PartitionAxis,
    ends: (u64, u64),
    tile: (u64, u64),
    target_share: f64,
    offer: &mut impl FnMut(u64, f64, f64),
) {
    let all = axis.measure(ends);
    let middle = axis.advance(ends.0, target_share * all);
    let share = |key: u64| axis.measure((ends.0, key)) / all;
    let first = tile.0;
    let extent = tile.1.max(1);
    // Distance of the middle from the end of a tile.
    let past = match middle.checked_sub(first) {
        Some(past) => past % extent,
        None => (extent - (first - middle) % extent) % extent,
    };
    let (below, above) = (middle.checked_sub(past), middle.checked_add(extent - past));
    let cut = match past {
        0 => 0.0,
        _ => {
            let low = below.map_or(ends.0, |key| key.saturating_add(1).max(ends.0));
            axis.measure((low, above.unwrap_or(ends.1).min(ends.1))) / all
        }
    };
    offer(middle, share(middle), cut);
    for key in [below, above].into_iter().flatten() {
        offer(key, share(key), 0.0);
    }
}
