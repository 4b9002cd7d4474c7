//! Which fragments are merged next.

use std::ops::Range;
use std::sync::Arc;

use super::settings::Settings;
use crate::array::FragmentInfo;
use crate::error::Result;
use crate::fragment::Fragment;
use crate::query::grid::{Axis, Grid, Span};
use crate::resources::Resources;
use crate::vfs::Uri;

/// A fragment that may be merged with its neighbours.
#[derive(Clone)]
pub(super) struct Candidate {
    pub(super) fragment: Arc<Fragment>,
    /// Bytes of all its files.
    pub(super) size: u64,
    /// The space tiles of a fragment of a dense array, per dimension.
    pub(super) tiles: Option<Vec<Span>>,
}

/// The fragments of an array, by time.
#[derive(Default)]
pub(super) struct Candidates {
    /// Those that begin before the window.
    pub(super) before: Vec<Candidate>,
    /// Those inside it.
    pub(super) inside: Vec<Candidate>,
    /// Those that begin in it and end later, and those after it.
    pub(super) after: Vec<Candidate>,
}

impl Candidates {
    /// The fragments that count now, divided by a window of time.
    pub(super) fn load(resources: &Resources, uri: &Uri, window: (u64, u64)) -> Result<Candidates> {
        let info = FragmentInfo::new(resources, uri.as_str())?;
        info.load()?;
        let mut candidates = Candidates::default();
        let mut grid = None;
        for info in info.loaded()?.iter() {
            let fragment = info.fragment().clone();
            if fragment.schema().is_dense() && grid.is_none() {
                grid = Some(Grid::new(fragment.schema())?);
            }
            let (start, end) = fragment.timestamps();
            let group = match (start < window.0, end <= window.1) {
                (true, _) => &mut candidates.before,
                (false, true) => &mut candidates.inside,
                (false, false) => &mut candidates.after,
            };
            let tiles = grid.as_ref().map(|grid| tiles_of(grid, &fragment));
            group.push(Candidate { size: info.size(), tiles, fragment });
        }
        Ok(candidates)
    }

    /// Finds the neighbours to be merged: as many as there may be and, of equally many, the smallest.
    pub(super) fn choose(&self, settings: &Settings) -> Option<Range<usize>> {
        let count = self.inside.len();
        let [least, most] = [settings.fragments.0, settings.fragments.1].map(|limit| (limit as usize).min(count));
        // Per number of fragments the smallest choice so far: its size and its first fragment.
        let mut best: Vec<Option<(u64, usize)>> = vec![None; most + 1];
        for first in 0..count.saturating_sub(least.max(2) - 1) {
            let mut run = Run::new(&self.inside[first]);
            for last in first + 1..count.min(first + most) {
                if !self.extend(&mut run, settings, first, last) {
                    break;
                }
                let number = last - first + 1;
                let best = &mut best[number];
                // Earlier fragments are preferred to later ones that are hardly smaller.
                let is_smaller = best.is_none_or(|(size, _)| (run.size as f64) < size as f64 / 1.25);
                if number >= least && is_smaller {
                    *best = Some((run.size, first));
                }
            }
        }
        let largest = best.iter().enumerate().rev().find_map(|(number, best)| Some((number, (*best)?.1)))?;
        Some(largest.1..largest.1 + largest.0)
    }

    /// Adds the next fragment to a run; false if it does not go with those there.
    fn extend(&self, run: &mut Run, settings: &Settings, first: usize, last: usize) -> bool {
        let next = &self.inside[last];
        let ratio = self.inside[last - 1].size as f32 / next.size as f32;
        if ratio.min(1.0 / ratio) < settings.size_ratio {
            return false;
        }
        run.size = run.size.saturating_add(next.size);
        let (Some(union), Some(tiles)) = (&mut run.union, &next.tiles) else { return true };
        union.iter_mut().zip(tiles).for_each(|(union, tiles)| *union = hull(*union, *tiles));
        run.tiles += volume(tiles);
        let overlaps = |other: &Candidate| other.tiles.as_ref().is_some_and(|tiles| overlap(union, tiles));
        // What lies between the fragments must not hide cells of earlier ones.
        !self.before.iter().chain(&self.inside[..first]).any(overlaps)
            && volume(union) / run.tiles <= f64::from(settings.amplification)
    }
}

/// Neighbours that go together.
struct Run {
    size: u64,
    /// The box around their space tiles.
    union: Option<Vec<Span>>,
    /// How many tiles they have themselves.
    tiles: f64,
}

impl Run {
    fn new(first: &Candidate) -> Run {
        let tiles = first.tiles.as_deref().map_or(0.0, volume);
        Run { size: first.size, union: first.tiles.clone(), tiles }
    }
}

fn tiles_of(grid: &Grid, fragment: &Fragment) -> Vec<Span> {
    let tiles = |(axis, range): (&Axis, _)| {
        let span = axis.span_cut(range).unwrap_or(Span { low: 0, high: 0 });
        Span { low: axis.tile(span.low), high: axis.tile(span.high) }
    };
    grid.axes().iter().zip(fragment.non_empty_domain()).map(tiles).collect()
}

/// The smallest box around the space tiles of fragments.
pub(super) fn union<'a>(candidates: impl Iterator<Item = &'a Candidate>) -> Option<Vec<Span>> {
    let join = |a: Vec<Span>, b: Vec<Span>| a.into_iter().zip(b).map(|(a, b)| hull(a, b)).collect();
    candidates.filter_map(|candidate| candidate.tiles.clone()).reduce(join)
}

/// True if boxes have a tile in common.
pub(super) fn overlap(a: &[Span], b: &[Span]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.intersect(*b).is_some())
}

fn hull(a: Span, b: Span) -> Span {
    Span { low: a.low.min(b.low), high: a.high.max(b.high) }
}

/// The number of tiles of a box.
fn volume(tiles: &[Span]) -> f64 {
    tiles.iter().map(|span| span.count() as f64).product()
}
