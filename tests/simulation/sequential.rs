//! Histories of one actor: each operation is complete before the next one begins.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::array::{TestArray, TestConsolidation, TestWrite};
use super::compared;
use super::concurrent::reference::Reference;
use super::forked::in_child;
use super::history::{Generator, PURGE, Step};
use super::journal::{AFTER_ALL, Journal};
use super::judge::{self, Returned};
use super::labels::{self, LabelWrite};
use super::model::cells::Selection;
use super::model::{ALWAYS, Cell, Change, Window};
use super::random::Random;
use super::read::{OpenRead, ReadOptions};
use super::seeds::Seeds;
use super::shape::{ArrayShape, CREATION_TIME, CoordinateKind};
use tiledb_core::config::Config;
use tiledb_core::error::{ErrorKind, Result};
use tiledb_core::limits::simulation::SimulatedLimits;
use tiledb_core::types::{Layout, QueryType};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Seeds of every run.
const SEEDS: std::ops::Range<u64> = 0..600;

/// libtiledb reads the array of one history in so many.
const COMPARED: u64 = 10;

/// Reads of everything, whose results must be the same before and after maintenance.
fn plain() -> ReadOptions {
    ReadOptions { layout: Layout::Unordered, cells: 2000, budget: None, aggregates: Vec::new() }
}

/// A step of a history, and the reads around it.
#[derive(Clone, Debug)]
struct Action {
    step: Step,
    /// Times between which all cells are read before and after maintenance.
    windows: Vec<Window>,
    selection: Selection,
    options: ReadOptions,
    /// A range of labels, and how many are read at a time.
    labels: ((i64, i64), usize),
    /// Whether a child of the process reads the array.
    forks: bool,
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
        let shape = ArrayShape::draw(&mut random).draw_evolving(&mut random).draw_label(&mut random);
        let count = 3 + random.below(10);
        let copies = random.one_in(8);
        let mut generator = Generator::new(random, &shape, CREATION_TIME);
        let mut action = || {
            let step = generator.step();
            let windows = vec![ALWAYS, generator.window(), generator.window()];
            let options = generator.read_options();
            let selection = generator.selection(options.layout);
            let labels = match shape.has_label {
                true => (labels::draw_range(&shape, &mut generator.random), 1 + generator.random.below(9) as usize),
                false => ((0, 0), 1),
            };
            let forks = generator.random.one_in(60);
            Action { step, windows, selection, options, labels, forks }
        };
        let mut actions: Vec<Action> = (0..count).map(|_| action()).collect();
        if copies {
            let last = action();
            actions.push(Action { step: Step::Copy(false), ..last });
        }
        History { limits, shape, actions }
    }

    /// Runs the history; the text of the first failure. The reference then reads the array.
    fn run(&self, reference: Option<&Reference>) -> std::result::Result<(), String> {
        let actions = || {
            let mut run = Run::new(&self.shape);
            self.actions.iter().for_each(|action| run.apply(action));
            if let Some(reference) = reference {
                run.compare(reference, self.actions.iter().map(|action| &action.selection));
            }
        };
        catch_unwind(AssertUnwindSafe(|| self.limits.run(actions))).map_err(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
            text.unwrap_or("no text").to_owned()
        })
    }

    /// Histories with one step, cell or limit less, or simpler reads.
    fn smaller(&self) -> Vec<History> {
        let mut smaller: Vec<History> = Vec::new();
        let with = |at: usize, action: Action| {
            let mut history = self.clone();
            history.actions[at] = action;
            history
        };
        for (at, action) in self.actions.iter().enumerate() {
            let mut history = self.clone();
            history.actions.remove(at);
            smaller.push(history);
            if let Step::Write(time, write) = &action.step
                && !self.shape.is_dense()
            {
                for (number, part) in write.parts.iter().enumerate() {
                    for cell in 0..part.len() {
                        let mut write = write.clone();
                        write.parts[number].remove(cell);
                        write.parts.retain(|part| !part.is_empty());
                        if !write.parts.is_empty() {
                            smaller.push(with(at, Action { step: Step::Write(*time, write), ..action.clone() }));
                        }
                    }
                }
            }
            if let Step::Consolidate(consolidation, effect) = &action.step {
                for (name, _) in &consolidation.parameters {
                    // Those of steps are valid together only.
                    let is_other = |other: &str| match name.contains(".step") {
                        true => !other.contains(".step"),
                        false => other != *name,
                    };
                    let mut fewer = consolidation.clone();
                    fewer.parameters.retain(|parameter| is_other(parameter.0));
                    smaller.push(with(at, Action { step: Step::Consolidate(fewer, *effect), ..action.clone() }));
                }
            }
        }
        let limits = self.limits.names();
        smaller.extend(limits.into_iter().map(|name| History { limits: self.limits.without(name), ..self.clone() }));
        smaller
    }

    /// A history that fails, with as few cells, steps and limits as leaving them out one by one achieves.
    fn shrunk(mut self, reference: Option<&Reference>) -> History {
        while let Some(smaller) = self.smaller().into_iter().find(|history| history.run(reference).is_err()) {
            self = smaller;
        }
        self
    }
}

