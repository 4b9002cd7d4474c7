//! Decides which actor runs.
//!
//! An actor runs until it gives up its turn in [`Scheduler::step`] or [`Scheduler::wait_until`]. The next one is drawn at random from
//! those that are ready; if all wait for a time, it becomes that time. Which one is drawn depends on the seed and on what the actor is
//! doing (its operation, and the number of calls in it), not on what others did before: leaving out an operation changes little of the
//! rest, so that failing histories can be shortened.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::random::mix;

/// Microseconds between two calls, at most.
const MAX_STEP: u64 = 2_000;

/// Time after which a turn that does not come is a deadlock.
const DEADLOCK: Duration = Duration::from_secs(60);

pub struct Scheduler {
    seed: u64,
    state: Mutex<Turns>,
    turns: Vec<Condvar>,
}

struct Turns {
    /// Microseconds since the start.
    now: u64,
    /// The actor that runs; none before the start and after the end.
    running: Option<usize>,
    actors: Vec<Waiting>,
    steps: u64,
    /// A digest of all calls in their order.
    digest: u64,
    log: Option<Vec<String>>,
}

#[derive(Clone, Copy, PartialEq)]
enum Waiting {
    /// Its thread has not begun.
    Absent,
    Until(u64),
    Finished,
}

/// The place of a call: actor, operation, and number of the call in the operation.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub actor: usize,
    pub operation: u64,
    pub call: u64,
}

impl Scheduler {
    pub fn new(seed: u64, actors: usize) -> Scheduler {
        Scheduler {
            seed,
            state: Mutex::new(Turns {
                now: 0,
                running: None,
                actors: vec![Waiting::Absent; actors],
                steps: 0,
                digest: seed,
                log: None,
            }),
            turns: (0..actors).map(|_| Condvar::new()).collect(),
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

    /// Equal for runs in which the same calls were made in the same order.
    pub fn digest(&self) -> u64 {
        self.turns().digest
    }

    /// Joins the actors; the first turn comes when all have joined.
    pub fn join(&self, actor: usize) {
        let mut turns = self.turns();
        turns.actors[actor] = Waiting::Until(0);
        if turns.actors.iter().all(|actor| *actor != Waiting::Absent) {
            self.pass(&mut turns, mix(self.seed));
        }
        self.await_turn(turns, actor);
    }

    /// Runs an actor while no other one does.
    pub fn join_alone(&self, actor: usize) {
        let mut turns = self.turns();
        turns.actors[actor] = Waiting::Until(0);
        turns.running = Some(actor);
    }

    /// Ends an actor.
    pub fn leave(&self, actor: usize) {
        let mut turns = self.turns();
        turns.actors[actor] = Waiting::Finished;
        let lot = mix(self.seed ^ mix(turns.steps));
        self.pass(&mut turns, lot);
    }

    /// Gives others a turn before a call, perhaps.
    pub fn step(&self, place: Place, call: impl FnOnce() -> String) {
        let mut turns = self.turns();
        let lot = self.lot(place);
        turns.now += mix(lot) % MAX_STEP;
        turns.note(place, call);
        let now = turns.now;
        turns.actors[place.actor] = Waiting::Until(now);
        // Long runs of one actor, and turns at every call, find different faults.
        let is_stubborn = mix(self.seed).is_multiple_of(3);
        if lot.is_multiple_of(if is_stubborn { 12 } else { 3 }) {
            self.pass(&mut turns, lot / 12);
            self.await_turn(turns, place.actor);
        }
    }

    /// Gives others a turn until a time has come.
    pub fn wait_until(&self, place: Place, time: u64, call: impl FnOnce() -> String) {
        let mut turns = self.turns();
        turns.note(place, call);
        let time = time.max(turns.now);
        turns.actors[place.actor] = Waiting::Until(time);
        let lot = self.lot(place);
        self.pass(&mut turns, lot);
        self.await_turn(turns, place.actor);
    }

    fn lot(&self, Place { actor, operation, call }: Place) -> u64 {
        mix(self.seed ^ mix((actor as u64) << 48 ^ operation << 24 ^ call))
    }

    /// Chooses who runs next.
    fn pass(&self, turns: &mut Turns, lot: u64) {
        let next_time = turns.actors.iter().filter_map(|actor| match actor {
            Waiting::Until(time) => Some(*time),
            _ => None,
        });
        let Some(next_time) = next_time.min() else {
            turns.running = None;
            return;
        };
        turns.now = turns.now.max(next_time);
        let now = turns.now;
        let is_ready = |actor: &usize| matches!(turns.actors[*actor], Waiting::Until(time) if time <= now);
        let ready: Vec<usize> = (0..turns.actors.len()).filter(is_ready).collect();
        let next = ready[(lot % ready.len() as u64) as usize];
        turns.running = Some(next);
        self.turns[next].notify_one();
    }

    fn await_turn(&self, mut turns: MutexGuard<'_, Turns>, actor: usize) {
        while turns.running != Some(actor) {
            let (woken, timeout) =
                self.turns[actor].wait_timeout(turns, DEADLOCK).unwrap_or_else(PoisonError::into_inner);
            turns = woken;
            if timeout.timed_out() && turns.running != Some(actor) {
                // Nobody can be unwound: another thread is blocked in the engine.
                eprintln!(
                    "seed {}: actor {actor} waits for {:?}, which does not call the storage",
                    self.seed, turns.running
                );
                std::process::abort();
            }
        }
    }
}

impl Turns {
    fn note(&mut self, place: Place, call: impl FnOnce() -> String) {
        self.steps += 1;
        let Place { actor, operation, call: number } = place;
        let mut digest = self.digest ^ (actor as u64) << 48 ^ operation << 24 ^ number;
        // Texts are made for reports only.
        if let Some(log) = &mut self.log {
            log.push(format!("{:>9} {actor}.{operation}.{number} {}", self.now, call()));
        }
        digest = mix(digest.wrapping_add(self.now));
        self.digest = digest;
    }
}
