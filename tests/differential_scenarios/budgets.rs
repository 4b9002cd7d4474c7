//! Small memory budgets: both libraries execute the same operations under budgets from one byte to plenty. If one
//! rejects an operation, the error code is part of the transcript; the error of our library names the parameter, the
//! required size and the limit. If our library succeeds and the reference does not ([`goes_on`]), the cells are
//! checked; our library must not fail where the reference succeeds.

use crate::Scenario;
use crate::world::{
    ASCII, COL, GLOBAL, INT32, Little, ROW, Read, UNORDERED, VAR, World, all, attr, dense, dim, fixed, range, ranges,
    sparse, text_dim, var,
};
use support::{Api, Array, Column, Ctx, Failure, bytes, pointer, text};

pub const SCENARIOS: &[Scenario] = &[
    ("budgets_dense", of_dense),
    ("budgets_sparse", of_sparse),
    ("budgets_duplicates", of_duplicates),
    ("budgets_texts", of_texts),
    ("budgets_raised", raised),
    ("budgets_consolidation", consolidation),
];

const BUDGET: &str = "sm.mem.total_budget";
const BUDGETS: [&str; 14] =
    ["0", "1", "200", "590", "840", "1000", "1800", "3000", "10000", "15000", "20000", "40000", "100000", "4000000"];

/// What came of a request.
#[derive(Clone, PartialEq)]
enum Outcome {
    /// The cells that are there without a limit.
    All,
    /// Others.
    Wrong(String),
    Refused(i32),
}

impl Outcome {
    fn new(cells: Result<Vec<String>, Failure>, expected: &[String], names_need: bool) -> Outcome {
        match cells {
            Ok(cells) if cells == expected => Outcome::All,
            Ok(cells) => Outcome::Wrong(format!("{} of {} cells", cells.len(), expected.len())),
            Err(failure) if !names_need || says_what_is_needed(&failure.text) => Outcome::Refused(failure.code),
            Err(failure) => Outcome::Wrong(failure.text),
        }
    }

    fn text(&self) -> String {
        match self {
            Outcome::All => "all".to_owned(),
            Outcome::Wrong(what) => what.clone(),
            Outcome::Refused(code) => code.to_string(),
        }
    }
}

/// The parameter, and two numbers.
fn says_what_is_needed(refusal: &str) -> bool {
    let numbers = refusal.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    refusal.contains(BUDGET) && numbers.count() >= 2
}

/// LITTLE_MEMORY: the reference refuses to work in memory that ours makes do with, or never gets anywhere; then ours must
/// do what was asked for.
fn goes_on(theirs: Outcome, ours: impl Fn() -> Outcome) -> Outcome {
    match theirs {
        Outcome::All => theirs,
        Outcome::Wrong(_) | Outcome::Refused(_) => match ours() {
            Outcome::All => Outcome::All,
            _ => theirs,
        },
    }
}

/// A question; those with a condition leave cells out.
struct Question<'a> {
    name: &'a str,
    read: Read<'a>,
    condition: bool,
}

impl Question<'_> {
    /// The number of cells of each submit, and the cells in no order.
    fn ask(&self, world: &World<'_>, api: &Api, config: &[(&str, &str)]) -> Result<Vec<String>, Failure> {
        let ctx = api.context(config);
        let array = Array::open(&ctx, &world.uri(self.name), 0, None, None)?;
        let query = ctx.get("query_alloc", &[array.handle, 0])?;
        let cells = self.run(world, &array, query);
        ctx.free("query", query);
        cells
    }

    fn run(&self, world: &World<'_>, array: &Array<'_>, query: u64) -> Result<Vec<String>, Failure> {
        let ctx = array.ctx;
        ctx.call("query_set_layout", &[query, self.read.layout])?;
        if !self.read.ranges.is_empty() {
            let subarray = ranges(array, world.spec(self.name), &self.read.ranges, None)?;
            ctx.call("query_set_subarray_t", &[query, subarray])?;
            ctx.free("subarray", subarray);
        }
        if self.condition {
            let condition = ctx.get("query_condition_alloc", &[])?;
            let value = [7i32].little();
            // Greater or equal.
            ctx.call("query_condition_init", &[condition, pointer(&text("a")), bytes(&value), 4, 3])?;
            ctx.call("query_set_condition", &[query, condition])?;
            ctx.free("query_condition", condition);
        }
        let mut columns: Vec<Column> =
            self.read.fields.iter().map(|field| world.column(self.name, field, self.read.room)).collect();
        let room: Vec<[u64; 3]> = columns.iter().map(|column| *column.sizes).collect();
        let (mut submits, mut cells) = (Vec::new(), Vec::new());
        for _ in 0..1000 {
            for (column, room) in columns.iter_mut().zip(&room) {
                *column.sizes = *room;
                column.bind(ctx, query)?;
            }
            ctx.call("query_submit", &[query])?;
            let status = ctx.get("query_get_status", &[query])?;
            let before = cells.len();
            cells.extend(world.cells(self.name, &columns));
            submits.push(format!("submit of {} cells", cells.len() - before));
            if status != 3 || cells.len() == before {
                break;
            }
        }
        cells.sort();
        Ok([submits, cells].concat())
    }

    fn outcome(&self, world: &World<'_>, api: &Api, config: &[(&str, &str)], expected: &[String]) -> Outcome {
        Outcome::new(self.ask(world, api, config), expected, api.path == world.ours.path)
    }

    /// Asks under all budgets.
    fn tell(&self, world: &World<'_>, more: &[(&str, &str)]) {
        let expected = self.ask(world, world.api, &[]).unwrap();
        let mut outcomes = Vec::new();
        for budget in BUDGETS {
            let config = [&[(BUDGET, budget)], more].concat();
            let outcome = self.outcome(world, world.api, &config, &expected);
            let outcome = match world.is_ours() {
                true => outcome,
                false => goes_on(outcome, || self.outcome(world, world.ours, &config, &expected)),
            };
            outcomes.push(format!("{budget}: {}", outcome.text()));
        }
        let Question { name, read, condition } = self;
        let (layout, ranges, fields) = (read.layout, read.ranges.len(), &read.fields);
        world.say(&format!("{name} {layout} {ranges} {fields:?} {condition} {more:?} {}", outcomes.join(", ")));
    }
}

