//! Query plans.

use crate::Scenario;
use crate::world::{
    ASCII, COL, GLOBAL, HILBERT, INT32, Little, ROW, Spec, UNORDERED, VAR, World, attr, dense, dim, fixed, peek, sparse,
};
use support::{Array, Column, Ctx, Failure, address, bytes};

pub const SCENARIOS: &[Scenario] = &[("plans_of_queries", plans)];

/// The plan of a query.
fn plan(ctx: &Ctx<'_>, query: u64) -> Result<String, Failure> {
    let mut string = ctx.get("query_get_plan", &[query])?;
    let (mut data, mut length) = (0u64, 0u64);
    ctx.api.raw("string_view", &[string, address(&mut data), address(&mut length)]);
    let text = (0..length).map(|at| char::from(peek(data + at))).collect();
    ctx.api.raw("string_free", &[address(&mut string)]);
    Ok(text)
}

/// Tells the plan of a query over these fields, before or after it was submitted.
fn tell(world: &World<'_>, name: &str, kind: u64, layout: Option<u64>, fields: &[&str], submit: bool) {
    let ctx = world.api.context(&[]);
    let plan = Array::open(&ctx, &world.uri(name), kind, None, None).and_then(|array| {
        let query = ctx.get("query_alloc", &[array.handle, kind])?;
        world.say(&format!("  layout {}", ctx.get("query_get_layout", &[query])?));
        if let Some(layout) = layout {
            ctx.call("query_set_layout", &[query, layout])?;
        }
        let mut columns: Vec<Column> = fields
            .iter()
            .map(|field| match *field {
                "s" => Column::with_capacity(field, 100, Some(20), None),
                // As many as a dense write gives.
                _ => Column::with_capacity(field, 32, None, None),
            })
            .collect();
        for column in &mut columns {
            column.bind(&ctx, query)?;
        }
        if world.spec(name).dense && kind == 0 {
            let subarray = ctx.get("subarray_alloc", &[array.handle])?;
            let (low, high) = ([1i32].little(), [4i32].little());
            ctx.call("subarray_add_range", &[subarray, 0, bytes(&low), bytes(&high), 0])?;
            ctx.call("query_set_subarray_t", &[query, subarray])?;
            ctx.free("subarray", subarray);
        }
        if submit {
            ctx.call("query_submit", &[query])?;
        }
        let text = plan(&ctx, query);
        ctx.free("query", query);
        text
    });
    let step = format!("{name} {kind} {layout:?} {fields:?} {submit}");
    world.tell(&format!("{step} {}", plan.clone().unwrap_or_default()), plan);
}

fn plans(world: &mut World<'_>) {
    let attrs = [attr("z", INT32, 1, false), attr("a", INT32, 1, false), attr("s", ASCII, VAR, false)];
    world.create("dense", dense(&[dim("y", 1, 8, 4)], &attrs));
    world.create("sparse", sparse(&[dim("y", 1, 8, 4), dim("x", 1, 8, 4)], &attrs));
    world.create("dups", Spec { dups: true, ..sparse(&[dim("y", 1, 8, 4)], &attrs) });
    world.create("curve", Spec { cell_order: HILBERT, ..sparse(&[dim("y", 1, 8, 4)], &attrs) });
    let cells = [("z", fixed(&[1])), ("a", fixed(&[2])), ("s", crate::world::var(&["x"]))];
    world.write("dups", UNORDERED, &[], &[&[("y", fixed(&[3]))], &cells[..]].concat());
    for name in ["dense", "sparse", "dups", "curve"] {
        for submit in [false, true] {
            for layout in [None, Some(ROW), Some(COL), Some(GLOBAL), Some(UNORDERED)] {
                tell(world, name, 0, layout, &["z", "a"], submit);
            }
            tell(world, name, 0, None, &["y", "s"], submit);
            tell(world, name, 0, None, &["__coords", "s"], submit);
            tell(world, name, 0, None, &["s", "y", "a"], submit);
        }
        tell(world, name, 0, None, &[], false);
        tell(world, name, 1, None, &["z", "a", "s", "__coords"], false);
        tell(world, name, 1, None, &[], false);
        for layout in [ROW, UNORDERED, GLOBAL] {
            tell(world, name, 1, Some(layout), &["z", "a"], false);
        }
    }
    tell(world, "sparse", 2, None, &[], false);
}
