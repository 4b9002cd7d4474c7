//! Random histories of sparse arrays against a model: writes with equal and with earlier times, deletes, consolidations with all
//! parameters, vacuums, reads at all times. Internal limits are drawn at random, so that a few cells cross the borders of batches.
//!
//! `SEEDS=FROM..TO` runs other seeds.

mod history;
mod model;
mod test_array;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use history::{ArrayShape, Generator, Random, ReadOptions, Step};
use model::{Cell, Model, Selection, Test};
use test_array::TestArray;
use tiledb_array::condition::ComparisonOperator;
use tiledb_core::error::{ErrorKind, Result};
use tiledb_core::limits::consolidation::MAX_BATCH_BYTES;
use tiledb_core::limits::simulation::SimulatedLimits;
use tiledb_core::limits::sparse_read;
use tiledb_core::types::Layout;

/// Seeds of every run.
const SEEDS: std::ops::Range<u64> = 0..600;

/// Reads of everything, whose results must be the same before and after maintenance.
const PLAIN: ReadOptions = ReadOptions { layout: Layout::Unordered, cells: 2000, budget: None };

/// A step of a history, and the reads around it.
#[derive(Clone, Debug)]
struct Action {
    step: Step,
    /// Times between which all cells are read before and after maintenance.
    windows: Vec<(u64, u64)>,
    selection: Selection,
    options: ReadOptions,
}

/// A random history.
#[derive(Clone)]
struct History {
    limits: SimulatedLimits,
    shape: ArrayShape,
    actions: Vec<Action>,
}

impl History {
    fn draw(seed: u64) -> History {
        let mut random = Random(seed);
        let limits = match random.one_in(5) {
            true => SimulatedLimits::default(),
            false => SimulatedLimits::draw(|end| random.below(end)),
        };
        let shape = ArrayShape::draw(&mut random);
        let count = 3 + random.below(10);
        let mut generator = Generator::new(random, &shape);
        let mut action = || {
            let step = generator.step();
            let windows = vec![(0, u64::MAX), generator.window(), generator.window()];
            let options = generator.read_options();
            Action { step, windows, selection: generator.selection(options.layout), options }
        };
        let actions = (0..count).map(|_| action()).collect();
        History { limits, shape, actions }
    }

    /// Runs the history; the text of the first failure.
    fn run(&self) -> std::result::Result<(), String> {
        let mut run = Run { array: TestArray::new(&self.shape), model: Model::new(self.shape.dups) };
        let actions = || self.actions.iter().for_each(|action| run.apply(action));
        catch_unwind(AssertUnwindSafe(|| self.limits.run(actions))).map_err(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
            text.unwrap_or("no text").to_owned()
        })
    }

    /// A history that fails, with as few cells, steps and limits as leaving them out one by one achieves.
    fn shrunk(mut self) -> History {
        loop {
            let mut smaller: Vec<History> = Vec::new();
            for at in 0..self.actions.len() {
                let mut history = self.clone();
                history.actions.remove(at);
                smaller.push(history);
                if let Step::Write(time, cells) = &self.actions[at].step {
                    smaller.extend((0..cells.len()).filter(|_| cells.len() > 1).map(|cell| {
                        let mut history = self.clone();
                        let mut cells = cells.clone();
                        cells.remove(cell);
                        history.actions[at].step = Step::Write(*time, cells);
                        history
                    }));
                }
            }
            let limits = self.limits.names();
            smaller
                .extend(limits.into_iter().map(|name| History { limits: self.limits.without(name), ..self.clone() }));
            match smaller.into_iter().find(|history| history.run().is_err()) {
                Some(history) => self = history,
                None => return self,
            }
        }
    }
}

struct Run {
    array: TestArray,
    model: Model,
}

