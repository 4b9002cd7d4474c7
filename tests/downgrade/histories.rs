//! Random arrays with deletes, copied in all ways: both libraries read the same cells of each copy as of the array, in every window
//! of time that the copy preserves.

use crate::{MERGED, PRESERVED, downgrade, rewrite_plain};
use support::Api;
use support::library_process::LibraryProcess;
use support::lifecycle::actions::Actions;
use support::lifecycle::model::{Cell, Doomed, Row, Shape};
use support::lifecycle::reader::Reader;
use support::random::Random;

/// Arrays that are copied, unless `COPIES` says how many.
const FEW: u64 = 40;

/// Timestamps of a history. Schemas count by the order of their names' texts, and the first one has the time 1000.
const TIMES: std::ops::Range<u64> = 1001..1013;

/// Copies random arrays. The number of copies that were compared, and what went wrong.
pub fn play_all(ours: &Api) -> (usize, Vec<String>) {
    let seeds = std::env::var("COPIES").unwrap_or_default();
    let seeds = match seeds.split_once("..") {
        Some((from, to)) => from.parse().unwrap()..to.parse().unwrap(),
        None => 0..seeds.parse().unwrap_or(FEW),
    };
    let mut reference = LibraryProcess::reference(&["--reads"]).map(Reader);
    let (mut copies, mut wrong) = (0, Vec::new());
    for seed in seeds {
        let folder = tempfile::tempdir().unwrap();
        let array = folder.path().join("array");
        let mut history = History::new(ours, seed, array.to_str().unwrap());
        history.play();
        history.copy(reference.as_mut(), &mut |compared| match compared {
            Ok(()) => copies += 1,
            Err(why) => wrong.push(format!("seed {seed}: {why}")),
        });
    }
    (copies, wrong)
}

struct History<'a> {
    random: Random,
    actions: Actions<'a>,
    shape: Shape,
    uri: String,
    /// Evolving attributes of the newest schema, and since when.
    evolving: Vec<u32>,
    evolved: u64,
    added: u32,
    /// A delete compared an evolving attribute, of which libtiledb deletes cells that do not have it.
    is_compared: bool,
    operations: Vec<String>,
}

