//! Schema evolution: accepted and rejected changes, and reads of arrays with several schemas.

use crate::Scenario;
use crate::world::{
    ASCII, Attr, COL, FLOAT64, GLOBAL, INT32, INT64, Little, ROW, Read, UINT8, UNORDERED, VAR, World, all, attr,
    attribute, dense, dim, fixed, range, sparse, text_dim, var,
};
use support::{Array, Ctx, Failure, address, bytes, pointer, text};

pub const SCENARIOS: &[Scenario] = &[
    ("evolution_requests", requests),
    ("evolution_attributes", attributes),
    ("evolution_dense", dense_attributes),
    ("evolution_refused", refused),
    ("evolution_enumerations", enumerations),
    ("evolution_current_domain", current_domain),
    ("evolution_timestamps", timestamps),
];

type Outcome = Result<(), Failure>;

/// Evolves an array and tells how its schema looks then.
fn evolve(world: &World<'_>, name: &str, step: &str, change: impl Fn(&Ctx<'_>, u64) -> Outcome) {
    let ctx = world.api.context(&[]);
    let uri = text(&world.uri(name));
    let evolved = ctx.get("array_schema_evolution_alloc", &[]).and_then(|evolution| {
        change(&ctx, evolution)?;
        let evolved = ctx.call("array_evolve", &[pointer(&uri), evolution]);
        ctx.free("array_schema_evolution", evolution);
        evolved
    });
    world.tell(&format!("evolve {name}: {step}"), evolved);
    show(world, name);
    // Names of schemas state milliseconds.
    std::thread::sleep(std::time::Duration::from_millis(2));
}

/// Tells the newest schema.
fn show(world: &World<'_>, name: &str) {
    let ctx = world.api.context(&[]);
    let uri = text(&world.uri(name));
    let dump = ctx.get("array_schema_load", &[pointer(&uri)]).and_then(|schema| {
        let dump = ctx.get("array_schema_dump_str", &[schema])?;
        let text = dumped(&ctx, dump);
        ctx.free("array_schema", schema);
        Ok(text)
    });
    // Of the current domain the reference tells an address.
    let text = dump.clone().unwrap_or_default();
    let text = text.split("NDRECTANGLE").next().unwrap_or_default();
    world.tell(&format!("schema {text}"), dump);
}

fn dumped(ctx: &Ctx<'_>, mut string: u64) -> String {
    let (mut data, mut length) = (0u64, 0u64);
    ctx.api.raw("string_view", &[string, address(&mut data), address(&mut length)]);
    let text = (0..length).map(|at| char::from(crate::world::peek(data + at))).collect();
    ctx.api.raw("string_free", &[address(&mut string)]);
    text
}

fn add(ctx: &Ctx<'_>, evolution: u64, new: &Attr) -> Outcome {
    add_with(ctx, evolution, new, None)
}

fn add_with(ctx: &Ctx<'_>, evolution: u64, new: &Attr, enumeration: Option<&str>) -> Outcome {
    let handle = attribute(ctx, new)?;
    if let Some(name) = enumeration {
        ctx.call("attribute_set_enumeration_name", &[handle, pointer(&text(name))])?;
    }
    let added = ctx.call("array_schema_evolution_add_attribute", &[evolution, handle]);
    ctx.free("attribute", handle);
    added
}

fn drop_attribute(ctx: &Ctx<'_>, evolution: u64, name: &str) -> Outcome {
    ctx.call("array_schema_evolution_drop_attribute", &[evolution, pointer(&text(name))])
}

/// An enumeration of INT32 values.
fn numbers(ctx: &Ctx<'_>, name: &str, values: &[i32]) -> Result<u64, Failure> {
    let data = values.little();
    let mut handle = 0;
    let name = text(name);
    let arguments = [pointer(&name), INT32, 1, 1, bytes(&data), data.len() as u64, 0, 0, address(&mut handle)];
    ctx.call("enumeration_alloc", &arguments)?;
    Ok(handle)
}

