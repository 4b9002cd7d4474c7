//! What the processes of a history do, drawn from a seed.

use tiledb_core::limits::simulation::SimulatedLimits;
use tiledb_core::types::Layout;

use super::array::{Cell, Deletes, Shape};
use crate::random::Random;
use crate::world::{Fault, FaultKind, Medium};

/// An operation of a process.
#[derive(Clone, Debug)]
pub enum Operation {
    /// Cells; at a time relative to the start, or now.
    Write {
        time: Option<u64>,
        cells: Vec<Cell>,
    },
    Delete {
        time: Option<u64>,
        deletes: Deletes,
    },
    /// Sets metadata of the array, or removes it.
    Put {
        time: Option<u64>,
        key: &'static str,
        value: Option<i32>,
    },
    Consolidate {
        settings: Vec<(&'static str, String)>,
    },
    Vacuum {
        mode: &'static str,
    },
    Maintain {
        settings: Vec<(&'static str, String)>,
    },
    /// Opens the array, at the end of a window if not now, and reads it after a while.
    Read {
        end: Option<u64>,
        layout: Layout,
        capacity: usize,
        idle: u64,
    },
    Verify,
    /// Lets libtiledb read the files.
    Compare,
    Sleep(u64),
}

/// An operation and its faults.
#[derive(Clone, Debug)]
pub struct Planned {
    /// Its number among those of its actor; it stays when others are left out.
    pub number: u64,
    pub operation: Operation,
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
    pub shape: Shape,
    pub limits: SimulatedLimits,
    pub actors: Vec<Actor>,
}

/// Duration of leases in milliseconds.
pub const LEASE: u64 = 2_000;

impl Plan {
    pub fn draw(seed: u64) -> Plan {
        let mut random = Random(seed);
        let medium = match random.below(4) {
            0 => Medium::Objects,
            1 => Medium::Local { syncs_directories: false },
            _ => Medium::Local { syncs_directories: true },
        };
        let shape = Shape::draw(&mut random);
        let limits = match random.one_in(3) {
            true => SimulatedLimits::default(),
            false => SimulatedLimits::draw(|end| random.below(end)),
        };
        let actors = 1 + random.below(4);
        let is_skewed = random.one_in(4);
        let faults = random.below(3);
        let mut numbers = 0;
        let mut actor = || {
            let skew = if is_skewed { random.below(400) as i64 - 200 } else { 0 };
            let kinds = 1 + random.below(127);
            let count = 2 + random.below(12);
            let mut planned = |number| {
                let operation = operation(&mut random, &shape, kinds, &mut numbers);
                Planned { number, operation, faults: draw_faults(&mut random, faults) }
            };
            Actor { skew, operations: (0..count).map(&mut planned).collect() }
        };
        let actors = (0..actors).map(|_| actor()).collect();
        Plan { seed, medium, shape, limits, actors }
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
                if let Operation::Write { cells, .. } = &planned.operation
                    && !self.shape.is_dense
                {
                    for cell in 0..cells.len().min(if cells.len() > 1 { 8 } else { 0 }) {
                        with(&|plan| {
                            if let Operation::Write { cells, .. } = &mut plan.actors[at].operations[place].operation {
                                cells.remove(cell);
                            }
                        });
                    }
                }
            }
        }
        for name in self.limits.names() {
            plans.push(Plan { limits: self.limits.without(name), ..self.clone() });
        }
        plans
    }
}

fn draw_faults(random: &mut Random, rate: u64) -> Vec<Fault> {
    if rate == 0 || !random.one_in(4) {
        return Vec::new();
    }
    let count = 1 + random.below(rate);
    let fault = |random: &mut Random| Fault {
        call: {
            let bits = random.below(8);
            random.below(1 << bits)
        },
        kind: match random.below(10) {
            0 | 1 => FaultKind::Kill,
            2 => FaultKind::Crash,
            3 | 4 => FaultKind::Fail,
            5 => FaultKind::SetClock(random.below(2_000) as i64 - 1_000),
            _ => FaultKind::Pause([LEASE / 2, 3 * LEASE / 2, 20 * LEASE, 30][random.below(4) as usize]),
        },
    };
    (0..count).map(|_| fault(random)).collect()
}

