//! The policy on histories of appends, without files: bounds on fragments and rewritten bytes, compared with policies
//! of fixed tiers and of levels.

use proptest::prelude::*;

use super::plan::{PlanLimits, PlannedMerge};
use crate::maintain::merge_rule::CellPrecedence;
use crate::maintain::{DenseTileBox, MergeCandidate};
use tiledb_array::fragment::FragmentName;
use tiledb_cells::space::box_index::overlap;
use tiledb_cells::space::grid::CoordSpan;
use tiledb_core::types::CURRENT_VERSION;

pub(super) const APPENDS: usize = 100_000;

fn limits(fragments: usize) -> PlanLimits {
    PlanLimits { fragments, bytes: u64::MAX, amplification: 1.0 }
}

/// All runs of a plan.
fn plan(candidates: &[MergeCandidate], limits: &PlanLimits) -> Vec<PlannedMerge> {
    super::plan::plan(candidates, limits).into_iter().collect()
}

fn sparse(start: u64, end: u64, bytes: u64) -> MergeCandidate {
    let name = FragmentName::new(start, end, CURRENT_VERSION);
    let (region, precedence) = (Vec::new(), CellPrecedence::All);
    MergeCandidate { name, bytes, cells: bytes, tiles: None, region, replaced_by: None, precedence, is_mergeable: true }
}

/// Cells of a tile of dense arrays.
const TILE: u64 = 10;

/// A dense fragment of whole tiles.
fn dense(time: u64, bytes: u64, low: u64, high: u64) -> MergeCandidate {
    dense_cells((time, time), bytes, &[(TILE * low, TILE * high + TILE - 1)])
}

/// First and last cell along each dimension.
type CellBox = Vec<(u64, u64)>;

/// A dense fragment of a box of cells.
fn dense_cells(times: (u64, u64), bytes: u64, sides: &[(u64, u64)]) -> MergeCandidate {
    let region: Vec<CoordSpan> = sides.iter().map(|&(low, high)| CoordSpan { low, high }).collect();
    let spans = region.iter().map(|side| CoordSpan { low: side.low / TILE, high: side.high / TILE }).collect();
    let tiles = DenseTileBox { spans, tile_cells: TILE.pow(sides.len() as u32) };
    let (cells, precedence) = (tiles.cells() as u64, CellPrecedence::LastBox);
    MergeCandidate { cells, tiles: Some(tiles), region, precedence, ..sparse(times.0, times.1, bytes) }
}

/// Replaces the first run by its result.
fn execute(fragments: &mut Vec<MergeCandidate>, run: &PlannedMerge) -> u64 {
    let sources = run.sources.clone();
    let merged = &fragments[sources[0]..=sources[sources.len() - 1]];
    let times = (merged[0].name.timestamps().0, merged[merged.len() - 1].name.timestamps().1);
    let result = sparse(times.0, times.1, merged.iter().map(|fragment| fragment.bytes).sum());
    let written = result.bytes;
    fragments.splice(sources[0]..=sources[sources.len() - 1], [result]);
    written
}

/// Pseudo-random numbers below 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Sizes of appends in cells, from 100 to 10^5.
pub(super) fn histories() -> Vec<(&'static str, Vec<u64>)> {
    let of = |size: &mut dyn FnMut(usize) -> f64| (0..APPENDS).map(|at| size(at) as u64).collect::<Vec<_>>();
    let (mut uniform, mut logarithmic) = (Random(88_172_645_463_325_252), Random(1_234_567));
    vec![
        ("constant", of(&mut |_| 1000.0)),
        ("uniform", of(&mut |_| 100.0 + uniform.next() * 99_900.0)),
        ("log-uniform", of(&mut |_| 100.0 * 1000f64.powf(logarithmic.next()))),
        ("bursts", of(&mut |at| if at / 500 % 2 == 0 { 100.0 } else { 1e5 })),
        ("alternating", of(&mut |at| if at % 2 == 0 { 100.0 } else { 1e5 })),
        ("rarely large", of(&mut |at| if at % 100 == 0 { 1e5 } else { 100.0 })),
        ("shrinking", of(&mut |at| 1e5 - at as f64 * 0.999)),
        ("ruler", of(&mut |at| 100.0 * 2f64.powi((at + 1).trailing_zeros().min(9) as i32))),
    ]
}