/// An enumeration of strings.
fn words(ctx: &Ctx<'_>, name: &str, values: &[&str]) -> Result<u64, Failure> {
    let cells = var(values);
    let offsets = cells.offsets.unwrap().little();
    let mut handle = 0;
    let name = text(name);
    let (data, length) = (bytes(&cells.data), cells.data.len() as u64);
    let arguments =
        [pointer(&name), ASCII, VAR, 0, data, length, bytes(&offsets), offsets.len() as u64, address(&mut handle)];
    ctx.call("enumeration_alloc", &arguments)?;
    Ok(handle)
}

fn with_enumeration(ctx: &Ctx<'_>, evolution: u64, verb: &str, handle: u64) -> Outcome {
    let outcome = ctx.call(&format!("array_schema_evolution_{verb}_enumeration"), &[evolution, handle]);
    ctx.free("enumeration", handle);
    outcome
}

fn drop_enumeration(ctx: &Ctx<'_>, evolution: u64, name: &str) -> Outcome {
    ctx.call("array_schema_evolution_drop_enumeration", &[evolution, pointer(&text(name))])
}

/// What is said before there is an array.
fn requests(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    let Ok(evolution) = ctx.get("array_schema_evolution_alloc", &[]) else { return world.say("no evolution") };
    let ints = attr("a", INT32, 1, false);
    for step in ["first", "again"] {
        world.tell(&format!("add a, {step}"), add(&ctx, evolution, &ints));
    }
    world.tell("add __x", add(&ctx, evolution, &attr("__x", INT32, 1, false)));
    world.tell("add unnamed", add(&ctx, evolution, &attr("", INT32, 1, false)));
    for step in ["first", "again"] {
        world.tell(&format!("drop a, {step}"), drop_attribute(&ctx, evolution, "a"));
    }
    world.tell("add a, dropped", add(&ctx, evolution, &ints));
    world.tell("add null", ctx.call("array_schema_evolution_add_attribute", &[evolution, 0]));
    world.tell("drop null", ctx.call("array_schema_evolution_drop_attribute", &[evolution, 0]));
    for verb in ["add", "add", "extend", "extend"] {
        let outcome = numbers(&ctx, "e", &[1, 2]).and_then(|handle| with_enumeration(&ctx, evolution, verb, handle));
        world.tell(&format!("{verb} e"), outcome);
    }
    for verb in ["extend", "extend", "add"] {
        let outcome = numbers(&ctx, "f", &[1, 2]).and_then(|handle| with_enumeration(&ctx, evolution, verb, handle));
        world.tell(&format!("{verb} f"), outcome);
    }
    for name in ["e", "f", "g", "g"] {
        world.tell(&format!("drop {name}"), drop_enumeration(&ctx, evolution, name));
    }
    let outcome = numbers(&ctx, "g", &[1]).and_then(|handle| with_enumeration(&ctx, evolution, "add", handle));
    world.tell("add g, dropped", outcome);
    let outcome = numbers(&ctx, "e", &[1]).and_then(|handle| with_enumeration(&ctx, evolution, "extend", handle));
    world.tell("extend e, dropped", outcome);
    world.tell("add null", ctx.call("array_schema_evolution_add_enumeration", &[evolution, 0]));
    world.tell("extend null", ctx.call("array_schema_evolution_extend_enumeration", &[evolution, 0]));
    world.tell("drop null", ctx.call("array_schema_evolution_drop_enumeration", &[evolution, 0]));
    world.tell("null domain", ctx.call("array_schema_evolution_expand_current_domain", &[evolution, 0]));
    for (low, high) in [(3, 3), (3, 9), (9, 3), (0, 0), (u64::MAX, u64::MAX)] {
        let outcome = ctx.call("array_schema_evolution_set_timestamp_range", &[evolution, low, high]);
        world.tell(&format!("times {low} {high}"), outcome);
    }
    let empty = ctx.get("current_domain_create", &[]).and_then(|domain| {
        let outcome = ctx.call("array_schema_evolution_expand_current_domain", &[evolution, domain]);
        ctx.free("current_domain", domain);
        outcome
    });
    world.tell("empty current domain", empty);
    ctx.free("array_schema_evolution", evolution);
}