/// A read that goes on.
struct RunningRead {
    read: OpenRead,
    rows: Vec<Cell>,
    selection: Selection,
    options: ReadOptions,
    /// The array when the read began.
    model: Journal,
    /// Fragments that it reads may have been removed.
    is_disturbed: bool,
}

struct Run {
    resources: Resources,
    array: TestArray,
    model: Journal,
    /// The array of the labels.
    labels: Journal,
    reads: Vec<RunningRead>,
    copies: usize,
    /// A fragment was merged before another write of its time: which of their cells is read at that time depends on whether the sources
    /// of the merge are there (docs/durability.md).
    has_late_equal: bool,
    /// Whether a consolidation may have made several fragments.
    has_split: bool,
}

impl Run {
    fn new(shape: &ArrayShape) -> Run {
        static ARRAYS: AtomicUsize = AtomicUsize::new(0);
        let uri = Uri::parse(&format!("mem://history/{}", ARRAYS.fetch_add(1, Ordering::Relaxed))).unwrap();
        let resources = Resources::new(Config::new()).unwrap();
        let array = TestArray::create(shape, &resources, &uri).unwrap_or_else(|error| panic!("{}", error.text()));
        let mut of_labels = labels::model(shape);
        if shape.has_label {
            let all = LabelWrite::all(shape);
            array.write_labels(&resources, CREATION_TIME, &all).unwrap_or_else(|error| panic!("{}", error.text()));
            of_labels.record(CREATION_TIME, all.change());
        }
        Run {
            model: shape.model(),
            labels: of_labels,
            resources,
            array,
            reads: Vec::new(),
            copies: 0,
            has_late_equal: false,
            has_split: false,
        }
    }

    fn read(&self, array: &TestArray, selection: &Selection, options: &ReadOptions) -> Vec<Cell> {
        let all = |options: &ReadOptions| -> Result<_> {
            let mut read = array.begin_read(&self.resources, selection, options)?;
            let mut rows: Vec<Cell> = Vec::new();
            while let Some(more) = read.submit()? {
                rows.extend(more);
            }
            Ok((read, rows))
        };
        let result = match all(options) {
            Err(error) if error.kind() == ErrorKind::Budget && options.budget.is_some() => {
                all(&ReadOptions { budget: None, ..options.clone() })
            }
            result => result,
        };
        let (read, rows) = result.unwrap_or_else(|error| panic!("{selection:?}, {options:?}: {}", error.text()));
        let returned = Returned { schema: read.schema(), rows: &rows, submits: read.submits() };
        let judged = judge::rows(&array.shape, &self.model, AFTER_ALL, (selection, options), returned)
            .and_then(|()| judge::aggregates(&array.shape, &self.model, &rows, &read.aggregates()));
        if let Err(difference) = judged {
            panic!("{difference}, of {selection:?} with {options:?}");
        }
        rows
    }

    /// Whether the schema of a window has the attributes of a condition, and the ranges are in its current domain. Checks that a read
    /// outside of it is refused.
    fn can_read(&self, selection: &Selection, options: &ReadOptions) -> bool {
        let schema = self.model.schema(selection.window.1);
        let mut attributes = selection.condition.iter().flat_map(|condition| condition.attributes());
        if !attributes.all(|attribute| schema.attributes.contains(&attribute)) {
            return false;
        }
        let is_accepted = schema.accepts_read(selection);
        if !is_accepted {
            let read = self.array.begin_read(&self.resources, selection, options);
            let refused = read.and_then(|mut read| read.submit()).expect_err("a range outside of the current domain");
            assert!(refused.text().contains("current domain"), "{}", refused.text());
        }
        is_accepted
    }

