//! Decides which actor runs.
//!
//! An actor runs until it gives up its turn in [`Scheduler::step`] or [`Scheduler::wait_until`]. The next one is drawn at random from
//! those that are ready; if all wait for a time, it becomes that time. Which one is drawn depends on the seed and on what the actor is
//! doing (its operation, and the number of calls in it), not on what others did before: leaving out an operation changes little of the
//! rest, so that failing histories can be shortened.
//!
//! An actor may start threads that help it; each takes turns as an actor does.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::random::mix;

/// Microseconds between two calls, at most.
const MAX_STEP: u64 = 2_000;

/// How often all threads wait for one another without any call until that is a deadlock.
const MAX_IDLE: u64 = 1_000;

/// How often threads of an actor wake others without any call of the actor.
const MAX_WAITS: u64 = 8;

/// Time after which a turn that does not come is a deadlock.
const DEADLOCK: Duration = Duration::from_secs(60);

pub struct Scheduler {
    seed: u64,
    /// Number of actors; further threads help one of them.
    actors: usize,
    state: Mutex<Turns>,
}

struct Turns {
    /// Microseconds since the start.
    now: u64,
    /// The thread that runs; none before the start and after the end.
    running: Option<usize>,
    /// Those of the actors, and others.
    threads: Vec<Thread>,
    /// How often all threads have waited for others since the last call.
    idle: u64,
    /// How far the actors are.
    progress: Vec<Progress>,
    /// Number of threads that helped actors.
    helpers: u64,
    steps: u64,
    /// A digest of all calls in their order.
    digest: u64,
    log: Option<Vec<String>>,
}

#[derive(Clone, Copy, PartialEq)]
enum Waiting {
    /// It has not begun.
    Absent,
    Until(u64),
    /// For another thread of its actor.
    ForOthers,
    /// For another actor.
    For(Milestone),
    Finished,
    /// Its actor knows that it has ended.
    Joined,
}

/// What an actor waits for: an operation of another actor, by its number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Milestone {
    /// It is complete, or failed.
    Completed(usize, u64),
    /// It is suspended until others have done something, or is complete.
    Suspended(usize, u64),
}

#[derive(Clone, Copy, Default)]
struct Progress {
    /// Operations below this number are complete.
    completed: u64,
    /// The operation that is suspended until others have done something.
    suspended: Option<u64>,
}

struct Thread {
    actor: usize,
    waiting: Waiting,
    /// Of an actor: how often its threads have waited for others since its last call.
    waits: u64,
    turn: Arc<Condvar>,
}

/// The place of a call: actor and thread, operation, and number of the call in the operation.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub actor: usize,
    /// The thread of the actor.
    pub thread: usize,
    pub operation: u64,
    pub call: u64,
}

impl Scheduler {
    pub fn new(seed: u64, actors: usize) -> Scheduler {
        Scheduler {
            seed,
            actors,
            state: Mutex::new(Turns {
                now: 0,
                running: None,
                threads: (0..actors).map(|actor| Thread::new(actor, Waiting::Absent)).collect(),
                idle: 0,
                progress: vec![Progress::default(); actors],
                helpers: 0,
                steps: 0,
                digest: seed,
                log: None,
            }),
        }
    }

    /// Records all calls.
    pub fn record(&self) {
        self.turns().log = Some(Vec::new());
    }

    /// The calls that were recorded.
    pub fn recorded(&self) -> Vec<String> {
        self.turns().log.take().unwrap_or_default()
    }

    fn turns(&self) -> MutexGuard<'_, Turns> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Microseconds since the start.
    pub fn now(&self) -> u64 {
        self.turns().now
    }

    /// Number of steps taken so far.
    pub fn steps(&self) -> u64 {
        self.turns().steps
    }

    /// Number of threads that have helped actors so far.
    pub fn helpers(&self) -> u64 {
        self.turns().helpers
    }

    /// Equal for runs in which the same calls were made in the same order.
    pub fn digest(&self) -> u64 {
        self.turns().digest
    }

    /// Joins the actors; the first turn comes when all have joined.
    pub fn join(&self, actor: usize) {
        let mut turns = self.turns();
        turns.threads[actor].waiting = Waiting::Until(0);
        if turns.threads.iter().all(|thread| thread.waiting != Waiting::Absent) {
            turns.pass(mix(self.seed));
        }
        self.await_turn(turns, actor);
    }

