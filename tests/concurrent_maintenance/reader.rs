//! Readers: what they see is compared with what writers have noted.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::{now, progress};
use support::random::Random;
use support::writer_rows::{self, CELLS, Kind, SLOTS, WRITERS};
use support::{Api, Array, Failure};

pub struct Reader {
    kind: Kind,
    uri: String,
    folder: PathBuf,
}

/// What a read found.
#[derive(Default)]
pub struct Outcome {
    pub wrong: Vec<String>,
    /// All cells of some writes are there twice.
    pub is_doubled: bool,
}

/// Works with maintainers of this retention; cells may be doubled for `patience`, both in milliseconds.
pub fn work(kind: Kind, uri: &str, folder: &Path, end: u64, (retention, patience): (u64, u64)) {
    let (api, begun) = (Api::ours(), now());
    let (reader, mut random) = (Reader::new(kind, uri, folder), Random::new(begun));
    let (mut read, mut missing, mut doubled) = (0, 0, 0);
    let mut doubled_since = None;
    while now() < end {
        // Half of the retention is left for a slow read. Cells of sparse arrays have times, so that any will do.
        let age = if kind == Kind::Dense { retention / 2 } else { now() - begun };
        let time = (!random.one_in(3)).then(|| now() - random.next() % (age + 1));
        match reader.read(&api, time) {
            Ok(Outcome { wrong, is_doubled }) => {
                read += 1;
                wrong.iter().for_each(|text| println!("wrong at {time:?}: {text}"));
                // Between the commit of a merged fragment and its vacuum file; after a kill until others take over, who may
                // be killed, too.
                doubled_since = if is_doubled { doubled_since.or(Some(Instant::now())) } else { None };
                doubled += u64::from(is_doubled);
                let is_too_long = doubled_since.is_some_and(|since| since.elapsed() > Duration::from_millis(patience));
                if is_too_long {
                    println!("wrong at {time:?}: cells are doubled for more than {patience} ms");
                }
                if !wrong.is_empty() || is_too_long {
                    break;
                }
            }
            // A listed file that has been vacuumed since.
            Err(failure) if is_missing(&failure) => missing += 1,
            Err(failure) => println!("wrong {failure:?}"),
        }
        std::thread::sleep(Duration::from_millis(random.next() % 20));
    }
    println!("read {read}\nmissing {missing}\ndoubled {doubled}");
}

/// An error since a file does not exist.
pub fn is_missing(failure: &Failure) -> bool {
    ["No such file", "not found", "NotFound", "NoSuchKey", "does not exist", "404"]
        .iter()
        .any(|word| failure.text.contains(word))
}

impl Reader {
    pub fn new(kind: Kind, uri: &str, folder: &Path) -> Reader {
        Reader { kind, uri: uri.to_owned(), folder: folder.to_owned() }
    }

    /// The times of the writes of each writer that are complete.
    fn written(&self) -> Vec<Vec<u64>> {
        let of = |writer| {
            let text = std::fs::read_to_string(progress(&self.folder, writer)).unwrap_or_default();
            // The last line may be incomplete.
            text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')?.parse().ok()).collect()
        };
        (0..WRITERS).map(of).collect()
    }

    /// Reads everything as of a time, and says what is wrong.
    pub fn read(&self, api: &Api, time: Option<u64>) -> Result<Outcome, Failure> {
        let before = self.written();
        let ctx = api.context(&[
            ("sm.compute_concurrency_level", "1"),
            ("sm.io_concurrency_level", "1"),
            ("sm.mem.total_budget", "100000000"),
        ]);
        let opened = Array::open(&ctx, &self.uri, 0, None, time)?;
        // Some hold the array open while it is maintained.
        if time.is_some_and(|time| time.is_multiple_of(4)) {
            std::thread::sleep(Duration::from_millis(40));
        }
        let rows = writer_rows::read(&opened, self.kind)?;
        drop(opened);
        Ok(self.check(&rows, &before, &self.written(), time.unwrap_or(u64::MAX)))
    }

    /// `before` are the writes that were complete before the read, `after` those after it.
    fn check(&self, rows: &[writer_rows::CellRow], before: &[Vec<u64>], after: &[Vec<u64>], time: u64) -> Outcome {
        let (mut wrong, mut is_doubled) = (Vec::new(), false);
        // Cells by writer and write.
        let mut writes: BTreeMap<(usize, i32), Vec<i32>> = BTreeMap::new();
        for &[writer, place, value] in rows {
            if place != value / CELLS % SLOTS * CELLS + value % CELLS {
                wrong.push(format!("{value} is at {writer}, {place}"));
            }
            writes.entry((writer as usize, value / CELLS)).or_default().push(value % CELLS);
        }
        for (&(writer, number), cells) in &mut writes {
            cells.sort_unstable();
            if self.kind == Kind::Duplicates && cells.iter().copied().eq((0..CELLS).flat_map(|cell| [cell, cell])) {
                is_doubled = true;
            } else if !cells.iter().copied().eq(0..CELLS) {
                wrong.push(format!("of write {number} of writer {writer} there are the cells {cells:?}"));
            }
            if after[writer].get(number as usize).is_some_and(|written| *written > time) {
                wrong.push(format!("write {number} of writer {writer} is later than {time}"));
            }
        }
        for (writer, times) in before.iter().enumerate() {
            let numbers = (0..).zip(times).filter(|(_, written)| **written <= time).map(|(number, _)| number);
            if self.kind == Kind::Duplicates {
                let lost: Vec<i32> = numbers.filter(|number| !writes.contains_key(&(writer, *number))).collect();
                if !lost.is_empty() {
                    wrong.push(format!("the writes {lost:?} of writer {writer} are missing"));
                }
                continue;
            }
            let latest: HashMap<i32, i32> = numbers.map(|number| (number % SLOTS, number)).collect();
            for (slot, expected) in latest {
                let mut versions = writes.range((writer, 0)..(writer + 1, 0)).map(|(write, _)| write.1);
                let versions: Vec<i32> = versions.by_ref().filter(|number| number % SLOTS == slot).collect();
                if versions.len() != 1 || versions[0] < expected {
                    wrong.push(format!("writer {writer}, slot {slot}: the writes {versions:?}, not {expected}"));
                }
            }
        }
        Outcome { wrong, is_doubled }
    }
}
