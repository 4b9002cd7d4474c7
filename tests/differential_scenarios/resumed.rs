//! Queries that continue after their array was closed, reopened or freed.

use crate::Scenario;
use crate::world::{COL, GLOBAL, INT32, ROW, UNORDERED, World, all, attr, dense, dim, fixed, range, ranges, sparse};
use support::{Array, Column, Ctx, Failure, pointer, text};

pub const SCENARIOS: &[Scenario] =
    &[("resumed_reads", reads), ("resumed_before_they_begin", unbegun), ("resumed_global_writes", global_writes)];

/// What happens to the array between two submits.
const EVENTS: [&str; 10] = [
    "nothing",
    "close",
    "close and open",
    "reopen",
    "open at an earlier time",
    "open for writing",
    "open for deleting",
    "reopen after a write",
    "free",
    "close and free",
];

fn happen(world: &mut World<'_>, name: &str, event: &str, array: &mut Array<'_>) -> Result<(), Failure> {
    let (ctx, handle) = (array.ctx, array.handle);
    match event {
        "close" => ctx.call("array_close", &[handle])?,
        "close and open" => {
            ctx.call("array_close", &[handle])?;
            ctx.call("array_open", &[handle, 0])?;
        }
        "reopen" => ctx.call("array_reopen", &[handle])?,
        "open at an earlier time" => {
            ctx.call("array_close", &[handle])?;
            ctx.call("array_set_open_timestamp_end", &[handle, 15])?;
            ctx.call("array_open", &[handle, 0])?;
        }
        "open for writing" => {
            ctx.call("array_close", &[handle])?;
            ctx.call("array_open", &[handle, 1])?;
        }
        "open for deleting" => {
            ctx.call("array_close", &[handle])?;
            ctx.call("array_open", &[handle, 2])?;
        }
        "reopen after a write" => {
            write(world, name, 5, 500);
            ctx.call("array_reopen", &[handle])?;
        }
        "free" => free(array),
        "close and free" => {
            ctx.call("array_close", &[handle])?;
            free(array);
        }
        _ => (),
    }
    Ok(())
}

fn free(array: &mut Array<'_>) {
    array.ctx.free("array", std::mem::take(&mut array.handle));
}

/// Writes the cells from `first` on.
fn write(world: &mut World<'_>, name: &str, first: i32, value: i32) {
    let values: Vec<i32> = (0..6).map(|cell| value + cell).collect();
    let rows: Vec<i32> = (first..first + 6).collect();
    if world.spec(name).dense {
        world.write(name, ROW, &[range(0, first, first + 5)], &[("a", fixed(&values))]);
    } else {
        world.write(name, UNORDERED, &[], &[("x", fixed(&rows)), ("a", fixed(&values))]);
    }
}

fn create(world: &mut World<'_>, name: &str, is_dense: bool) {
    let (dims, attrs) = ([dim("x", 1, 20, 3)], [attr("a", INT32, 1, false)]);
    world.create(name, if is_dense { dense(&dims, &attrs) } else { sparse(&dims, &attrs) });
    write(world, name, 1, 100);
    write(world, name, 9, 200);
}

/// Submits until all was delivered, and tells the cells.
fn finish(
    world: &World<'_>,
    ctx: &Ctx<'_>,
    query: u64,
    column: &mut Column,
    cells: &mut Vec<u8>,
) -> Result<(), Failure> {
    for _ in 0..30 {
        column.sizes[0] = 24;
        ctx.call("query_submit", &[query])?;
        cells.extend(column.result().data);
        if ctx.get("query_get_status", &[query])? != 3 {
            break;
        }
    }
    let values: Vec<i32> = cells.chunks(4).map(|cell| i32::from_le_bytes(cell.try_into().unwrap())).collect();
    world.say(&format!("  status {} {values:?}", ctx.get("query_get_status", &[query])?));
    Ok(())
}

fn reads(world: &mut World<'_>) {
    for is_dense in [true, false] {
        for layout in [ROW, COL, GLOBAL, UNORDERED] {
            for (number, event) in EVENTS.into_iter().enumerate() {
                let name = format!("{is_dense}{layout}{number}");
                create(world, &name, is_dense);
                world.say(&format!("{name}: {event}"));
                let outcome = read(world, &name, layout, event);
                world.tell("read", outcome);
                world.read(&name, &all(ROW, &["a"]));
            }
        }
    }
}

