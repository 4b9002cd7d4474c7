//! Selection of the fragments to be merged, such that at most a given number is left and few bytes are rewritten.
//!
//! The policy is size-tiered without fixed tiers. Let the level of a byte be the logarithm of the size of its fragment.
//! A merge raises the bytes of each source to the level of the result. From its write to the end every byte rises by
//! the same amount, the logarithm of the ratio of the sizes then and at its write, so that the bytes rewritten in total
//! are inversely proportional to the mean rise per rewritten byte. Each step therefore merges the run of adjacent
//! fragments with the largest mean rise: many fragments of similar sizes. Fragments are only merged when there are more
//! than the bound, since a run that has more fragments rises further.
//!
//! Adjacent is what follows in time, so that results cover disjoint time ranges. In dense arrays, where the box of a merge
//! must not be much larger than its sources, writes at several ends of the domain give no such runs: if there are none,
//! runs of fragments that follow in space are merged. The [rule of merges](MergeRule) decides which runs change no cell.

use std::ops::Range;

use crate::maintain::merge_rule::{CellPrecedence, FragmentBox, MergeRule, MergeSet};
use crate::maintain::{DenseTileBox, MergeCandidate};
use tiledb_array::fragment::FragmentName;
use tiledb_cells::space::grid::CoordSpan;

/// Maximum number of fragments of a step: each has tables and buffers in memory.
const MAX_RUN: usize = 1024;

/// Of very many small fragments, a step merges more: one part in this number of them. Each step lists all fragments, so that the
/// number of steps must not grow as theirs.
const STEPS_OF_MANY: usize = 8;

/// Maximum number of small fragments of a step.
const MAX_LONG_RUN: usize = 16 * MAX_RUN;

/// Maximum size in bytes of the fragments of a step with more than [`MAX_RUN`] of them.
const MAX_LONG_RUN_BYTES: f64 = (64 << 20) as f64;

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

/// Fragments that are merged, adjacent in time or in space.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlannedMerge {
    /// Positions among the candidates, by time.
    pub(super) sources: Vec<usize>,
    /// Bytes that are read.
    pub(super) read: u64,
    /// Estimate of the bytes that are written.
    pub(super) written: u64,
    /// Number of mergeable fragments before the step.
    pub(super) before: usize,
}

/// Number of fragments of which all runs are considered; of more, those around the best run of a few lengths.
const MAX_EXHAUSTIVE: usize = 2 * MAX_RUN;

/// Number of fragments beside the best run of a few lengths with which other runs are considered.
const MARGIN: usize = MAX_RUN / 8;

/// A fragment, or the result of a run.
#[derive(Clone)]
struct PlannedFragment {
    /// Positions among the candidates.
    sources: Vec<usize>,
    name: FragmentName,
    region: Vec<CoordSpan>,
    bytes: f64,
    cells: f64,
    tiles: Option<DenseTileBox>,
}

/// The runs to be merged, in this order, until the limits hold. Runs consist of existing fragments: results of steps
/// are part of the next plan.
pub(super) struct MergePlan {
    /// Fragments that can be merged, by time.
    fragments: Vec<PlannedFragment>,
    /// The others.
    fixed: Vec<FragmentBox>,
    precedence: CellPrecedence,
    limits: PlanLimits,
    first: Option<PlannedMerge>,
}

/// The plan for the visible fragments of an array. Those that must not be merged have to be among them, marked as such:
/// their cells count.
pub(super) fn plan(candidates: &[MergeCandidate], limits: &PlanLimits) -> MergePlan {
    let of = |(at, candidate): (usize, &MergeCandidate)| {
        let MergeCandidate { name, region, tiles, .. } = candidate.clone();
        let bytes = candidate.bytes.max(1) as f64;
        let cells = candidate.cells as f64;
        candidate.is_mergeable.then(|| PlannedFragment { sources: vec![at], name, region, bytes, cells, tiles })
    };
    let mut fragments: Vec<PlannedFragment> = candidates.iter().enumerate().filter_map(of).collect();
    fragments.sort_by(|a, b| a.name.cmp(&b.name));
    let fixed = candidates.iter().filter(|candidate| !candidate.is_mergeable);
    let fixed = fixed.map(|candidate| FragmentBox {
        name: candidate.name.clone(),
        region: candidate.region.clone(),
        replaced_by: candidate.replaced_by,
    });
    let precedence = candidates.first().map_or(CellPrecedence::All, |candidate| candidate.precedence);
    let mut plan = MergePlan { fragments, fixed: fixed.collect(), precedence, limits: *limits, first: None };
    plan.first = plan.next_run();
    plan
}

