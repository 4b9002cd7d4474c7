//! Shared state of rectangles, current domains and schemas, and its effect on queries of open arrays.

use crate::Scenario;
use crate::handles::{CallResult, MOMENTS, advance, current, dump, made, rectangle, set_range, store};
use crate::world::{Little, ROW, UNORDERED, World, fixed, peek};
use support::{Array, Column, Ctx, Failure, address, bytes, pointer, text};

pub const SCENARIOS: &[Scenario] = &[
    ("handles_rectangles", rectangles),
    ("handles_current_domains", current_domains),
    ("handles_rectangles_and_queries", rectangles_and_queries),
];

/// The upper end of the first range of a rectangle.
fn high(ctx: &Ctx<'_>, rectangle: u64) -> Result<u8, Failure> {
    let mut range = [0u64; 4];
    ctx.call("ndrectangle_get_range", &[rectangle, 0, address(&mut range)])?;
    Ok(peek(range[2]))
}

/// Tells what each handle of a current domain says of its range.
pub fn tell_ranges(world: &World<'_>, ctx: &Ctx<'_>, current: u64, schemas: &[u64]) {
    let of = |current: u64| ctx.get("current_domain_get_ndrectangle", &[current]).and_then(|ndr| high(ctx, ndr));
    world.say(&format!("  kept {:?}", of(current)));
    for schema in schemas {
        let got = ctx.get("array_schema_get_current_domain", &[*schema]).and_then(of);
        world.say(&format!("  of a schema {got:?}"));
    }
}

/// Ranges that are set when current domains and schemas have the rectangle.
fn rectangles(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    for moment in MOMENTS {
        for way in ["kept", "of the current domain", "of the schema", "of the second schema"] {
            let (made, second) = (made(&ctx).unwrap(), made(&ctx).unwrap());
            let stored = rectangle(&ctx, made.domain, 2, 5).unwrap();
            let current = ctx.get("current_domain_create", &[]).unwrap();
            ctx.call("current_domain_set_ndrectangle", &[current, stored]).unwrap();
            for schema in [made.schema, second.schema] {
                ctx.call("array_schema_set_current_domain", &[schema, current]).unwrap();
            }
            advance(world, &ctx, way, moment, made.schema);
            let got = match way {
                "kept" => stored,
                "of the current domain" => ctx.get("current_domain_get_ndrectangle", &[current]).unwrap(),
                _ => {
                    let schema = if way == "of the schema" { made.schema } else { second.schema };
                    let current = ctx.get("array_schema_get_current_domain", &[schema]).unwrap();
                    ctx.get("current_domain_get_ndrectangle", &[current]).unwrap()
                }
            };
            for (low, end) in [(2, 9), (7, 3), (2, 90)] {
                let set = set_range(&ctx, got, 0, low, end);
                world.tell(&format!("{moment}: {low} to {end} in rectangle {way}"), set);
                world.say(&format!("  {:?} {:?}", high(&ctx, stored), high(&ctx, got)));
                tell_ranges(world, &ctx, current, &[made.schema, second.schema]);
                dump(world, &ctx, "schema", "array_schema", made.schema);
                store(world, &ctx, &format!("{moment} {way}{end}"), made.schema);
            }
        }
    }
}

/// Current domains that are filled when schemas have them.
fn current_domains(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    for moment in MOMENTS {
        for way in ["kept", "of the schema"] {
            let (made, second) = (made(&ctx).unwrap(), made(&ctx).unwrap());
            let stored = ctx.get("current_domain_create", &[]).unwrap();
            for schema in [made.schema, second.schema] {
                ctx.call("array_schema_set_current_domain", &[schema, stored]).unwrap();
            }
            advance(world, &ctx, way, moment, made.schema);
            let current = match way {
                "kept" => stored,
                _ => ctx.get("array_schema_get_current_domain", &[made.schema]).unwrap(),
            };
            let rectangle = rectangle(&ctx, made.domain, 2, 5).unwrap();
            for time in ["first", "second"] {
                let set = ctx.call("current_domain_set_ndrectangle", &[current, rectangle]);
                world.tell(&format!("{moment}: fill current domain {way}, {time} time"), set);
            }
            tell_ranges(world, &ctx, stored, &[made.schema, second.schema]);
            let empty = |current: u64| ctx.get("current_domain_get_is_empty", &[current]);
            world.say(&format!("  {:?}", empty(stored)));
            store(world, &ctx, &format!("{moment} {way}"), made.schema);
        }
    }
    // A schema that was given none has one that can be filled.
    let made = made(&ctx).unwrap();
    let own = ctx.get("array_schema_get_current_domain", &[made.schema]).unwrap();
    let rectangle = rectangle(&ctx, made.domain, 2, 5).unwrap();
    world.tell("fill its own", ctx.call("current_domain_set_ndrectangle", &[own, rectangle]));
    tell_ranges(world, &ctx, own, &[made.schema]);
    store(world, &ctx, "own", made.schema);
}

