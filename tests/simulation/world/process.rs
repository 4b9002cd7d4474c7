//! Simulated processes: their clocks, their calls of the system, and the faults that happen to them.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tiledb_core::env::simulated::{Environment, Statics};
use tiledb_core::error::{Error, ErrorKind, Result};
use tiledb_core::pool::CancelToken;

use super::scheduler::{Milestone, Place};
use super::{Medium, World};
use crate::random::{Random, mix};

/// The time at which histories begin, in milliseconds since 1970.
pub const START: u64 = 1_700_000_000_000;

/// Microseconds after which a request is repeated.
const MAX_REPETITION: u64 = 10_000;

thread_local! {
    /// The number of the thread, if it helps an actor.
    static THREAD: Cell<Option<usize>> = const { Cell::new(None) };

    /// What happens to its present call.
    static CALL: Cell<CallFault> = const { Cell::new(CallFault::None) };
}

/// What happens to a call, besides what happens to its process.
#[derive(Clone, Copy, PartialEq)]
enum CallFault {
    None,
    /// It fails in a way that no retry changes.
    Refused,
    /// It takes effect, and its answer is lost.
    LostAnswer,
    /// It takes effect twice.
    Repeated,
}

/// A fault in an operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The number of the call of the system before which it happens.
    pub call: u64,
    pub counted: Counted,
    pub kind: FaultKind,
}

/// Which calls are counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Counted {
    All,
    /// Those that change the storage.
    Changes,
    /// Those that change what other processes go by: commits, vacuum files, leases and schemas.
    Commits,
    /// The first call after each of those.
    AfterCommits,
}

impl Fault {
    /// A fault at a call of any kind.
    pub fn at(call: u64, kind: FaultKind) -> Fault {
        Fault { call, counted: Counted::All, kind }
    }
}

/// Whether a call changes the storage.
fn is_change(call: &str) -> bool {
    Resource::Space.is_needed(call)
        || ["remove", "rmdir", "remove directory", "rename", "exchange", "abort upload", "begin upload"].contains(&call)
}

/// Whether a call changes what other processes go by.
fn is_commit(call: &str, path: &str) -> bool {
    is_change(call) && ["__commits/", "__schema/"].iter().any(|folder| path.contains(folder))
}

/// The numbers of a call in its operation, among all and those of some kinds.
#[derive(Clone, Copy)]
struct CallNumbers {
    call: u64,
    change: Option<u64>,
    commit: Option<u64>,
    after_commit: Option<u64>,
}

