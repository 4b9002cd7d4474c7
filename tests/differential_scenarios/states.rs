//! Valid calls in each state of a query: every setter, submit and finalize, of reads and writes, before and after the
//! first submit, completion, failure and finalization.

use crate::Scenario;
use crate::world::{
    ASCII, COL, GLOBAL, INT32, Little, ROW, UNORDERED, VAR, World, attr, dense, dim, fixed, range, ranges, sparse, var,
};
use support::{Array, Column, Ctx, Failure, pointer, text};

pub const SCENARIOS: &[Scenario] = &[
    ("states_of_dense_reads", |world| all(world, "dense", 0, &[ROW, GLOBAL])),
    ("states_of_sparse_reads", |world| all(world, "sparse", 0, &[ROW, UNORDERED])),
    ("states_of_dense_writes", |world| all(world, "dense", 1, &[ROW, GLOBAL])),
    ("states_of_sparse_writes", |world| all(world, "sparse", 1, &[UNORDERED, GLOBAL])),
    ("states_written_again", written_again),
];

/// How far a query has come.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Fresh,
    Planned,
    Submitted,
    Incomplete,
    Refused,
    Failed,
    Finalized,
}

const STATES: [State; 7] = [
    State::Fresh,
    State::Planned,
    State::Submitted,
    State::Incomplete,
    State::Refused,
    State::Failed,
    State::Finalized,
];

const ACTIONS: [&str; 16] = [
    "same layout",
    "other layout",
    "subarray",
    "config",
    "condition",
    "buffer again",
    "shorter buffer again",
    "new buffer",
    "new offsets",
    "coordinates again",
    "fewer coordinates again",
    "plan",
    "submit",
    "finalize",
    "submit and finalize",
    "submit twice",
];

/// A query that came to a state, with its buffers.
struct Subject<'a> {
    world: &'a World<'a>,
    ctx: &'a Ctx<'a>,
    array: Array<'a>,
    name: &'a str,
    query: u64,
    layout: u64,
    columns: Vec<Column>,
}

impl Subject<'_> {
    fn call(&self, function: &str) -> Result<(), Failure> {
        self.ctx.call(function, &[self.query])
    }

    fn plan(&self) -> Result<(), Failure> {
        let string = self.ctx.get("query_get_plan", &[self.query])?;
        self.ctx.take_string(string);
        Ok(())
    }

    fn status(&self) -> u64 {
        self.ctx.get("query_get_status", &[self.query]).unwrap() & 0xff
    }

    fn column(&mut self, name: &str) -> &mut Column {
        self.columns.iter_mut().find(|column| column.name.to_bytes() == name.as_bytes()).unwrap()
    }

    fn bind(&mut self, name: &str) -> Result<(), Failure> {
        let (ctx, query) = (self.ctx, self.query);
        self.column(name).bind(ctx, query)
    }

    /// The ranges of its subarray: the first four cells.
    fn subarray(&self) -> Result<u64, Failure> {
        ranges(&self.array, self.world.spec(self.name), &[range(0, 0, 3)], None)
    }

    fn set_subarray(&self) -> Result<(), Failure> {
        let subarray = self.subarray()?;
        let set = self.ctx.call("query_set_subarray_t", &[self.query, subarray]);
        self.ctx.free("subarray", subarray);
        set
    }

    fn set_config(&self) -> Result<(), Failure> {
        let config = self.ctx.get("ctx_get_config", &[])?;
        let set = self.ctx.call("query_set_config", &[self.query, config]);
        self.ctx.free("config", config);
        set
    }

    fn set_condition(&self) -> Result<(), Failure> {
        let condition = self.ctx.get("query_condition_alloc", &[])?;
        let (name, value) = (text("a"), [3i32].little());
        self.ctx.call("query_condition_init", &[condition, pointer(&name), value.as_ptr() as u64, 4, 0])?;
        let set = self.ctx.call("query_set_condition", &[self.query, condition]);
        self.ctx.free("query_condition", condition);
        set
    }

    fn act(&mut self, action: &str) -> Result<(), Failure> {
        let other = if self.layout == ROW { COL } else { GLOBAL };
        match action {
            "same layout" => self.ctx.call("query_set_layout", &[self.query, self.layout]),
            "other layout" => self.ctx.call("query_set_layout", &[self.query, other]),
            "subarray" => self.set_subarray(),
            "config" => self.set_config(),
            "condition" => self.set_condition(),
            "buffer again" => self.bind("a"),
            "shorter buffer again" => {
                self.column("a").sizes[0] = 8;
                self.bind("a")
            }
            "new buffer" | "new offsets" => {
                let part = usize::from(action == "new offsets");
                let mut column = Column::with_capacity("s", 100, Some(10), None);
                let name = pointer(&column.name);
                let function = ["query_set_data_buffer", "query_set_offsets_buffer"][part];
                let offsets = column.offsets.as_mut().map_or(0, |offsets| offsets.as_mut_ptr() as u64);
                let start = [column.data.as_mut_ptr() as u64, offsets][part];
                let size = std::ptr::from_mut(&mut column.sizes[part]) as u64;
                let set = self.ctx.call(function, &[self.query, name, start, size]);
                self.columns.push(column);
                set
            }
            "coordinates again" => self.bind("d"),
            "fewer coordinates again" => {
                self.column("d").sizes[0] = 8;
                self.bind("d")
            }
            "plan" => self.plan(),
            "submit" => self.call("query_submit"),
            "finalize" => self.call("query_finalize"),
            "submit and finalize" => self.call("query_submit_and_finalize"),
            _ => self.call("query_submit").and_then(|()| self.call("query_submit")),
        }
    }
}

