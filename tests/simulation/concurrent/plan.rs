//! What the processes of a history do, drawn from a seed.

use std::sync::Arc;

use tiledb_core::limits::simulation::SimulatedLimits;

use super::actors::{KINDS, Operation, draw_maintenance, kind};
use super::interleaving;
use crate::history::{Generator, STABLE};
use crate::model::value::Value;
use crate::random::Random;
use crate::shape::{ArrayShape, TestAttribute, ValueKind};
use crate::world::{Counted, Fault, FaultKind, Medium, Resource, START};

/// An operation and its faults.
#[derive(Clone, Debug)]
pub struct Planned {
    /// Its number among those of its actor; it stays when others are left out.
    pub number: u64,
    pub operation: Arc<dyn Operation>,
    pub faults: Vec<Fault>,
}

#[derive(Clone, Debug)]
pub struct Actor {
    /// Milliseconds by which its clock differs.
    pub skew: i64,
    pub operations: Vec<Planned>,
}

#[derive(Clone)]
pub struct Plan {
    pub seed: u64,
    pub medium: Medium,
    pub shape: ArrayShape,
    pub limits: SimulatedLimits,
    pub actors: Vec<Actor>,
}

/// Duration of leases in milliseconds.
pub const LEASE: u64 = 2_000;

/// The source of the operations of a history.
pub struct Drawing {
    pub shape: ArrayShape,
    pub generator: Generator,
    /// Number of operations so far.
    pub count: usize,
}

impl Drawing {
    /// The time of a change after the start, if it is not now.
    pub fn time(&mut self) -> Option<u64> {
        self.generator.random.one_in(3).then(|| self.generator.random.below(30))
    }

    /// Milliseconds for which an actor does nothing, if it does not go on at once.
    pub fn idle(&mut self) -> u64 {
        let random = &mut self.generator.random;
        if random.one_in(4) { random.below(2 * LEASE) } else { 0 }
    }

    /// An operation of one of some kinds.
    pub fn operation(&mut self, kinds: u64) -> Arc<dyn Operation> {
        let weights: u64 = KINDS.iter().map(|(weight, _)| weight).sum();
        loop {
            if self.generator.habits.maintains
                && self.generator.random.one_in(2)
                && let Some(operation) = draw_maintenance(self)
            {
                self.count += 1;
                return operation;
            }
            let mut lot = self.generator.random.below(weights);
            for (number, (weight, draw)) in KINDS.iter().enumerate() {
                if lot < *weight {
                    // All processes write and read.
                    let is_drawn = kinds >> number & 1 == 1 || self.generator.random.one_in(6);
                    if let Some(operation) = is_drawn.then(|| draw(self)).flatten() {
                        self.count += 1;
                        return operation;
                    }
                    break;
                }
                lot -= weight;
            }
        }
    }
}

/// The schema of an array, with two attributes that it can get later.
pub fn draw_shape(random: &mut Random) -> ArrayShape {
    let mut shape = ArrayShape::draw(random);
    if random.one_in(4) {
        shape = shape.with_current_domain(random);
    }
    shape.colors = 1 + random.below(3) as usize;
    shape.created_at = START - 100_000;
    shape.attributes.truncate(shape.created.max(STABLE));
    let mut later = [TestAttribute::new("added0", ValueKind::Int), TestAttribute::new("added1", ValueKind::Text)];
    later[0].fill = Some(Value::Int(7));
    later[1].nullable = true;
    shape.attributes.extend(later);
    shape.draw_label(random)
}

impl Plan {
    pub fn draw(seed: u64) -> Plan {
        let mut random = Random(seed);
        let medium = match random.below(4) {
            0 => Medium::Objects,
            1 => Medium::Local { syncs_directories: false },
            _ => Medium::Local { syncs_directories: true },
        };
        let shape = draw_shape(&mut random);
        let limits = match random.one_in(3) {
            true => SimulatedLimits::default(),
            false => SimulatedLimits::draw(|end| random.below(end)),
        };
        let actors = 1 + random.below(4);
        let is_skewed = random.one_in(4);
        let faults = random.below(3);
        let generator = Generator::concurrent(random.clone(), &shape, START);
        let mut drawing = Drawing { generator, shape: shape.clone(), count: 0 };
        let mut actor = |_| {
            let random = &mut drawing.generator.random;
            let skew = if is_skewed { random.below(400) as i64 - 200 } else { 0 };
            let kinds = random.below(1 << KINDS.len());
            let count = 2 + random.below(12);
            let planned = |number| {
                let operation = drawing.operation(kinds);
                let maintains = drawing.generator.habits.maintains;
                let mut faults = draw_faults(&mut drawing.generator.random, faults, maintains);
                // Maintenance needs listings that are up to date (docs/howto_keep.md).
                faults.retain(|fault| !matches!(fault.kind, FaultKind::ListLate(_)) || kind(&*operation) == "Read");
                Planned { number, operation, faults }
            };
            Actor { skew, operations: (0..count).map(planned).collect() }
        };
        let mut actors: Vec<Actor> = (0..actors).map(&mut actor).collect();
        if faults > 0 {
            interleaving::draw(&mut drawing, &mut actors);
        }
        Plan { seed, medium, shape, limits, actors }
    }