/// What queries make of a rectangle that is changed in the schema of their array, by the time they are made and later.
fn rectangles_and_queries(world: &mut World<'_>) {
    for is_dense in [false, true] {
        let name = if is_dense { "dense" } else { "sparse" };
        for (end, moment) in [(9, "early"), (9, "late"), (3, "early"), (3, "late"), (90, "early"), (90, "late")] {
            let ctx = world.api.context(&[]);
            let step = format!("{name} {end} {moment}");
            let (made, uri) = (made(&ctx).unwrap(), text(&world.uri(&step)));
            let schema = if is_dense { ctx.get("array_schema_alloc", &[0]).unwrap() } else { made.schema };
            if is_dense {
                ctx.call("array_schema_set_domain", &[schema, made.domain]).unwrap();
                ctx.call("array_schema_add_attribute", &[schema, made.attr]).unwrap();
            }
            let small = current(&ctx, made.domain, 2, 5).unwrap();
            ctx.call("array_schema_set_current_domain", &[schema, small]).unwrap();
            ctx.call("array_create", &[pointer(&uri), schema]).unwrap();
            for kind in [1, 0] {
                let array = Array::open(&ctx, &world.uri(&step), kind, None, None).unwrap();
                let change = || {
                    let schema = ctx.get("array_get_schema", &[array.handle]).unwrap();
                    let current = ctx.get("array_schema_get_current_domain", &[schema]).unwrap();
                    let rectangle = ctx.get("current_domain_get_ndrectangle", &[current]).unwrap();
                    world.tell(&step, set_range(&ctx, rectangle, 0, 2, end));
                };
                let places: &[(i32, i32)] = if kind == 0 {
                    &[(0, 0), (3, 3), (7, 8), (12, 13), (4, 20)]
                } else {
                    &[(2, 3), (4, 4), (7, 8), (12, 12)]
                };
                for (number, &(low, high)) in places.iter().enumerate() {
                    if number == 0 && moment == "early" {
                        change();
                    }
                    let query = ctx.get("query_alloc", &[array.handle, kind]).unwrap();
                    if number == 0 && moment == "late" {
                        change();
                    }
                    let outcome = run(world, &array, query, (kind, is_dense), (low, high));
                    world.tell(&format!("{step}: {kind} {low} to {high}"), outcome);
                }
            }
        }
    }
}

/// Writes or reads a range of cells; from 0 on means everything.
fn run(
    world: &World<'_>,
    array: &Array<'_>,
    query: u64,
    (kind, is_dense): (u64, bool),
    (low, high): (i32, i32),
) -> CallResult {
    let ctx = array.ctx;
    ctx.call("query_set_layout", &[query, if is_dense { ROW } else { UNORDERED }])?;
    if low > 0 && (is_dense || kind == 0) {
        let subarray = ctx.get("subarray_alloc", &[array.handle])?;
        let (low, high) = ([low].little(), [high].little());
        ctx.call("subarray_add_range", &[subarray, 0, bytes(&low), bytes(&high), 0])?;
        ctx.call("query_set_subarray_t", &[query, subarray])?;
    }
    let cells: Vec<i32> = (low..=high).collect();
    let names: &[&str] = if is_dense { &["a"] } else { &["d", "a", "b"] };
    let column = |name: &&str| match kind {
        0 => Column::with_capacity(name, 400, None, None),
        _ => Column::filled(name, fixed(&cells)),
    };
    let mut columns: Vec<Column> = names.iter().map(column).collect();
    columns.iter_mut().try_for_each(|column| column.bind(ctx, query))?;
    ctx.call("query_submit", &[query])?;
    if kind == 0 {
        columns.iter().for_each(|column| world.say(&format!("  {:?}", column.result().data)));
    }
    Ok(())
}