    /// Runs an actor while no other one does.
    pub fn join_alone(&self, actor: usize) {
        let mut turns = self.turns();
        turns.threads[actor].waiting = Waiting::Until(0);
        turns.running = Some(actor);
    }

    /// Adds a thread to an actor, whose turn may come from now on.
    pub fn announce(&self, actor: usize) -> usize {
        let mut turns = self.turns();
        turns.helpers += 1;
        let now = turns.now;
        let thread = Thread::new(actor, Waiting::Until(now));
        let mut joined = self.actors..turns.threads.len();
        match joined.find(|number| turns.threads[*number].waiting == Waiting::Joined) {
            Some(number) => {
                turns.threads[number] = thread;
                number
            }
            None => {
                turns.threads.push(thread);
                turns.threads.len() - 1
            }
        }
    }

    /// Waits for the first turn of a thread that was added.
    pub fn begin(&self, thread: usize) {
        self.await_turn(self.turns(), thread);
    }

    /// Ends an actor or a thread, which others of the actor may wait for.
    pub fn leave(&self, thread: usize) {
        let mut turns = self.turns();
        turns.threads[thread].waiting = Waiting::Finished;
        turns.wake_others(thread);
        if thread < self.actors {
            turns.progress[thread].completed = u64::MAX;
            turns.wake_reached();
        }
        if turns.running == Some(thread) {
            let lot = mix(self.seed ^ mix(turns.steps));
            turns.pass(lot);
        }
    }

    /// Waits until a thread has ended.
    pub fn await_end(&self, place: Place, thread: usize) {
        while self.turns().threads[thread].waiting != Waiting::Finished {
            self.wait_for_others(place);
        }
        self.turns().threads[thread].waiting = Waiting::Joined;
    }

    /// Waits until another thread of the actor has made a call, waits itself, or has ended.
    pub fn wait_for_others(&self, place: Place) {
        let mut turns = self.turns();
        turns.threads[place.actor].waits += 1;
        let waits = turns.threads[place.actor].waits;
        // What it did since its last call may be what others wait for. They wait again if it is not, and do not wake one another forever.
        if waits <= MAX_WAITS {
            turns.wake_others(place.thread);
        }
        turns.threads[place.thread].waiting = Waiting::ForOthers;
        let lot = mix(self.seed ^ mix(turns.steps << 16 ^ waits));
        turns.pass(lot);
        self.await_turn(turns, place.thread);
    }

    /// Gives others a turn before a call, perhaps.
    pub fn step(&self, place: Place, call: impl FnOnce() -> String) {
        let mut turns = self.turns();
        let lot = self.lot(place);
        turns.now += mix(lot) % MAX_STEP;
        turns.note(place, call);
        let now = turns.now;
        turns.threads[place.thread].waiting = Waiting::Until(now);
        // Long runs of one actor, and turns at every call, find different faults.
        let is_stubborn = mix(self.seed).is_multiple_of(3);
        if lot.is_multiple_of(if is_stubborn { 12 } else { 3 }) {
            turns.pass(lot / 12);
            self.await_turn(turns, place.thread);
        }
    }

    /// Gives others a turn until a time has come.
    pub fn wait_until(&self, place: Place, time: u64, call: impl FnOnce() -> String) {
        let mut turns = self.turns();
        turns.note(place, call);
        let time = time.max(turns.now);
        turns.threads[place.thread].waiting = Waiting::Until(time);
        let lot = self.lot(place);
        turns.pass(lot);
        self.await_turn(turns, place.thread);
    }

    /// An actor has completed an operation.
    pub fn complete(&self, actor: usize, operation: u64) {
        let mut turns = self.turns();
        turns.progress[actor].completed = operation + 1;
        turns.wake_reached();
    }

    /// Gives others a turn until one of them has got to a milestone, or all wait for one.
    pub fn wait_for(&self, place: Place, milestone: Milestone, call: impl FnOnce() -> String) {
        let mut turns = self.turns();
        turns.note(place, call);
        turns.progress[place.actor].suspended = Some(place.operation);
        turns.threads[place.thread].waiting = Waiting::For(milestone);
        turns.wake_reached();
        let lot = self.lot(place);
        turns.pass(lot);
        self.await_turn(turns, place.thread);
        self.turns().progress[place.actor].suspended = None;
    }

    fn lot(&self, Place { actor, operation, call, .. }: Place) -> u64 {
        mix(self.seed ^ mix((actor as u64) << 48 ^ operation << 24 ^ call))
    }

