//! The policy compared with libtiledb's consolidation, called after every so many appends.

use proptest::prelude::*;

use super::plan_tests::{APPENDS, Outcome, histories, simulate};
use super::reference_consolidation::ReferenceSteps;

/// Appends of the beginning of a history by which settings are compared.
const BEGINNING: usize = 10_000;

/// As [`ReferenceSteps::choose`], by the matrix of libtiledb: row `i` has the sizes of `i + 1` fragments from each on.
fn by_matrix(settings: &ReferenceSteps, sizes: &[u64]) -> Option<std::ops::Range<usize>> {
    let count = sizes.len();
    let [min, max] = [settings.min_fragments, settings.max_fragments].map(|limit| (limit as usize).min(count));
    let mut rows = vec![sizes.to_vec()];
    for row in 1..max {
        let cell = |first: usize| {
            if row + first >= count {
                return u64::MAX;
            }
            let ratio = sizes[row + first - 1] as f32 / sizes[row + first] as f32;
            let ratio = if ratio <= 1.0 { ratio } else { 1.0 / ratio };
            let before: u64 = rows[row - 1][first];
            if ratio >= settings.size_ratio && before != u64::MAX { before + sizes[row + first] } else { u64::MAX }
        };
        let next = (0..count).map(cell).collect();
        rows.push(next);
    }
    for row in (0..max).rev().take_while(|row| row + 1 >= min) {
        let (mut least, mut chosen) = (u64::MAX, 0);
        for (first, &size) in rows[row].iter().enumerate() {
            if least == u64::MAX || (size as f64) < least as f64 / 1.25 {
                (least, chosen) = (size, first);
            }
        }
        if least != u64::MAX {
            // A single fragment is not merged.
            return (row > 0).then(|| chosen..chosen + row + 1);
        }
    }
    None
}

proptest! {
    #[test]
    fn runs_are_those_of_the_matrix(
        sizes in prop::collection::vec(1u64..40, 0..20),
        (min, more) in (0u32..8, 0u32..8),
        size_ratio in 0f32..=1.0,
    ) {
        let settings = ReferenceSteps { steps: 1, min_fragments: min, max_fragments: min + more, size_ratio };
        prop_assert_eq!(settings.choose(&sizes), by_matrix(&settings, &sizes));
    }
}

/// Consolidates after every `every` appends. None if a reader finds more fragments than `bound`.
fn consolidated(appends: &[u64], settings: &ReferenceSteps, every: usize, bound: usize) -> Option<Outcome> {
    let (mut fragments, mut rewritten, mut most, mut sum) = (Vec::new(), 0, 0, 0);
    for (number, &bytes) in appends.iter().enumerate() {
        fragments.push(bytes);
        if (number + 1) % every == 0 {
            rewritten += settings.consolidate(&mut fragments);
        }
        (most, sum) = (most.max(fragments.len()), sum + fragments.len());
        if most > bound {
            return None;
        }
    }
    Some(Outcome::new(appends, rewritten, most, sum))
}

/// Settings and intervals that are searched for the best.
fn grid() -> Vec<(ReferenceSteps, usize)> {
    let mut grid = Vec::new();
    for every in [1, 2, 5, 10, 20] {
        for min_fragments in [2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30] {
            for max_fragments in
                [2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 40].into_iter().filter(|max| *max >= min_fragments)
            {
                for size_ratio in [0.0, 0.0001, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75] {
                    for steps in [1, 2, u32::MAX] {
                        grid.push((ReferenceSteps { steps, min_fragments, max_fragments, size_ratio }, every));
                    }
                }
            }
        }
    }
    grid
}

/// The settings that rewrite the fewest bytes without exceeding each number of fragments.
fn best<const N: usize>(appends: &[u64], bounds: [usize; N]) -> [Option<(ReferenceSteps, usize, Outcome)>; N] {
    let outcome = |(settings, every)| {
        let outcome = consolidated(&appends[..BEGINNING], &settings, every, bounds[N - 1])?;
        Some((outcome, settings, every))
    };
    let mut found: Vec<(Outcome, ReferenceSteps, usize)> = grid().into_iter().filter_map(outcome).collect();
    found.sort_by(|a, b| a.0.amplification.total_cmp(&b.0.amplification));
    bounds.map(|bound| {
        let within = found.iter().filter(|(outcome, ..)| outcome.fragments <= bound);
        // What holds the bound at the beginning may exceed it later.
        let mut all = within.filter_map(|(_, settings, every)| {
            consolidated(appends, settings, *every, bound).map(|outcome| (*settings, *every, outcome))
        });
        all.next()
    })
}

#[test]
fn the_policy_rewrites_less_than_consolidation_by_default() {
    for (name, appends) in histories() {
        let appends = &appends[..BEGINNING / 10];
        let (ours, reference) = (simulate(appends, 10, 1), consolidated(appends, &ReferenceSteps::DEFAULT, 10, 11));
        let reference = reference.unwrap();
        assert!(5.0 * ours.amplification < reference.amplification, "{name}: {ours:?}, {reference:?}");
        assert!(ours.fragments <= 10 && ours.mean < 10.0 && reference.fragments == 10 && reference.mean < 10.0);
    }
}

#[test]
#[ignore = "prints figures; takes minutes"]
fn libtiledb_compared() {
    let show = |outcome: &Outcome| format!("{:.1} ({}, {:.1})", outcome.amplification, outcome.fragments, outcome.mean);
    println!("bytes rewritten per byte written (most fragments, mean)");
    for (name, appends) in histories() {
        let default = |every| show(&consolidated(&appends, &ReferenceSteps::DEFAULT, every, APPENDS).unwrap());
        println!("{name}: libtiledb's defaults after 10, 100, 1000: {}", [10, 100, 1000].map(default).join("; "));
        let bounds = [10, 20, 40];
        for (bound, best) in bounds.into_iter().zip(best(&appends, bounds)) {
            let shown = best.as_ref().map_or("none".to_owned(), |(settings, every, outcome)| {
                format!("{} by {settings:?} after {every}", show(outcome))
            });
            let ours = simulate(&appends, bound, 1);
            println!("{name}: bound {bound}: libtiledb {shown}; policy {}", show(&ours));
            assert!(ours.fragments <= bound);
        }
    }
}