impl CallNumbers {
    fn of(self, counted: Counted) -> Option<u64> {
        match counted {
            Counted::All => Some(self.call),
            Counted::Changes => self.change,
            Counted::Commits => self.commit,
            Counted::AfterCommits => self.after_commit,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum FaultKind {
    /// The process is suspended for a number of milliseconds.
    Pause(u64),
    /// The process is suspended until another actor has completed the operation with a number.
    PauseUntil(usize, u64),
    /// The process is suspended until another actor is suspended in the operation with a number, or has completed it.
    PauseUntilSuspended(usize, u64),
    /// The process is killed.
    Kill,
    /// The machine loses its power.
    Crash,
    /// The call fails.
    Fail,
    /// The calls that need a resource fail for a number of calls.
    Exhaust(Resource, u64),
    /// One of the allocations after the call fails: the first is number 0.
    FailAllocation(u64),
    /// The operation is cancelled.
    Cancel,
    /// The call takes effect, and fails: the answer of an object store is lost.
    LoseAnswer,
    /// The call takes effect twice, the second time after others have gone on: something repeats the request to an object store.
    Repeat,
    /// Listings of the operation show what was there a number of steps ago, as those of a network file system that caches directories.
    ListLate(u64),
    /// The clock of the process is set by a number of milliseconds.
    SetClock(i64),
}

/// What there can be too little of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Resource {
    /// Space for files (`ENOSPC`).
    Space,
    /// File descriptors (`EMFILE`).
    Files,
    /// Memory.
    Memory,
}

impl Resource {
    /// Whether a call needs it.
    fn is_needed(self, call: &str) -> bool {
        match self {
            Resource::Space => {
                ["create", "put", "append", "touch", "mkdir", "write", "upload part", "complete", "copy", "publish"]
                    .contains(&call)
            }
            Resource::Memory => false,
            Resource::Files => ["create", "put", "append", "touch", "open", "list", "list recursively"].contains(&call),
        }
    }
}

impl FaultKind {
    /// Whether calls fail by it.
    pub fn is_failure(&self) -> bool {
        use FaultKind::{Cancel, Exhaust, Fail, FailAllocation, LoseAnswer};
        matches!(self, Fail | FailAllocation(_) | Exhaust(..) | LoseAnswer | Cancel)
    }
}

/// A process. Once it was killed, none of its calls has an effect.
pub struct Process {
    world: Arc<World>,
    actor: usize,
    is_alive: AtomicBool,
    /// Milliseconds by which its clock differs.
    skew: AtomicI64,
    operation: AtomicU64,
    calls: AtomicU64,
    /// Number of calls that change the storage.
    changes: AtomicU64,
    /// Number of those that change what others go by, and of the calls after them.
    commits: AtomicU64,
    after_commits: AtomicU64,
    names: AtomicU64,
    faults: Mutex<Vec<Fault>>,
    cancel: CancelToken,
    /// Allocations until one fails, and one more; 0 if none does.
    allocations: AtomicU64,
    /// No allocation succeeds.
    is_out_of_memory: AtomicBool,
    /// Steps by which listings are late.
    lateness: AtomicU64,
    /// How often each kind of fault has happened in the operation.
    effects: Mutex<BTreeMap<&'static str, u64>>,
    statics: Statics,
}

impl Process {
    /// The process of an actor, whose number of life makes its random numbers distinct.
    pub fn new(world: &Arc<World>, actor: usize, life: u64, skew: i64) -> Arc<Process> {
        Arc::new(Process {
            world: Arc::clone(world),
            actor,
            is_alive: AtomicBool::new(true),
            skew: AtomicI64::new(skew),
            operation: AtomicU64::new(0),
            calls: AtomicU64::new(0),
            changes: AtomicU64::new(0),
            commits: AtomicU64::new(0),
            after_commits: AtomicU64::new(0),
            names: AtomicU64::new(life << 32),
            faults: Mutex::default(),
            cancel: CancelToken::default(),
            allocations: AtomicU64::new(0),
            is_out_of_memory: AtomicBool::new(false),
            lateness: AtomicU64::new(0),
            effects: Mutex::default(),
            statics: Statics::default(),
        })
    }

    pub fn world(&self) -> &Arc<World> {
        &self.world
    }

    pub fn actor(&self) -> usize {
        self.actor
    }

    pub fn is_alive(&self) -> bool {
        self.is_alive.load(Ordering::Relaxed)
    }

    /// Kills it.
    pub fn kill(&self) {
        self.is_alive.store(false, Ordering::Relaxed);
    }

    /// Milliseconds by which its clock differs from the machine's.
    pub fn skew(&self) -> i64 {
        self.skew.load(Ordering::Relaxed)
    }

    /// Begins an operation, in which these faults happen.
    pub fn begin(&self, operation: u64, faults: &[Fault]) {
        self.operation.store(operation, Ordering::Relaxed);
        self.calls.store(0, Ordering::Relaxed);
        for count in [&self.changes, &self.commits, &self.after_commits] {
            count.store(0, Ordering::Relaxed);
        }
        self.cancel.reset();
        self.effects().clear();
        self.allocations.store(0, Ordering::Relaxed);
        self.is_out_of_memory.store(false, Ordering::Relaxed);
        let lateness = faults.iter().map(|fault| if let FaultKind::ListLate(steps) = fault.kind { steps } else { 0 });
        self.lateness.store(lateness.max().unwrap_or(0), Ordering::Relaxed);
        *self.faults.lock().unwrap_or_else(PoisonError::into_inner) = faults.to_vec();
    }

    /// How often each kind of fault has happened in the operation.
    pub fn effects(&self) -> MutexGuard<'_, BTreeMap<&'static str, u64>> {
        self.effects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A fault happens.
    fn suffer(&self, fault: &'static str) {
        *self.effects().entry(fault).or_default() += 1;
    }

    /// Steps by which the listings of its operation are late: of none after a crash.
    pub fn lateness(&self) -> u64 {
        if self.world.crashes().is_empty() { self.lateness.load(Ordering::Relaxed) } else { 0 }
    }

    /// The step whose files a listing shows.
    pub fn listed_step(&self) -> u64 {
        let lateness = self.lateness();
        if lateness > 0 {
            self.suffer("late_listings");
        }
        self.world.scheduler.steps().saturating_sub(lateness)
    }

    /// Whether the present call, a request to an object store, is repeated. Others have their turn then, before it takes effect again.
    pub fn is_repeated(&self) -> bool {
        let is_repeated = CALL.get() == CallFault::Repeated;
        if is_repeated {
            self.suffer("repeated_requests");
            CALL.set(CallFault::None);
            let end = self.world.scheduler.now() + MAX_REPETITION;
            self.world.scheduler.wait_until(self.place(), end, || "the same request again".to_owned());
        }
        is_repeated
    }

    /// Whether the present call fails in a way that no retry changes.
    pub fn is_refused(&self) -> bool {
        CALL.get() == CallFault::Refused
    }

    /// The token that cancels its operation.
    pub fn cancel_token(&self) -> &CancelToken {
        &self.cancel
    }

    /// Waits until another actor is suspended in an operation, or has completed it.
    pub fn wait_for_suspension(&self, actor: usize, operation: u64) {
        let text = || format!("wait for {actor}.{operation}");
        self.world.scheduler.wait_for(self.place(), Milestone::Suspended(actor, operation), text);
    }

    /// Number of calls of the operation so far.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// The thread of the actor that runs.
    fn thread(&self) -> usize {
        THREAD.get().unwrap_or(self.actor)
    }

    fn place(&self) -> Place {
        Place {
            actor: self.actor,
            thread: self.thread(),
            operation: self.operation.load(Ordering::Relaxed),
            call: self.calls.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// The place of the last call, of the thread that runs.
    fn here(&self) -> Place {
        Place {
            actor: self.actor,
            thread: self.thread(),
            operation: self.operation.load(Ordering::Relaxed),
            call: self.calls(),
        }
    }

    /// Whether the operation has come to the call of a fault.
    pub fn has_reached(&self, fault: &Fault) -> bool {
        let calls = match fault.counted {
            Counted::All => &self.calls,
            Counted::Changes => &self.changes,
            Counted::Commits => &self.commits,
            Counted::AfterCommits => &self.after_commits,
        };
        fault.call < calls.load(Ordering::Relaxed)
    }

    /// Counts a call.
    fn count(&self, call: u64, what: &str, path: &str) -> CallNumbers {
        let next = |count: &AtomicU64| count.fetch_add(1, Ordering::Relaxed);
        let has_committed = self.commits.load(Ordering::Relaxed) > self.after_commits.load(Ordering::Relaxed);
        CallNumbers {
            call,
            change: is_change(what).then(|| next(&self.changes)),
            commit: is_commit(what, path).then(|| next(&self.commits)),
            after_commit: has_committed.then(|| next(&self.after_commits)),
        }
    }

    /// The fault at a call.
    fn fault(&self, numbers: CallNumbers) -> Option<FaultKind> {
        let faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        let is_present = |fault: &&Fault| numbers.of(fault.counted) == Some(fault.call);
        faults.iter().find(is_present).map(|fault| fault.kind.clone())
    }

    /// Whether a resource is exhausted.
    fn lacks(&self, call: u64, lacking: Resource) -> bool {
        let faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        faults.iter().any(|fault| match fault.kind {
            FaultKind::Exhaust(resource, count) => {
                (fault.call..fault.call + count).contains(&call) && resource == lacking
            }
            _ => false,
        })
    }

    /// The present call, a request to an object store, ends after it has taken effect.
    ///
    /// # Errors
    /// If its answer is lost.
    pub fn end_call(&self) -> Result<()> {
        match CALL.get() {
            CallFault::LostAnswer => {
                self.suffer("lost_answers");
                Err(Error::new(ErrorKind::Io, "The connection was reset"))
            }
            _ => Ok(()),
        }
    }

    /// A call of the system begins. Others may run before; afterwards it takes effect at once.
    ///
    /// # Errors
    /// If the process was killed, or the call fails.
    pub fn call(&self, what: &str, path: &str) -> Result<()> {
        if !self.is_alive() {
            return Err(killed());
        }
        let place = self.place();
        let text = || format!("{what} {path}");
        let mut failed = false;
        for (resource, name) in [(Resource::Space, "no_space"), (Resource::Files, "no_descriptors")] {
            if resource.is_needed(what) && self.lacks(place.call, resource) {
                self.suffer(name);
                failed = true;
            }
        }
        self.is_out_of_memory.store(self.lacks(place.call, Resource::Memory), Ordering::Relaxed);
        CALL.set(CallFault::None);
        match self.fault(self.count(place.call, what, path)) {
            Some(FaultKind::Pause(millis)) => {
                self.suffer("pauses");
                let end = self.world.scheduler.now() + 1000 * millis;
                self.world.scheduler.wait_until(place, end, || format!("{} (suspended for {millis} ms)", text()));
            }
            Some(FaultKind::PauseUntil(actor, operation)) => {
                self.suffer("pauses");
                let text = || format!("{} (suspended until {actor}.{operation} is complete)", text());
                self.world.scheduler.wait_for(place, Milestone::Completed(actor, operation), text);
            }
            Some(FaultKind::PauseUntilSuspended(actor, operation)) => {
                self.suffer("pauses");
                let text = || format!("{} (suspended until {actor}.{operation} is)", text());
                self.world.scheduler.wait_for(place, Milestone::Suspended(actor, operation), text);
            }
            Some(FaultKind::Kill) => {
                self.suffer("kills");
                self.kill();
                self.world.scheduler.step(place, || format!("{} (killed)", text()));
            }
            Some(FaultKind::Crash) => {
                self.suffer("crashes");
                self.world.crash(place, text);
            }
            Some(FaultKind::Fail) => {
                self.suffer("refused_calls");
                failed = true;
                CALL.set(CallFault::Refused);
                self.world.scheduler.step(place, || format!("{} (failed)", text()));
            }
            Some(FaultKind::SetClock(millis)) => {
                self.suffer("clock_steps");
                self.skew.fetch_add(millis, Ordering::Relaxed);
                self.world.scheduler.step(place, || format!("{} (clock set by {millis} ms)", text()));
            }
            Some(FaultKind::FailAllocation(number)) => {
                self.allocations.store(number + 1, Ordering::Relaxed);
                self.world.scheduler.step(place, text);
            }
            Some(FaultKind::Cancel) => {
                self.suffer("cancellations");
                self.cancel.request();
                self.world.scheduler.step(place, || format!("{} (cancelled)", text()));
            }
            Some(FaultKind::LoseAnswer) => {
                CALL.set(CallFault::LostAnswer);
                self.world.scheduler.step(place, || format!("{} (answer lost)", text()));
            }
            Some(FaultKind::Repeat) => {
                CALL.set(CallFault::Repeated);
                self.world.scheduler.step(place, || format!("{} (requested twice)", text()));
            }
            Some(FaultKind::Exhaust(..) | FaultKind::ListLate(_)) | None => {
                self.world.scheduler.step(place, || if failed { format!("{} (exhausted)", text()) } else { text() });
            }
        }
        match (self.is_alive(), failed) {
            (false, _) => Err(killed()),
            (true, true) => Err(Error::new(ErrorKind::Io, format!("Input/output error: {what} '{path}'"))),
            (true, false) => Ok(()),
        }
    }
}

fn killed() -> Error {
    Error::new(ErrorKind::Io, "The process was killed")
}

impl World {
    /// The machine crashes: all processes end.
    fn crash(&self, place: Place, text: impl Fn() -> String) {
        self.scheduler.step(place, || format!("{} (power lost)", text()));
        for process in self.processes() {
            process.kill();
        }
        let step = self.scheduler.steps();
        if self.medium == Medium::Objects {
            return;
        }
        let changed = self.store.files().crash(&mut Random(mix(step ^ self.scheduler.digest())));
        self.crashes().push((step, changed));
    }
}

impl Environment for Process {
    fn timestamp(&self) -> u64 {
        (START + self.world.scheduler.now() / 1000).saturating_add_signed(self.skew())
    }

    fn monotonic(&self) -> Duration {
        Duration::from_micros(self.world.scheduler.now())
    }

    fn sleep(&self, duration: Duration) {
        if self.is_alive() {
            let end = self.world.scheduler.now() + (duration.as_micros() as u64).max(1);
            self.world.scheduler.wait_until(self.place(), end, || format!("sleep {duration:?}"));
        }
    }

    fn unique_number(&self) -> u128 {
        let number = self.names.fetch_add(1, Ordering::Relaxed);
        let high = mix(mix((self.actor as u64) << 56 ^ number) ^ self.world.seed());
        u128::from(high) << 64 | u128::from(mix(high ^ number))
    }

    fn statics(&self) -> &Statics {
        &self.statics
    }

    fn announce_thread(&self) -> usize {
        self.world.scheduler.announce(self.actor)
    }

    fn begin_thread(&self, thread: usize) {
        THREAD.set(Some(thread));
        self.world.scheduler.begin(thread);
    }

    fn end_thread(&self, thread: usize) {
        self.world.scheduler.leave(thread);
    }

    fn join_thread(&self, thread: usize) {
        self.world.scheduler.await_end(self.here(), thread);
    }

    fn wait_for_others(&self) {
        self.world.scheduler.wait_for_others(self.here());
    }

    fn has_memory(&self) -> bool {
        let last = self.allocations.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        let has_memory = last != Ok(1) && !self.is_out_of_memory.load(Ordering::Relaxed);
        if !has_memory {
            self.suffer("no_memory");
        }
        has_memory
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Medium, World};
    use super::*;
    use tiledb_core::env::simulated::SimulatedEnvironment;
    use tiledb_core::memory;

    #[test]
    fn allocations_fail_one_time_or_for_some_calls() {
        let world = World::new(1, 1, Medium::Objects);
        world.scheduler.join_alone(0);
        let process = world.start(0, 1, 0);
        let faults =
            [Fault::at(1, FaultKind::FailAllocation(1)), Fault::at(2, FaultKind::Exhaust(Resource::Memory, 2))];
        process.begin(1, &faults);
        SimulatedEnvironment::new(process.clone()).run(|| {
            let has_succeeded = |()| [(); 3].map(|()| memory::with_capacity::<u8>("bytes", 8).is_ok());
            let calls = [(); 5].map(|()| process.call("stat", "array").map(has_succeeded).unwrap());
            assert_eq!(calls, [[true; 3], [true, false, true], [false; 3], [false; 3], [true; 3]]);
        });
    }
}
