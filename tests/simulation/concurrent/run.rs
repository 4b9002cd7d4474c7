//! Runs a history.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tiledb_array::fragment::read_time;
use tiledb_core::env;
use tiledb_core::env::simulated::SimulatedEnvironment;
use tiledb_core::error::{Error, ErrorKind, Result};
use tiledb_core::types::{Layout, QueryType};
use tiledb_maintain::maintain::{consolidate, vacuum};
use tiledb_maintain::policy::maintain;
use tiledb_maintain::verify::{Severity, verify};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

use super::array::{Array, config, metadata};
use super::ledger::{Change, Event, Ledger, Window};
use super::plan::{Operation, Plan, Planned};
use super::reference::Reference;
use crate::world::{Disk, FaultKind, Medium, Process, START, World};

/// What happened in a history.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    pub operations: u64,
    pub calls: u64,
    pub pauses: u64,
    pub kills: u64,
    pub crashes: u64,
    pub failures: u64,
    pub clock_steps: u64,
    pub reads: u64,
    /// Reads by libtiledb.
    pub comparisons: u64,
    /// Errors that are allowed, by operation and text.
    pub errors: BTreeMap<String, u64>,
    pub digest: u64,
}

impl Totals {
    pub fn add(&mut self, other: &Totals) {
        self.operations += other.operations;
        self.calls += other.calls;
        self.pauses += other.pauses;
        self.kills += other.kills;
        self.crashes += other.crashes;
        self.failures += other.failures;
        self.clock_steps += other.clock_steps;
        self.reads += other.reads;
        self.comparisons += other.comparisons;
        for (text, count) in &other.errors {
            *self.errors.entry(text.clone()).or_default() += count;
        }
    }
}

/// What the actors share besides the world.
struct Shared<'a> {
    plan: &'a Plan,
    reference: Option<&'a Reference>,
    world: Arc<World>,
    uri: Uri,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    ledger: Ledger,
    /// Changes of the storage that were looked at.
    seen: usize,
    /// What each actor is about to commit.
    intents: Vec<Option<Change>>,
    maintenance: Vec<Maintenance>,
    failure: Option<String>,
    totals: Totals,
}

/// An operation that replaces or removes files.
struct Maintenance {
    begin: u64,
    end: Option<u64>,
    kind: Kind,
    is_complete: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Consolidation,
    Vacuum,
    Policy,
}

impl State {
    /// Adds what was committed meanwhile to the ledger.
    fn look(&mut self, world: &World) {
        let files = world.store.files();
        for change in &files.changes()[self.seen..] {
            let mut parts = change.path.rsplit('/');
            let (name, folder) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            let is_commit = match self.intents.get(change.actor).and_then(Option::as_ref) {
                Some(Change::Write(_)) => folder == "__commits" && name.ends_with(".wrt"),
                Some(Change::Delete(_)) => folder == "__commits" && name.ends_with(".del"),
                Some(Change::Put(..)) => folder == "__meta",
                None => false,
            } && !change.is_removal;
            if !is_commit {
                continue;
            }
            let time = name.split('_').nth(2).and_then(|time| time.parse().ok()).unwrap_or_default();
            let Some(change_made) = self.intents[change.actor].clone() else { continue };
            let (step, path) = (change.step, change.path.clone());
            let is_merge = |work: &&Maintenance| work.kind != Kind::Vacuum && work.begin < step;
            let is_late = self.ledger.newest() > time && self.maintenance.iter().any(|work| is_merge(&work));
            self.ledger.events.push(Event { step, undone: None, time, path, is_late, change: change_made });
        }
        self.seen = files.changes().len();
        for (step, paths) in world.crashes().iter() {
            self.ledger.undo(*step, paths);
        }
    }

    /// Whether an operation that may remove files that readers need was at work since a step.
    fn has_removed_since(&self, step: u64) -> bool {
        let removes = |kind| kind == Kind::Vacuum || kind == Kind::Policy;
        self.maintenance.iter().any(|work| removes(work.kind) && work.end.is_none_or(|end| end >= step))
    }