    fn record(&mut self, time: u64, change: Change) {
        self.model.record(time, change);
    }

    /// A write of exactly the attributes of the newest schema, which can be another one where a history was shrunk.
    fn in_schema(&self, write: &TestWrite) -> TestWrite {
        let mut write = write.clone();
        write.restrict(&self.model.schema(u64::MAX).attributes, &self.array.shape);
        write
    }

    fn apply(&mut self, Action { step, windows, selection, options, labels, forks }: &Action) {
        let expect = |done: Result<()>| done.unwrap_or_else(|error| panic!("{step:?}: {}", error.text()));
        match step {
            Step::Write(time, write) => {
                let write = self.in_schema(write);
                let written = self.array.write(&self.resources, *time, &write);
                if self.model.accepts_write(&write.cells()) {
                    let name = written.unwrap_or_else(|error| panic!("{step:?}: {}", error.text()));
                    let mut events = self.model.events.iter();
                    let has_equal = events.any(|event| event.time == *time && matches!(event.change, Change::Write(_)));
                    self.has_late_equal |= self.model.merged.until > 0 && has_equal;
                    self.forget_dropped(&[]);
                    let name = (self.model.merged.until < *time).then_some(name);
                    self.model.record_file(*time, Change::Write(write.cells()), name);
                } else {
                    let refused = written.expect_err("cells outside of the current domain");
                    assert!(refused.text().contains("current domain"), "{}", refused.text());
                }
            }
            Step::Delete(time, condition) => {
                let schema = self.model.schema(*time);
                if condition.attributes().iter().any(|attribute| !schema.attributes.contains(attribute)) {
                    return;
                }
                let (known, may_be_refused) = condition.of_known_colors(&self.array.shape, &schema.labels);
                match self.array.delete(&self.resources, *time, condition) {
                    Err(error) if may_be_refused && error.text().contains("Invalid negation") => {}
                    deleted => {
                        expect(deleted);
                        self.record(*time, Change::Delete(known));
                    }
                }
            }
            Step::Evolve(time, change) => {
                let schema = self.model.schema(u64::MAX);
                let evolved = change.apply(schema);
                if evolved == *schema {
                    return;
                }
                let done = self.array.evolve(&self.resources, *time, std::slice::from_ref(change));
                if schema.can_become(&evolved) {
                    expect(done);
                    self.record(*time, Change::Evolve(vec![evolved]));
                } else {
                    done.expect_err("an evolution to less");
                }
                windows.iter().for_each(|window| self.check_schema(*window));
            }
            Step::Put(time, entries) => {
                expect(self.array.put_metadata(&self.resources, *time, entries));
                for (key, value) in entries {
                    self.record(*time, Change::Put(key.clone(), value.clone()));
                }
            }
            Step::Consolidate(consolidation, effect) => {
                self.model.consolidate(effect.until, effect.purges);
                let is_partial = consolidation.picks.is_some()
                    || consolidation
                        .parameters
                        .iter()
                        .any(|parameter| parameter.0.starts_with("sm.consolidation.step"));
                self.has_split |= is_partial && self.has_equal_writes();
                self.forget_dropped(&consolidation.parameters);
                self.maintain(windows, |array, resources| consolidate(array, resources, consolidation, effect.purges));
            }
            Step::ConsolidateOther(mode, parameters) => {
                if *mode == "array_meta" {
                    self.model.consolidate_entries();
                }
                let parameters = [&[("sm.consolidation.mode", (*mode).to_owned())], &parameters[..]].concat();
                let consolidation = TestConsolidation { parameters, picks: None };
                self.maintain(windows, |array, resources| array.consolidate(resources, &consolidation));
            }
            Step::Vacuum(mode, stop) => {
                match *mode {
                    "fragments" => self.vacuumed(),
                    "array_meta" => self.model.vacuum_entries(),
                    _ => {}
                }
                self.maintain(windows, |array, resources| match stop {
                    Some(count) => array.vacuum_partly(resources, mode, *count),
                    None => array.vacuum(resources, mode),
                });
            }
            Step::Maintain(parameters) => {
                self.model.consolidate(u64::MAX, parameters.iter().any(|parameter| parameter.0 == PURGE));
                self.vacuumed();
                self.labels.consolidate(u64::MAX, false);
                self.labels.vacuum();
                self.maintain(windows, |array, resources| array.maintain(resources, parameters));
            }
            Step::Copy(is_merged) => self.copy(*is_merged, windows, *labels),
            Step::WriteLabels(time, write) => {
                expect(self.array.write_labels(&self.resources, *time, write));
                self.labels.record(*time, write.change());
            }
            Step::ConsolidateLabels => {
                let consolidation = TestConsolidation { parameters: Vec::new(), picks: None };
                expect(self.array.label_array().consolidate(&self.resources, &consolidation));
                self.labels.consolidate(u64::MAX, false);
            }
            Step::VacuumLabels => {
                expect(self.array.label_array().vacuum(&self.resources, "fragments"));
                self.labels.vacuum();
            }
            Step::Verify => {
                let findings = self.array.verify(&self.resources).unwrap_or_else(|error| panic!("{}", error.text()));
                assert!(findings.is_empty(), "{findings:?}");
            }
            Step::BeginRead(selection, options) => self.begin_read(selection, options),
            Step::ContinueReads => self.continue_reads(),
        }
        self.read_selected(selection, options);
        windows.iter().for_each(|window| self.read_labels(&self.array, *window, *labels));
        if *forks {
            // The parent goes on with the same handles.
            in_child(|| {
                self.read_selected(selection, options);
                windows.iter().for_each(|window| self.read_labels(&self.array, *window, *labels));
            })
            .unwrap_or_else(|text| panic!("{text}"));
        }
        if matches!(step, Step::Put(..) | Step::ConsolidateOther("array_meta", _) | Step::Vacuum("array_meta", _)) {
            windows.iter().for_each(|window| self.read_metadata(*window));
        }
    }

