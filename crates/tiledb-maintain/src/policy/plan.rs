//! Selection of the fragments to be merged, such that at most a given number is left and few bytes are rewritten.
//!
//! The policy is size-tiered without fixed tiers. Let the level of a byte be the logarithm of the size of its fragment.
//! A merge raises the bytes of each source to the level of the result. From its write to the end every byte rises by
//! the same amount, the logarithm of the ratio of the sizes then and at its write, so that the bytes rewritten in total
//! are inversely proportional to the mean rise per rewritten byte. Each step therefore merges the run of adjacent
//! fragments with the largest mean rise: many fragments of similar sizes. Fragments are only merged when there are more
//! than the bound, since a run that has more fragments rises further.
//!
//! Only adjacent fragments are merged: overwrites stay in order in formats whose cells have no timestamps, and results
//! cover disjoint time ranges. A dense fragment supersedes all older cells in its box of tiles, so that a run of dense
//! fragments must not overlap older fragments outside of it.

use std::ops::Range;

use crate::maintain::{DenseTileBox, MergeCandidate};
use tiledb_cells::space::box_index::{BoxIndex, overlap};
use tiledb_cells::space::grid::CoordSpan;

/// Maximum number of fragments of a step: each has tables and buffers in memory.
const MAX_RUN: usize = 1024;

/// Bounds on the number and the sizes of fragments.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlanLimits {
    /// Number of mergeable fragments that may be left.
    pub(super) fragments: usize,
    /// Maximum size of a new fragment in bytes.
    pub(super) bytes: u64,
    /// Maximum ratio of the cells of a new dense fragment to those of its sources.
    pub(super) amplification: f64,
}

/// Adjacent fragments that are merged.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlannedMerge {
    /// Positions among the sources, by time; those that consolidation cannot merge are not part of the run.
    pub(super) sources: Vec<usize>,
    /// Bytes that are read.
    pub(super) read: u64,
    /// Estimate of the bytes that are written.
    pub(super) written: u64,
    /// Number of mergeable fragments before the step.
    pub(super) before: usize,
}

/// A fragment, or the result of a run.
#[derive(Clone)]
struct PlannedFragment {
    sources: Vec<usize>,
    bytes: f64,
    cells: f64,
    start: u64,
    end: u64,
    tiles: Option<DenseTileBox>,
}

/// The runs to be merged, in this order, until the limits hold. Runs consist of existing fragments: results of steps
/// are part of the next plan.
pub(super) fn plan(candidates: &[MergeCandidate], limits: &PlanLimits) -> Vec<PlannedMerge> {
    let of = |(at, candidate): (usize, &MergeCandidate)| {
        let (start, end) = candidate.name.timestamps();
        let (bytes, cells, tiles) = (candidate.bytes.max(1) as f64, candidate.cells as f64, candidate.tiles.clone());
        candidate.is_mergeable.then(|| PlannedFragment { sources: vec![at], bytes, cells, start, end, tiles })
    };
    let mut fragments: Vec<PlannedFragment> = candidates.iter().enumerate().filter_map(of).collect();
    let mut runs = Vec::new();
    while fragments.len() > limits.fragments {
        let Some((run, written)) = best_run(&fragments, limits) else { break };
        let before = fragments.len();
        let merged = &fragments[run.clone()];
        if merged.iter().any(|fragment| fragment.sources.len() > 1) {
            break;
        }
        let sources: Vec<usize> = merged.iter().flat_map(|fragment| fragment.sources.iter().copied()).collect();
        let read = merged.iter().map(|fragment| fragment.bytes).sum::<f64>() as u64;
        runs.push(PlannedMerge { sources: sources.clone(), read, written: written as u64, before });
        let end = merged.iter().map(|fragment| fragment.end).max().unwrap_or(0);
        let tiles = merged.iter().filter_map(|fragment| fragment.tiles.clone()).reduce(|a, b| joined(&a, &b));
        let cells = tiles.as_ref().map_or(merged.iter().map(|fragment| fragment.cells).sum(), DenseTileBox::cells);
        let result = PlannedFragment { sources, bytes: written, cells, start: merged[0].start, end, tiles };
        fragments.splice(run, [result]);
    }
    runs
}

