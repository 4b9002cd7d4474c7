//! Dimension labels in schemas, and ranges of them in subarrays.

use crate::Scenario;
use crate::labels::{DECREASING, INCREASING, LABELS, Label, create, labelled, spec};
use crate::world::{Dim, FLOAT64, INT32, INT64, Little, World, attr, dim, peek, sparse, text_dim};
use support::{Array, Ctx, address, borrowed, bytes, pointer, text};

pub const SCENARIOS: &[Scenario] = &[("labels_schemas", schemas), ("labels_subarrays", subarrays)];

/// The text of a schema of an array.
fn dump(world: &World<'_>, ctx: &Ctx<'_>, name: &str) {
    let dumped = ctx.get("array_schema_load", &[pointer(&text(&world.uri(name)))]).and_then(|schema| {
        let string = ctx.get("array_schema_dump_str", &[schema])?;
        ctx.free("array_schema", schema);
        let (mut data, mut size) = (0u64, 0u64);
        ctx.api.raw("string_view", &[string, address(&mut data), address(&mut size)]);
        world.say(&(0..size).map(|at| char::from(peek(data + at))).collect::<String>());
        ctx.free("string", string);
        Ok(())
    });
    world.tell(&format!("dump {name}"), dumped);
}

/// What a schema tells about a label.
fn describe(world: &World<'_>, ctx: &Ctx<'_>, schema: u64, number: u64) {
    let label = ctx.get("array_schema_get_dimension_label_from_index", &[schema, number]).map(|label| {
        let number = |what: &str| ctx.get(&format!("dimension_label_get_{what}"), &[label]).map(|n| n as u32);
        let texts = ["name", "label_attr_name", "uri"]
            .map(|what| ctx.get(&format!("dimension_label_get_{what}"), &[label]).map(borrowed));
        let numbers = ["dimension_index", "label_order", "label_type", "label_cell_val_num"].map(number);
        world.say(&format!("  {texts:?} {numbers:?}").replace("file://", ""));
        ctx.free("dimension_label", label);
    });
    world.tell(&format!("label {number}"), label);
}

fn schemas(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    let schema = labelled(&ctx, &spec(), &LABELS).unwrap();
    let added: [Label; 7] = [
        (5, "x", INCREASING, INT64),
        (0, "li", INCREASING, INT64),
        (0, "a", INCREASING, INT64),
        (0, "r", INCREASING, INT64),
        (0, "x", 0, INT64),
        (0, "x", INCREASING, 12),
        (1, "__x", DECREASING, INT32),
    ];
    for (dimension, name, order, ty) in added {
        let added = ctx.call("array_schema_add_dimension_label", &[schema, dimension, pointer(&text(name)), order, ty]);
        world.tell(&format!("add {name} of type {ty} to {dimension}"), added);
    }
    for spec in [
        sparse(&[text_dim("k")], &[attr("a", INT32, 1, false)]),
        sparse(
            &[Dim { ty: FLOAT64, domain: [0.0f64, 1.0].little(), extent: [0.5f64].little(), ..dim("f", 0, 1, 1) }],
            &[attr("a", INT32, 1, false)],
        ),
    ] {
        world.tell("dimensions that cannot be labelled", labelled(&ctx, &spec, &LABELS[..1]));
    }
    let filters = ctx.get("filter_list_alloc", &[]).unwrap();
    let filter = ctx.get("filter_alloc", &[1]).unwrap();
    ctx.call("filter_list_add_filter", &[filters, filter]).unwrap();
    for name in ["zz", "li", "ls"] {
        let set = ctx.call("array_schema_set_dimension_label_filter_list", &[schema, pointer(&text(name)), filters]);
        world.tell(&format!("filters of {name}"), set);
    }
    let extents: [(&str, u64, Vec<u8>); 5] = [
        ("zz", INT32, [2i32].little()),
        ("li", INT64, [2i64].little()),
        ("li", INT32, [200i32].little()),
        ("li", INT32, [0i32].little()),
        ("li", INT32, [3i32].little()),
    ];
    for (name, ty, extent) in &extents {
        let name = text(name);
        let values = [schema, pointer(&name), *ty, bytes(extent)];
        world.tell(&format!("extent {extent:?}"), ctx.call("array_schema_set_dimension_label_tile_extent", &values));
    }
    let (li, lf) = (text("li"), text("lf"));
    let whole = [schema, pointer(&lf), INT32, 0];
    world.tell("no extent", ctx.call("array_schema_set_dimension_label_tile_extent", &whole));
    world.say(&format!("{:?} labels", ctx.get("array_schema_get_dimension_label_num", &[schema])));
    // The reference stores such an array without an extent and dies of writing to it; ours has the whole domain.
    let eight = [8i32].little();
    let again = [schema, pointer(&lf), INT32, bytes(&eight)];
    world.tell("extent", ctx.call("array_schema_set_dimension_label_tile_extent", &again));
    (0..4).for_each(|number| describe(world, &ctx, schema, number));
    for name in ["li", "zz"] {
        let by_name = ctx.get("array_schema_get_dimension_label_from_name", &[schema, pointer(&text(name))]);
        world.tell(name, by_name.map(|label| ctx.free("dimension_label", label)));
        world.say(&format!("{:?}", ctx.get("array_schema_has_dimension_label", &[schema, pointer(&text(name))])));
    }
    let uri = text(&world.uri("array"));
    world.tell("create", ctx.call("array_create", &[pointer(&uri), schema]));
    describe(world, &ctx, schema, 0);
    for name in ["array", "array/__labels/l0", "array/__labels/l1", "array/__labels/l2", "array/__labels/l3"] {
        dump(world, &ctx, name);
    }
    let loaded = ctx.get("array_schema_load", &[pointer(&uri)]).unwrap();
    describe(world, &ctx, loaded, 1);
    let again = text(&world.uri("again"));
    world.tell("create from what was loaded", ctx.call("array_create", &[pointer(&again), loaded]));
    let filtered = [loaded, pointer(&li), filters];
    world.tell("filters", ctx.call("array_schema_set_dimension_label_filter_list", &filtered));
    let extent = [2i32].little();
    let tiled = [loaded, pointer(&li), INT32, bytes(&extent)];
    world.tell("extent", ctx.call("array_schema_set_dimension_label_tile_extent", &tiled));
}