/// What a history ends in: bytes rewritten per byte written, and the most and the mean number of fragments that a reader
/// finds.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) amplification: f64,
    pub(super) fragments: usize,
    pub(super) mean: f64,
}

impl Outcome {
    /// Of the bytes that were rewritten, and numbers of fragments.
    pub(super) fn new(appends: &[u64], rewritten: u64, most: usize, sum: usize) -> Outcome {
        Outcome {
            amplification: rewritten as f64 / appends.iter().sum::<u64>() as f64,
            fragments: most,
            mean: sum as f64 / appends.len() as f64,
        }
    }
}

/// Maintains an array after every `every` appends.
pub(super) fn simulate(appends: &[u64], bound: usize, every: usize) -> Outcome {
    let (mut fragments, mut rewritten, mut most, mut sum) = (Vec::new(), 0, 0, 0);
    for (time, &bytes) in appends.iter().enumerate() {
        fragments.push(sparse(time as u64, time as u64, bytes));
        if (time + 1) % every == 0 {
            while fragments.len() > bound {
                let runs = super::plan::plan(&fragments, &limits(bound));
                let Some(run) = runs.first() else { break };
                rewritten += execute(&mut fragments, run);
            }
            most = most.max(fragments.len());
        }
        sum += fragments.len();
    }
    Outcome::new(appends, rewritten, most, sum)
}

/// Fixed tiers: a run of at least `ratio` fragments of a tier is merged, with smaller ones between them.
fn tiered(appends: &[u64], ratio: f64) -> Outcome {
    let tier = |bytes: u64| (bytes as f64).log(ratio) as u32;
    let (mut fragments, mut rewritten, mut most, mut sum) = (Vec::<u64>::new(), 0, 0, 0);
    for &bytes in appends {
        fragments.push(bytes);
        'again: loop {
            for limit in 0..=40 {
                let mut first = 0;
                while first < fragments.len() {
                    let run = fragments[first..].iter().take_while(|bytes| tier(**bytes) <= limit).count();
                    let run = first..first + run;
                    if fragments[run.clone()].iter().filter(|bytes| tier(**bytes) == limit).count() >= ratio as usize {
                        let merged: u64 = fragments[run.clone()].iter().sum();
                        rewritten += merged;
                        fragments.splice(run, [merged]);
                        continue 'again;
                    }
                    first = run.end + 1;
                }
            }
            break;
        }
        most = most.max(fragments.len());
        sum += fragments.len();
    }
    Outcome::new(appends, rewritten, most, sum)
}

/// Levels: one fragment per level, each at most `ratio` times as large as that of the level before; `first` new ones
/// are merged into the first level.
fn leveled(appends: &[u64], ratio: f64, first: usize) -> Outcome {
    let (mut new, mut levels, mut rewritten, mut most, mut sum) = (Vec::new(), Vec::<u64>::new(), 0, 0, 0);
    let base = (appends[0] * first as u64) as f64;
    for &bytes in appends {
        new.push(bytes);
        if new.len() > first {
            let (mut carried, mut level) = (new.drain(..).sum::<u64>(), 0);
            loop {
                levels.resize(levels.len().max(level + 1), 0);
                carried += levels[level];
                rewritten += carried;
                if carried as f64 <= base * ratio.powi(level as i32 + 1) {
                    levels[level] = carried;
                    break;
                }
                levels[level] = 0;
                level += 1;
            }
        }
        let fragments = new.len() + levels.iter().filter(|bytes| **bytes > 0).count();
        (most, sum) = (most.max(fragments), sum + fragments);
    }
    Outcome::new(appends, rewritten, most, sum)
}

#[test]
fn histories_of_appends_stay_within_the_bounds() {
    for (name, appends) in histories() {
        // The first tenth of a history, after every append, and all of it, after every hundred.
        for (appends, every) in [(&appends[..APPENDS / 10], 1), (&appends[..], 100)] {
            let outcome = simulate(appends, 40, every);
            assert!(outcome.amplification <= 5.0 && outcome.fragments <= 40, "{name}: {outcome:?}");
        }
    }
}