    fn await_turn(&self, mut turns: MutexGuard<'_, Turns>, thread: usize) {
        let turn = Arc::clone(&turns.threads[thread].turn);
        while turns.running != Some(thread) {
            let (woken, timeout) = turn.wait_timeout(turns, DEADLOCK).unwrap_or_else(PoisonError::into_inner);
            turns = woken;
            if timeout.timed_out() && turns.running != Some(thread) {
                // Nobody can be unwound: another thread is blocked in the engine.
                eprintln!(
                    "seed {}: thread {thread} waits for {:?}, which does not call the storage",
                    self.seed, turns.running
                );
                std::process::abort();
            }
        }
    }
}

impl Thread {
    fn new(actor: usize, waiting: Waiting) -> Thread {
        Thread { actor, waiting, waits: 0, turn: Arc::default() }
    }
}

impl Turns {
    /// Chooses who runs next.
    fn pass(&mut self, lot: u64) {
        let Some(next_time) = self.next_time().or_else(|| self.wake_all()) else {
            self.running = None;
            return;
        };
        self.now = self.now.max(next_time);
        let now = self.now;
        let is_ready = |thread: &Thread| matches!(thread.waiting, Waiting::Until(time) if time <= now);
        let ready = self.threads.iter().filter(|thread| is_ready(thread)).count() as u64;
        let mut chosen = (0..self.threads.len()).filter(|number| is_ready(&self.threads[*number]));
        self.running = chosen.nth((lot % ready) as usize);
        if let Some(next) = self.running {
            self.threads[next].turn.notify_one();
        }
    }

    /// The first time for which a thread waits.
    fn next_time(&self) -> Option<u64> {
        let time = |thread: &Thread| if let Waiting::Until(time) = thread.waiting { Some(time) } else { None };
        self.threads.iter().filter_map(time).min()
    }

    /// Lets the threads go on whose milestones are reached.
    fn wake_reached(&mut self) {
        for thread in 0..self.threads.len() {
            if let Waiting::For(milestone) = self.threads[thread].waiting
                && self.is_reached(milestone)
            {
                self.threads[thread].waiting = Waiting::Until(self.now);
            }
        }
    }

    fn is_reached(&self, milestone: Milestone) -> bool {
        let is_complete = |actor: usize, operation| self.progress[actor].completed > operation;
        match milestone {
            Milestone::Completed(actor, operation) => is_complete(actor, operation),
            Milestone::Suspended(actor, operation) => {
                is_complete(actor, operation) || self.progress[actor].suspended == Some(operation)
            }
        }
    }

    /// Lets all threads go on that wait for others, if there are any, now.
    fn wake_all(&mut self) -> Option<u64> {
        let now = self.now;
        // Whoever waits for another actor goes on before those that wait for the threads of their own.
        let waiting = self.threads.iter_mut().filter(|thread| matches!(thread.waiting, Waiting::For(_)));
        if waiting.map(|thread| thread.waiting = Waiting::Until(now)).count() > 0 {
            return Some(now);
        }
        let waiting = self.threads.iter_mut().filter(|thread| thread.waiting == Waiting::ForOthers);
        let count = waiting.map(|thread| thread.waiting = Waiting::Until(now)).count();
        self.idle += 1;
        if count > 0 && self.idle > MAX_IDLE {
            eprintln!("{count} threads wait for one another, after {} steps", self.steps);
            std::process::abort();
        }
        (count > 0).then_some(now)
    }

    /// Lets the threads go on that wait for others of the actor of this one.
    fn wake_others(&mut self, thread: usize) {
        let (now, actor) = (self.now, self.threads[thread].actor);
        for other in self.threads.iter_mut().filter(|other| other.actor == actor) {
            if other.waiting == Waiting::ForOthers {
                other.waiting = Waiting::Until(now);
            }
        }
    }

    fn note(&mut self, place: Place, call: impl FnOnce() -> String) {
        self.steps += 1;
        self.idle = 0;
        self.threads[place.actor].waits = 0;
        self.wake_others(place.thread);
        let Place { actor, operation, call: number, .. } = place;
        let mut digest = self.digest ^ (actor as u64) << 48 ^ operation << 24 ^ number;
        // Texts are made for reports only.
        if let Some(log) = &mut self.log {
            log.push(format!("{:>9} {actor}.{operation}.{number} {}", self.now, call()));
        }
        digest = mix(digest.wrapping_add(self.now));
        self.digest = digest;
    }
}
