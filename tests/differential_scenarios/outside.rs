//! A current domain that excludes written cells: which reads of a sparse array still return them.

use crate::Scenario;
use crate::world::{
    COL, Dim, Ends, FLOAT64, GLOBAL, INT32, Little, ROW, UNORDERED, World, attr, dim, fixed, range, ranges, sparse,
    text_dim, text_range, var,
};
use support::{Array, Column, Ctx, Failure, address, bytes, pointer, text};

pub const SCENARIOS: &[Scenario] =
    &[("outside_of_numbers", numbers), ("outside_of_texts", texts), ("outside_with_duplicates", duplicates)];

/// Gives an array a current domain by evolving it.
fn shrink(world: &World<'_>, name: &str, region: &[Ends]) {
    let ctx = world.api.context(&[]);
    let evolved = evolve(&ctx, &world.uri(name), region, world.spec(name).dims.as_slice());
    world.tell(&format!("current domain of {name}"), evolved);
}

fn evolve(ctx: &Ctx<'_>, uri: &str, region: &[Ends], dims: &[Dim]) -> Result<(), Failure> {
    let uri = text(uri);
    let schema = ctx.get("array_schema_load", &[pointer(&uri)])?;
    let domain = ctx.get("array_schema_get_domain", &[schema])?;
    let rectangle = ctx.get("ndrectangle_alloc", &[domain])?;
    for (dimension, low, high) in region {
        let mut range = [bytes(low), low.len() as u64, bytes(high), high.len() as u64];
        let name = text(dims[*dimension as usize].name);
        ctx.call("ndrectangle_set_range_for_name", &[rectangle, pointer(&name), address(&mut range)])?;
    }
    let current = ctx.get("current_domain_create", &[])?;
    ctx.call("current_domain_set_ndrectangle", &[current, rectangle])?;
    let evolution = ctx.get("array_schema_evolution_alloc", &[])?;
    ctx.call("array_schema_evolution_expand_current_domain", &[evolution, current])?;
    let outcome = ctx.call("array_evolve", &[pointer(&uri), evolution]);
    ctx.free("array_schema_evolution", evolution);
    ctx.free("current_domain", current);
    ctx.free("ndrectangle", rectangle);
    ctx.free("domain", domain);
    ctx.free("array_schema", schema);
    outcome
}

/// What a read asks for besides cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Also {
    Nothing,
    /// Cells whose attribute is above 2.
    Condition,
    /// Their number and greatest attribute.
    Aggregates,
    /// Those without cells.
    OnlyAggregates,
}

/// Reads in all layouts.
fn read_all(world: &World<'_>, name: &str, parts: &[&[Ends]]) {
    for part in parts {
        for layout in [ROW, COL, GLOBAL, UNORDERED] {
            for also in [Also::Nothing, Also::Condition, Also::Aggregates, Also::OnlyAggregates] {
                world.say(&format!("{name} {part:?} in layout {layout}, {also:?}"));
                world.tell("  read", read(world, name, layout, part, also));
            }
        }
    }
}

fn read(world: &World<'_>, name: &str, layout: u64, part: &[Ends], also: Also) -> Result<(), Failure> {
    let ctx = world.api.context(&[]);
    let array = Array::open(&ctx, &world.uri(name), 0, None, None)?;
    let query = ctx.get("query_alloc", &[array.handle, 0])?;
    ctx.call("query_set_layout", &[query, layout])?;
    if !part.is_empty() {
        let subarray = ranges(&array, world.spec(name), part, None)?;
        ctx.call("query_set_subarray_t", &[query, subarray])?;
        ctx.free("subarray", subarray);
    }
    if also == Also::Condition {
        condition(&ctx, query)?;
    }
    let mut counted = [Column::with_capacity("count", 8, None, None), Column::with_capacity("most", 4, None, None)];
    if matches!(also, Also::Aggregates | Also::OnlyAggregates) {
        aggregate(&ctx, query)?;
        counted.iter_mut().try_for_each(|column| column.bind(&ctx, query))?;
    }
    let mut column = Column::with_capacity("a", 256, None, None);
    for _ in 0..10 {
        column.sizes[0] = if also == Also::OnlyAggregates { 0 } else { 256 };
        if also != Also::OnlyAggregates {
            column.bind(&ctx, query)?;
        }
        ctx.call("query_submit", &[query])?;
        let status = ctx.get("query_get_status", &[query])?;
        let values: Vec<u8> = column.result().split(4).iter().map(|cell| cell.0[0]).collect();
        world.say(&format!("  status {status} {values:?}"));
        if status != 3 {
            break;
        }
    }
    if matches!(also, Also::Aggregates | Also::OnlyAggregates) {
        world.say(&format!("  count {:?} most {:?}", counted[0].data, counted[1].data));
    }
    ctx.free("query", query);
    Ok(())
}

