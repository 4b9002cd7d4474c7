//! Which fragments are merged next.

use std::ops::Range;
use std::sync::Arc;

use super::settings::Settings;
use crate::array::FragmentInfo;
use crate::error::Result;
use crate::fragment::Fragment;
use crate::query::space::grid::{Axis, Grid, Span};
use crate::resources::Resources;
use crate::stats::Timer;
use crate::vfs::Uri;

/// A fragment that may be merged with its neighbours.
#[derive(Clone)]
pub(super) struct Candidate {
    pub(super) fragment: Arc<Fragment>,
    /// Bytes of all its files.
    pub(super) size: u64,
    /// Where a fragment of a dense array lies.
    pub(super) place: Option<Place>,
}

/// Where a dense fragment lies.
#[derive(Clone)]
pub(super) struct Place {
    /// Its cells, as distances from the domain's start per dimension.
    region: Vec<Span>,
    /// The space tiles they fall into.
    tiles: Vec<Span>,
    /// The cells of these tiles.
    cells: f64,
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
        let _timer = resources.stats().timer(Timer::LoadChosenFragments);
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
            let place = grid.as_ref().map(|grid| Place::new(grid, &fragment));
            group.push(Candidate { size: info.size(), place, fragment });
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

    /// What a choice is once it is merged, of so many bytes.
    pub(super) fn merged(&self, chosen: Range<usize>, size: u64) -> Candidate {
        let place =
            self.inside[chosen.clone()].iter().filter_map(|candidate| candidate.place.clone()).reduce(Place::join);
        Candidate { fragment: self.inside[chosen.start].fragment.clone(), size, place }
    }

    /// Adds the next fragment to a run; false if it does not go with those there.
    fn extend(&self, run: &mut Run, settings: &Settings, first: usize, last: usize) -> bool {
        let next = &self.inside[last];
        let ratio = self.inside[last - 1].size as f32 / next.size as f32;
        if ratio.min(1.0 / ratio) < settings.size_ratio {
            return false;
        }
        run.size = run.size.saturating_add(next.size);
        let (Some(union), Some(place)) = (&mut run.union, &next.place) else { return true };
        union.iter_mut().zip(&place.region).for_each(|(union, side)| *union = hull(*union, *side));
        run.cells += place.cells;
        let overlaps = |other: &Candidate| other.place.as_ref().is_some_and(|place| overlap(union, &place.region));
        // What lies between the fragments must not hide cells of earlier ones. Like the reference we look at the box
        // around all that were written before the window.
        let before = self.before.iter().filter_map(|other| Some(other.place.as_ref()?.region.clone())).reduce(joined);
        !before.is_some_and(|before| overlap(union, &before))
            && !self.inside[..first].iter().any(overlaps)
            && volume(union) / run.cells <= f64::from(settings.amplification)
    }
}

impl Candidate {
    /// The cells of its whole tiles; nothing in sparse arrays.
    pub(super) fn dense_cells(&self) -> Option<u64> {
        self.place.as_ref().map(|place| place.cells as u64)
    }
}

/// Neighbours that go together.
struct Run {
    size: u64,
    /// The box around their cells.
    union: Option<Vec<Span>>,
    /// How many cells their own tiles have.
    cells: f64,
}

impl Run {
    fn new(first: &Candidate) -> Run {
        let place = first.place.as_ref();
        Run {
            size: first.size,
            union: place.map(|place| place.region.clone()),
            cells: place.map_or(0.0, |place| place.cells),
        }
    }
}

impl Place {
    fn new(grid: &Grid, fragment: &Fragment) -> Place {
        let side = |(axis, range): (&Axis, _)| axis.span_cut(range).unwrap_or(Span { low: 0, high: 0 });
        let region: Vec<Span> = grid.axes().iter().zip(fragment.non_empty_domain()).map(side).collect();
        let tiles = |(axis, side): (&Axis, &Span)| Span { low: axis.tile(side.low), high: axis.tile(side.high) };
        let tiles: Vec<Span> = grid.axes().iter().zip(&region).map(tiles).collect();
        Place { cells: volume(&tiles) * grid.tile_cells as f64, region, tiles }
    }

    /// The box around both.
    fn join(self, other: Place) -> Place {
        let tile_cells = self.cells / volume(&self.tiles);
        let tiles = joined(self.tiles, other.tiles);
        Place { cells: volume(&tiles) * tile_cells, region: joined(self.region, other.region), tiles }
    }
}

/// The first of the `others` up to a time that has a space tile in the box around those of the chosen fragments.
pub(super) fn hidden<'a>(chosen: &[&Candidate], others: &[&'a Candidate], end: u64) -> Option<&'a Candidate> {
    let tiles = |candidate: &Candidate| candidate.place.as_ref().map(|place| place.tiles.clone());
    let union = chosen.iter().filter_map(|candidate| tiles(candidate)).reduce(joined)?;
    let is_hidden = |other: &&&Candidate| {
        other.fragment.timestamps().0 <= end && tiles(other).is_some_and(|tiles| overlap(&union, &tiles))
    };
    others.iter().find(is_hidden).copied()
}

/// True if boxes have something in common.
fn overlap(a: &[Span], b: &[Span]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.intersect(*b).is_some())
}

/// The box around two boxes.
fn joined(a: Vec<Span>, b: Vec<Span>) -> Vec<Span> {
    a.into_iter().zip(b).map(|(a, b)| hull(a, b)).collect()
}

fn hull(a: Span, b: Span) -> Span {
    Span { low: a.low.min(b.low), high: a.high.max(b.high) }
}

/// The volume of a box.
fn volume(sides: &[Span]) -> f64 {
    sides.iter().map(|span| span.count() as f64).product()
}