    /// Whether the clocks of two processes may differ.
    pub fn has_skew(&self) -> bool {
        let sets_clock = |actor: &Actor| {
            let mut faults = actor.operations.iter().flat_map(|planned| &planned.faults);
            actor.skew != 0 || faults.any(|fault| matches!(fault.kind, FaultKind::SetClock(_)))
        };
        self.actors.iter().any(sets_clock)
    }

    /// Plans with one operation, fault, cell, limit or actor less.
    pub fn smaller(&self) -> Vec<Plan> {
        let mut plans = Vec::new();
        let mut with = |change: &dyn Fn(&mut Plan)| {
            let mut plan = self.clone();
            change(&mut plan);
            plans.push(plan);
        };
        for (at, actor) in self.actors.iter().enumerate() {
            if self.actors.len() > 1 && actor.operations.is_empty() && at + 1 == self.actors.len() {
                with(&|plan| _ = plan.actors.pop());
            }
            let count = actor.operations.len();
            if count > 3 {
                with(&|plan| plan.actors[at].operations.truncate(count / 2));
                with(&|plan| _ = plan.actors[at].operations.drain(..count / 2));
            }
            for place in 0..count {
                with(&|plan| _ = plan.actors[at].operations.remove(place));
            }
        }
        for (at, actor) in self.actors.iter().enumerate() {
            for (place, planned) in actor.operations.iter().enumerate() {
                for fault in 0..planned.faults.len() {
                    with(&|plan| _ = plan.actors[at].operations[place].faults.remove(fault));
                }
                for operation in planned.operation.smaller() {
                    with(&|plan| plan.actors[at].operations[place].operation = Arc::clone(&operation));
                }
            }
        }
        for name in self.limits.names() {
            plans.push(Plan { limits: self.limits.without(name), ..self.clone() });
        }
        plans
    }
}

fn draw_faults(random: &mut Random, rate: u64, maintains: bool) -> Vec<Fault> {
    if rate == 0 || !random.one_in(4) {
        return Vec::new();
    }
    if random.one_in(if maintains { 2 } else { 8 }) {
        // Suspended before it changes something, and killed before the next change.
        let change = random.below(4);
        let pause = FaultKind::Pause([3 * LEASE / 2, 20 * LEASE, 100, 30][random.below(4) as usize]);
        let counted = if random.one_in(2) { Counted::Changes } else { Counted::Commits };
        let fault = |call, kind| Fault { call, counted, kind };
        return vec![fault(change, pause), fault(change + 1, FaultKind::Kill)];
    }
    let count = 1 + random.below(rate);
    let fault = |random: &mut Random| {
        let kind = match random.below(18) {
            15 => FaultKind::Repeat,
            16 | 17 => FaultKind::ListLate(1 + random.below(40)),
            0 | 1 => FaultKind::Kill,
            2 => FaultKind::Crash,
            3 => FaultKind::Fail,
            4 => FaultKind::LoseAnswer,
            10 => FaultKind::Exhaust(Resource::Space, 1 + random.below(40)),
            11 => FaultKind::Exhaust(Resource::Files, 1 + random.below(40)),
            12 => FaultKind::Cancel,
            13 => FaultKind::FailAllocation(random.below(200)),
            14 => FaultKind::Exhaust(Resource::Memory, 1 + random.below(20)),
            5 => FaultKind::SetClock(random.below(2_000) as i64 - 1_000),
            _ => FaultKind::Pause([LEASE / 2, 3 * LEASE / 2, 20 * LEASE, 30][random.below(4) as usize]),
        };
        // Others last for a number of calls.
        let is_single = !matches!(kind, FaultKind::Exhaust(..) | FaultKind::ListLate(_));
        // Answers that matter are those of requests that change something.
        let is_request = matches!(kind, FaultKind::LoseAnswer | FaultKind::Repeat);
        let counted = if is_request || is_single && random.one_in(3) { Counted::Changes } else { Counted::All };
        let bits = random.below(if counted == Counted::Changes { 6 } else { 8 });
        Fault { call: random.below(1 << bits), counted, kind }
    };
    (0..count).map(|_| fault(random)).collect()
}