/// Asks for cells whose attribute is above 2.
pub fn condition(ctx: &Ctx<'_>, query: u64) -> Result<(), Failure> {
    let (field, two) = (text("a"), [2].little());
    let condition = ctx.get("query_condition_alloc", &[])?;
    ctx.call("query_condition_init", &[condition, pointer(&field), bytes(&two), 4, 2])?;
    ctx.call("query_set_condition", &[query, condition])?;
    ctx.free("query_condition", condition);
    Ok(())
}

/// Asks for the number of cells and the greatest attribute.
pub fn aggregate(ctx: &Ctx<'_>, query: u64) -> Result<(), Failure> {
    let mut channel = ctx.get("query_get_default_channel", &[query])?;
    let count = ctx.get("aggregate_count_get", &[])?;
    ctx.call("channel_apply_aggregate", &[channel, pointer(&text("count")), count])?;
    let operator = ctx.get("channel_operator_max_get", &[])?;
    let field = text("a");
    let most = ctx.get("create_unary_aggregate", &[query, operator, pointer(&field)])?;
    ctx.call("channel_apply_aggregate", &[channel, pointer(&text("most")), most])?;
    ctx.api.raw("aggregate_free", &[ctx.handle, address(&mut { most })]);
    ctx.api.raw("query_channel_free", &[ctx.handle, address(&mut channel)]);
    Ok(())
}

fn numbers(world: &mut World<'_>) {
    let x: Vec<i32> = vec![1, 2, 3, 4, 5, 6, 7, 8];
    let y = [0.5, -1.0, 2.0, 3.5, 0.0, 9.0, 1.0, 4.0];
    let dims =
        [dim("x", 1, 100, 10), Dim { name: "y", ty: FLOAT64, domain: [-10.0, 10.0].little(), extent: [5.0].little() }];
    world.create("s", sparse(&dims, &[attr("a", INT32, 1, false)]));
    world.write("s", UNORDERED, &[], &[("x", fixed(&x)), ("y", fixed(&y)), ("a", fixed(&x))]);
    let ends = |low: f64, high: f64| (1, [low].little(), [high].little());
    let parts: [&[Ends]; 5] =
        [&[], &[range(0, 2, 4)], &[ends(0.0, 3.0)], &[range(0, 2, 3), range(0, 5, 5)], &[range(0, 1, 4)]];
    shrink(world, "s", &[range(0, 2, 7), ends(-1.0, 3.5)]);
    read_all(world, "s", &parts);
    // All later cells lie inside; the old ones still do not.
    world.write("s", UNORDERED, &[], &[("x", fixed(&[2, 3])), ("y", fixed(&[-1.0, 3.5])), ("a", fixed(&[20, 21]))]);
    read_all(world, "s", &parts[..2]);
}

fn texts(world: &mut World<'_>) {
    let values = [1, 2, 3, 4, 5];
    for (name, region) in [("within", ("b", "d")), ("beyond", ("a", "z")), ("open", ("", ""))] {
        world.create(name, sparse(&[text_dim("d"), dim("x", 1, 100, 10)], &[attr("a", INT32, 1, false)]));
        let columns = [("d", var(&["a", "b", "cc", "d", "dd"])), ("x", fixed(&values)), ("a", fixed(&values))];
        world.write(name, UNORDERED, &[], &columns);
        shrink(world, name, &[text_range(0, region.0, region.1), range(1, 1, 4)]);
        read_all(world, name, &[&[], &[text_range(0, "b", "c")], &[range(1, 2, 3)], &[text_range(0, "a", "c")]]);
    }
}

fn duplicates(world: &mut World<'_>) {
    let dims = [dim("x", 1, 100, 10)];
    world.create("s", crate::world::Spec { dups: true, ..sparse(&dims, &[attr("a", INT32, 1, false)]) });
    world.write("s", UNORDERED, &[], &[("x", fixed(&[1, 2, 4, 3, 9])), ("a", fixed(&[1, 2, 3, 4, 5]))]);
    shrink(world, "s", &[range(0, 2, 3)]);
    read_all(world, "s", &[&[], &[range(0, 3, 3)]]);
    // Everything inside: nothing to leave out.
    world.create("t", sparse(&dims, &[attr("a", INT32, 1, false)]));
    world.write("t", UNORDERED, &[], &[("x", fixed(&[1, 2, 3])), ("a", fixed(&[1, 2, 3]))]);
    shrink(world, "t", &[range(0, 1, 3)]);
    read_all(world, "t", &[&[], &[range(0, 3, 3)]]);
}