/// Attributes come and go, and come back as others.
fn attributes(world: &mut World<'_>) {
    world.create("s", sparse(&[dim("d", 1, 100, 10)], &[attr("a", INT32, 1, false), attr("b", ASCII, VAR, false)]));
    let write = |world: &mut World<'_>, at: i32, columns: &[(&str, support::Cells)]| {
        let own = [("d", fixed(&[at, at + 1]))];
        world.write("s", UNORDERED, &[], &[&own[..], columns].concat());
    };
    write(world, 1, &[("a", fixed(&[1, 2])), ("b", var(&["x", "yy"]))]);
    evolve(world, "s", "drop b, add c", |ctx, evolution| {
        drop_attribute(ctx, evolution, "b")?;
        add(ctx, evolution, &attr("c", FLOAT64, 2, false))?;
        add(ctx, evolution, &attr("n", INT64, 1, true))
    });
    let pair = attr("c", FLOAT64, 2, false);
    world.alter("s", &[attr("a", INT32, 1, false), pair.clone(), attr("n", INT64, 1, true)]);
    let reads = |world: &World<'_>, fields: &[&str]| {
        for layout in [UNORDERED, GLOBAL, COL] {
            world.read("s", &all(layout, &[&["d"], fields].concat()));
        }
    };
    reads(world, &["a", "c", "n"]);
    let null = fixed(&[5i64, 6]).nulls(&[1, 0]);
    write(world, 2, &[("a", fixed(&[3, 4])), ("c", fixed(&[1.0, 2.0, 3.0, 4.0])), ("n", null)]);
    reads(world, &["n", "c", "a"]);
    reads(world, &["c"]);
    // The name is new: values that were stored under it before, which libtiledb shows again, are in
    // `capi-tests/evolved_attributes.c`.
    evolve(world, "s", "add e", |ctx, evolution| add(ctx, evolution, &attr("e", ASCII, VAR, false)));
    let (a, e, n) = (attr("a", INT32, 1, false), attr("e", ASCII, VAR, false), attr("n", INT64, 1, true));
    world.alter("s", &[a, pair, n, e.clone()]);
    reads(world, &["e", "a"]);
    evolve(world, "s", "drop a, c and n", |ctx, evolution| {
        drop_attribute(ctx, evolution, "a")?;
        drop_attribute(ctx, evolution, "c")?;
        drop_attribute(ctx, evolution, "n")
    });
    evolve(world, "s", "nothing", |_, _| Ok(()));
    world.alter("s", &[e]);
    write(world, 3, &[("e", var(&["z", ""]))]);
    reads(world, &["e"]);
    evolve(world, "s", "drop the last", |ctx, evolution| drop_attribute(ctx, evolution, "e"));
    world.create("t", sparse(&[text_dim("k")], &[attr("a", UINT8, 1, false)]));
    world.write("t", UNORDERED, &[], &[("k", var(&["p", "q"])), ("a", fixed(&[1u8, 2]))]);
    evolve(world, "t", "replace a", |ctx, evolution| {
        drop_attribute(ctx, evolution, "a")?;
        add(ctx, evolution, &attr("a", INT64, 1, true))
    });
    world.read("t", &all(ROW, &["k"]));
}

