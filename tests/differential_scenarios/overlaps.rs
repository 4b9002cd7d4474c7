//! Overlapping ranges with coalescing disabled: how often sparse reads return a cell.

use crate::Scenario;
use crate::outside::{Also, aggregate, condition};
use crate::world::{
    COL, Ends, GLOBAL, HILBERT, INT32, ROW, Spec, UNORDERED, World, attr, dim, fixed, range, ranges, sparse, text_dim,
    text_range, var,
};
use support::{Array, Column, Failure};

pub const SCENARIOS: &[Scenario] = &[
    ("overlaps_of_numbers", numbers),
    ("overlaps_with_duplicates", duplicates),
    ("overlaps_of_texts", texts),
    ("overlaps_configured_elsewhere", elsewhere),
];

const MERGE: &str = "sm.merge_overlapping_ranges_experimental";

/// Where the parameter is set.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Nowhere,
    Subarray(&'static str),
    Query(&'static str),
}

fn read(world: &World<'_>, name: &str, place: Place, layout: u64, part: &[Ends], also: Also) -> Result<(), Failure> {
    let ctx = world.api.context(&[]);
    let array = Array::open(&ctx, &world.uri(name), 0, None, None)?;
    let query = ctx.get("query_alloc", &[array.handle, 0])?;
    ctx.call("query_set_layout", &[query, layout])?;
    let subarray = ranges(&array, world.spec(name), &[], None)?;
    if let Place::Subarray(value) = place {
        ctx.configure("subarray_set_config", subarray, &[(MERGE, value)])?;
    }
    crate::world::add_ranges(&ctx, subarray, world.spec(name), part)?;
    if let Place::Query(value) = place {
        ctx.configure("query_set_config", query, &[(MERGE, value)])?;
    }
    ctx.call("query_set_subarray_t", &[query, subarray])?;
    ctx.free("subarray", subarray);
    if also == Also::Condition {
        condition(&ctx, query)?;
    }
    let mut counted = [Column::with_capacity("count", 8, None, None), Column::with_capacity("most", 4, None, None)];
    if matches!(also, Also::Aggregates | Also::OnlyAggregates) {
        aggregate(&ctx, query)?;
        counted.iter_mut().try_for_each(|column| column.bind(&ctx, query))?;
    }
    let mut column = Column::with_capacity("a", 4096, None, None);
    if also != Also::OnlyAggregates {
        column.bind(&ctx, query)?;
    }
    ctx.call("query_submit", &[query])?;
    let status = ctx.get("query_get_status", &[query])?;
    let mut values: Vec<u8> = if also == Also::OnlyAggregates {
        Vec::new()
    } else {
        column.result().split(4).iter().map(|cell| cell.0[0]).collect()
    };
    if matches!(layout, ROW | COL) && world.spec(name).dups {
        // Those of equal coordinates come in any order.
        values.sort_unstable();
    }
    world.say(&format!("  status {status} {values:?}"));
    if matches!(also, Also::Aggregates | Also::OnlyAggregates) {
        world.say(&format!("  count {:?} most {:?}", counted[0].data, counted[1].data));
    }
    ctx.free("query", query);
    Ok(())
}

fn read_all(world: &World<'_>, name: &str, parts: &[&[Ends]]) {
    for part in parts {
        for layout in [ROW, COL, GLOBAL, UNORDERED] {
            for place in [Place::Nowhere, Place::Subarray("true"), Place::Subarray("false")] {
                for also in [Also::Nothing, Also::Condition, Also::Aggregates, Also::OnlyAggregates] {
                    world.say(&format!("{name} {part:?} in layout {layout}, {place:?}, {also:?}"));
                    world.tell("  read", read(world, name, place, layout, part, also));
                }
            }
        }
    }
}

fn parts() -> Vec<Vec<Ends>> {
    vec![
        vec![range(0, 0, 3), range(0, 0, 3), range(1, 0, 3), range(1, 1, 3)],
        vec![range(0, 0, 1), range(0, 1, 2), range(0, 1, 3)],
        vec![range(0, 2, 3), range(0, 0, 1)],
        vec![range(0, 0, 3), range(1, 3, 3), range(1, 3, 3), range(1, 3, 3)],
        vec![range(0, 0, 3), range(1, 0, 3)],
    ]
}

fn numbers(world: &mut World<'_>) {
    for (name, cell_order) in [("row", ROW), ("hilbert", HILBERT)] {
        let spec = sparse(&[dim("r", 0, 3, 2), dim("c", 0, 3, 2)], &[attr("a", INT32, 1, false)]);
        world.create(name, Spec { cell_order, capacity: 2, ..spec });
        let columns = [("r", fixed(&[0, 1, 2, 3])), ("c", fixed(&[0, 1, 2, 3])), ("a", fixed(&[1, 2, 3, 4]))];
        world.write(name, UNORDERED, &[], &columns);
        for fragments in 1..3 {
            read_all(world, name, &parts().iter().map(Vec::as_slice).collect::<Vec<_>>());
            if fragments == 1 {
                let columns = [("r", fixed(&[0, 1, 3])), ("c", fixed(&[3, 1, 0])), ("a", fixed(&[5, 6, 7]))];
                world.write(name, UNORDERED, &[], &columns);
            }
        }
    }
}

fn duplicates(world: &mut World<'_>) {
    let spec = sparse(&[dim("r", 0, 3, 2), dim("c", 0, 3, 2)], &[attr("a", INT32, 1, false)]);
    world.create("dups", Spec { dups: true, capacity: 2, ..spec });
    let columns = [("r", fixed(&[0, 1, 2, 3])), ("c", fixed(&[0, 1, 2, 3])), ("a", fixed(&[1, 2, 3, 4]))];
    world.write("dups", UNORDERED, &[], &columns);
    let columns = [("r", fixed(&[0, 1, 3])), ("c", fixed(&[3, 2, 0])), ("a", fixed(&[5, 6, 7]))];
    world.write("dups", UNORDERED, &[], &columns);
    read_all(world, "dups", &parts().iter().map(Vec::as_slice).collect::<Vec<_>>());
}

fn texts(world: &mut World<'_>) {
    world.create("texts", sparse(&[text_dim("d")], &[attr("a", INT32, 1, false)]));
    world.write("texts", UNORDERED, &[], &[("d", var(&["a", "bb", "c", "d"])), ("a", fixed(&[1, 2, 3, 4]))]);
    read_all(
        world,
        "texts",
        &[&[text_range(0, "a", "c"), text_range(0, "bb", "d")], &[text_range(0, "c", "c"), text_range(0, "c", "c")]],
    );
}

/// Only the subarray's configuration counts.
fn elsewhere(world: &mut World<'_>) {
    world.create("s", sparse(&[dim("r", 0, 3, 2)], &[attr("a", INT32, 1, false)]));
    world.write("s", UNORDERED, &[], &[("r", fixed(&[0, 1, 2])), ("a", fixed(&[1, 2, 3]))]);
    for value in ["true", "false"] {
        for layout in [ROW, GLOBAL, UNORDERED] {
            let part = [range(0, 0, 2), range(0, 1, 3)];
            world.tell("query", read(world, "s", Place::Query(value), layout, &part, Also::Nothing));
        }
    }
}