impl Run {
    fn read(&self, selection: &Selection, options: &ReadOptions) -> Vec<Cell> {
        let cells = match self.array.read(selection, options) {
            Err(error) if error.kind() == ErrorKind::Budget && options.budget.is_some() => {
                self.array.read(selection, &ReadOptions { budget: None, ..options.clone() })
            }
            cells => cells,
        };
        let cells = cells.unwrap_or_else(|error| panic!("{selection:?}, {options:?}: {}", error.text()));
        if let Err(difference) = self.model.check(selection, cells.clone()) {
            panic!("{difference}, of {selection:?} with {options:?}");
        }
        let is_in_order = match options.layout {
            Layout::RowMajor => cells.is_sorted_by_key(|cell| cell.at),
            Layout::ColMajor => cells.is_sorted_by_key(|cell| (cell.at[1], cell.at[0])),
            _ => true,
        };
        assert!(is_in_order, "not in order, {selection:?} with {options:?}");
        cells
    }

    fn apply(&mut self, Action { step, windows, selection, options }: &Action) {
        match step {
            Step::Write(time, cells) => {
                self.array.write(*time, cells);
                self.model.write(*time, cells);
            }
            Step::Delete(time, condition) => {
                self.array.delete(*time, condition);
                self.model.delete(*time, condition);
            }
            Step::Consolidate { settings, purges, picks } => {
                if *purges {
                    self.model.purge();
                }
                self.maintain(windows, |array| match array.consolidate(settings, picks.as_deref()) {
                    Err(error) if error.kind() == ErrorKind::Budget => {
                        let is_other = |setting: &&(&str, String)| setting.0 != "sm.mem.total_budget";
                        let others: Vec<_> = settings.iter().filter(is_other).cloned().collect();
                        array.consolidate(&others, picks.as_deref())
                    }
                    // A merge of these fragments would change which of several cells of one time is read.
                    Err(error) if picks.is_some() && error.text().contains("could supersede later ones") => Ok(()),
                    // As libtiledb, a consolidation that leaves no cell fails.
                    Err(error) if *purges && error.text().contains("read 0 cells") => Ok(()),
                    done => done,
                });
            }
            Step::Vacuum(mode) => self.maintain(windows, |array| array.vacuum(mode)),
        }
        self.read(selection, options);
    }

    /// Maintains the array; no result of a read changes.
    fn maintain(&self, windows: &[(u64, u64)], work: impl FnOnce(&TestArray) -> Result<()>) {
        let is_determined = |window: &&(u64, u64)| window.1 >= self.model.purged();
        let windows: Vec<(u64, u64)> = windows.iter().filter(is_determined).copied().collect();
        let read = || {
            let sorted = |window: &(u64, u64)| {
                let mut cells = self.read(&Selection::all(*window), &PLAIN);
                cells.sort();
                cells
            };
            windows.iter().map(sorted).collect::<Vec<_>>()
        };
        let before = read();
        work(&self.array).unwrap_or_else(|error| panic!("{}", error.text()));
        for ((window, before), after) in windows.iter().zip(before).zip(read()) {
            assert!(before == after, "{window:?} was {before:?}, now {after:?}");
        }
    }
}

/// Runs a history; the report of its failure, shrunk unless there are several already.
fn failure(seed: u64, shrinks: bool) -> Option<String> {
    let mut history = History::draw(seed);
    let mut text = history.run().err()?;
    if shrinks {
        history = history.shrunk();
        text = history.run().err().unwrap_or(text);
    } else {
        history.actions.clear();
    }
    let steps: String = history.actions.iter().map(|action| format!("\n  {:?}", action.step)).collect();
    Some(format!("seed {seed}, {:?}, {:?}:{steps}\n  {text}", history.shape, history.limits))
}