/// Makes a query of four cells and brings it to a state; none if there is no way.
fn subject<'a>(
    world: &'a World<'a>,
    ctx: &'a Ctx<'a>,
    (name, kind, layout): (&'a str, u64, u64),
    state: State,
) -> Result<Option<Subject<'a>>, Failure> {
    let is_dense = world.spec(name).dense;
    let writes = kind == 1;
    let array = Array::open(ctx, &world.uri(name), kind, None, None)?;
    let query = ctx.get("query_alloc", &[array.handle, kind])?;
    ctx.call("query_set_layout", &[query, layout])?;
    let mut columns = match writes {
        true => vec![Column::filled("a", fixed(&[1, 2, 3, 4])), Column::filled("s", var(&["a", "", "cc", "d"]))],
        false => vec![Column::with_capacity("a", if state == State::Incomplete { 8 } else { 16 }, None, None)],
    };
    if !is_dense || !writes {
        columns.push(Column::filled("d", fixed(&[0, 1, 2, 3])));
    }
    for column in &mut columns {
        column.bind(ctx, query)?;
    }
    let mut subject = Subject { world, ctx, array, name, query, layout, columns };
    if is_dense || !writes {
        subject.set_subarray()?;
    }
    match state {
        State::Fresh => {}
        State::Planned => subject.plan()?,
        State::Submitted => subject.call("query_submit")?,
        State::Incomplete if writes => return Ok(None),
        State::Incomplete => subject.call("query_submit")?,
        // Refused before anything happens, and when it has begun.
        State::Refused | State::Failed if !writes => return Ok(None),
        State::Refused => {
            subject.column("s").offsets.as_mut().unwrap()[2] = 99;
            let refused = subject.call("query_submit").is_err();
            subject.column("s").offsets.as_mut().unwrap()[2] = 1;
            return Ok(refused.then_some(subject));
        }
        State::Failed if is_dense => return Ok(None),
        State::Failed => {
            subject.column("d").data = [0i32, 1, 2, 1000].little();
            subject.bind("d")?;
            let failed = subject.call("query_submit").is_err();
            subject.column("d").data = [0i32, 1, 2, 3].little();
            subject.bind("d")?;
            return Ok(failed.then_some(subject));
        }
        State::Finalized => {
            subject.call("query_submit")?;
            subject.call("query_finalize")?;
        }
    }
    Ok(Some(subject))
}

fn all(world: &mut World<'_>, name: &'static str, kind: u64, layouts: &[u64]) {
    let attrs = [attr("a", INT32, 1, false), attr("s", ASCII, VAR, false)];
    let d = [dim("d", 0, 99, 4)];
    world.create(name, if name == "dense" { dense(&d, &attrs) } else { sparse(&d, &attrs) });
    let cells = [("a", fixed(&[1, 2, 3, 4])), ("s", var(&["a", "", "cc", "d"]))];
    match name {
        "dense" => world.write(name, ROW, &[range(0, 0, 3)], &cells),
        _ => world.write(name, UNORDERED, &[], &[&cells[..], &[("d", fixed(&[0, 1, 2, 3]))]].concat()),
    }
    for &layout in layouts {
        for state in STATES {
            for action in ACTIONS.into_iter().filter(|action| !ruins(kind, layout, state, action)) {
                let ctx = world.api.context(&[]);
                let made = subject(world, &ctx, (name, kind, layout), state);
                let Ok(Some(mut subject)) = made else {
                    world.tell(&format!("{layout} {state:?}"), made.map(|_| ()));
                    break;
                };
                let before = subject.status();
                if action.contains("coordinates") && subject.columns.iter().all(|column| column.name != text("d")) {
                    continue;
                }
                let acted = subject.act(action);
                // The reference says of a write that it refuses to write again that it is in progress.
                let again = acted.as_ref().is_err_and(|failure| failure.text.contains("already written)"));
                let after = if again { 1 } else { subject.status() };
                let step = format!("{layout} {state:?} {before} {action} {after}");
                world.tell(&step, acted);
                ctx.free("query", subject.query);
            }
        }
    }
}

/// True if it ruins what the reference has written: it goes on in a fragment that is complete. Ours refuses.
fn ruins(kind: u64, layout: u64, state: State, action: &str) -> bool {
    kind == 1 && layout == GLOBAL && state == State::Finalized && action.starts_with("submit")
}

/// A write that is complete is not written again.
fn written_again(world: &mut World<'_>) {
    let attrs = [attr("a", INT32, 1, false), attr("s", ASCII, VAR, false)];
    world.create("dense", dense(&[dim("d", 0, 99, 4)], &attrs));
    for layout in [ROW, COL] {
        let ctx = world.api.context(&[]);
        let mut subject = subject(world, &ctx, ("dense", 1, layout), State::Submitted).unwrap().unwrap();
        subject.column("a").data = [9i32; 4].little();
        for action in ["submit", "buffer again", "submit", "finalize", "submit"] {
            let acted = subject.act(action);
            world.tell(action, acted);
            world.fragments("dense");
            let mut read = crate::world::all(ROW, &["a", "s"]);
            read.ranges = vec![range(0, 0, 3)];
            world.read("dense", &read);
        }
        ctx.free("query", subject.query);
    }
}
