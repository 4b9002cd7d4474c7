//! The rule of merges against a model of what readers see: each small set of fragments, each subset that is merged, each
//! window of time.

use super::*;
use tiledb_core::types::CURRENT_VERSION;

/// Their order as texts differs from that as numbers.
const TIMES: [u64; 3] = [9, 10, 100];
const COORDINATES: u64 = 3;

/// A cell: coordinate, time, and a number that identifies it. Of equal cells of a fragment the last one counts.
type Cell = (u64, u64, usize);

#[derive(Clone)]
struct Model {
    name: FragmentName,
    low: u64,
    high: u64,
    cells: Vec<Cell>,
}

fn name(start: u64, end: u64, unique: u64) -> FragmentName {
    FragmentName::parse(&format!("__{start}_{end}_{:032x}_22", u128::from(unique) << 100)).unwrap()
}

fn spans(low: u64, high: u64) -> Vec<CoordSpan> {
    vec![CoordSpan { low, high }]
}

impl Model {
    /// The fragment of a number below [`kinds`]; `filter` says which of its cells there are.
    fn new(number: usize, kind: usize, precedence: CellPrecedence, filter: u64) -> Model {
        let intervals: Vec<(u64, u64)> = TIMES
            .iter()
            .flat_map(|&start| TIMES.iter().map(move |&end| (start, end)))
            .filter(|(a, b)| a <= b)
            .collect();
        let boxes: Vec<(u64, u64)> =
            (0..COORDINATES).flat_map(|low| (low..COORDINATES).map(move |high| (low, high))).collect();
        let ((start, end), (low, high)) = (intervals[kind % intervals.len()], boxes[kind / intervals.len()]);
        let times = match precedence {
            CellPrecedence::LatestCell => TIMES.into_iter().filter(|time| (start..=end).contains(time)).collect(),
            _ => vec![start],
        };
        let all = (low..=high).flat_map(|at| times.iter().map(move |&time| (at, time)));
        let cells = all.enumerate().filter(|(bit, _)| filter >> (bit % 16) & 1 == 1);
        let cells = cells.map(|(bit, (at, time))| (at, time, 100 * number + bit)).collect();
        Model { name: name(start, end, 1 + number as u64), low, high, cells }
    }

    fn covers(&self, at: u64) -> bool {
        (self.low..=self.high).contains(&at)
    }
}

/// Number of kinds of fragments: an interval and a box.
fn kinds() -> usize {
    36
}

/// The cells that a reader sees at each coordinate in a window of time.
fn visible(fragments: &[&Model], precedence: CellPrecedence, window: (u64, u64)) -> Vec<Option<usize>> {
    let is_touching = precedence == CellPrecedence::LatestCell;
    let mut fragments: Vec<&&Model> = fragments.iter().filter(|one| one.name.is_in(window, is_touching)).collect();
    fragments.sort_by(|a, b| a.name.cmp(&b.name));
    let cell = |at: u64| match precedence {
        CellPrecedence::LatestCell => {
            let cells =
                fragments.iter().enumerate().flat_map(|(rank, one)| one.cells.iter().map(move |cell| (rank, cell)));
            let seen = cells.filter(|(_, cell)| cell.0 == at && window.0 <= cell.1 && cell.1 <= window.1);
            seen.max_by_key(|(rank, cell)| (cell.1, *rank)).map(|(_, cell)| cell.2)
        }
        CellPrecedence::LastBox => {
            let last = fragments.iter().rev().find(|one| one.covers(at))?;
            last.cells.iter().rev().find(|cell| cell.0 == at).map(|cell| cell.2)
        }
        _ => fragments.iter().rev().find_map(|one| one.cells.iter().rev().find(|cell| cell.0 == at)).map(|cell| cell.2),
    };
    (0..COORDINATES).map(cell).collect()
}

/// The merged fragment.
fn merged(sources: &[&Model], precedence: CellPrecedence, place: &NamePlace) -> Model {
    let start = sources.iter().map(|one| one.name.timestamps().0).min().unwrap();
    let end = sources.iter().map(|one| one.name.timestamps().1).max().unwrap();
    let name = FragmentName::at_place(start, end, CURRENT_VERSION, place).unwrap();
    let mut sources = sources.to_vec();
    sources.sort_by(|a, b| a.name.cmp(&b.name));
    let low = sources.iter().map(|one| one.low).min().unwrap();
    let high = sources.iter().map(|one| one.high).max().unwrap();
    let cells = match precedence {
        CellPrecedence::LatestCell => sources.iter().flat_map(|one| one.cells.clone()).collect(),
        _ => {
            let all = visible(&sources, precedence, (0, u64::MAX));
            (0..).zip(all).filter_map(|(at, cell)| cell.map(|id| (at, start, id))).collect()
        }
    };
    Model { name, low, high, cells }
}

/// The rule for fragments, and their positions in it.
fn rule(fragments: &[Model], precedence: CellPrecedence) -> MergeRule {
    let boxes = fragments.iter().map(|one| FragmentBox {
        name: one.name.clone(),
        region: spans(one.low, one.high),
        replaced_by: None,
    });
    MergeRule::new(precedence, boxes.collect())
}