#[test]
fn reads_of_random_histories_return_what_was_written_and_not_deleted() {
    let seeds = std::env::var("SEEDS").ok().map(|seeds| {
        let (from, to) = seeds.split_once("..").unwrap();
        from.parse().unwrap()..to.parse().unwrap()
    });
    let seeds = Mutex::new(seeds.unwrap_or(SEEDS));
    let failed: Mutex<Vec<String>> = Mutex::default();
    let work = || {
        loop {
            let Some(seed) = seeds.lock().unwrap().next() else { return };
            let shrinks = failed.lock().unwrap().len() < 5;
            let text = failure(seed, shrinks);
            failed.lock().unwrap().extend(text);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{} histories failed\n{}", failed.len(), failed.join("\n"));
}

/// An array of 20 places along one dimension.
fn plain_shape(dups: bool) -> ArrayShape {
    ArrayShape {
        dimensions: 1,
        side: 20,
        extent: 20,
        has_texts: false,
        dups,
        cell_order: Layout::RowMajor,
        tile_order: Layout::RowMajor,
        capacity: 10,
        text_filter: None,
        compresses: false,
    }
}

fn plain_cell(at: u8, number: i32) -> Cell {
    Cell { at: [at, 0], number, small: 0, text: String::new(), nullable: None }
}

#[test]
fn consolidation_keeps_the_deletions_of_cells_that_wait_for_the_next_batch() {
    let all = Test::Number(ComparisonOperator::GreaterOrEqual, 0);
    for (dups, bytes) in [(false, 1), (true, 1), (false, 300), (true, 300)] {
        let array = TestArray::new(&plain_shape(dups));
        for write in 0..3u8 {
            let cells = (0..20).map(|at| plain_cell(at, i32::from(20 * write + at)));
            array.write(1 + u64::from(write), &cells.collect::<Vec<_>>());
        }
        array.delete(10, &all);
        let small = SimulatedLimits::new(&[(&MAX_BATCH_BYTES, bytes), (&sparse_read::MAX_BATCH_BYTES, bytes)]);
        small.run(|| array.consolidate(&[], None)).unwrap();
        let read = |end| array.read(&Selection::all((0, end)), &PLAIN).unwrap().len();
        assert_eq!((read(u64::MAX), read(9)), (0, if dups { 60 } else { 20 }), "{bytes} bytes at a time");
    }
}

#[test]
fn purge_keeps_the_cell_that_supersedes_deleted_ones_of_its_time() {
    let cells = [plain_cell(3, 0), plain_cell(3, 1)];
    // Of either write, since the names of fragments decide which supersedes the other.
    for deleted in 0..2 {
        for _ in 0..8 {
            let array = TestArray::new(&plain_shape(false));
            cells.iter().for_each(|cell| array.write(5, std::slice::from_ref(cell)));
            array.write(5, &[plain_cell(4, 2)]);
            array.delete(6, &Test::Number(ComparisonOperator::Equal, deleted));
            let read = || array.read(&Selection::all((0, u64::MAX)), &PLAIN).unwrap();
            let before = read();
            array.consolidate(&[("sm.consolidation.purge_deleted_cells", "true".to_owned())], None).unwrap();
            assert_eq!(read(), before);
        }
    }
}

#[test]
fn purge_of_some_fragments_retains_deleted_cells_that_supersede_others() {
    let array = TestArray::new(&plain_shape(false));
    array.write(2, &[plain_cell(5, 0)]);
    array.write(6, &[plain_cell(3, 1), plain_cell(5, 2)]);
    array.write(8, &[plain_cell(12, 3)]);
    array.delete(11, &Test::Number(ComparisonOperator::Equal, 2));
    let read = || array.read(&Selection::all((0, u64::MAX)), &PLAIN).unwrap();
    let before = read();
    let purge = ("sm.consolidation.purge_deleted_cells", "true".to_owned());
    let start = ("sm.consolidation.timestamp_start", "6".to_owned());
    let end = ("sm.consolidation.timestamp_end", "10".to_owned());
    array.consolidate(&[purge.clone(), start, end], None).unwrap();
    array.vacuum("fragments").unwrap();
    assert_eq!(read(), before);
    array.consolidate(&[purge], None).unwrap();
    assert_eq!(read(), before);
    // All cells of the one place were dropped.
    assert!(array.read(&Selection::all((0, 10)), &PLAIN).unwrap().iter().all(|cell| cell.at != [5, 0]));
}