    /// Whether merged fragments and the new one may both be visible to a reader that opens after a step.
    fn may_be_doubled(&self, step: u64, plan: &Plan) -> bool {
        let doubles = |kind| kind == Kind::Consolidation || kind == Kind::Policy && plan.medium == Medium::Objects;
        let names_are_lost = plan.medium == Medium::Local { syncs_directories: false };
        // One may have been planned between the commit of the other and its vacuum file, and merge both.
        let merges: Vec<&Maintenance> = self.maintenance.iter().filter(|work| work.kind != Kind::Vacuum).collect();
        let overlap = |a: &Maintenance, b: &Maintenance| {
            let begins_before = |a: &Maintenance, b: &Maintenance| a.end.is_none_or(|end| end >= b.begin);
            (doubles(a.kind) || doubles(b.kind)) && begins_before(a, b) && begins_before(b, a)
        };
        let is_merged_twice = (1..merges.len()).any(|at| merges[..at].iter().any(|other| overlap(merges[at], other)));
        let mut merges = merges.into_iter();
        let is_open = |work: &Maintenance| {
            doubles(work.kind) && (names_are_lost || !work.is_complete || work.end.is_none_or(|end| end >= step))
        };
        is_merged_twice || merges.any(is_open)
    }
}

impl Shared<'_> {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fail(&self, text: String) {
        let mut state = self.state();
        if state.failure.is_none() {
            state.failure = Some(text);
        }
    }

    fn run_actor(&self, actor: usize) {
        let scheduler = &self.world.scheduler;
        scheduler.join(actor);
        let skew = self.plan.actors[actor].skew;
        let mut life = 1;
        let mut process = self.world.start(actor, life, skew);
        let mut resources = resources_of(&process);
        for planned in &self.plan.actors[actor].operations {
            if self.state().failure.is_some() {
                break;
            }
            process.begin(planned.number, &planned.faults);
            let environment = SimulatedEnvironment::new(process.clone());
            let work = || environment.run(|| self.plan.limits.run(|| self.perform(&process, &resources, planned)));
            if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
                self.fail(format!("{actor}.{}: {}", planned.number, text.unwrap_or_default()));
            }
            self.count(&process, planned);
            if !process.is_alive() {
                life += 1;
                process = self.world.start(actor, life, process.skew());
                resources = resources_of(&process);
            }
        }
        scheduler.leave(actor);
    }

    fn count(&self, process: &Process, planned: &Planned) {
        let mut state = self.state();
        let totals = &mut state.totals;
        totals.operations += 1;
        totals.calls += process.calls();
        for fault in planned.faults.iter().filter(|fault| fault.call < process.calls()) {
            *match fault.kind {
                FaultKind::Pause(_) => &mut totals.pauses,
                FaultKind::Kill => &mut totals.kills,
                FaultKind::Crash => &mut totals.crashes,
                FaultKind::Fail => &mut totals.failures,
                FaultKind::SetClock(_) => &mut totals.clock_steps,
            } += 1;
        }
    }

    /// Runs an operation; errors that nothing explains are failures.
    fn perform(&self, process: &Process, resources: &Resources, planned: &Planned) {
        let array = Array { shape: &self.plan.shape, resources, uri: &self.uri };
        let begin = self.world.scheduler.steps();
        let commit = |change: Change, work: &dyn Fn() -> Result<()>| {
            {
                let mut state = self.state();
                state.look(&self.world);
                state.intents[process.actor()] = Some(change);
            }
            let done = work();
            let mut state = self.state();
            state.look(&self.world);
            state.intents[process.actor()] = None;
            done
        };
        let absolute = |time: Option<u64>| time.map_or(0, |time| START + time);
        let done = match &planned.operation {
            Operation::Write { time, cells } => {
                commit(Change::Write(cells.clone()), &|| array.write(absolute(*time), cells))
            }
            Operation::Delete { time, deletes } => {
                commit(Change::Delete(*deletes), &|| array.delete(absolute(*time), *deletes))
            }
            Operation::Put { time, key, value } => {
                commit(Change::Put(key, *value), &|| array.put(absolute(*time), key, *value))
            }
            Operation::Consolidate { settings } => self.maintained(Kind::Consolidation, || {
                consolidate(&array.configured(settings)?, &self.uri, &mut |_| Ok(()))
            }),
            Operation::Vacuum { mode } => self.maintained(Kind::Vacuum, || {
                vacuum(&array.configured(&[("sm.vacuum.mode", (*mode).to_owned())])?, &self.uri)
            }),
            Operation::Maintain { settings } => {
                self.maintained(Kind::Policy, || maintain(&array.configured(settings)?, &self.uri, &mut |_| Ok(())))
            }
            Operation::Read { end, layout, capacity, idle } => {
                self.read(&array, end.map(|end| START + end), *layout, *capacity, *idle)
            }
            Operation::Verify => self.verify(&array).map(drop),
            Operation::Compare => {
                self.compare();
                Ok(())
            }
            Operation::Sleep(millis) => {
                env::sleep(Duration::from_millis(*millis));
                Ok(())
            }
        };
        let Err(error) = done else { return };
        let had_fault =
            planned.faults.iter().any(|fault| fault.kind == FaultKind::Fail && fault.call < process.calls());
        if process.is_alive() && !had_fault && !self.is_explained(planned, begin, &error) {
            self.fail(format!("{}.{}: {error}", process.actor(), planned.number));
        }
        if error.kind() == ErrorKind::Internal {
            self.fail(format!("{}.{}: {error}", process.actor(), planned.number));
        }
        if process.is_alive() && !had_fault {
            let words = error.text().split(' ').filter(|word| !word.contains(|c: char| c.is_ascii_digit()));
            let text = words.take(12).collect::<Vec<_>>().join(" ");
            *self.state().totals.errors.entry(format!("{}: {text}", planned.operation.name())).or_default() += 1;
        }
    }

    fn maintained(&self, kind: Kind, work: impl FnOnce() -> Result<()>) -> Result<()> {
        let begin = self.world.scheduler.steps();
        let place = {
            let mut state = self.state();
            state.maintenance.push(Maintenance { begin, end: None, kind, is_complete: false });
            state.maintenance.len() - 1
        };
        let done = work();
        let mut state = self.state();
        state.maintenance[place].end = Some(self.world.scheduler.steps());
        state.maintenance[place].is_complete = done.is_ok();
        done
    }

    /// Whether an operation may fail in this way.
    fn is_explained(&self, planned: &Planned, begin: u64, error: &Error) -> bool {
        let state = self.state();
        let operation = &planned.operation;
        match operation {
            // Files of the snapshot were removed.
            Operation::Read { .. } | Operation::Verify => {
                state.has_removed_since(begin)
                    && (error.kind() == ErrorKind::NotFound || error.text().contains("vacuum"))
            }
            // Another one works, has removed what this one needs, or makes a merge impossible.
            Operation::Consolidate { .. } | Operation::Vacuum { .. } | Operation::Maintain { .. } => {
                let others = state.maintenance.iter().filter(|work| work.end.is_none_or(|end| end >= begin)).count();
                // As libtiledb, if a cell, or those of a dense tile, exceed the buffers.
                let is_small = match operation {
                    Operation::Consolidate { settings } => {
                        settings.iter().any(|setting| setting.0.ends_with("buffer_size"))
                    }
                    _ => false,
                };
                let is_small = is_small && error.text().contains("Consolidation read 0 cells");
                let was_late = planned.faults.iter().any(|fault| fault.kind != FaultKind::Fail);
                // With a clock that was set back the fragments that were selected are in the future.
                let has_lost = was_late
                    && ["expired or was removed", "required fragments"].iter().any(|text| error.text().contains(text));
                others > 1
                    || is_small
                    || has_lost
                    || error.text().contains("could supersede")
                    || error.text().contains("holds the lease")
            }
            _ => false,
        }
    }

    fn read(&self, array: &Array<'_>, end: Option<u64>, layout: Layout, capacity: usize, idle: u64) -> Result<()> {
        let begin = self.world.scheduler.steps();
        let end = end.unwrap_or_else(read_time);
        let open = array.open(QueryType::Read, (0, end))?;
        let opened = self.world.scheduler.steps();
        if idle > 0 {
            env::sleep(Duration::from_millis(idle));
        }
        let cells = array.read(&open, layout, capacity)?;
        let entries = metadata(&open)?;
        let mut state = self.state();
        state.look(&self.world);
        state.totals.reads += 1;
        let may_be_doubled = self.plan.shape.allows_dups && state.may_be_doubled(begin, self.plan);
        let is_past = state.ledger.newest() > end && !state.maintenance.is_empty();
        let window = Window { opening: (begin, opened), end, may_be_doubled, is_past };
        let checked = state.ledger.check(&self.plan.shape, &window, &cells);
        if let Err(difference) = checked.and_then(|()| state.ledger.check_metadata(&window, &entries)) {
            let text = format!("read at {}: {difference}", end.saturating_sub(START));
            state.failure.get_or_insert(text);
        }
        Ok(())
    }

    /// The present files, read by libtiledb.
    fn compare(&self) {
        let Some(reference) = self.reference else { return };
        let mut state = self.state();
        state.look(&self.world);
        let step = self.world.scheduler.steps();
        if state.may_be_doubled(step, self.plan) {
            // Of cells that two fragments have libtiledb loses some, or reports an internal error.
            return;
        }
        let window = Window { opening: (step, step), end: u64::MAX, may_be_doubled: false, is_past: false };
        let checked = reference.read(&self.world.store.files(), "store/array").and_then(|cells| {
            let checked = state.ledger.check(&self.plan.shape, &window, &cells);
            checked.map_err(|difference| format!("{difference}; {cells:?}"))
        });
        state.totals.comparisons += 1;
        // Of merged cells with equal coordinates and times libtiledb retains one, and fails where that leaves a tile empty.
        let is_known = checked.as_ref().is_err_and(|text| text.contains("All tiles should have at least one cell"));
        if is_known && state.ledger.has_ties() {
            return;
        }
        if let Err(text) = checked {
            state.failure.get_or_insert(format!("by libtiledb, after step {step}: {text}"));
        }
    }

    fn verify(&self, array: &Array<'_>) -> Result<Vec<String>> {
        let mut findings = Vec::new();
        let mut note = |finding: &tiledb_maintain::verify::Finding| {
            if finding.code.severity() == Severity::Error {
                findings.push(format!("{finding:?}"));
            }
            Ok(())
        };
        verify(array.resources, array.uri, &mut note, &mut |_, _| Ok(()))?;
        Ok(findings)
    }

    /// Reads the array when all actors have ended, maintains it completely, and reads it again.
    fn conclude(&self, judge: usize) -> Result<()> {
        let process = self.world.start(judge, 2, 60_000);
        let resources = resources_of(&process);
        process.begin(1, &[]);
        let environment = SimulatedEnvironment::new(process);
        environment.run(|| {
            let array = Array { shape: &self.plan.shape, resources: &resources, uri: &self.uri };
            let read = || self.read(&array, None, Layout::Unordered, 1000, 0);
            read()?;
            self.compare();
            let settings = vec![
                ("sm.maintenance.max_fragments", "1".to_owned()),
                ("sm.maintenance.max_commits", "1".to_owned()),
                ("sm.maintenance.lease_ms", "60000".to_owned()),
                ("sm.maintenance.retention_ms", "0".to_owned()),
                ("sm.maintenance.write_grace_ms", "0".to_owned()),
            ];
            let maintained = self.maintained(Kind::Policy, || {
                env::sleep(Duration::from_secs(100));
                maintain(&array.configured(&settings)?, &self.uri, &mut |_| Ok(()))
            });
            maintained.map_err(|error| error.context("At the end, maintain"))?;
            read()?;
            for mode in ["fragments", "commits", "fragment_meta", "array_meta"] {
                let mode_of = |name| vec![(name, mode.to_owned())];
                let merged = self.maintained(Kind::Consolidation, || {
                    consolidate(&array.configured(&mode_of("sm.consolidation.mode"))?, &self.uri, &mut |_| Ok(()))
                });
                merged.map_err(|error| error.context(format_args!("At the end, consolidate {mode}")))?;
                read()?;
                let removed =
                    self.maintained(Kind::Vacuum, || vacuum(&array.configured(&mode_of("sm.vacuum.mode"))?, &self.uri));
                removed.map_err(|error| error.context(format_args!("At the end, vacuum {mode}")))?;
                read()?;
            }
            self.compare();
            let findings = self.verify(&array)?;
            if !findings.is_empty() {
                self.fail(format!("at the end: {findings:?}"));
            }
            Ok(())
        })
    }
}

