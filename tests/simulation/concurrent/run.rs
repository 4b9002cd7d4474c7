//! Runs a history.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tiledb_array::group;
use tiledb_core::config::Config;
use tiledb_core::env;
use tiledb_core::env::simulated::SimulatedEnvironment;
use tiledb_core::error::{ErrorKind, Result};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::{Backend, Uri};

use super::actors::{GROUP, Operation, Read, judge_copy, judge_group, judge_labels, kind};
use super::plan::{Plan, Planned};
use super::reference::Reference;
use super::site::Site;
use super::state::{State, Work};
use crate::array::{TestArray, TestConsolidation};
use crate::labels::{self, LabelWrite};
use crate::world::{self, Disk, Medium, Process, World};

/// What happened in a history.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    pub operations: u64,
    pub calls: u64,
    /// Threads that made requests beside those of processes.
    pub threads: u64,
    /// What has happened, by kind.
    pub faults: BTreeMap<&'static str, u64>,
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
        self.threads += other.threads;
        for (fault, count) in &other.faults {
            *self.faults.entry(fault).or_default() += count;
        }
        self.reads += other.reads;
        self.comparisons += other.comparisons;
        for (text, count) in &other.errors {
            *self.errors.entry(text.clone()).or_default() += count;
        }
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Totals { operations, calls, threads, faults, reads, comparisons, .. } = self;
        write!(f, "operations={operations} calls={calls} threads={threads} reads={reads} comparisons={comparisons}")?;
        faults.iter().try_for_each(|(fault, count)| write!(f, " {fault}={count}"))
    }
}

/// What the actors share besides the world.
pub struct Shared<'a> {
    pub plan: &'a Plan,
    pub reference: Option<&'a Reference>,
    pub world: Arc<World>,
    pub array: TestArray,
    state: Mutex<State>,
    totals: Mutex<Totals>,
}

impl Shared<'_> {
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn totals(&self) -> MutexGuard<'_, Totals> {
        self.totals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn fail(&self, text: String) {
        self.state().failure.get_or_insert(text);
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
            self.count(&process);
            scheduler.complete(actor, planned.number);
            if !process.is_alive() {
                life += 1;
                process = self.world.start(actor, life, process.skew());
                resources = resources_of(&process);
            }
        }
        scheduler.leave(actor);
    }

    fn count(&self, process: &Process) {
        let mut totals = self.totals();
        totals.operations += 1;
        totals.calls += process.calls();
        for (fault, count) in process.effects().iter() {
            *totals.faults.entry(fault).or_default() += count;
        }
    }

    /// Runs an operation; errors that nothing explains are failures.
    fn perform(&self, process: &Process, resources: &Resources, planned: &Planned) {
        let begin = self.world.scheduler.steps();
        let name = format!("{}.{}", process.actor(), planned.number);
        let begin_time = self.world.scheduler.now();
        let site = Site { shared: self, process, resources, faults: &planned.faults, name: &name, begin, begin_time };
        let failed_before = self.state().failure.is_some();
        let done = planned.operation.run(&site);
        if !failed_before && let Some(text) = &mut self.state().failure {
            *text = format!("{name}: {text}");
        }
        let Err(error) = done else { return };
        let had_failure = site.had_failure();
        if process.is_alive() && !had_failure && !planned.operation.may_fail(&error, &site) {
            self.fail(format!("{name}: {error}"));
        }
        if error.kind() == ErrorKind::Internal {
            self.fail(format!("{name}: {error}"));
        }
        if process.is_alive() && !had_failure {
            let words = error.text().split(' ').filter(|word| !word.contains(|c: char| c.is_ascii_digit()));
            let text = words.take(12).collect::<Vec<_>>().join(" ");
            *self.totals().errors.entry(format!("{}: {text}", kind(&*planned.operation))).or_default() += 1;
        }
    }

    /// Reads the array when all actors have ended, maintains it completely, and reads it again.
    fn conclude(&self, judge: usize) -> Result<()> {
        let process = self.world.start(judge, 2, 60_000);
        let resources = resources_of(&process);
        process.begin(1, &[]);
        let environment = SimulatedEnvironment::new(process.clone());
        environment.run(|| {
            let begin = self.world.scheduler.steps();
            let begin_time = self.world.scheduler.now();
            let site = Site {
                shared: self,
                process: &process,
                resources: &resources,
                faults: &[],
                name: "",
                begin,
                begin_time,
            };
            let array = &self.array;
            let read = || {
                Read::all(array.shape.dimensions.len()).run(&site)?;
                judge_labels(&site, array, None)
            };
            read()?;
            site.compare();
            judge_group(&site)?;
            let copies = self.state().copies.clone();
            copies.iter().try_for_each(|copy| judge_copy(&site, copy))?;
            let parameters = vec![
                ("sm.maintenance.max_fragments", "1".to_owned()),
                ("sm.maintenance.max_commits", "1".to_owned()),
                ("sm.maintenance.lease_ms", "60000".to_owned()),
                ("sm.maintenance.retention_ms", "0".to_owned()),
                ("sm.maintenance.write_grace_ms", "0".to_owned()),
            ];
            env::sleep(Duration::from_secs(100));
            let maintained = site.maintain(Work::Policy { grace: 0, crowd: 0, purges: false }, || {
                array.maintain(&resources, &parameters)
            });
            maintained.map_err(|error| error.context("At the end, maintain"))?;
            read()?;
            for (mode, merge, removal) in [
                ("fragments", Work::Merge { purges: false }, Work::Vacuum),
                ("commits", Work::MergeCommits, Work::Vacuum),
                ("fragment_meta", Work::MergeCommits, Work::Vacuum),
                ("array_meta", Work::MergeMetadata, Work::VacuumMetadata),
            ] {
                let parameters = vec![("sm.consolidation.mode", mode.to_owned())];
                let consolidation = TestConsolidation { parameters, picks: None };
                let merged = site.maintain(merge, || array.consolidate(&resources, &consolidation));
                merged.map_err(|error| error.context(format_args!("At the end, consolidate {mode}")))?;
                read()?;
                let removed = site.maintain(removal, || array.vacuum(&resources, mode));
                removed.map_err(|error| error.context(format_args!("At the end, vacuum {mode}")))?;
                read()?;
            }
            site.compare();
            let left = array.sweep(&resources).map_err(|error| error.context("At the end, sweep"))?;
            let uploads = self.world.uploads().iter().filter(|upload| upload.path.starts_with("store/array/")).count();
            if !left.is_empty() || uploads > 0 {
                self.fail(format!("at the end, after a sweep: {left:?}, {uploads} uploads"));
            }
            read()?;
            let mut findings = array.verify(&resources)?;
            // What a late write hides has been judged by the reads. A fragment that hides nothing is reported, too, if fragments before
            // and after it were merged, whose box it overlaps, but not the cells of the later ones.
            findings.retain(|finding| !finding.contains("LateWrite"));
            if !findings.is_empty() {
                self.fail(format!("at the end: {findings:?}"));
            }
            Ok(())
        })
    }
}

