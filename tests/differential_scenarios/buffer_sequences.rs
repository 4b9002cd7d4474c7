//! Random sequences of calls that set the data, offsets and validity buffers of a query, in any order and with any element counts,
//! before the first submit and between submits.

use std::collections::{BTreeMap, BTreeSet};

use crate::Scenario;
use crate::dice::Dice;
use crate::world::{ASCII, COL, GLOBAL, INT32, ROW, Spec, UNORDERED, VAR, World, attr, dense, dim, sparse, text_dim};
use support::{Array, Ctx, Failure, address, pointer, text};

pub const SCENARIOS: &[Scenario] = &[
    ("buffer_sequences_mixed", mixed),
    ("buffer_sequences_numbers", numbers),
    ("buffer_sequences_zipped", zipped),
    ("buffer_sequences_dense", cells_of_dense),
];

/// Sequences per array, kind of query and layout.
const SEQUENCES: usize = 60;
/// Elements that every buffer has memory for, whatever its stated size.
const ROOM: usize = 16;

/// Coordinates of all dimensions.
const ZIPPED: &str = "__coords";

/// A field, with the bytes of an element of its data buffer.
type Field = (&'static str, usize);

/// The buffers of a field: the memory and the size variables stay where they are while a query has their addresses.
struct Buffers {
    data: Vec<u8>,
    offsets: Vec<u64>,
    validity: Vec<u8>,
    sizes: Box<[u64; 3]>,
}

impl Buffers {
    /// Ascending cells from a number on.
    fn new(size: usize, from: i32) -> Buffers {
        let data = match size {
            1 => (0..ROOM).map(|cell| b'a' + from as u8 + cell as u8).collect(),
            size => (0..(ROOM * size / 4) as i32).flat_map(|cell| (from + cell).to_le_bytes()).collect(),
        };
        Buffers { data, offsets: (0..ROOM as u64).collect(), validity: vec![1; ROOM], sizes: Box::new([0; 3]) }
    }
}

fn mixed(world: &mut World<'_>) {
    let attrs = [attr("a", INT32, 1, false), attr("v", ASCII, VAR, true)];
    let spec = Spec { dups: true, ..sparse(&[text_dim("c"), text_dim("d"), dim("p", 0, 99, 10)], &attrs) };
    world.create("array", spec);
    let fields = [("c", 1), ("d", 1), ("p", 4), ("a", 4), ("v", 1)];
    play_all(world, &fields, &[(1, UNORDERED), (1, GLOBAL), (0, UNORDERED), (0, GLOBAL)]);
}

fn numbers(world: &mut World<'_>) {
    let spec = Spec {
        dups: true,
        ..sparse(&[dim("x", 0, 99, 10), dim("y", 0, 99, 10)], &[attr("a", INT32, 1, false), attr("n", INT32, 1, true)])
    };
    world.create("array", spec);
    play_all(world, &[("x", 4), ("y", 4), ("a", 4), ("n", 4)], &[(1, UNORDERED), (1, GLOBAL), (0, UNORDERED)]);
}

fn zipped(world: &mut World<'_>) {
    let spec =
        Spec { dups: true, ..sparse(&[dim("x", 0, 99, 10), dim("y", 0, 99, 10)], &[attr("a", INT32, 1, false)]) };
    world.create("array", spec);
    // Of zipped coordinates the reference fails in global order, and dies when some are read again.
    play_all(world, &[(ZIPPED, 8), ("x", 4), ("a", 4)], &[(1, UNORDERED)]);
}

fn cells_of_dense(world: &mut World<'_>) {
    let attrs = [attr("a", INT32, 1, false), attr("n", INT32, 1, true), attr("v", ASCII, VAR, false)];
    world.create("array", dense(&[dim("x", 0, 3, 2)], &attrs));
    let fields = [("x", 4), ("a", 4), ("n", 4), ("v", 1)];
    play_all(world, &fields, &[(1, ROW), (1, COL), (1, GLOBAL), (0, ROW)]);
}

fn play_all(world: &World<'_>, fields: &[Field], kinds: &[(u64, u64)]) {
    for &(kind, layout) in kinds {
        for seed in 0..SEQUENCES {
            let ctx = world.api.context(&[]);
            let name = format!("query type {kind}, layout {layout}, sequence {seed}");
            let mut dice = Dice::new(1 + seed as u64 + 1000 * (kind * 10 + layout));
            let played = play(world, &ctx, fields, (kind, layout), &name, &mut dice);
            world.tell(&name, played);
        }
    }
}

/// A query with what was set, as far as it was accepted.
struct Session<'a> {
    world: &'a World<'a>,
    ctx: &'a Ctx<'a>,
    query: u64,
    kind: u64,
    fields: &'a [Field],
    name: String,
    /// Element counts by field and part.
    accepted: BTreeMap<(usize, usize), u64>,
    /// Something was submitted.
    has_begun: bool,
    /// Writes in other orders than the global one are submitted once.
    is_done: bool,
}

