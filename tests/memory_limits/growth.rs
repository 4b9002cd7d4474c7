//! Writes and consolidations of every kind within every budget: the process grows by at most 1.2 times the budget, plus
//! the cells of a single large tile if they are written in global order; a consolidation may fail with an error that
//! names the parameter that was too small.
//!
//! Each runs in a process of its own, which has executed it with a small array before, so that the code and tables that
//! a first run loads are not counted. By default some are run; `STORES=16,64` selects all of these budgets in MiB, and
//! prints them; `STORES_OF=reference` runs libtiledb for comparison.

use std::fmt;
use std::path::Path;
use std::process::Command;

use crate::resident;
use crate::stores::{FIELDS, Field, KINDS, Kind, LAYOUTS, Store, TILES, Tiles};
use support::{Api, pointer, text};

const MIB: usize = 1 << 20;
/// Values of an array, in times the budget.
const TIMES: usize = 3;
const FRAGMENTS: usize = 4;
/// The budget of every run.
const LITTLE: usize = 6;
/// Stands for a consolidation where a layout is asked for.
const MERGE: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Case {
    kind: Kind,
    tiles: Tiles,
    field: Field,
    /// The layout of a write, or [`MERGE`].
    work: usize,
    /// In MiB.
    budget: usize,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Case { kind, tiles, field, work, budget } = self;
        let work = LAYOUTS.get(*work).unwrap_or(&"merge");
        f.write_str(&format!("{work}/{kind:?}/{field:?}/{tiles:?}/{budget}").to_lowercase())
    }
}

fn cases(budget: usize) -> Vec<Case> {
    let mut cases = Vec::new();
    for work in 0..=MERGE {
        for kind in KINDS {
            let goes = match work {
                0 | 1 => kind == Kind::Dense,
                3 => kind != Kind::Dense,
                _ => true,
            };
            for tiles in TILES.into_iter().filter(|_| goes) {
                cases.extend(FIELDS.map(|field| Case { kind, tiles, field, work, budget }));
            }
        }
    }
    cases
}

/// Runs what is asked for; tells how many are not as they must be.
pub fn parent(folder: &Path, filter: &str) -> usize {
    let budget_list = std::env::var("STORES").unwrap_or_default();
    let budgets: Vec<usize> = budget_list.split(',').filter_map(|budget| budget.parse().ok()).collect();
    let mut cases: Vec<Case> = match budgets.is_empty() {
        true => cases(LITTLE).into_iter().step_by(13).collect(),
        false => budgets.iter().copied().flat_map(cases).collect(),
    };
    cases.retain(|case| "growth".contains(filter) || case.to_string().contains(filter));
    let mut broken = 0;
    for case in &cases {
        let (grown, refusal) = case.grown(&folder.join("store"));
        let (limit, refusal) = (case.limit() >> 10, refusal.trim());
        // It says how much the parameter has to be, which is more than it is.
        let needed: Option<usize> = refusal.rsplit(' ').next().and_then(|word| word.trim_end_matches(')').parse().ok());
        let is_honest = case.work == MERGE
            && refusal.contains("'sm.mem.total_budget'")
            && needed.is_some_and(|bytes| bytes > case.budget * MIB);
        let is_wrong = grown > limit || !(refusal.is_empty() || is_honest);
        broken += usize::from(is_wrong && !is_reference());
        if is_wrong || !budgets.is_empty() {
            println!("{case}: {grown} KiB of {limit} KiB {refusal}");
        }
    }
    println!("growth: {} writes and consolidations, {broken} took more or failed", cases.len());
    broken
}

fn is_reference() -> bool {
    std::env::var("STORES_OF").is_ok_and(|of| of == "reference")
}

impl Case {
    fn store(&self) -> Store {
        Store::of(self.kind, self.tiles, self.field, TIMES * self.budget * MIB)
    }