fn numbers(from: i32, count: i32) -> support::Cells {
    fixed(&(from..from + count).collect::<Vec<i32>>())
}

fn texts(from: i32, count: i32) -> support::Cells {
    let words: Vec<String> = (from..from + count).map(|cell| format!("{cell:03}")).collect();
    var(&words.iter().map(String::as_str).collect::<Vec<&str>>())
}

/// Without it the reference dies now and then of what it does aside while it refuses.
const NOTHING_ASIDE: (&str, &str) = ("sm.query.sparse_global_order.preprocess_tile_merge", "0");

/// The parameters that divide a budget.
const SHARES: [&[(&str, &str)]; 4] = [
    &[],
    &[("sm.mem.reader.sparse_global_order.ratio_coords", "0.04")],
    &[("sm.mem.reader.sparse_global_order.ratio_array_data", "0.5")],
    &[("sm.mem.reader.sparse_unordered_with_dups.ratio_tile_ranges", "0.01")],
];

fn of_dense(world: &mut World<'_>) {
    let attrs = [attr("a", INT32, 1, false), attr("v", ASCII, VAR, false), attr("n", INT32, 1, true)];
    for (name, fragments) in [("one", 1), ("three", 3)] {
        world.create(name, dense(&[dim("d", 1, 200, 10)], &attrs));
        for fragment in 0..fragments {
            let (start, count) = (1 + fragment * 30, 200 - fragment * 60);
            let validity: Vec<u8> = (0..count).map(|cell| u8::from(cell % 3 > 0)).collect();
            let cells =
                [("a", numbers(start, count)), ("v", texts(start, count)), ("n", numbers(0, count).nulls(&validity))];
            world.write(name, ROW, &[range(0, start, start + count - 1)], &cells);
        }
        for layout in [ROW, COL, GLOBAL] {
            for fields in [&["a"][..], &["v"], &["a", "v", "n", "d"]] {
                for condition in [false, true] {
                    let read = Read { ranges: vec![range(0, 5, 196)], ..all(layout, fields) };
                    Question { name, read, condition }.tell(world, &[]);
                }
                // The cells of a submit do not depend on the budget, either.
                let read = Read { ranges: vec![range(0, 5, 196)], room: (200, 50), ..all(layout, fields) };
                Question { name, read, condition: false }.tell(world, &[]);
            }
        }
        let read = Read { ranges: vec![range(0, 1, 20)], ..all(ROW, &["a"]) };
        Question { name, read, condition: false }.tell(world, &[("sm.mem.tile_upper_memory_limit", "50")]);
    }
}

fn sparse_array(world: &mut World<'_>, dups: bool) {
    let attrs = [attr("a", INT32, 1, false), attr("v", ASCII, VAR, false)];
    for (name, fragments, cells) in [("five", 1, 5), ("one", 1, 200), ("four", 4, 100)] {
        let mut spec = sparse(&[dim("d", 1, 1000, 10)], &attrs);
        (spec.capacity, spec.dups) = (2, dups);
        world.create(name, spec);
        for fragment in 0..fragments {
            let coords: Vec<i32> = (0..cells).map(|cell| 1 + cell * 3 + fragment).collect();
            let columns = [("d", fixed(&coords)), ("a", numbers(0, cells)), ("v", texts(0, cells))];
            world.write(name, UNORDERED, &[], &columns);
        }
        for layout in [ROW, COL, GLOBAL, UNORDERED] {
            for fields in [&["a"][..], &["d", "a", "v"]] {
                for ranges in [vec![], vec![range(0, 4, 170)]] {
                    for condition in [false, true] {
                        let read = Read { ranges: ranges.clone(), ..all(layout, fields) };
                        Question { name, read, condition }.tell(world, &[NOTHING_ASIDE]);
                    }
                }
            }
            for shares in SHARES {
                let read = all(layout, &["d", "a"]);
                Question { name, read, condition: false }.tell(world, &[shares, &[NOTHING_ASIDE]].concat());
            }
        }
    }
}