fn read(world: &mut World<'_>, name: &str, layout: u64, event: &str) -> Result<(), Failure> {
    let ctx = world.api.context(&[]);
    let mut array = Array::open(&ctx, &world.uri(name), 0, None, None)?;
    let query = ctx.get("query_alloc", &[array.handle, 0])?;
    ctx.call("query_set_layout", &[query, layout])?;
    let subarray = ranges(&array, world.spec(name), &[range(0, 1, 15)], None)?;
    ctx.call("query_set_subarray_t", &[query, subarray])?;
    ctx.free("subarray", subarray);
    let mut column = Column::with_capacity("a", 24, None, None);
    column.bind(&ctx, query)?;
    ctx.call("query_submit", &[query])?;
    let mut cells = column.result().data;
    let outcome = happen(world, name, event, &mut array);
    world.tell(event, outcome);
    let outcome = column.bind(&ctx, query);
    world.tell("  bind", outcome);
    finish(world, &ctx, query, &mut column, &mut cells)?;
    column.sizes[0] = 24;
    let again = ctx.call("query_submit", &[query]);
    world.tell("  again", again);
    world.say(&format!("  then {} bytes", column.sizes[0]));
    ctx.free("query", query);
    if array.handle == 0 {
        // Its drop closes and frees what is no handle any more.
        std::mem::forget(array);
    }
    Ok(())
}

/// Queries that were not submitted before.
fn unbegun(world: &mut World<'_>) {
    for is_dense in [true, false] {
        let name = format!("u{is_dense}");
        create(world, &name, is_dense);
        for event in EVENTS {
            let outcome = unbegun_read(world, &name, event);
            world.tell(&format!("{name} {event}"), outcome);
        }
    }
}

fn unbegun_read(world: &mut World<'_>, name: &str, event: &str) -> Result<(), Failure> {
    let ctx = world.api.context(&[]);
    let mut array = Array::open(&ctx, &world.uri(name), 0, None, None)?;
    let query = ctx.get("query_alloc", &[array.handle, 0])?;
    let mut column = Column::with_capacity("a", 1024, None, None);
    column.bind(&ctx, query)?;
    happen(world, name, event, &mut array)?;
    let outcome = finish(world, &ctx, query, &mut column, &mut Vec::new());
    ctx.free("query", query);
    if array.handle == 0 {
        std::mem::forget(array);
    }
    outcome
}

/// Writes in several submits, the array closed between them.
fn global_writes(world: &mut World<'_>) {
    for is_dense in [true, false] {
        for event in ["nothing", "close", "free", "close and free"] {
            let name = format!("w{is_dense}{event}");
            create(world, &name, is_dense);
            let outcome = global_write(world, &name, event);
            world.tell(&name, outcome);
            world.read(&name, &all(ROW, &["a"]));
            world.fragments(&name);
        }
    }
    let ctx = world.api.context(&[]);
    let uri = text(&world.uri("wtruenothing"));
    world.tell("schema", ctx.get("array_schema_load", &[pointer(&uri)]).map(|schema| ctx.free("array_schema", schema)));
}

fn global_write(world: &mut World<'_>, name: &str, event: &str) -> Result<(), Failure> {
    let ctx = world.api.context(&[]);
    let is_dense = world.spec(name).dense;
    let mut array = Array::open(&ctx, &world.uri(name), 1, None, Some(5000))?;
    let query = ctx.get("query_alloc", &[array.handle, 1])?;
    ctx.call("query_set_layout", &[query, GLOBAL])?;
    if is_dense {
        let subarray = ranges(&array, world.spec(name), &[range(0, 1, 6)], None)?;
        ctx.call("query_set_subarray_t", &[query, subarray])?;
        ctx.free("subarray", subarray);
    }
    let mut buffers = Vec::new();
    for part in 0..2 {
        let rows: Vec<i32> = (1..4).map(|row| row + 3 * part).collect();
        let mut columns = vec![Column::filled("a", fixed(&rows))];
        if !is_dense {
            columns.push(Column::filled("x", fixed(&rows)));
        }
        columns.iter_mut().try_for_each(|column| column.bind(&ctx, query))?;
        buffers.push(columns);
        let outcome = ctx.call("query_submit", &[query]);
        world.tell("  submit", outcome);
        if part == 0 {
            happen(world, name, event, &mut array)?;
        }
    }
    let outcome = ctx.call("query_finalize", &[query]);
    world.tell("  finalize", outcome);
    ctx.free("query", query);
    if array.handle == 0 {
        std::mem::forget(array);
    }
    Ok(())
}