/// The place of the result if the rule allows to merge the fragments of these bits.
fn place(rule: &MergeRule, fragments: &[Model], bits: usize) -> Option<NamePlace> {
    let sources = (0..fragments.len()).filter(|at| bits >> at & 1 == 1);
    let mut positions = sources.map(|at| rule.position(&fragments[at].name).unwrap());
    let mut set = rule.set(positions.next().unwrap());
    positions.for_each(|position| rule.add(&mut set, position));
    rule.check(&set).ok()
}

/// Fails if a merge that the rule allows changes what a reader sees; returns how many it allows and rejects.
fn check(fragments: &[Model], precedence: CellPrecedence) -> (usize, usize) {
    let rule = rule(fragments, precedence);
    let (mut allowed, mut rejected) = (0, 0);
    for bits in 1usize..1 << fragments.len() {
        if bits.count_ones() < 2 {
            continue;
        }
        let Some(place) = place(&rule, fragments, bits) else {
            rejected += 1;
            continue;
        };
        allowed += 1;
        let of_set = |at: &usize| bits >> at & 1 == 1;
        let sources: Vec<&Model> = (0..fragments.len()).filter(of_set).map(|at| &fragments[at]).collect();
        let merged = merged(&sources, precedence, &place);
        for window in TIMES.iter().flat_map(|&from| TIMES.iter().map(move |&to| (from, to))) {
            let is_hiding = merged.name.is_in(window, precedence == CellPrecedence::LatestCell);
            let before: Vec<&Model> = fragments.iter().collect();
            let others = (0..fragments.len()).filter(|at| !(is_hiding && of_set(at))).map(|at| &fragments[at]);
            let after: Vec<&Model> = others.chain([&merged]).collect();
            assert_eq!(
                visible(&before, precedence, window),
                visible(&after, precedence, window),
                "{precedence:?} {window:?} {bits:b} {place:?} {:?}",
                fragments.iter().map(|one| (&one.name, one.low, one.high, &one.cells)).collect::<Vec<_>>()
            );
        }
    }
    (allowed, rejected)
}

const ALL: [CellPrecedence; 3] = [CellPrecedence::LastBox, CellPrecedence::LatestCell, CellPrecedence::LastFragment];

/// Pseudo-random numbers.
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state >> 11
}

#[test]
fn allowed_merges_of_three_fragments_change_no_cell() {
    for precedence in ALL {
        let (mut allowed, mut rejected, mut state) = (0, 0, 88_172_645_463_325_252);
        for kind in 0..kinds().pow(3) {
            let fragments: Vec<Model> = (0..3)
                .map(|number| {
                    let kind = kind / kinds().pow(number as u32) % kinds();
                    Model::new(number, kind, precedence, next(&mut state) | next(&mut state))
                })
                .collect();
            let counts = check(&fragments, precedence);
            (allowed, rejected) = (allowed + counts.0, rejected + counts.1);
        }
        assert!(allowed > 20_000 && rejected > 10_000, "{precedence:?}: {allowed} allowed, {rejected} rejected");
    }
}

#[test]
fn allowed_merges_of_five_fragments_change_no_cell() {
    for precedence in ALL {
        let mut state = 1_234_567;
        for _ in 0..4000 {
            let fragments: Vec<Model> = (0..5)
                .map(|number| {
                    let kind = next(&mut state) as usize % kinds();
                    Model::new(number, kind, precedence, next(&mut state))
                })
                .collect();
            check(&fragments, precedence);
        }
    }
}

#[test]
fn merges_that_change_nothing_are_allowed() {
    let of = |precedence: CellPrecedence, fragments: &[(u64, u64, u64, u64)], bits: usize| {
        let model = |(number, &(start, end, low, high)): (u64, &(u64, u64, u64, u64))| Model {
            name: name(start, end, number),
            low,
            high,
            cells: Vec::new(),
        };
        let fragments: Vec<Model> = (0..).zip(fragments).map(model).collect();
        place(&rule(&fragments, precedence), &fragments, bits).is_some()
    };
    for precedence in
        [CellPrecedence::All, CellPrecedence::LastBox, CellPrecedence::LatestCell, CellPrecedence::LastFragment]
    {
        let (is_all, is_dense) = (precedence == CellPrecedence::All, precedence == CellPrecedence::LastBox);
        let has_times = is_all || precedence == CellPrecedence::LatestCell;
        // Equal times without a common cell, in whichever order, and with one.
        for bits in [0b011, 0b101, 0b110, 0b111] {
            assert!(of(precedence, &[(5, 5, 0, 1), (5, 5, 2, 3), (5, 5, 4, 5)], bits));
        }
        let common = [(5, 5, 0, 3), (5, 5, 2, 5), (5, 5, 4, 9)];
        assert!(of(precedence, &common, 0b011) && of(precedence, &common, 0b111));
        assert_eq!(of(precedence, &common, 0b101), is_all);
        assert_eq!(of(precedence, &common, 0b110), !is_dense);
        // An older fragment, and a later one.
        assert_eq!(of(precedence, &[(1, 1, 0, 9), (5, 5, 2, 3), (6, 6, 4, 5)], 0b110), !is_dense);
        assert!(of(precedence, &[(5, 5, 2, 3), (6, 6, 4, 5), (7, 7, 0, 9)], 0b011));
        assert!(of(precedence, &[(5, 9, 2, 3), (6, 6, 4, 5), (7, 7, 0, 9)], 0b011));
        // Between the sources, with other times, and with a time of the later source.
        assert_eq!(of(precedence, &[(5, 5, 2, 3), (6, 6, 0, 9), (7, 7, 4, 5)], 0b101), has_times);
        assert_eq!(of(precedence, &[(5, 5, 2, 3), (6, 7, 0, 9), (7, 7, 4, 5)], 0b101), is_all);
        // Texts of the last times: 10 is before 9.
        assert_eq!(of(precedence, &[(5, 10, 0, 9), (5, 9, 0, 9), (5, 9, 0, 9)], 0b110), !is_dense);
        assert_eq!(of(precedence, &[(5, 9, 0, 9), (5, 9, 0, 9), (5, 10, 0, 9)], 0b011), !is_dense);
    }
}