/// A configuration of processes of a simulation.
fn config(world: &World) -> Config {
    let mut config = Config::new();
    let mut parameters =
        vec![("sm.compute_concurrency_level", "1".to_owned()), ("sm.io_concurrency_level", "1".to_owned())];
    if world.medium == Medium::Objects {
        parameters.extend(world::parameters(world.seed()));
    }
    for (name, value) in parameters {
        config.set(name, &value).unwrap_or_else(|error| panic!("{error}"));
    }
    config
}

fn resources_of(process: &Arc<Process>) -> Resources {
    let world = process.world();
    let storage: Arc<dyn Backend> = match world.medium {
        Medium::Objects => world::objects(process),
        Medium::Local { .. } => Arc::new(Disk(Arc::clone(process))),
    };
    let resources = Resources::new(config(world)).and_then(|resources| resources.with_memory(storage));
    resources.unwrap_or_else(|error| panic!("{error}")).with_cancel(process.cancel_token().clone())
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
    world.scheduler.join_alone(judge);
    let process = world.start(judge, 1, 0);
    let resources = resources_of(&process);
    let create = || -> Result<TestArray> {
        group::create(&resources, GROUP)?;
        let array = TestArray::create(&plan.shape, &resources, &uri)?;
        if plan.shape.has_label {
            array.write_labels(&resources, plan.shape.created_at, &LabelWrite::all(&plan.shape))?;
        }
        Ok(array)
    };
    let array = SimulatedEnvironment::new(process).run(create).unwrap_or_else(|error| panic!("{error}"));
    world.store.files().make_durable();
    world.scheduler.leave(judge);
    let mut of_labels = labels::model(&plan.shape);
    if plan.shape.has_label {
        of_labels.record(plan.shape.created_at, LabelWrite::all(&plan.shape).change());
    }
    let state = Mutex::new(State::new(plan.shape.model(), of_labels, judge + 1, plan.has_skew()));
    let shared = Shared { plan, reference, world: Arc::clone(&world), array, state, totals: Mutex::default() };
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
    let threads = world.scheduler.helpers();
    let totals = Totals { digest, threads, ..shared.totals().clone() };
    let failure = shared.state().failure.take();
    Outcome { totals, failure, calls }
}