/// Ranges of labels, and what they are refused for.
fn subarrays(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    create(world, &ctx, "d", &spec(), &LABELS);
    let array = Array::open(&ctx, &world.uri("d"), 0, None, None).unwrap();
    let fresh = || ctx.get("subarray_alloc", &[array.handle]).unwrap();
    let add = |subarray, name: &str, low: &[u8], high: &[u8]| {
        let named = text(name);
        let values = [subarray, pointer(&named), bytes(low), bytes(high), 0];
        world.tell(&format!("{name} {low:?} {high:?}"), ctx.call("subarray_add_label_range", &values));
    };
    let add_text = |subarray, name: &str, low: &str, high: &str| {
        let named = text(name);
        let values = [
            subarray,
            pointer(&named),
            bytes(low.as_bytes()),
            low.len() as u64,
            bytes(high.as_bytes()),
            high.len() as u64,
        ];
        world.tell(&format!("{name} {low} {high}"), ctx.call("subarray_add_label_range_var", &values));
    };
    let facts = |subarray| {
        for dimension in 0..2 {
            let name = ctx.get("subarray_get_label_name", &[subarray, dimension]).map(borrowed);
            world.tell(&format!("  {:?}", name.as_ref().ok()), name.clone());
            let has = ctx.get("subarray_has_label_ranges", &[subarray, dimension]);
            world.say(&format!("  {has:?} {:?}", ctx.get("subarray_get_range_num", &[subarray, dimension])));
        }
        for name in ["li", "lf", "ls", "zz"] {
            let label = text(name);
            let named = pointer(&label);
            let count = ctx.get("subarray_get_label_range_num", &[subarray, named]);
            world.say(&format!("  {name} {:?}", count.as_ref().map_err(|failure| &failure.text)));
            let (mut low, mut high, mut stride) = (1u64, 1u64, 1u64);
            let out = [subarray, named, 0, address(&mut low), address(&mut high), address(&mut stride)];
            if name != "ls" && world.tell("range", ctx.call("subarray_get_label_range", &out)).is_some() {
                world.say(&format!("  {} {} {stride}", peek(low), peek(high)));
            }
            let (mut low_size, mut high_size) = (9u64, 9u64);
            let out = [subarray, named, 0, address(&mut low_size), address(&mut high_size)];
            if name == "ls" && world.tell("sizes", ctx.call("subarray_get_label_range_var_size", &out)).is_some() {
                let (mut low, mut high) = ([b'?'; 8], [b'?'; 8]);
                let out = [subarray, named, 0, address(&mut low), address(&mut high)];
                world.tell("texts", ctx.call("subarray_get_label_range_var", &out));
                world.say(&format!("  {low_size} {high_size} {low:?} {high:?}"));
            }
        }
    };
    let ints = |low: i64, high: i64| ([low].little(), [high].little());
    let subarray = fresh();
    facts(subarray);
    for (low, high) in [ints(3, 4), ints(5, 5), ints(7, 9), ints(2, 1)] {
        add(subarray, "li", &low, &high);
    }
    add(subarray, "lf", &[1.0f64].little(), &[2.0f64].little());
    facts(subarray);
    let one = [1i32].little();
    let point = bytes(&one);
    world.tell("range", ctx.call("subarray_add_range", &[subarray, 0, point, point, 0]));
    world.tell("points", ctx.call("subarray_add_point_ranges", &[subarray, 0, point, 1]));
    world.tell("coalesce", ctx.call("subarray_set_coalesce_ranges", &[subarray, 0]));
    world.tell("box", ctx.call("subarray_set_subarray", &[subarray, bytes(&[1i32, 2, 1, 2].little())]));
    facts(subarray);
    add(subarray, "li", &[1i64].little(), &[2i64].little());
    let subarray = fresh();
    add(subarray, "lf", &[f64::NAN].little(), &[2.0f64].little());
    add(subarray, "lf", &[3.0f64].little(), &[2.0f64].little());
    add(subarray, "lf", &[f64::NEG_INFINITY].little(), &[f64::INFINITY].little());
    add(subarray, "ls", &[1i64].little(), &[2i64].little());
    add_text(subarray, "li", "a", "b");
    add_text(subarray, "ls", "b", "ccc");
    add_text(subarray, "ls", "z", "a");
    for name in ["zz", "r", "a"] {
        add(subarray, name, &[1i64].little(), &[2i64].little());
        add_text(subarray, name, "a", "b");
    }
    facts(subarray);
    let (one, li) = ([1i64].little(), text("li"));
    let low = bytes(&one);
    world.tell("stride", ctx.call("subarray_add_label_range", &[subarray, pointer(&li), low, low, low]));
    world.tell("no start", ctx.call("subarray_add_label_range", &[subarray, pointer(&li), 0, low, 0]));
    world.tell("no end", ctx.call("subarray_add_label_range", &[subarray, pointer(&li), low, 0, 0]));
    world.tell("no name", ctx.call("subarray_add_label_range", &[subarray, 0, low, low, 0]));
    world.tell("no name", ctx.get("subarray_get_label_range_num", &[subarray, 0]));
}