    fn check_schema(&self, window: Window) {
        let schema =
            self.array.open(&self.resources, QueryType::Read, window).and_then(|array| self.array.schema(&array));
        let mut schema = schema.unwrap_or_else(|error| panic!("{}", error.text()));
        let mut expected = self.model.schema(window.1).clone();
        schema.attributes.sort_unstable();
        expected.attributes.sort_unstable();
        assert_eq!(schema, expected, "the schema at {}", window.1);
    }

    fn read_selected(&self, selection: &Selection, options: &ReadOptions) {
        if self.can_read(selection, options) {
            self.read(&self.array, selection, options);
        }
    }

    /// Reads the labels, and the cells with labels in a range.
    fn read_labels(&self, array: &TestArray, window: Window, (range, count): ((i64, i64), usize)) {
        if !array.shape.has_label {
            return;
        }
        let open = array.open(&self.resources, QueryType::Read, window);
        let read = open.and_then(|open| array.read_labels(&open, range, count));
        let read = read.unwrap_or_else(|error| panic!("labels in {range:?} of {window:?}: {}", error.text()));
        let mut judged = labels::judge(&self.labels, AFTER_ALL, window, &read.labels);
        if let Some((range, read, rows)) = &read.cells {
            let returned = Returned { schema: read.schema(), rows, submits: read.submits() };
            let (selection, options) = labels::selection(&array.shape, window, *range);
            judged = judged.and_then(|()| {
                judge::rows(&array.shape, &self.model, AFTER_ALL, (&selection, &options), returned)
                    .map_err(|text| format!("labels {range:?}: {text}"))
            });
        }
        judged.unwrap_or_else(|text| panic!("{text}"));
    }

    fn read_metadata(&self, window: Window) {
        let entries = self.array.metadata(&self.resources, window);
        let entries = entries.unwrap_or_else(|error| panic!("{}", error.text()));
        if let Err(difference) = self.model.judge(AFTER_ALL, |view| view.check_entries(window, &entries)) {
            panic!("{difference}, of the metadata in {window:?}");
        }
    }