impl<'a> History<'a> {
    fn new(api: &'a Api, seed: u64, uri: &str) -> History<'a> {
        let mut random = Random::new(seed);
        let dense = random.one_in(6);
        let high = random.between(3, 11) as i32;
        let shape = Shape {
            dense,
            dups: !dense && random.one_in(2),
            dims: vec![(high, high + 1); random.between(1, 2) as usize],
            cell_order: 0,
            tile_order: random.between(0, 1) as u64,
            capacity: random.between(1, 9) as u64,
            encrypted: random.one_in(8),
        };
        let actions = Actions { api, who: "ours", encrypted: shape.encrypted };
        actions.create(uri, &shape).unwrap();
        let evolving = Vec::new();
        History {
            random,
            actions,
            shape,
            uri: uri.to_owned(),
            evolving,
            evolved: 0,
            added: 0,
            is_compared: false,
            operations: Vec::new(),
        }
    }

    fn play(&mut self) {
        for time in TIMES {
            let operation = self.random.between(0, 11);
            match operation {
                3..=5 if !self.shape.dense => self.delete(time),
                6 if !self.shape.dense => self.evolve(time),
                7 => self.consolidate(),
                8 => {
                    let mode = *self.random.pick(&["fragments", "commits"]);
                    self.actions.vacuum(&self.uri, mode).unwrap();
                    self.operations.push(format!("vacuum {mode}"));
                }
                _ => self.write(time),
            }
        }
    }

    fn write(&mut self, time: u64) {
        let high = self.shape.dims[0].0;
        let region = vec![(0, high); self.shape.dims.len()];
        let mut all = vec![Vec::new()];
        for &(low, high) in &region {
            all = all.iter().flat_map(|at: &Vec<i32>| (low..=high).map(move |x| [&at[..], &[x]].concat())).collect();
        }
        if !self.shape.dense {
            all.retain(|_| self.random.one_in(3));
        }
        let value = |number: usize| 100 * (time - 1000) as i32 + number as i32 % 100;
        let cells: Vec<Cell> = all
            .into_iter()
            .enumerate()
            .map(|(number, coords)| Cell { coords, time, value: value(number), has: self.evolving.clone() })
            .collect();
        if !cells.is_empty() {
            self.actions.write(&self.uri, &self.shape, time, &cells, &region).unwrap();
            self.operations.push(format!("{time} write {}", cells.len()));
        }
    }

    fn delete(&mut self, time: u64) {
        let value = 100 * self.random.between(0, (time - 1000) as i64) as i32 + self.random.between(0, 9) as i32;
        let doomed = match self.evolving.last() {
            Some(attribute) if self.random.one_in(2) => {
                self.is_compared = true;
                Doomed::Evolving(*attribute, 100 * i64::from(value))
            }
            _ if self.random.one_in(3) => Doomed::Beyond(self.shape.dims[0].0 - 1),
            _ => Doomed::Below(value),
        };
        self.actions.delete(&self.uri, time, doomed).unwrap();
        self.operations.push(format!("{time} {doomed:?}"));
    }

    fn evolve(&mut self, time: u64) {
        let drop = !self.evolving.is_empty() && self.random.one_in(2);
        // An attribute may be added again.
        let attribute = match self.evolving.pop() {
            Some(attribute) if drop => attribute,
            other => {
                self.evolving.extend(other);
                self.added = (self.added + 1) % 3;
                if self.evolving.contains(&self.added) {
                    return;
                }
                self.evolving.push(self.added);
                self.added
            }
        };
        self.actions.evolve(&self.uri, time, attribute, !drop).unwrap();
        self.evolved = time;
        self.operations.push(format!("{time} {} e{attribute}", if drop { "drop" } else { "add" }));
    }

    fn consolidate(&mut self) {
        let purge = if self.random.one_in(3) { "true" } else { "false" };
        let mode = *self.random.pick(&["fragments", "fragments", "commits"]);
        let config = [("sm.consolidation.purge_deleted_cells", purge), ("sm.consolidation.mode", mode)];
        // All cells of the fragments may be deleted: then there is nothing to be written.
        let consolidated = self.actions.consolidate(&self.uri, &config);
        self.operations.push(format!("consolidate {mode} purge {purge} {}", consolidated.is_ok()));
    }

    /// Makes all copies and compares them with the array.
    fn copy(&mut self, mut reference: Option<&mut Reader>, report: &mut dyn FnMut(Result<(), String>)) {
        let times = TIMES.filter(|time| *time >= self.evolved);
        let windows = times.flat_map(|time| [(0, time), (self.random.between(1001, time as i64) as u64, time)]);
        let windows: Vec<(u64, u64)> = windows.collect();
        let version = 18 + self.random.between(0, 4) as u32;
        let ctx = self.actions.context(&[]);
        for way in ["rewrite", "rewrite --merge", "downgrade"] {
            let to = format!("{}_{}", self.uri, &way[..7]);
            let copied = match way {
                "rewrite" => rewrite_plain(&ctx, &self.uri, &to, PRESERVED),
                "downgrade" => downgrade(&ctx, &self.uri, &to, version),
                _ => rewrite_plain(&ctx, &self.uri, &to, MERGED),
            };
            let last = [(0, TIMES.end)];
            let windows = if way == "rewrite --merge" { &last[..] } else { &windows };
            let compared = copied.and_then(|()| self.compare(&to, windows, reference.as_deref_mut()));
            report(compared.map_err(|why| format!("{way} {:?} {:?}: {why}", self.shape, self.operations)));
            _ = std::fs::remove_dir_all(to);
        }
    }

    fn compare(&self, copy: &str, windows: &[(u64, u64)], mut reference: Option<&mut Reader>) -> Result<(), String> {
        for &window in windows {
            let ours = |uri: &str| {
                let rows = self.actions.read(uri, &self.shape, window, &self.evolving);
                rows.map_err(|failure| format!("{}: {}", failure.function, failure.text))
            };
            let expected = ours(&self.uri)?;
            equal(&expected, &ours(copy)?, &format!("at {window:?} this library"))?;
            let Some(reference) = reference.as_deref_mut() else { continue };
            let mut read = |uri: &str| reference.read(uri, &self.shape, window, &self.evolving);
            // Some arrays libtiledb cannot read, and some it reads otherwise.
            let of_source = match read(&self.uri) {
                Ok(rows) if !self.is_compared => rows,
                _ => expected,
            };
            equal(&of_source, &read(copy)?, &format!("at {window:?} libtiledb"))?;
        }
        Ok(())
    }
}

fn equal(expected: &[Row], actual: &[Row], what: &str) -> Result<(), String> {
    if expected == actual {
        return Ok(());
    }
    let only = |a: &[Row], b: &[Row]| a.iter().filter(|row| !b.contains(row)).count();
    Err(format!(
        "{what} reads {} cells of the copy, not {}: {} too many, {} missing",
        actual.len(),
        expected.len(),
        only(actual, expected),
        only(expected, actual)
    ))
}