/// What dense arrays have where an attribute was not there yet.
fn dense_attributes(world: &mut World<'_>) {
    world.create("s", dense(&[dim("d", 1, 6, 3)], &[attr("a", INT32, 1, false)]));
    world.write("s", ROW, &[], &[("a", fixed(&[1, 2, 3, 4, 5, 6]))]);
    evolve(world, "s", "add b and c", |ctx, evolution| {
        add(ctx, evolution, &attr("b", ASCII, VAR, true))?;
        add(ctx, evolution, &attr("c", INT64, 1, false))
    });
    let b = attr("b", ASCII, VAR, true);
    world.alter("s", &[attr("a", INT32, 1, false), b.clone(), attr("c", INT64, 1, false)]);
    let whole = |fields: &[&'static str]| Read { ranges: vec![range(0, 1, 6)], ..all(ROW, fields) };
    world.read("s", &whole(&["a", "b", "c"]));
    let cells = [("a", fixed(&[7, 8])), ("b", var(&["q", "rr"]).nulls(&[0, 1])), ("c", fixed(&[9i64, 10]))];
    world.write("s", ROW, &[range(0, 3, 4)], &cells);
    world.read("s", &whole(&["c", "b", "a"]));
    world.read("s", &Read { ranges: vec![range(0, 2, 4)], ..all(ROW, &["b", "c"]) });
    evolve(world, "s", "drop all", |ctx, evolution| {
        ["a", "b", "c"].into_iter().try_for_each(|name| drop_attribute(ctx, evolution, name))
    });
    evolve(world, "s", "drop a", |ctx, evolution| drop_attribute(ctx, evolution, "a"));
}

/// What evolutions refuse.
fn refused(world: &mut World<'_>) {
    world.create("s", sparse(&[dim("d", 1, 100, 10)], &[attr("a", INT32, 1, false)]));
    evolve(world, "s", "unknown", |ctx, evolution| drop_attribute(ctx, evolution, "z"));
    evolve(world, "s", "a dimension", |ctx, evolution| drop_attribute(ctx, evolution, "d"));
    evolve(world, "s", "a again", |ctx, evolution| add(ctx, evolution, &attr("a", INT64, 1, false)));
    evolve(world, "s", "d as an attribute", |ctx, evolution| add(ctx, evolution, &attr("d", INT64, 1, false)));
    evolve(world, "s", "reserved", |ctx, evolution| add(ctx, evolution, &attr("__d", INT64, 1, false)));
    evolve(world, "s", "no such enumeration", |ctx, evolution| {
        add_with(ctx, evolution, &attr("e", INT64, 1, false), Some("e"))
    });
    evolve(world, "missing", "no array", |ctx, evolution| add(ctx, evolution, &attr("e", INT64, 1, false)));
    let ctx = world.api.context(&[]);
    let uri = text(&world.uri("s"));
    world.tell("null evolution", ctx.call("array_evolve", &[pointer(&uri), 0]));
    let evolution = ctx.get("array_schema_evolution_alloc", &[]).unwrap_or(0);
    world.tell("null array", ctx.call("array_evolve", &[0, evolution]));
    ctx.free("array_schema_evolution", evolution);
}

fn enumerations(world: &mut World<'_>) {
    world.create("s", dense(&[dim("d", 1, 4, 2)], &[attr("a", INT32, 1, false)]));
    evolve(world, "s", "add e with b", |ctx, evolution| {
        with_enumeration(ctx, evolution, "add", numbers(ctx, "e", &[10, 20])?)?;
        add_with(ctx, evolution, &attr("b", UINT8, 1, true), Some("e"))
    });
    evolve(world, "s", "add w alone", |ctx, evolution| {
        with_enumeration(ctx, evolution, "add", words(ctx, "w", &["x", "", "yy"])?)
    });
    evolve(world, "s", "add w again", |ctx, evolution| {
        with_enumeration(ctx, evolution, "add", words(ctx, "w", &["x"])?)
    });
    evolve(world, "s", "extend w with another", |ctx, evolution| {
        with_enumeration(ctx, evolution, "extend", words(ctx, "w", &["x", "yy"])?)
    });
    evolve(world, "s", "extend unknown", |ctx, evolution| {
        with_enumeration(ctx, evolution, "extend", words(ctx, "z", &["x", "yy"])?)
    });
    evolve(world, "s", "extend with other numbers", |ctx, evolution| {
        with_enumeration(ctx, evolution, "extend", numbers(ctx, "e", &[11, 20, 30])?)
    });
    evolve(world, "s", "extend without the array's own", |ctx, evolution| {
        with_enumeration(ctx, evolution, "extend", numbers(ctx, "e", &[10, 20, 30])?)
    });
    evolve(world, "s", "extend e", |ctx, evolution| {
        let array = Array::open(ctx, &world.uri("s"), 0, None, None)?;
        let own = ctx.get("array_get_enumeration", &[array.handle, pointer(&text("e"))])?;
        let more = [40i32, 50].little();
        let mut extended = 0;
        let arguments = [own, bytes(&more), more.len() as u64, 0, 0, address(&mut extended)];
        ctx.call("enumeration_extend", &arguments)?;
        ctx.free("enumeration", own);
        with_enumeration(ctx, evolution, "extend", extended)
    });
    evolve(world, "s", "more than b can count", |ctx, evolution| {
        let values: Vec<i32> = (1..=300).map(|value| 10 * value).collect();
        with_enumeration(ctx, evolution, "extend", numbers(ctx, "e", &values)?)
    });
    evolve(world, "s", "drop e in use", |ctx, evolution| drop_enumeration(ctx, evolution, "e"));
    evolve(world, "s", "drop unknown", |ctx, evolution| drop_enumeration(ctx, evolution, "z"));
    evolve(world, "s", "drop w", |ctx, evolution| drop_enumeration(ctx, evolution, "w"));
    evolve(world, "s", "drop b and e", |ctx, evolution| {
        drop_attribute(ctx, evolution, "b")?;
        drop_enumeration(ctx, evolution, "e")
    });
}

/// A rectangle over one or two INT32 dimensions.
fn expand(ctx: &Ctx<'_>, evolution: u64, array: &str, ranges: &[Option<[i32; 2]>]) -> Outcome {
    let uri = text(array);
    let schema = ctx.get("array_schema_load", &[pointer(&uri)])?;
    let domain = ctx.get("array_schema_get_domain", &[schema])?;
    let rectangle = ctx.get("ndrectangle_alloc", &[domain])?;
    for (index, ends) in ranges.iter().enumerate() {
        let Some([low, high]) = ends else { continue };
        let (low, high) = ([*low].little(), [*high].little());
        let mut range = [bytes(&low), 4, bytes(&high), 4];
        ctx.call("ndrectangle_set_range", &[rectangle, index as u64, address(&mut range)])?;
    }
    let current = ctx.get("current_domain_create", &[])?;
    ctx.call("current_domain_set_ndrectangle", &[current, rectangle])?;
    let expanded = ctx.call("array_schema_evolution_expand_current_domain", &[evolution, current]);
    ctx.free("current_domain", current);
    ctx.free("ndrectangle", rectangle);
    ctx.free("domain", domain);
    ctx.free("array_schema", schema);
    expanded
}

fn current_domain(world: &mut World<'_>) {
    let dims = [dim("x", 1, 100, 10), dim("y", 1, 50, 10)];
    world.create("s", sparse(&dims, &[attr("a", INT32, 1, false)]));
    let path = world.uri("s");
    let steps: [(&str, [Option<[i32; 2]>; 2]); 6] = [
        ("first", [Some([1, 10]), Some([5, 20])]),
        ("greater", [Some([1, 20]), Some([1, 20])]),
        ("the same", [Some([1, 20]), Some([1, 20])]),
        ("smaller", [Some([1, 10]), Some([1, 20])]),
        ("moved", [Some([2, 30]), Some([1, 20])]),
        ("beyond the domain", [Some([1, 101]), Some([1, 20])]),
    ];
    for (step, ranges) in steps {
        evolve(world, "s", step, |ctx, evolution| expand(ctx, evolution, &path, &ranges));
    }
    world.write("s", UNORDERED, &[], &[("x", fixed(&[20])), ("y", fixed(&[3])), ("a", fixed(&[1]))]);
    world.read("s", &all(UNORDERED, &["x", "y", "a"]));
}

/// Evolutions at times of their own.
fn timestamps(world: &mut World<'_>) {
    world.create("s", sparse(&[dim("d", 1, 100, 10)], &[attr("a", INT32, 1, false)]));
    let later = 4_000_000_000_000u64;
    for (name, time) in [("b", later), ("c", later + 5), ("e", 7), ("f", later)] {
        evolve(world, "s", name, |ctx, evolution| {
            ctx.call("array_schema_evolution_set_timestamp_range", &[evolution, time, time])?;
            add(ctx, evolution, &attr(name, INT32, 1, false))
        });
    }
    for end in [None, Some(later - 1), Some(later), Some(later + 4), Some(later + 5)] {
        let ctx = world.api.context(&[]);
        let attributes = Array::open(&ctx, &world.uri("s"), 0, None, end).and_then(|array| {
            let schema = ctx.get("array_get_schema", &[array.handle])?;
            let count = ctx.get("array_schema_get_attribute_num", &[schema])?;
            ctx.free("array_schema", schema);
            Ok(count)
        });
        world.tell(&format!("attributes at {end:?}: {attributes:?}"), attributes.clone());
    }
}