impl MergePlan {
    /// The first run. Finding the others takes as long again for each.
    pub(super) fn first(&self) -> Option<&PlannedMerge> {
        self.first.as_ref()
    }

    /// Finds the best run, and replaces its fragments by the result.
    fn next_run(&mut self) -> Option<PlannedMerge> {
        let before = self.fragments.len();
        if before <= self.limits.fragments {
            return None;
        }
        let run = RunSearch::new(self).best()?;
        let mut is_member = vec![false; before];
        run.members.iter().for_each(|&at| is_member[at] = true);
        let mut members = is_member.into_iter();
        let is_member = |_: &mut PlannedFragment| members.next().unwrap_or_default();
        let merged: Vec<PlannedFragment> = self.fragments.extract_if(.., is_member).collect();
        if merged.iter().any(|fragment| fragment.sources.len() > 1) {
            // A result is no source of this plan: it ends.
            self.fragments.clear();
            return None;
        }
        let sources: Vec<usize> = merged.iter().flat_map(|fragment| fragment.sources.iter().copied()).collect();
        let read = merged.iter().map(|fragment| fragment.bytes).sum::<f64>() as u64;
        self.fragments.push(PlannedFragment::merged(&merged, run.written));
        self.fragments.sort_by(|a, b| a.name.cmp(&b.name));
        Some(PlannedMerge { sources, read, written: run.written as u64, before })
    }
}

impl IntoIterator for MergePlan {
    type Item = PlannedMerge;
    type IntoIter = std::vec::IntoIter<PlannedMerge>;

    fn into_iter(mut self) -> Self::IntoIter {
        let mut runs: Vec<PlannedMerge> = self.first.take().into_iter().collect();
        while !runs.is_empty() {
            let Some(run) = self.next_run() else { break };
            runs.push(run);
        }
        runs.into_iter()
    }
}

impl PlannedFragment {
    /// The result of a run.
    fn merged(run: &[PlannedFragment], written: f64) -> PlannedFragment {
        let mut result = run[0].clone();
        let mut times = result.name.timestamps();
        let mut cells = result.cells;
        for other in &run[1..] {
            let (start, end) = other.name.timestamps();
            times = (times.0.min(start), times.1.max(end));
            cells += other.cells;
            result.sources.extend(&other.sources);
            result.region.iter_mut().zip(&other.region).for_each(|(side, other)| *side = side.join(*other));
            if let (Some(tiles), Some(other)) = (&mut result.tiles, &other.tiles) {
                tiles.extend(other);
            }
        }
        let name = FragmentName::new(times.0, times.1, result.name.version());
        let cells = result.tiles.as_ref().map_or(cells, DenseTileBox::cells);
        PlannedFragment { name, bytes: written, cells, ..result }
    }
}

/// A run, by the positions of its fragments in the plan.
struct Run {
    members: Vec<usize>,
    /// Rise per byte written.
    score: f64,
    written: f64,
}

/// Search for the run of adjacent fragments whose bytes rise the most per byte written.
struct RunSearch<'a> {
    fragments: &'a [PlannedFragment],
    limits: &'a PlanLimits,
    rule: MergeRule,
    /// The positions of the fragments in the rule.
    positions: Vec<usize>,
    levels: Vec<f64>,
}