fn operation(random: &mut Random, shape: &Shape, kinds: u64, numbers: &mut i32) -> Operation {
    loop {
        let kind = random.below(14);
        // Some kinds of operations only, so that processes differ.
        if kinds >> (kind / 2) & 1 == 0 && kind < 10 {
            continue;
        }
        let time = |random: &mut Random| random.one_in(3).then(|| random.below(30));
        return match kind {
            0 | 1 | 10 | 11 | 12 => Operation::Write { time: time(random), cells: cells(random, shape, numbers) },
            2 if !shape.is_dense => {
                let bound = random.below(*numbers as u64 + 2) as i32;
                Operation::Delete { time: time(random), deletes: Deletes { bound, is_below: random.one_in(2) } }
            }
            3 => Operation::Put {
                time: time(random),
                key: ["a", "b", "c"][random.below(3) as usize],
                value: (!random.one_in(4)).then(|| random.below(1 << 20) as i32),
            },
            4 | 5 => Operation::Consolidate { settings: consolidation(random) },
            6 => Operation::Vacuum {
                mode: ["fragments", "fragments", "commits", "fragment_meta", "array_meta"][random.below(5) as usize],
            },
            7 | 8 => Operation::Maintain {
                settings: vec![
                    ("sm.maintenance.lease_ms", LEASE.to_string()),
                    ("sm.maintenance.max_fragments", (1 + random.below(4)).to_string()),
                    ("sm.maintenance.max_commits", (1 + random.below(6)).to_string()),
                    ("sm.maintenance.max_fragment_metadata", (1 + random.below(6)).to_string()),
                    ("sm.maintenance.retention_ms", [0, 0, 500][random.below(3) as usize].to_string()),
                    ("sm.maintenance.write_grace_ms", [0, 0, 60_000][random.below(3) as usize].to_string()),
                ],
            },
            9 => Operation::Sleep(random.below(3 * LEASE)),
            13 if random.one_in(4) => Operation::Verify,
            13 if random.one_in(3) => Operation::Compare,
            _ => Operation::Read {
                end: random.one_in(4).then(|| random.below(30)),
                layout: [Layout::Unordered, Layout::RowMajor, Layout::ColMajor][random.below(3) as usize],
                capacity: 1 + random.below(40) as usize,
                idle: if random.one_in(4) { random.below(2 * LEASE) } else { 0 },
            },
        };
    }
}

fn cells(random: &mut Random, shape: &Shape, numbers: &mut i32) -> Vec<Cell> {
    let mut number = || {
        *numbers += 1;
        *numbers - 1
    };
    let end = u64::from(shape.side);
    if shape.is_dense {
        let mut range = || {
            let (a, b) = (random.below(end) as u8, random.below(end) as u8);
            a.min(b)..=a.max(b)
        };
        let (rows, columns) = (range(), if shape.dimensions > 1 { range() } else { 0..=0 });
        return rows
            .flat_map(|x| columns.clone().map(move |y| [x, y]))
            .map(|at| Cell { at, number: number() })
            .collect();
    }
    let mut cells: Vec<Cell> = Vec::new();
    for _ in 0..1 + random.below(6) {
        let y = if shape.dimensions > 1 { random.below(end) as u8 } else { 0 };
        let at = [random.below(end) as u8, y];
        if shape.allows_dups || cells.iter().all(|cell| cell.at != at) {
            cells.push(Cell { at, number: number() });
        }
    }
    cells
}

fn consolidation(random: &mut Random) -> Vec<(&'static str, String)> {
    let mode = ["fragments", "fragments", "fragments", "commits", "fragment_meta", "array_meta"];
    let mut settings = vec![("sm.consolidation.mode", mode[random.below(6) as usize].to_owned())];
    if random.one_in(2) {
        settings.push(("sm.consolidation.buffer_size", (1 + random.below(200)).to_string()));
    }
    if random.one_in(3) {
        let least = 2 + random.below(2);
        settings.push(("sm.consolidation.steps", (1 + random.below(4)).to_string()));
        settings.push(("sm.consolidation.step_min_frags", least.to_string()));
        settings.push(("sm.consolidation.step_max_frags", (least + random.below(3)).to_string()));
    }
    if random.one_in(4) {
        settings.push(("sm.consolidation.max_fragment_size", (200 + random.below(2_000)).to_string()));
    }
    settings
}