    /// The most that a process may grow by: the budget and a fifth of it.
    fn limit(&self) -> usize {
        // Cells that come in global order wait until their tile is full, since how many chunks it has stands before them:
        // where it is larger than what the writer has, which beside a reader is a third, its cells are there. How many
        // chunks a dense tile of fixed cells has is known before.
        let is_fixed = matches!(self.field, Field::Fixed | Field::Nullable);
        let waits = matches!(self.work, 2 | MERGE) && !(self.kind == Kind::Dense && is_fixed);
        let share = self.budget * MIB / if self.work == MERGE { 3 } else { 1 };
        let tile = self.store().tile_bytes();
        self.budget * MIB / 5 * 6 + if waits && tile > share { tile } else { 0 }
    }

    /// KiB that a process grows by which does it, and the text of its refusal.
    fn grown(&self, path: &Path) -> (usize, String) {
        let kind = KINDS.iter().position(|kind| *kind == self.kind).unwrap();
        let tiles = TILES.iter().position(|tiles| *tiles == self.tiles).unwrap();
        let field = FIELDS.iter().position(|field| *field == self.field).unwrap();
        let words = [kind, tiles, field, self.work, self.budget].map(|word| word.to_string());
        let program = std::env::current_exe().unwrap();
        let output = Command::new(program).arg("--store").arg(path).args(words).output().unwrap();
        for path in [path, &path.with_extension("little")] {
            _ = std::fs::remove_dir_all(path);
        }
        let output_text = String::from_utf8_lossy(&output.stdout).into_owned();
        match output_text.split_once(' ').filter(|_| output.status.success()) {
            Some((grown, refusal)) => (grown.parse().unwrap(), refusal.to_owned()),
            None => (0, format!("{} {}", output.status, String::from_utf8_lossy(&output.stderr))),
        }
    }
}

/// A process of a case.
pub fn run(words: &[String]) {
    let number = |at: usize| words[at].parse::<usize>().unwrap();
    let case = Case {
        kind: KINDS[number(2)],
        tiles: TILES[number(3)],
        field: FIELDS[number(4)],
        work: number(5),
        budget: number(6),
    };
    let api = if is_reference() { Api::reference().unwrap() } else { Api::ours() };
    let store = case.store();
    let little = Path::new(&words[1]).with_extension("little");
    let config = [("sm.mem.total_budget", &*(case.budget * MIB).to_string())];
    let grown = |store: Store, uri: &str| match case.work {
        MERGE => {
            let output = Command::new(std::env::current_exe().unwrap())
                .args(["--scatter", uri])
                .args(&words[2..5])
                .arg(store.rows.to_string())
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let ctx = api.context(&config);
            measure(|| ctx.call("array_consolidate", &[pointer(&text(uri)), 0]).map_err(|failure| failure.text))
        }
        layout => {
            let ctx = api.context(&config);
            store.create(&ctx, uri).unwrap();
            let mut submits = store.submits(layout);
            measure(|| store.write(&ctx, uri, layout, &mut submits).map_err(|failure| failure.text))
        }
    };
    _ = grown(store.little(), little.to_str().unwrap());
    let (grown, failed) = grown(store, &words[1]);
    println!("{grown} {}", failed.err().unwrap_or_default());
}

/// Writes the fragments that are to be consolidated.
pub fn scatter(words: &[String]) {
    let number = |at: usize| words[at].parse::<usize>().unwrap();
    let (kind, tiles, field) = (KINDS[number(2)], TILES[number(3)], FIELDS[number(4)]);
    let store = Store { kind, tiles, field, rows: number(5) };
    store.scatter(&Api::ours(), &words[1], FRAGMENTS).unwrap();
}

/// KiB that the process grew by at most.
fn measure<R>(run: impl FnOnce() -> R) -> (usize, R) {
    let before = resident::now();
    resident::reset_peak();
    let outcome = run();
    (resident::peak().saturating_sub(before) >> 10, outcome)
}