impl<'a> RunSearch<'a> {
    fn new(plan: &'a MergePlan) -> RunSearch<'a> {
        let of = |fragment: &PlannedFragment| FragmentBox {
            name: fragment.name.clone(),
            region: fragment.region.clone(),
            replaced_by: None,
        };
        let all = plan.fragments.iter().map(of).chain(plan.fixed.iter().cloned()).collect();
        let rule = MergeRule::new(plan.precedence, all);
        let positions = plan.fragments.iter().filter_map(|fragment| rule.position(&fragment.name)).collect();
        let levels = plan.fragments.iter().map(|fragment| fragment.bytes.ln()).collect();
        RunSearch { fragments: &plan.fragments, limits: &plan.limits, rule, positions, levels }
    }

    fn best(&self) -> Option<Run> {
        let by_time: Vec<usize> = (0..self.fragments.len()).collect();
        if let Some(run) = self.best_in(&by_time, true) {
            return Some(run);
        }
        let dimensions = self.fragments.first()?.tiles.as_ref()?.spans.len();
        // From the low to the high end, by each dimension first.
        let in_space = (0..dimensions).filter_map(|first| {
            let corner = |&at: &usize| {
                let low = |d: usize| self.fragments[at].region.get(d).map(|side| side.low);
                (first..first + dimensions).map(|d| low(d % dimensions)).collect::<Vec<_>>()
            };
            let mut order = by_time.clone();
            order.sort_by_cached_key(corner);
            self.best_in(&order, false)
        });
        in_space.max_by(|a, b| a.score.total_cmp(&b.score))
    }

    /// The best run of fragments that are adjacent in an order.
    fn best_in(&self, order: &[usize], is_by_time: bool) -> Option<Run> {
        if order.len() <= MAX_EXHAUSTIVE {
            return self.best_of(order, is_by_time);
        }
        let levels = RunLevels::new(self, order);
        let long = (order.len() / STEPS_OF_MANY).min(MAX_LONG_RUN);
        let mut run = None;
        if long > MAX_RUN {
            let max_bytes = MAX_LONG_RUN_BYTES.min(self.limits.bytes as f64);
            run = levels.best(&[long, long / 4, MAX_RUN], max_bytes).and_then(|run| self.allowed(&order[run]));
        }
        let run = run.or_else(|| {
            let lengths = [MAX_RUN, MAX_RUN / 4, MAX_RUN / 16, MAX_RUN / 64];
            let first = levels.best(&lengths, self.limits.bytes as f64).map_or(0, |run| run.start);
            let around = first.saturating_sub(MARGIN)..order.len().min(first + MAX_RUN + MARGIN);
            self.best_of(&order[around], is_by_time)
        });
        run.or_else(|| self.best_of(order, is_by_time))
    }

    /// A run of more than [`MAX_RUN`] fragments, if the rule and the limits allow it.
    fn allowed(&self, members: &[usize]) -> Option<Run> {
        if members.len() <= MAX_RUN {
            return None;
        }
        let mut region = RunRegion::default();
        members.iter().for_each(|&at| region.add(&self.fragments[at]));
        let bytes: f64 = members.iter().map(|&at| self.fragments[at].bytes).sum();
        let weighted: f64 = members.iter().map(|&at| self.fragments[at].bytes * self.levels[at]).sum();
        let growth = region.growth().unwrap_or(1.0);
        let written = (bytes * growth).max(1.0);
        let is_allowed = growth <= self.limits.amplification && self.rule.check(&self.set(members)?).is_ok();
        let score = (bytes * bytes.ln() - weighted) / written;
        is_allowed.then(|| Run { members: members.to_vec(), score, written })
    }

    /// The best run of all that are adjacent in an order.
    fn best_of(&self, order: &[usize], is_by_time: bool) -> Option<Run> {
        // The score, the first and the last position in the order, and the bytes that are written.
        let mut best: Option<(f64, usize, usize, f64)> = None;
        for first in 0..order.len() {
            let mut region = RunRegion::default();
            let (mut bytes, mut weighted) = (0.0, 0.0);
            let mut set: Option<MergeSet> = None;
            for last in first..order.len().min(first + MAX_RUN) {
                let fragment = &self.fragments[order[last]];
                bytes += fragment.bytes;
                weighted += fragment.bytes * self.levels[order[last]];
                region.add(fragment);
                if bytes > self.limits.bytes as f64 && last > first {
                    break;
                }
                if is_by_time && fragment.tiles.is_some() {
                    // Fragments that follow in time, with the same older ones.
                    let set = self.extend(&mut set, order[last]);
                    if self.rule.is_blocked(set) {
                        break;
                    }
                }
                let growth = region.growth();
                let rise = bytes * bytes.ln() - weighted;
                let written = (bytes * growth.unwrap_or(1.0)).max(1.0);
                let is_better = last > first && best.as_ref().is_none_or(|(most, ..)| rise / written > *most);
                if !is_better || growth.is_some_and(|growth| growth > self.limits.amplification) {
                    continue;
                }
                let run = &order[first..=last];
                let set = match set.as_mut().filter(|_| is_by_time && fragment.tiles.is_some()) {
                    Some(set) => set,
                    None => set.insert(self.set(run)?),
                };
                if self.rule.check(set).is_ok() {
                    best = Some((rise / written, first, last, written));
                }
            }
        }
        best.map(|(score, first, last, written)| Run { members: order[first..=last].to_vec(), score, written })
    }

    /// Adds a fragment to the set of a run.
    fn extend<'s>(&self, set: &'s mut Option<MergeSet>, at: usize) -> &'s mut MergeSet {
        let position = self.positions[at];
        if let Some(set) = set {
            self.rule.add(set, position);
        }
        set.get_or_insert_with(|| self.rule.set(position))
    }

    /// The set of a run.
    fn set(&self, run: &[usize]) -> Option<MergeSet> {
        let mut positions: Vec<usize> = run.iter().map(|&at| self.positions[at]).collect();
        positions.sort_unstable();
        let (first, rest) = positions.split_first()?;
        let mut set = self.rule.set(*first);
        rest.iter().for_each(|&position| self.rule.add(&mut set, position));
        Some(set)
    }
}