#[test]
fn replaced_fragment_counts_until_the_fragment_that_replaced_it_is_visible() {
    let fragment = |times: (u64, u64), unique: u64, sides: (u64, u64), replaced_by: Option<u64>| FragmentBox {
        name: name(times.0, times.1, unique),
        region: spans(sides.0, sides.1),
        replaced_by,
    };
    let fragments = [
        fragment((1, 1), 1, (0, 3), None),
        fragment((1, 1), 2, (2, 5), Some(4)),
        fragment((1, 1), 3, (4, 9), None),
        fragment((1, 4), 4, (2, 5), None),
    ];
    for precedence in [CellPrecedence::LastBox, CellPrecedence::LastFragment] {
        let rule = MergeRule::new(precedence, fragments.to_vec());
        let check = |positions: &[usize]| {
            let mut set = rule.set(positions[0]);
            positions.iter().for_each(|&position| rule.add(&mut set, position));
            rule.check(&set).map(drop)
        };
        // Readers at time 1 see the second fragment between the others, those at time 4 do not.
        assert_eq!(check(&[0, 2]), Err(1));
        assert_eq!(check(&[0, 2, 3]), Ok(()));
    }
}

/// Among so many fragments that the index has nodes, against each fragment alone.
#[test]
fn conflicts_are_found_among_many_fragments() {
    const COUNT: usize = 150;
    let mut state = 987_654_321;
    let mut allowed = 0;
    let mut rejected = 0;
    for round in 0..300 {
        // Each has a time of its own, so that the result is where the first source is.
        let longest = [2, 10, 60][round % 3];
        let fragments: Vec<Model> = (0..COUNT as u64)
            .map(|number| {
                let low = next(&mut state) % 2000;
                let high = low + next(&mut state) % longest;
                Model { name: name(number + 1, number + 1, number), low, high, cells: Vec::new() }
            })
            .collect();
        let first = next(&mut state) as usize % (COUNT - 20);
        let is_contiguous = round % 2 == 0;
        let mut sources: Vec<usize> = (first..first + 2 + next(&mut state) as usize % 18).collect();
        if !is_contiguous {
            sources.retain(|source| *source == first || !next(&mut state).is_multiple_of(3));
        }
        let overlap = |a: &Model, b: &Model| a.low <= b.high && b.low <= a.high;
        let low = sources.iter().map(|&source| fragments[source].low).min().unwrap();
        let high = sources.iter().map(|&source| fragments[source].high).max().unwrap();
        let hull = Model { low, high, ..fragments[first].clone() };
        for precedence in [CellPrecedence::LastBox, CellPrecedence::LastFragment] {
            let rule = rule(&fragments, precedence);
            let mut set = rule.set(first);
            sources.iter().for_each(|&source| rule.add(&mut set, source));
            let competes = |position: usize| {
                let mut later = sources.iter().filter(|&&source| source > position);
                later.any(|&source| overlap(&fragments[source], &fragments[position]))
            };
            let is_dense = precedence == CellPrecedence::LastBox;
            let conflicts: Vec<usize> = (0..COUNT)
                .filter(|position| !sources.contains(position) && overlap(&fragments[*position], &hull))
                .filter(|&position| if position < first { is_dense } else { competes(position) })
                .collect();
            match rule.check(&set) {
                Ok(_) => assert!(conflicts.is_empty(), "{precedence:?}: {conflicts:?}"),
                Err(position) => assert!(conflicts.contains(&position), "{precedence:?}: {position} of {conflicts:?}"),
            }
            *if conflicts.is_empty() { &mut allowed } else { &mut rejected } += 1;
        }
    }
    assert!(allowed > 50 && rejected > 50, "{allowed} allowed, {rejected} rejected");
}