/// The run of adjacent fragments whose bytes rise the most per byte written, and the bytes that are written.
fn best_run(fragments: &[PlannedFragment], limits: &PlanLimits) -> Option<(Range<usize>, f64)> {
    let older = OlderFragments::new(fragments);
    let levels: Vec<f64> = fragments.iter().map(|fragment| fragment.bytes.ln()).collect();
    let mut best: Option<(f64, Range<usize>, f64)> = None;
    for first in 0..fragments.len() {
        let (mut bytes, mut weighted) = (0.0, 0.0);
        let mut region = RunRegion::new(&fragments[first]);
        for last in first..fragments.len().min(first + MAX_RUN) {
            let fragment = &fragments[last];
            bytes += fragment.bytes;
            weighted += fragment.bytes * levels[last];
            if last == first {
                continue;
            }
            region.add(fragment);
            if older.is_overlapped(&region, first) || bytes > limits.bytes as f64 {
                break;
            }
            let growth = region.growth();
            let rise = bytes * bytes.ln() - weighted;
            let written = (bytes * growth.unwrap_or(1.0)).max(1.0);
            let is_better = best.as_ref().is_none_or(|(most, ..)| rise / written > *most);
            if is_better
                && growth.is_none_or(|growth| growth <= limits.amplification)
                && !is_hiding_younger(&region, &fragments[last + 1..])
            {
                best = Some((rise / written, first..last + 1, written));
            }
        }
    }
    best.map(|(_, run, written)| (run, written))
}

/// Times and tiles of a run.
struct RunRegion {
    tiles: Option<DenseTileBox>,
    cells: f64,
    end: u64,
}

impl RunRegion {
    fn new(first: &PlannedFragment) -> RunRegion {
        RunRegion { tiles: first.tiles.clone(), cells: first.cells, end: first.end }
    }

    fn add(&mut self, next: &PlannedFragment) {
        if let (Some(tiles), Some(other)) = (&mut self.tiles, &next.tiles) {
            *tiles = joined(tiles, other);
        }
        self.cells += next.cells;
        self.end = self.end.max(next.end);
    }

    /// The ratio of the cells of the result to those of the sources; none in sparse arrays.
    fn growth(&self) -> Option<f64> {
        self.tiles.as_ref().map(|tiles| tiles.cells() / self.cells.max(1.0))
    }
}

/// True if the result would be younger than a later fragment that it overlaps: consolidation refuses that.
fn is_hiding_younger(region: &RunRegion, later: &[PlannedFragment]) -> bool {
    let Some(tiles) = &region.tiles else { return false };
    let overlaps =
        |other: &PlannedFragment| other.tiles.as_ref().is_some_and(|other| overlap(&tiles.spans, &other.spans));
    later.iter().take_while(|other| other.start <= region.end).any(overlaps)
}

/// The boxes of dense fragments by age.
struct OlderFragments(Option<BoxIndex>);

impl OlderFragments {
    fn new(fragments: &[PlannedFragment]) -> OlderFragments {
        let boxes: Option<Vec<Vec<CoordSpan>>> =
            fragments.iter().map(|fragment| fragment.tiles.as_ref().map(|tiles| tiles.spans.clone())).collect();
        OlderFragments(boxes.filter(|boxes| !boxes.is_empty()).map(BoxIndex::new))
    }

    /// True if a fragment before `first` overlaps the run.
    fn is_overlapped(&self, region: &RunRegion, first: usize) -> bool {
        match (&self.0, &region.tiles) {
            (Some(index), Some(tiles)) => index.overlaps_before(&tiles.spans, first),
            _ => false,
        }
    }
}

/// The box around both.
fn joined(a: &DenseTileBox, b: &DenseTileBox) -> DenseTileBox {
    let spans = a.spans.iter().zip(&b.spans).map(|(a, b)| a.join(*b)).collect();
    DenseTileBox { spans, tile_cells: a.tile_cells }
}