/// The bytes of the fragments of an order and their levels, summed up to each.
struct RunLevels(Vec<(f64, f64)>);

impl RunLevels {
    fn new(search: &RunSearch<'_>, order: &[usize]) -> RunLevels {
        let mut sums = vec![(0.0, 0.0)];
        let (mut bytes, mut weighted) = (0.0, 0.0);
        for &at in order {
            bytes += search.fragments[at].bytes;
            weighted += search.fragments[at].bytes * search.levels[at];
            sums.push((bytes, weighted));
        }
        RunLevels(sums)
    }

    /// The best run of a few lengths, whether the rule allows it or not.
    fn best(&self, lengths: &[usize], max_bytes: f64) -> Option<Range<usize>> {
        let mut best: Option<(f64, Range<usize>)> = None;
        for &length in lengths {
            for first in (0..(self.0.len() - 1).saturating_sub(length)).step_by(length / 8) {
                let (low, high) = (self.0[first], self.0[first + length]);
                let bytes = high.0 - low.0;
                let score = bytes.ln() - (high.1 - low.1) / bytes;
                if bytes <= max_bytes && best.as_ref().is_none_or(|(most, _)| score > *most) {
                    best = Some((score, first..first + length));
                }
            }
        }
        best.map(|(_, run)| run)
    }
}

/// Tiles of a run of dense fragments.
#[derive(Default)]
struct RunRegion {
    tiles: Option<DenseTileBox>,
    /// Cells of the fragments.
    cells: f64,
}

impl RunRegion {
    fn add(&mut self, next: &PlannedFragment) {
        self.cells += next.cells;
        match (&mut self.tiles, &next.tiles) {
            (Some(tiles), Some(other)) => tiles.extend(other),
            (tiles, other) => tiles.clone_from(other),
        }
    }

    /// The ratio of the cells of the result to those of the sources; none in sparse arrays.
    fn growth(&self) -> Option<f64> {
        self.tiles.as_ref().map(|tiles| tiles.cells() / self.cells.max(1.0))
    }
}