fn of_sparse(world: &mut World<'_>) {
    sparse_array(world, false);
}

fn of_duplicates(world: &mut World<'_>) {
    sparse_array(world, true);
}

fn of_texts(world: &mut World<'_>) {
    let mut spec = sparse(&[text_dim("d")], &[attr("a", INT32, 1, false)]);
    spec.capacity = 4;
    world.create("texts", spec);
    for fragment in 0..3 {
        world.write("texts", UNORDERED, &[], &[("d", texts(fragment * 40, 100)), ("a", numbers(0, 100))]);
    }
    for layout in [GLOBAL, UNORDERED] {
        for condition in [false, true] {
            Question { name: "texts", read: all(layout, &["d", "a"]), condition }.tell(world, &[NOTHING_ASIDE]);
        }
    }
}

/// A query that was refused is not to be had with more memory: it has begun.
fn raised(world: &mut World<'_>) {
    for (name, dups) in [("dups", true), ("unique", false)] {
        let mut spec = sparse(&[dim("d", 1, 1000, 10)], &[attr("a", INT32, 1, false)]);
        (spec.capacity, spec.dups) = (2, dups);
        world.create(name, spec);
        world.write(name, UNORDERED, &[], &[("d", numbers(1, 200)), ("a", numbers(0, 200))]);
        for layout in [GLOBAL, UNORDERED] {
            let ctx = world.api.context(&[]);
            let array = Array::open(&ctx, &world.uri(name), 0, None, None).unwrap();
            let query = ctx.get("query_alloc", &[array.handle, 0]).unwrap();
            ctx.configure("query_set_config", query, &[(BUDGET, "1")]).unwrap();
            ctx.call("query_set_layout", &[query, layout]).unwrap();
            let mut column = Column::with_capacity("a", 4000, None, None);
            column.bind(&ctx, query).unwrap();
            let refused = ctx.call("query_submit", &[query]).err().map(|failure| failure.code);
            let raised = ctx.configure("query_set_config", query, &[(BUDGET, "1000000")]);
            world.tell(&format!("raise the budget of {name} {layout} refused {refused:?}"), raised);
            let again = ctx.call("query_submit", &[query]).err().map(|failure| failure.code);
            world.say(&format!("submit again: {again:?}"));
            ctx.free("query", query);
        }
    }
}

/// Fragments merged in little memory.
fn consolidation(world: &mut World<'_>) {
    let attrs = [attr("a", INT32, 1, false), attr("v", ASCII, VAR, false)];
    for budget in ["1", "1000", "10000", "30000", "100000", "1000000", "4000000", "20000000"] {
        for kind in ["dense", "sparse", "dups"] {
            let name = format!("{kind}{budget}");
            let mut spec = match kind {
                "dense" => dense(&[dim("d", 1, 200, 10)], &attrs),
                _ => sparse(&[dim("d", 1, 1000, 10)], &attrs),
            };
            spec.dups = kind == "dups";
            world.create(&name, spec);
            for fragment in 0..2 {
                let cells = [("d", numbers(1, 200)), ("a", numbers(fragment, 200)), ("v", texts(fragment, 200))];
                match kind {
                    "dense" => world.write(&name, ROW, &[], &cells[1..]),
                    _ => world.write(&name, UNORDERED, &[], &cells),
                }
            }
            let read = Read { ranges: vec![range(0, 1, 200)], ..all(GLOBAL, &["a", "v"]) };
            let question = Question { name: &name, read, condition: false };
            let expected = question.ask(world, world.api, &[]).unwrap();
            let merge = |api: &Api| {
                let ctx: Ctx<'_> = api.context(&[(BUDGET, budget)]);
                ctx.call("array_consolidate", &[pointer(&text(&world.uri(&name))), 0])?;
                question.ask(world, world.api, &[])
            };
            let outcome = |api: &Api| Outcome::new(merge(api), &expected, api.path == world.ours.path);
            let outcome = match world.is_ours() {
                true => outcome(world.api),
                false => goes_on(outcome(world.api), || outcome(world.ours)),
            };
            world.say(&format!("consolidate {kind} with {budget}: {}", outcome.text()));
        }
    }
}