impl Operation {
    fn name(&self) -> &'static str {
        match self {
            Operation::Write { .. } => "write",
            Operation::Delete { .. } => "delete",
            Operation::Put { .. } => "put",
            Operation::Consolidate { .. } => "consolidate",
            Operation::Vacuum { .. } => "vacuum",
            Operation::Maintain { .. } => "maintain",
            Operation::Read { .. } => "read",
            Operation::Verify => "verify",
            Operation::Compare => "compare",
            Operation::Sleep(_) => "sleep",
        }
    }
}

fn resources_of(process: &Arc<Process>) -> Resources {
    let disk = Arc::new(Disk(Arc::clone(process)));
    Resources::new(config()).and_then(|resources| resources.with_memory(disk)).unwrap_or_else(|error| panic!("{error}"))
}

/// The result of a history.
pub struct Outcome {
    pub totals: Totals,
    pub failure: Option<String>,
    /// All calls of the system, if they were recorded.
    pub calls: Vec<String>,
}

/// Runs a history.
pub fn run(plan: &Plan, records: bool, reference: Option<&Reference>) -> Outcome {
    let judge = plan.actors.len();
    let world = World::new(plan.seed, judge + 1, plan.medium);
    if records {
        world.scheduler.record();
    }
    let uri = Uri::parse("mem://store/array").unwrap_or_else(|error| panic!("{error}"));
    let state = Mutex::new(State { intents: vec![None; judge + 1], ..State::default() });
    let shared = Shared { plan, reference, world: Arc::clone(&world), uri, state };
    world.scheduler.join_alone(judge);
    let process = world.start(judge, 1, 0);
    let resources = resources_of(&process);
    let create = || Array { shape: &plan.shape, resources: &resources, uri: &shared.uri }.create();
    if let Err(error) = SimulatedEnvironment::new(process).run(create) {
        shared.fail(error.to_string());
    }
    world.store.files().make_durable();
    world.scheduler.leave(judge);
    std::thread::scope(|scope| {
        for actor in 0..judge {
            let shared = &shared;
            scope.spawn(move || shared.run_actor(actor));
        }
    });
    world.scheduler.join_alone(judge);
    if shared.state().failure.is_none() {
        let concluded = catch_unwind(AssertUnwindSafe(|| shared.conclude(judge)));
        match concluded {
            Ok(Ok(())) => (),
            Ok(Err(error)) => shared.fail(format!("at the end: {error}")),
            Err(_) => shared.fail("at the end: panic".to_owned()),
        }
    }
    let calls = world.scheduler.recorded();
    let digest = world.scheduler.digest();
    let state = shared.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    Outcome { totals: Totals { digest, ..state.totals }, failure: state.failure, calls }
}