    /// Whether fragments were written at the same time: one that is left out of a merge of others may have the times of the result.
    fn has_equal_writes(&self) -> bool {
        let is_write = |change: &Change| matches!(change, Change::Write(_));
        let written = self.model.events.iter().filter(|event| is_write(&event.change)).map(|event| event.time);
        let mut times: Vec<u64> = written.collect();
        times.sort_unstable();
        times.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// The sources of a consolidation are read for dropped attributes unless it, or one before it, made several fragments, or another
    /// fragment was written at the time of all of them, or was left out: such fragments have the same times.
    fn forget_dropped(&mut self, parameters: &[(&'static str, String)]) {
        self.has_split |= parameters.iter().any(|parameter| parameter.0 == "sm.consolidation.max_fragment_size");
        if self.has_split || self.has_late_equal {
            self.model.forget_dropped();
        }
    }

    fn vacuumed(&mut self) {
        self.model.vacuum();
        self.reads.iter_mut().for_each(|read| read.is_disturbed = true);
    }

    /// Maintains the array; no result of a read changes.
    fn maintain(&self, windows: &[Window], work: impl FnOnce(&TestArray, &Resources) -> Result<()>) {
        let is_determined = |window: &&Window| {
            let is_cut = (self.array.shape.is_dense() || self.has_late_equal) && self.model.merged.cuts(**window);
            window.1 >= self.model.purged && !is_cut
        };
        let windows: Vec<Window> = windows.iter().filter(is_determined).copied().collect();
        let read = || {
            let sorted = |window: &Window| {
                let all = Selection::all(self.array.shape.dimensions.len(), *window);
                let mut rows = self.read(&self.array, &all, &plain());
                rows.sort_by_key(judge::identity);
                rows.iter_mut().for_each(|row| row.values.retain(|attribute, _| !self.model.lost.contains(attribute)));
                rows
            };
            windows.iter().map(sorted).collect::<Vec<_>>()
        };
        let before = read();
        work(&self.array, &self.resources).unwrap_or_else(|error| panic!("{}", error.text()));
        for ((window, before), after) in windows.iter().zip(before).zip(read()) {
            assert!(before == after, "{window:?} was {before:?}, now {after:?}");
        }
    }

    fn copy(&mut self, is_merged: bool, windows: &[Window], labels: ((i64, i64), usize)) {
        self.copies += 1;
        let uri = Uri::parse(&format!("{}_copy{}", self.array.uri, self.copies)).unwrap();
        let copy = self.array.copy(&self.resources, &uri, is_merged);
        let copy = copy.unwrap_or_else(|error| panic!("{}", error.text()));
        let has_evolved = self.model.events.iter().any(|event| matches!(event.change, Change::Evolve(_)));
        let is_copied = |window: &&Window| **window == ALWAYS || !is_merged && !has_evolved;
        for window in windows.iter().filter(is_copied) {
            self.read(&copy, &Selection::all(copy.shape.dimensions.len(), *window), &plain());
        }
        self.read_labels(&copy, ALWAYS, labels);
        let findings = copy.verify(&self.resources).unwrap_or_else(|error| panic!("{}", error.text()));
        assert!(findings.is_empty(), "the copy: {findings:?}");
    }

    /// Reads the array with libtiledb, in windows whose schema has the attributes that it was created with: where others lack values, it
    /// contradicts itself (differences b).
    fn compare<'a>(&self, reference: &Reference, selections: impl Iterator<Item = &'a Selection>) {
        let has_evolved = self.model.events.iter().any(|event| match &event.change {
            Change::Evolve(schemas) => schemas.iter().any(|schema| schema.attributes != self.model.schema.attributes),
            _ => false,
        });
        // TileDB-Py has no current domains of dates.
        let has_days = self.array.shape.dimensions.iter().any(|dimension| dimension.kind == CoordinateKind::Day);
        let is_unsupported = has_days && self.array.shape.current_domain.is_some();
        if !has_evolved && !is_unsupported {
            let selections: Vec<&Selection> = selections.collect();
            let compared = compared::compare(reference, &self.resources, &self.array, &self.model, &selections);
            compared.unwrap_or_else(|text| panic!("{text}"));
        }
    }

    fn begin_read(&mut self, selection: &Selection, options: &ReadOptions) {
        if !self.can_read(selection, options) {
            return;
        }
        let options = ReadOptions { budget: None, ..options.clone() };
        let mut read = self
            .array
            .begin_read(&self.resources, selection, &options)
            .unwrap_or_else(|error| panic!("{selection:?}, {options:?}: {}", error.text()));
        let rows = read.submit().unwrap_or_else(|error| panic!("{selection:?}, {options:?}: {}", error.text()));
        let rows = rows.unwrap_or_default();
        let (selection, model) = (selection.clone(), self.model.clone());
        self.reads.push(RunningRead { read, rows, selection, options, model, is_disturbed: false });
    }

    fn continue_reads(&mut self) {
        for mut running in std::mem::take(&mut self.reads) {
            let rest = loop {
                match running.read.submit() {
                    Ok(Some(rows)) => running.rows.extend(rows),
                    end => break end,
                }
            };
            let RunningRead { rows, selection, options, model, is_disturbed, read } = running;
            match rest {
                Err(_) if is_disturbed => {}
                Err(error) => panic!("a read that goes on, {selection:?}, {options:?}: {}", error.text()),
                Ok(_) => {
                    let read = Returned { schema: read.schema(), rows: &rows, submits: read.submits() };
                    if let Err(text) = judge::rows(&self.array.shape, &model, AFTER_ALL, (&selection, &options), read) {
                        panic!("{text}, of a read that went on, {selection:?} with {options:?}");
                    }
                }
            }
        }
    }
}

/// A consolidation; without a budget if that does not suffice.
fn consolidate(
    array: &TestArray,
    resources: &Resources,
    consolidation: &TestConsolidation,
    purges: bool,
) -> Result<()> {
    match array.consolidate(resources, consolidation) {
        Err(error) if error.kind() == ErrorKind::Budget => {
            let mut parameters = consolidation.parameters.clone();
            parameters.retain(|parameter| parameter.0 != "sm.mem.total_budget");
            array.consolidate(resources, &TestConsolidation { parameters, picks: consolidation.picks.clone() })
        }
        // A merge of these fragments would change which of several cells of one time is read.
        Err(error) if consolidation.picks.is_some() && error.text().contains("could supersede later ones") => Ok(()),
        // The cells of this fragment would be lost.
        Err(error) if consolidation.picks.is_some() && error.text().contains("was created before these fragments") => {
            Ok(())
        }
        // As libtiledb, a consolidation that leaves no cell fails.
        Err(error) if purges && error.text().contains("read 0 cells") => Ok(()),
        result => result,
    }
}

/// Runs a history; the report of its failure, shrunk unless there are several already.
fn failure(seed: u64, shrinks: bool, reference: Option<&Reference>) -> Option<String> {
    let mut history = History::draw(seed);
    let mut text = history.run(reference).err()?;
    if shrinks {
        history = history.shrunk(reference);
        text = history.run(reference).err().unwrap_or(text);
    } else {
        history.actions.clear();
    }
    let steps: String = history.actions.iter().map(|action| format!("\n  {:?}", action.step)).collect();
    Some(format!("seed {seed}, {:?}, {:?}:{steps}\n  {text}", history.shape, history.limits))
}

#[test]
fn reads_of_sequential_histories_return_what_the_model_contains() {
    let seeds = Seeds::requested(SEEDS);
    let failed: Mutex<Vec<String>> = Mutex::default();
    let reference = Reference::start();
    let (steps, comparisons) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        while let Some(seed) = seeds.next() {
            let shrinks = seeds.shrinks() && failed.lock().unwrap().len() < 5;
            let reference = reference.as_ref().filter(|_| seed.is_multiple_of(COMPARED));
            steps.fetch_add(History::draw(seed).actions.len(), Ordering::Relaxed);
            comparisons.fetch_add(usize::from(reference.is_some()), Ordering::Relaxed);
            if let Some(text) = failure(seed, shrinks, reference) {
                seeds.fail(seed);
                eprintln!("{text}");
                failed.lock().unwrap().push(text);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..seeds.threads() {
            scope.spawn(work);
        }
    });
    let failed = failed.into_inner().unwrap();
    println!("{} sequential histories, {:?}", seeds.taken(), seeds.elapsed());
    let (steps, comparisons) = (steps.into_inner(), comparisons.into_inner());
    let (histories, failing) = (seeds.taken(), failed.len());
    println!("figures: histories={histories} operations={steps} comparisons={comparisons} failing={failing}");
    assert!(failed.is_empty(), "{} histories failed\n{}", failed.len(), failed.join("\n"));
}