#[test]
#[ignore = "prints figures; takes a minute without optimization"]
fn policies_compared() {
    for (name, appends) in histories() {
        print!("{name:13}");
        for bound in [10, 20, 40, 64] {
            let outcome = simulate(&appends, bound, 1);
            print!(" | bound {bound}: {:.2}", outcome.amplification);
            assert!(outcome.fragments <= bound && (bound < 20 || outcome.amplification <= 7.0));
        }
        for ratio in [4.0, 10.0] {
            let outcome = tiered(&appends, ratio);
            print!(" | tiers of {ratio}: {:.2}, {}", outcome.amplification, outcome.fragments);
        }
        for (ratio, first) in [(4.0, 30), (10.0, 35)] {
            let outcome = leveled(&appends, ratio, first);
            print!(" | levels of {ratio}: {:.2}, {}", outcome.amplification, outcome.fragments);
        }
        println!();
    }
}

#[test]
fn a_backlog_is_merged_once() {
    let fragments: Vec<MergeCandidate> = (0..20_000).map(|time| sparse(time, time, 1000)).collect();
    let runs = plan(&fragments, &limits(40));
    assert!(runs.iter().all(|run| run.sources.len() <= 20_000 / 8));
    let merged: usize = runs.iter().map(|run| run.sources.len()).sum();
    assert_eq!(runs.iter().map(|run| run.read).sum::<u64>(), 1000 * merged as u64);
    assert!(merged <= 20_000 && 20_000 - runs.iter().map(|run| run.sources.len() - 1).sum::<usize>() <= 40);
}

#[test]
fn backlog_of_very_many_small_fragments_is_merged_in_few_steps() {
    let of = |bytes: u64, count: u64| {
        let fragments: Vec<MergeCandidate> = (0..count).map(|time| sparse(time, time, bytes)).collect();
        plan(&fragments, &limits(40)).iter().map(|run| (run.sources.len(), run.read)).collect::<Vec<_>>()
    };
    let runs = of(1000, 100_000);
    assert!(runs.len() <= 50 && runs.iter().all(|run| run.1 <= 64 << 20), "{runs:?}");
    // The plan ends where a run would have a result of the plan; the next one begins with what is left.
    assert!(100_000 - runs.iter().map(|run| run.0 - 1).sum::<usize>() <= 100, "{runs:?}");
    // Of large fragments, a step merges as few as ever.
    assert!(of(100 << 10, 40_000).iter().all(|run| run.0 <= 1024));
}

#[test]
fn the_large_fragment_is_left_alone() {
    let mut fragments: Vec<MergeCandidate> = (0..41).map(|time| sparse(time, time, 1000)).collect();
    fragments[20].bytes = 1 << 40;
    let runs = plan(&fragments, &limits(40));
    assert_eq!(runs.len(), 1);
    assert!(!runs[0].sources.contains(&20) && runs[0].sources.len() == 20);
}

#[test]
fn nothing_is_planned_within_the_bound_or_beyond_the_maximum_size() {
    let fragments: Vec<MergeCandidate> = (0..41).map(|time| sparse(time, time, 1000)).collect();
    assert!(plan(&fragments, &limits(41)).is_empty());
    assert!(plan(&[], &limits(1)).is_empty());
    assert!(plan(&fragments[..1], &limits(1)).is_empty());
    assert!(plan(&fragments, &PlanLimits { bytes: 1999, ..limits(1) }).is_empty());
    let runs = plan(&fragments, &PlanLimits { bytes: 5000, ..limits(10) });
    assert!(runs.iter().all(|run| run.sources.len() <= 5));
    assert_eq!(runs.iter().map(|run| run.sources.len() - 1).sum::<usize>(), 32);
    let mut fixed = fragments;
    fixed.iter_mut().step_by(2).for_each(|fragment| fragment.is_mergeable = false);
    assert!(plan(&fixed, &limits(20)).is_empty());
    assert_eq!(plan(&fixed, &limits(19))[0].sources, (1..41).step_by(2).collect::<Vec<_>>());
}

