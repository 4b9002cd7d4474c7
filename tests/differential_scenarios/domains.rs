//! A current domain that is set in the schema of an open array, and its effect on queries.

use crate::Scenario;
use crate::world::{
    COL, Ends, GLOBAL, INT32, Little, ROW, Spec, UNORDERED, World, all, attr, dense, dim, fixed, range, ranges, sparse,
};
use support::{Array, Cells, Column, Ctx, Failure, address, bytes};

pub const SCENARIOS: &[Scenario] = &[("domains_of_open_arrays", open_arrays), ("domains_and_writes", writes)];

fn grid(dense_array: bool) -> Spec {
    let (dims, attrs) = ([dim("x", 0, 9, 5), dim("y", 0, 9, 5)], [attr("a", INT32, 1, false)]);
    if dense_array { dense(&dims, &attrs) } else { sparse(&dims, &attrs) }
}

/// Sets a current domain in a schema handle of an array.
fn set(array: &Array<'_>, ends: [(i32, i32); 2]) -> Result<(), Failure> {
    let ctx = array.ctx;
    let schema = ctx.get("array_get_schema", &[array.handle])?;
    let domain = ctx.get("array_schema_get_domain", &[schema])?;
    let rectangle = ctx.get("ndrectangle_alloc", &[domain])?;
    for (dimension, (low, high)) in (0..).zip(ends) {
        let (low, high) = ([low].little(), [high].little());
        let mut range = [bytes(&low), 4, bytes(&high), 4];
        ctx.call("ndrectangle_set_range", &[rectangle, dimension, address(&mut range)])?;
    }
    let current = ctx.get("current_domain_create", &[])?;
    ctx.call("current_domain_set_ndrectangle", &[current, rectangle])?;
    let outcome = ctx.call("array_schema_set_current_domain", &[schema, current]);
    ctx.free("current_domain", current);
    ctx.free("ndrectangle", rectangle);
    ctx.free("domain", domain);
    ctx.free("array_schema", schema);
    outcome
}

fn read(world: &World<'_>, array: &Array<'_>, query: u64, layout: u64, part: &[Ends]) -> Result<(), Failure> {
    let ctx = array.ctx;
    ctx.call("query_set_layout", &[query, layout])?;
    if !part.is_empty() {
        let subarray = ranges(array, &grid(false), part, None)?;
        ctx.call("query_set_subarray_t", &[query, subarray])?;
        ctx.free("subarray", subarray);
    }
    let mut column = Column::with_capacity("a", 1024, None, None);
    column.bind(ctx, query)?;
    ctx.call("query_submit", &[query])?;
    let cells = column.result().split(4);
    world.say(&format!("  {:?}", cells.iter().map(|cell| cell.0[0]).collect::<Vec<_>>()));
    ctx.free("query", query);
    Ok(())
}

fn open_arrays(world: &mut World<'_>) {
    let numbers: Vec<i32> = (0..100).collect();
    let (x, y): (Vec<i32>, Vec<i32>) = numbers.iter().map(|i| (i / 10, i % 10)).unzip();
    world.create("sparse", grid(false));
    let columns = [("x", fixed(&x)), ("y", fixed(&y)), ("a", fixed(&numbers))];
    world.write("sparse", UNORDERED, &[], &columns);
    world.create("dense", grid(true));
    world.write("dense", ROW, &[range(0, 0, 9), range(1, 0, 9)], &[("a", fixed(&numbers))]);
    let parts: [&[Ends]; 6] = [
        &[],
        &[range(0, 2, 2)],
        &[range(0, 2, 3), range(1, 4, 5)],
        &[range(0, 2, 5)],
        &[range(0, 3, 3), range(1, 4, 9)],
        &[range(0, 2, 2), range(0, 3, 3), range(1, 5, 5)],
    ];
    for (name, layouts) in [("sparse", &[ROW, COL, UNORDERED][..]), ("dense", &[ROW, COL])] {
        let ctx = world.api.context(&[]);
        let array = Array::open(&ctx, &world.uri(name), 0, None, None).unwrap();
        let early = layouts.iter().map(|_| ctx.get("query_alloc", &[array.handle, 0]).unwrap());
        let early: Vec<u64> = early.collect();
        for domain in [[(2, 3), (4, 5)], [(0, 9), (1, 1)]] {
            world.tell("set", set(&array, domain));
            for &layout in layouts {
                for part in parts {
                    let query = ctx.get("query_alloc", &[array.handle, 0]).unwrap();
                    let outcome = read(world, &array, query, layout, part);
                    world.tell(&format!("read {part:?} of {name} in layout {layout}"), outcome);
                }
            }
        }
        for (&layout, query) in layouts.iter().zip(early) {
            world.tell("made before", read(world, &array, query, layout, parts[1]));
        }
        world.tell("reopen", ctx.call("array_reopen", &[array.handle]));
        let query = ctx.get("query_alloc", &[array.handle, 0]).unwrap();
        world.tell("reopened", read(world, &array, query, layouts[0], parts[4]));
        world.read(name, &all(layouts[0], &["a"]));
    }
    let ctx = world.api.context(&[]);
    let array = Array::open(&ctx, &world.uri("sparse"), 0, None, None).unwrap();
    world.tell("set", set(&array, [(2, 3), (4, 5)]));
    for part in parts {
        let query = ctx.get("query_alloc", &[array.handle, 0]).unwrap();
        world.tell("global order", read(world, &array, query, GLOBAL, part));
    }
}

fn writes(world: &mut World<'_>) {
    for name in ["sparse", "dense"] {
        world.create(name, grid(name == "dense"));
        let ctx = world.api.context(&[]);
        let array = Array::open(&ctx, &world.uri(name), 1, None, Some(10)).unwrap();
        world.tell("set", set(&array, [(2, 3), (4, 5)]));
        for (x, y) in [(2, 5), (3, 4), (4, 5), (2, 6)] {
            world.tell(&format!("write {x} {y} to {name}"), write(&ctx, &array, name == "dense", x, y));
        }
        world.tell("close", ctx.call("array_close", &[array.handle]));
        world.fragments(name);
    }
}

fn write(ctx: &Ctx<'_>, array: &Array<'_>, is_dense: bool, x: i32, y: i32) -> Result<(), Failure> {
    let query = ctx.get("query_alloc", &[array.handle, 1])?;
    let mut columns: Vec<(&str, Cells)> = vec![("a", fixed(&[1i32]))];
    if is_dense {
        let subarray = ranges(array, &grid(true), &[range(0, x, x), range(1, y, y)], None)?;
        ctx.call("query_set_subarray_t", &[query, subarray])?;
        ctx.free("subarray", subarray);
    } else {
        ctx.call("query_set_layout", &[query, UNORDERED])?;
        columns.extend([("x", fixed(&[x])), ("y", fixed(&[y]))]);
    }
    let mut columns: Vec<Column> = columns.into_iter().map(|(name, cells)| Column::filled(name, cells)).collect();
    columns.iter_mut().try_for_each(|column| column.bind(ctx, query))?;
    let outcome = ctx.call("query_submit", &[query]);
    ctx.free("query", query);
    outcome
}