/// Plays one sequence: mostly sets of all fields with one count, between them single calls with another.
fn play(
    world: &World<'_>,
    ctx: &Ctx<'_>,
    fields: &[Field],
    (kind, layout): (u64, u64),
    name: &str,
    dice: &mut Dice,
) -> Result<(), Failure> {
    let array = Array::open(ctx, &world.uri("array"), kind, None, None)?;
    let query = ctx.get("query_alloc", &[array.handle, kind])?;
    ctx.call("query_set_layout", &[query, layout])?;
    let mut session = Session {
        world,
        ctx,
        query,
        kind,
        fields,
        name: name.to_owned(),
        accepted: BTreeMap::new(),
        has_begun: false,
        is_done: false,
    };
    let mut all: Vec<Vec<Buffers>> = Vec::new();
    for step in 0..2 + dice.less(3) {
        all.push(fields.iter().map(|&(_, size)| Buffers::new(size, 5 * step as i32)).collect());
        let buffers = all.last_mut().unwrap();
        let is_dense = world.spec("array").dense;
        let count = if is_dense && dice.less(4) > 0 { 4 } else { dice.less(5) as u64 };
        let mut order: Vec<(usize, usize)> =
            (0..fields.len()).flat_map(|field| [(field, 0), (field, 1), (field, 2)]).collect();
        if dice.less(2) == 0 {
            for at in (1..order.len()).rev() {
                order.swap(at, dice.less(at + 1));
            }
        }
        for (field, part) in order {
            // Calls that do not fit the field are rare, and so are fields that get no buffer.
            let fits = session.parts(field)[part];
            if !fits && dice.less(30) > 0 || fits && dice.less(60) == 0 {
                continue;
            }
            if dice.less(12) == 0 {
                session.set(field, part, dice.less(6) as u64, &mut buffers[field]);
                if dice.less(2) == 0 {
                    continue;
                }
            }
            session.set(field, part, count, &mut buffers[field]);
        }
        if dice.less(2) == 0 {
            session.submit(layout, &all);
        }
    }
    session.submit(layout, &all);
    world.tell(&format!("{name}: finalize"), ctx.call("query_finalize", &[query]));
    ctx.free("query", query);
    Ok(())
}

impl Session<'_> {
    /// Which parts a field has.
    fn parts(&self, field: usize) -> [bool; 3] {
        let name = self.fields[field].0;
        [true, self.world.is_var("array", name), name != ZIPPED && self.world.is_nullable("array", name)]
    }

    fn set(&mut self, field: usize, part: usize, count: u64, buffers: &mut Buffers) {
        let (name, size) = self.fields[field];
        if self.has_begun && name == ZIPPED {
            // The reference takes zipped coordinates apart at the first submit of a write, and takes no others.
            return;
        }
        let c_name = text(name);
        let (function, start, bytes) = match part {
            0 => ("query_set_data_buffer", buffers.data.as_mut_ptr() as u64, count * size as u64),
            1 => ("query_set_offsets_buffer", buffers.offsets.as_mut_ptr() as u64, count * 8),
            _ => ("query_set_validity_buffer", buffers.validity.as_mut_ptr() as u64, count),
        };
        let before = std::mem::replace(&mut buffers.sizes[part], bytes);
        let arguments = [self.query, pointer(&c_name), start, address(&mut buffers.sizes[part])];
        let outcome = self.ctx.call(function, &arguments);
        match outcome.is_ok() {
            true => drop(self.accepted.insert((field, part), count)),
            false => buffers.sizes[part] = before,
        }
        self.world.tell(&format!("{}: {function} {name} {count}", self.name), outcome);
    }

    /// True if every field has its buffers, all with one element count. The reference reads beyond shorter ones.
    fn is_whole(&self) -> bool {
        let has = |name: &str| self.accepted.keys().any(|&(field, _)| self.fields[field].0 == name);
        let mut counts = BTreeSet::new();
        for field in 0..self.fields.len() {
            let name = self.fields[field].0;
            if name == "x" && (has(ZIPPED) || self.world.spec("array").dense) {
                continue;
            }
            for part in (0..3).filter(|&part| self.parts(field)[part]) {
                let Some(count) = self.accepted.get(&(field, part)) else { return false };
                counts.insert(*count);
            }
        }
        let enough = match (self.kind, self.world.spec("array").dense) {
            (0, _) => 2,
            (_, true) => 4,
            (_, false) => 0,
        };
        counts.len() == 1 && counts.first().is_some_and(|&count| count >= enough)
    }

    /// Submits, where the reference reads nothing beyond the buffers.
    fn submit(&mut self, layout: u64, all: &[Vec<Buffers>]) {
        let is_done = self.is_done;
        if is_done || !self.is_whole() {
            return;
        }
        let submitted = self.ctx.call("query_submit", &[self.query]);
        let is_ok = submitted.is_ok();
        self.has_begun = true;
        self.is_done = is_ok && self.kind == 1 && layout != GLOBAL;
        self.world.tell(&format!("{}: submit", self.name), submitted);
        if is_ok && self.kind == 1 {
            let count = self.ctx.get("query_get_fragment_num", &[self.query]).unwrap();
            self.world.say(&format!("{}: {count} fragments", self.name));
        }
        if is_ok && self.kind == 0 {
            for (buffers, (field, _)) in all.last().unwrap().iter().zip(self.fields) {
                self.world.say(&format!("{}: {field} {:?}", self.name, buffers.sizes));
            }
        }
    }
}