#[test]
fn dense_fragments_hide_no_older_cells() {
    // An old fragment everywhere: only runs from it on can be merged.
    let mut fragments = vec![dense(1, 1 << 20, 0, 99)];
    fragments.extend((2..12).map(|time| dense(time, 1000, time, time)));
    assert_eq!(plan(&fragments, &limits(10))[0].sources[0], 0);
    // Slices side by side: all but the large one.
    let mut slices: Vec<MergeCandidate> = (0..11).map(|time| dense(time, 1000, time, time)).collect();
    slices[0].bytes = 1 << 20;
    assert_eq!(plan(&slices, &limits(10))[0].sources, (1..11).collect::<Vec<_>>());
    // Fragments far apart would be filled between them.
    let apart: Vec<MergeCandidate> = (0..11).map(|time| dense(time, 1000, 10 * time, 10 * time)).collect();
    assert!(plan(&apart, &limits(10)).is_empty());
    assert_eq!(plan(&apart, &PlanLimits { amplification: 11.0, ..limits(10) }).len(), 1);
    // Equal times: fragments in between are merged, too.
    let equal = [dense(1, 1000, 0, 0), dense(1, 1000, 0, 0), dense(1, 1000, 0, 0)];
    assert_eq!(plan(&equal, &limits(2))[0].sources, [0, 1, 2]);
    // A fragment that must not be merged, and one of a time in between that is written later.
    let mut fixed: Vec<MergeCandidate> = (0..5).map(|time| dense(time, 1000, 0, 0)).collect();
    fixed[2].is_mergeable = false;
    assert_eq!(plan(&fixed, &limits(3))[0].sources, [0, 1]);
    let late = [dense(1, 1000, 0, 0), dense_cells((2, 9), 1000, &[(0, 9)]), dense(3, 1000, 0, 0)];
    assert_eq!(plan(&late, &limits(2))[0].sources, [0, 1, 2]);
}

/// A dense array in which each write is followed by maintenance.
struct DenseHistory {
    fragments: Vec<MergeCandidate>,
    written: f64,
    rewritten: f64,
    most: usize,
}

impl DenseHistory {
    /// Plays writes of boxes of cells.
    fn play(writes: impl Iterator<Item = Vec<(u64, u64)>>, bound: usize) -> DenseHistory {
        let mut history = DenseHistory { fragments: Vec::new(), written: 0.0, rewritten: 0.0, most: 0 };
        for (time, sides) in (1..).zip(writes) {
            let mut fragment = dense_cells((time, time), 1, &sides);
            // Tiles are stored as a whole.
            fragment.bytes = 8 * fragment.cells;
            history.written += fragment.bytes as f64;
            history.fragments.push(fragment);
            history.maintain(bound);
            history.most = history.most.max(history.fragments.len());
        }
        history
    }

    fn maintain(&mut self, bound: usize) {
        let mut before = usize::MAX;
        while self.fragments.len() < before {
            before = self.fragments.len();
            let runs = super::plan::plan(&self.fragments, &limits(bound));
            let Some(run) = runs.first() else { return };
            let mut merged: Option<(CellBox, (u64, u64))> = None;
            for &at in &run.sources {
                let fragment = &self.fragments[at];
                let (sides, times) = merged.get_or_insert_with(|| {
                    (fragment.region.iter().map(|side| (side.low, side.high)).collect(), fragment.name.timestamps())
                });
                for (side, other) in sides.iter_mut().zip(&fragment.region) {
                    *side = (side.0.min(other.low), side.1.max(other.high));
                }
                let (start, end) = fragment.name.timestamps();
                *times = (times.0.min(start), times.1.max(end));
            }
            let (sides, times) = merged.unwrap();
            let mut result = dense_cells(times, 1, &sides);
            result.bytes = 8 * result.cells;
            self.rewritten += result.bytes as f64;
            let mut at = 0..;
            self.fragments.retain(|_| !run.sources.contains(&at.next().unwrap()));
            self.fragments.push(result);
            self.fragments.sort_by(|a, b| a.name.cmp(&b.name));
        }
    }
}

/// Patterns of dense writes: names, and the boxes of cells.
fn dense_histories(count: u64) -> Vec<(&'static str, Vec<CellBox>)> {
    let of = |sides: &mut dyn FnMut(u64) -> Vec<(u64, u64)>| (0..count).map(sides).collect::<Vec<_>>();
    let (mut boxes, mut tiles) = (Random(88_172_645_463_325_252), Random(1_234_567));
    let middle = 1 << 40;
    vec![
        ("appends of tiles", of(&mut |at| vec![(at * TILE, at * TILE + TILE - 1)])),
        ("appends of 7 cells", of(&mut |at| vec![(at * 7, at * 7 + 6)])),
        ("appends of 25 cells", of(&mut |at| vec![(at * 25, at * 25 + 24)])),
        (
            "both ends of the domain",
            of(&mut |at| {
                let low = if at % 2 == 0 { middle - TILE * (at / 2 + 1) } else { middle + TILE * (at / 2) };
                vec![(low, low + TILE - 1)]
            }),
        ),
        (
            "both halves",
            of(&mut |at| vec![(at % 2 * middle + at / 2 * TILE, at % 2 * middle + at / 2 * TILE + TILE - 1)]),
        ),
        ("five writers", of(&mut |at| vec![(at % 5 * middle + at / 5 * 7, at % 5 * middle + at / 5 * 7 + 6)])),
        ("rows", of(&mut |at| vec![(at * TILE, at * TILE + TILE - 1), (0, 99)])),
        ("unaligned rows", of(&mut |at| vec![(at * 7, at * 7 + 6), (3, 97)])),
        (
            "columns of four writers",
            of(&mut |at| vec![(at / 4 * TILE, at / 4 * TILE + TILE - 1), (at % 4 * TILE, at % 4 * TILE + TILE - 1)]),
        ),
        (
            "one tile anywhere in 32 x 32",
            of(&mut |_| {
                let [x, y] = [(); 2].map(|()| (tiles.next() * 32.0) as u64 * TILE);
                vec![(x, x + TILE - 1), (y, y + TILE - 1)]
            }),
        ),
        (
            "any box in 300 x 300",
            of(&mut |_| {
                let mut side = || {
                    let low = (boxes.next() * 270.0) as u64;
                    (low, low + 1 + (boxes.next() * 28.0) as u64)
                };
                vec![side(), side()]
            }),
        ),
        ("the same box", of(&mut |_| vec![(0, 99)])),
    ]
}

#[test]
fn dense_fragments_stay_within_the_bound_wherever_boxes_continue_each_other() {
    for (name, writes) in dense_histories(600) {
        let history = DenseHistory::play(writes.into_iter(), 20);
        let amplification = history.rewritten / history.written;
        println!("{name}: at most {} fragments, {amplification:.1} bytes rewritten per byte written", history.most);
        // Boxes anywhere leave gaps, or overlap older ones.
        let bound = if name.contains("any") { 300 } else { 20 };
        assert!(history.most <= bound && amplification < 10.0, "{name}: {}, {amplification}", history.most);
    }
}

proptest! {
    #[test]
    fn runs_are_disjoint_and_allowed(
        fragments in prop::collection::vec((0u64..8, 1u64..5000, 0u64..12, 0u64..4, any::<bool>()), 0..40),
        bound in 1usize..10,
        of_dense in any::<bool>(),
    ) {
        let mut time = 0;
        let fragments: Vec<MergeCandidate> = fragments.into_iter().map(|(pause, bytes, low, more, is_mergeable)| {
            time += pause / 4;
            let is_mergeable = is_mergeable || of_dense;
            let fragment = if of_dense { dense(time, bytes, low, low + more) } else { sparse(time, time, bytes) };
            MergeCandidate { is_mergeable, ..fragment }
        }).collect();
        let mergeable = fragments.iter().filter(|fragment| fragment.is_mergeable).count();
        let runs = plan(&fragments, &limits(bound));
        let mut used = vec![false; fragments.len()];
        for run in &runs {
            prop_assert!(run.sources.len() >= 2);
            let between = run.sources[0]..=*run.sources.last().unwrap();
            prop_assert!(of_dense || between.clone().all(|at| run.sources.contains(&at) || !fragments[at].is_mergeable));
            for &at in &run.sources {
                prop_assert!(!std::mem::replace(&mut used[at], true));
            }
        }
        if !of_dense {
            prop_assert!(mergeable - runs.iter().map(|run| run.sources.len() - 1).sum::<usize>() <= bound.max(1)
                || !runs.is_empty());
        } else if let Some(run) = runs.first() {
            let regions = run.sources.iter().map(|&at| fragments[at].region.clone());
            let union = regions.reduce(|a, b| vec![a[0].join(b[0])]).unwrap();
            let start = run.sources.iter().map(|&at| fragments[at].name.timestamps().0).min().unwrap();
            for (at, other) in fragments.iter().enumerate().filter(|(at, _)| !run.sources.contains(at)) {
                let is_later = |&source: &usize| {
                    fragments[source].name > other.name && overlap(&fragments[source].region, &other.region)
                };
                let overlaps = overlap(&union, &other.region);
                prop_assert!(!overlaps || other.name.timestamps().0 >= start, "{at}");
                prop_assert!(!overlaps || !run.sources.iter().any(is_later), "{at}");
            }
        }
    }
}
