//! Shared state of handles: for every function that takes or returns a handle, the values that each handle returns
//! after a setter was called on another one.

use crate::Scenario;
use crate::rectangles::tell_ranges;
use crate::world::{ASCII, FLOAT64, HILBERT, INT32, Little, VAR, World, peek};
use support::{Array, Ctx, Failure, address, borrowed, bytes, pointer, text};

pub const SCENARIOS: &[Scenario] = &[
    ("handles_attributes", attributes),
    ("handles_dimensions", dimensions),
    ("handles_domains", domains),
    ("handles_extents", extents),
    ("handles_filters", filters),
    ("handles_evolutions", evolutions),
    ("handles_open_arrays", open_arrays),
    ("handles_chunk_sizes", chunk_sizes),
    ("handles_configurations", configurations),
    ("handles_outlive", outlive),
];

pub type CallResult = Result<(), Failure>;
/// A setter of an object: its name and what it does.
type Setter = (&'static str, fn(&Ctx<'_>, u64) -> CallResult);

/// A list of filters of these types.
fn list(ctx: &Ctx<'_>, kinds: &[u64]) -> u64 {
    let list = ctx.get("filter_list_alloc", &[]).unwrap();
    for &kind in kinds {
        let filter = ctx.get("filter_alloc", &[kind]).unwrap();
        ctx.call("filter_list_add_filter", &[list, filter]).unwrap();
        ctx.free("filter", filter);
    }
    list
}

const ATTRIBUTE_SETTERS: &[Setter] = &[
    ("nullable", |ctx, attr| ctx.call("attribute_set_nullable", &[attr, 1])),
    ("three values", |ctx, attr| ctx.call("attribute_set_cell_val_num", &[attr, 3])),
    ("any number of values", |ctx, attr| ctx.call("attribute_set_cell_val_num", &[attr, VAR])),
    ("fill", |ctx, attr| ctx.call("attribute_set_fill_value", &[attr, bytes(&[77i32].little()), 4])),
    ("fill null", |ctx, attr| {
        ctx.call("attribute_set_nullable", &[attr, 1])?;
        ctx.call("attribute_set_fill_value_nullable", &[attr, bytes(&[77i32].little()), 4, 1])
    }),
    ("filters", |ctx, attr| ctx.call("attribute_set_filter_list", &[attr, list(ctx, &[1, 12])])),
    ("enumeration", |ctx, attr| ctx.call("attribute_set_enumeration_name", &[attr, pointer(&text("e"))])),
    ("unknown enumeration", |ctx, attr| ctx.call("attribute_set_enumeration_name", &[attr, pointer(&text("zz"))])),
];

const SCHEMA_SETTERS: &[Setter] = &[
    ("capacity", |ctx, schema| ctx.call("array_schema_set_capacity", &[schema, 7])),
    ("cell order", |ctx, schema| ctx.call("array_schema_set_cell_order", &[schema, 1])),
    ("tile order", |ctx, schema| ctx.call("array_schema_set_tile_order", &[schema, 1])),
    ("duplicates", |ctx, schema| ctx.call("array_schema_set_allows_dups", &[schema, 1])),
    ("filters of coordinates", |ctx, schema| {
        ctx.call("array_schema_set_coords_filter_list", &[schema, list(ctx, &[1])])
    }),
    ("filters of offsets", |ctx, schema| ctx.call("array_schema_set_offsets_filter_list", &[schema, list(ctx, &[1])])),
    ("filters of validity", |ctx, schema| {
        ctx.call("array_schema_set_validity_filter_list", &[schema, list(ctx, &[1])])
    }),
    ("attribute", |ctx, schema| {
        let attr = ctx.get("attribute_alloc", &[pointer(&text("new")), INT32])?;
        ctx.call("array_schema_add_attribute", &[schema, attr])
    }),
    ("domain", |ctx, schema| {
        let domain = domain(ctx, &[dimension(ctx, "other", 1, 8, Some(4))?])?;
        ctx.call("array_schema_set_domain", &[schema, domain])
    }),
    ("current domain", |ctx, schema| {
        let domain = ctx.get("array_schema_get_domain", &[schema])?;
        let current = current(ctx, domain, 2, 9)?;
        ctx.call("array_schema_set_current_domain", &[schema, current])
    }),
];

fn enumeration(ctx: &Ctx<'_>, name: &str) -> Result<u64, Failure> {
    let offsets = [0u64, 1].little();
    let (name, values) = (text(name), b"xy");
    ctx.get("enumeration_alloc", &[pointer(&name), ASCII, VAR, 0, bytes(values), 2, bytes(&offsets), 16])
}

fn dimension(ctx: &Ctx<'_>, name: &str, low: i32, high: i32, extent: Option<i32>) -> Result<u64, Failure> {
    let (name, ends, extent) = (text(name), [low, high].little(), extent.map(|extent| [extent].little()));
    let extent = extent.as_ref().map_or(0, |extent| bytes(extent));
    ctx.get("dimension_alloc", &[pointer(&name), INT32, bytes(&ends), extent])
}

fn domain(ctx: &Ctx<'_>, dimensions: &[u64]) -> Result<u64, Failure> {
    let domain = ctx.get("domain_alloc", &[])?;
    dimensions.iter().try_for_each(|&dimension| ctx.call("domain_add_dimension", &[domain, dimension]))?;
    Ok(domain)
}

fn attribute(ctx: &Ctx<'_>, name: &str) -> Result<u64, Failure> {
    ctx.get("attribute_alloc", &[pointer(&text(name)), INT32])
}

/// Sets the range of a dimension of a rectangle.
pub fn set_range(ctx: &Ctx<'_>, rectangle: u64, index: u64, low: i32, high: i32) -> CallResult {
    let (low, high) = ([low].little(), [high].little());
    let mut range = [bytes(&low), 4, bytes(&high), 4];
    ctx.call("ndrectangle_set_range", &[rectangle, index, address(&mut range)])
}

pub fn rectangle(ctx: &Ctx<'_>, domain: u64, low: i32, high: i32) -> Result<u64, Failure> {
    let rectangle = ctx.get("ndrectangle_alloc", &[domain])?;
    set_range(ctx, rectangle, 0, low, high).map(|()| rectangle)
}

pub fn current(ctx: &Ctx<'_>, domain: u64, low: i32, high: i32) -> Result<u64, Failure> {
    let (current, rectangle) = (ctx.get("current_domain_create", &[])?, rectangle(ctx, domain, low, high)?);
    ctx.call("current_domain_set_ndrectangle", &[current, rectangle])?;
    ctx.free("ndrectangle", rectangle);
    Ok(current)
}

/// A sparse schema with dimension `d` of 1 to 20, attributes `a` and `b` and an enumeration `e`; and the handles of
/// its first attribute, its domain and its dimension.
pub struct Made {
    pub schema: u64,
    pub attr: u64,
    pub domain: u64,
    pub dim: u64,
}

pub fn made(ctx: &Ctx<'_>) -> Result<Made, Failure> {
    let dim = dimension(ctx, "d", 1, 20, Some(10))?;
    let made = Made {
        schema: ctx.get("array_schema_alloc", &[1])?,
        attr: attribute(ctx, "a")?,
        domain: domain(ctx, &[dim])?,
        dim,
    };
    ctx.call("array_schema_set_domain", &[made.schema, made.domain])?;
    ctx.call("array_schema_add_enumeration", &[made.schema, enumeration(ctx, "e")?])?;
    ctx.call("array_schema_add_attribute", &[made.schema, made.attr])?;
    ctx.call("array_schema_add_attribute", &[made.schema, attribute(ctx, "b")?])?;
    Ok(made)
}

/// Tells the text of an object.
pub fn dump(world: &World<'_>, ctx: &Ctx<'_>, step: &str, kind: &str, object: u64) {
    let Some(string) = world.tell(step, ctx.get(&format!("{kind}_dump_str"), &[object])) else { return };
    let (mut data, mut size) = (0u64, 0u64);
    ctx.api.raw("string_view", &[string, address(&mut data), address(&mut size)]);
    let text: String = (0..size).map(|at| char::from(peek(data + at))).collect();
    // The reference shows the address of a rectangle in a schema.
    let (text, has_rectangle) = text.split_once("NDRECTANGLE").map_or((&*text, false), |(text, _)| (text, true));
    world.say(text);
    if has_rectangle {
        let current = ctx.get("array_schema_get_current_domain", &[object]).unwrap();
        dump_got(world, ctx, "ndrectangle", "current_domain_get_ndrectangle", &[current]);
        ctx.free("current_domain", current);
    }
    ctx.free("string", string);
}

/// Tells the text of what a getter gives.
fn dump_got(world: &World<'_>, ctx: &Ctx<'_>, kind: &str, getter: &str, arguments: &[u64]) {
    if let Some(object) = world.tell(getter, ctx.get(getter, arguments)) {
        dump(world, ctx, getter, kind, object);
        ctx.free(kind, object);
    }
}

/// Creates an array of a schema, tells how it is stored, and what the schema is afterwards.
pub fn store(world: &World<'_>, ctx: &Ctx<'_>, name: &str, schema: u64) {
    let uri = text(&world.uri(name));
    // The reference's check accepts a current domain that the creation refuses; `capi-tests/current_domain.c` tests ours.
    let checked = ctx.call("array_schema_check", &[schema]);
    let is_refused_later = |failure: &Failure| failure.text.contains("past the boundaries of the array schema domain");
    world.tell("check", checked.or_else(|failure| if is_refused_later(&failure) { Ok(()) } else { Err(failure) }));
    if world.tell("create", ctx.call("array_create", &[pointer(&uri), schema])).is_some() {
        dump_got(world, ctx, "array_schema", "array_schema_load", &[pointer(&uri)]);
    }
    dump(world, ctx, "afterwards", "array_schema", schema);
}

/// When a setter is called in the life of a schema.
pub const MOMENTS: [&str; 3] = ["made", "checked", "created"];

pub fn advance(world: &World<'_>, ctx: &Ctx<'_>, name: &str, moment: &str, schema: u64) {
    let uri = text(&world.uri(&format!("{name}.{moment}")));
    match moment {
        "checked" => ctx.call("array_schema_check", &[schema]).unwrap(),
        "created" => ctx.call("array_create", &[pointer(&uri), schema]).unwrap(),
        _ => {}
    }
}

/// Every setter of an attribute, through every handle of it.
fn attributes(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    let a = text("a");
    for moment in MOMENTS {
        for way in ["kept", "by index", "by name", "of the second schema"] {
            for (number, (setter, set)) in ATTRIBUTE_SETTERS.iter().enumerate() {
                let (made, second) = (made(&ctx).unwrap(), made(&ctx).unwrap());
                ctx.call("array_schema_add_attribute", &[second.schema, made.attr]).unwrap();
                let name = format!("{moment}{way}{number}");
                advance(world, &ctx, &name, moment, made.schema);
                let attr = match way {
                    "kept" => made.attr,
                    "by index" => ctx.get("array_schema_get_attribute_from_index", &[made.schema, 0]).unwrap(),
                    "by name" => ctx.get("array_schema_get_attribute_from_name", &[made.schema, pointer(&a)]).unwrap(),
                    _ => ctx.get("array_schema_get_attribute_from_index", &[second.schema, 2]).unwrap(),
                };
                world.tell(&format!("{moment}: {setter} of attribute {way}"), set(&ctx, attr));
                dump(world, &ctx, "kept", "attribute", made.attr);
                let index = [made.schema, 0];
                dump_got(world, &ctx, "attribute", "array_schema_get_attribute_from_index", &index);
                let named = [made.schema, pointer(&a)];
                dump_got(world, &ctx, "attribute", "array_schema_get_attribute_from_name", &named);
                dump(world, &ctx, "second", "array_schema", second.schema);
                store(world, &ctx, &name, made.schema);
            }
        }
    }
}

/// The filters of a dimension, through every handle of it, and of two domains it is in.
fn dimensions(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    let d = text("d");
    for moment in MOMENTS {
        for way in ["kept", "of the domain by index", "of the domain by name", "of the schema", "of the other domain"] {
            let made = made(&ctx).unwrap();
            let other = domain(&ctx, &[made.dim]).unwrap();
            advance(world, &ctx, way, moment, made.schema);
            let dim = match way {
                "kept" => made.dim,
                "of the domain by index" => ctx.get("domain_get_dimension_from_index", &[made.domain, 0]).unwrap(),
                "of the domain by name" => {
                    ctx.get("domain_get_dimension_from_name", &[made.domain, pointer(&d)]).unwrap()
                }
                "of the schema" => {
                    let domain = ctx.get("array_schema_get_domain", &[made.schema]).unwrap();
                    ctx.get("domain_get_dimension_from_index", &[domain, 0]).unwrap()
                }
                _ => ctx.get("domain_get_dimension_from_index", &[other, 0]).unwrap(),
            };
            let set = ctx.call("dimension_set_filter_list", &[dim, list(&ctx, &[1, 12])]);
            world.tell(&format!("{moment}: filters of dimension {way}"), set);
            dump(world, &ctx, "kept", "dimension", made.dim);
            dump(world, &ctx, "domain", "domain", made.domain);
            dump(world, &ctx, "other domain", "domain", other);
            dump_got(world, &ctx, "domain", "array_schema_get_domain", &[made.schema]);
            store(world, &ctx, &format!("{moment} {way}"), made.schema);
        }
    }
}

/// Dimensions that are added to a domain when a schema, another schema and a rectangle have it.
fn domains(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    for moment in MOMENTS {
        for way in ["kept", "of the schema"] {
            let made = made(&ctx).unwrap();
            let second = ctx.get("array_schema_alloc", &[1]).unwrap();
            ctx.call("array_schema_set_domain", &[second, made.domain]).unwrap();
            let rectangle = rectangle(&ctx, made.domain, 2, 3).unwrap();
            advance(world, &ctx, way, moment, made.schema);
            let domain = match way {
                "kept" => made.domain,
                _ => ctx.get("array_schema_get_domain", &[made.schema]).unwrap(),
            };
            let more = dimension(&ctx, "e", 1, 6, Some(3)).unwrap();
            world.tell(&format!("{moment}: add to {way}"), ctx.call("domain_add_dimension", &[domain, more]));
            dump(world, &ctx, "kept", "domain", made.domain);
            world.say(&format!("  {:?} dimensions", ctx.get("domain_get_ndim", &[made.domain])));
            dump_got(world, &ctx, "domain", "array_schema_get_domain", &[made.schema]);
            dump(world, &ctx, "second", "array_schema", second);
            world.say(&format!("  {:?} dimensions", ctx.get("ndrectangle_get_dim_num", &[rectangle])));
            dump(world, &ctx, "rectangle", "ndrectangle", rectangle);
            world.tell("range", set_range(&ctx, rectangle, 1, 2, 3));
            world.tell("type", ctx.get("ndrectangle_get_dtype", &[rectangle, 1]));
            store(world, &ctx, &format!("{moment} {way}"), made.schema);
        }
    }
}

/// Extents that a dimension lacks: who gives them, when, and through which handles they show.
fn extents(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    let wide = |name: &str, ty: u64, ends: &[u8]| {
        ctx.get("dimension_alloc", &[pointer(&text(name)), ty, bytes(ends), 0]).unwrap()
    };
    let string = |name: &str| ctx.get("dimension_alloc", &[pointer(&text(name)), ASCII, 0, 0]).unwrap();
    let orders: [(&str, &[u64]); 4] =
        [("row", &[0]), ("hilbert", &[HILBERT]), ("row, then hilbert", &[0, HILBERT]), ("hilbert, row", &[HILBERT, 0])];
    for (order, set) in orders {
        for early in [true, false] {
            let made: [(&str, Vec<u64>); 5] = [
                ("int", vec![dimension(&ctx, "d", 0, 29, None).unwrap()]),
                ("float", vec![wide("d", FLOAT64, &[-5.0f64, 5.0].little())]),
                ("every float", vec![wide("d", FLOAT64, &[f64::MIN, f64::MAX].little())]),
                ("two", vec![dimension(&ctx, "x", 0, 29, None).unwrap(), dimension(&ctx, "d", 1, 4, Some(2)).unwrap()]),
                ("string", vec![dimension(&ctx, "x", 0, 29, None).unwrap(), string("d")]),
            ];
            for (kind, dims) in made {
                let step = format!("{order} {early} {kind}");
                let domain = domain(&ctx, &dims).unwrap();
                let schema = ctx.get("array_schema_alloc", &[1]).unwrap();
                ctx.call("array_schema_add_attribute", &[schema, attribute(&ctx, "a").unwrap()]).unwrap();
                if early {
                    set.iter().for_each(|&order| {
                        ctx.call("array_schema_set_cell_order", &[schema, order]).unwrap();
                    });
                }
                world.tell(&step, ctx.call("array_schema_set_domain", &[schema, domain]));
                if !early {
                    set.iter().for_each(|&order| {
                        ctx.call("array_schema_set_cell_order", &[schema, order]).unwrap();
                    });
                }
                dims.iter().for_each(|&dim| dump(world, &ctx, &step, "dimension", dim));
                dump(world, &ctx, &step, "array_schema", schema);
                // The reference stores a row-major array without extents, which nobody can use.
                if order != "hilbert, row" || !early {
                    store(world, &ctx, &step, schema);
                }
            }
        }
    }
}

/// Both libraries copy filters into lists, and lists into what has filters.
fn filters(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    let made = made(&ctx).unwrap();
    let level = |filter: u64| {
        let mut level = 0i32;
        ctx.call("filter_get_option", &[filter, 0, address(&mut level)]).map(|()| level)
    };
    let set_level = |filter: u64, level: i32| ctx.call("filter_set_option", &[filter, 0, bytes(&[level].little())]);
    let filter = ctx.get("filter_alloc", &[1]).unwrap();
    let filters = ctx.get("filter_list_alloc", &[]).unwrap();
    let of_list = |list: u64| ctx.get("filter_list_get_filter_from_index", &[list, 0]);
    world.tell("level", set_level(filter, 1));
    world.tell("add", ctx.call("filter_list_add_filter", &[filters, filter]));
    world.tell("level", set_level(filter, 7));
    world.say(&format!("{:?} {:?}", level(filter), of_list(filters).and_then(level)));
    let got = of_list(filters).unwrap();
    world.tell("level", set_level(got, 5));
    world.say(&format!("{:?} {:?}", level(got), of_list(filters).and_then(level)));
    let places: [(&str, u64); 5] = [
        ("attribute_@_filter_list", made.attr),
        ("dimension_@_filter_list", made.dim),
        ("array_schema_@_coords_filter_list", made.schema),
        ("array_schema_@_offsets_filter_list", made.schema),
        ("array_schema_@_validity_filter_list", made.schema),
    ];
    let count = |list: u64| ctx.get("filter_list_get_nfilters", &[list]).map(|count| count as u32);
    for (function, object) in places {
        let (set, get) = (function.replace('@', "set"), function.replace('@', "get"));
        let filter_list = list(&ctx, &[1]);
        world.tell(&set, ctx.call(&set, &[object, filter_list]));
        world.tell("add", ctx.call("filter_list_add_filter", &[filter_list, filter]));
        let got = ctx.get(&get, &[object]).unwrap();
        world.say(&format!("  {:?}", count(got)));
        world.tell("add", ctx.call("filter_list_add_filter", &[got, filter]));
        world.tell("chunks", ctx.call("filter_list_set_max_chunk_size", &[got, 1000]));
        let again = ctx.get(&get, &[object]).unwrap();
        let chunk = ctx.get("filter_list_get_max_chunk_size", &[again]);
        world.say(&format!("  {:?} {chunk:?}", count(again)));
    }
    store(world, &ctx, "filtered", made.schema);
}

/// What an evolution was given, changed before it is applied.
fn evolutions(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    for (number, (setter, set)) in ATTRIBUTE_SETTERS.iter().enumerate() {
        let uri = text(&world.uri(&format!("attribute{number}")));
        let made = made(&ctx).unwrap();
        ctx.call("array_create", &[pointer(&uri), made.schema]).unwrap();
        let evolution = ctx.get("array_schema_evolution_alloc", &[]).unwrap();
        let attr = attribute(&ctx, "new").unwrap();
        ctx.call("array_schema_evolution_add_attribute", &[evolution, attr]).unwrap();
        world.tell(&format!("{setter} of an attribute to be"), set(&ctx, attr));
        world.tell("evolve", ctx.call("array_evolve", &[pointer(&uri), evolution]));
        dump_got(world, &ctx, "array_schema", "array_schema_load", &[pointer(&uri)]);
    }
    for way in ["kept", "of the current domain", "kept, too small", "kept, too large"] {
        let uri = text(&world.uri(way));
        let made = made(&ctx).unwrap();
        let small = current(&ctx, made.domain, 2, 5).unwrap();
        ctx.call("array_schema_set_current_domain", &[made.schema, small]).unwrap();
        ctx.call("array_create", &[pointer(&uri), made.schema]).unwrap();
        let evolution = ctx.get("array_schema_evolution_alloc", &[]).unwrap();
        let (bounds, greater) =
            (rectangle(&ctx, made.domain, 1, 7).unwrap(), ctx.get("current_domain_create", &[]).unwrap());
        ctx.call("current_domain_set_ndrectangle", &[greater, bounds]).unwrap();
        let expand = ctx.call("array_schema_evolution_expand_current_domain", &[evolution, greater]);
        world.tell("expand", expand);
        let got = match way {
            "of the current domain" => ctx.get("current_domain_get_ndrectangle", &[greater]).unwrap(),
            _ => bounds,
        };
        let end = match way {
            "kept, too small" => 3,
            "kept, too large" => 40,
            _ => 9,
        };
        world.tell(&format!("range of rectangle {way}"), set_range(&ctx, got, 0, 1, end));
        world.tell("evolve", ctx.call("array_evolve", &[pointer(&uri), evolution]));
        dump_got(world, &ctx, "array_schema", "array_schema_load", &[pointer(&uri)]);
    }
}

/// Setters on what an open array's schema gives: seen through other handles of this array, but by no other array.
fn open_arrays(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    let uri = text(&world.uri("array"));
    let made = made(&ctx).unwrap();
    let small = current(&ctx, made.domain, 2, 5).unwrap();
    ctx.call("array_schema_set_current_domain", &[made.schema, small]).unwrap();
    ctx.call("array_create", &[pointer(&uri), made.schema]).unwrap();
    let attribute_setters =
        ATTRIBUTE_SETTERS.iter().map(|setter| (setter, "array_schema_get_attribute_from_index", true));
    let schema_setters = SCHEMA_SETTERS.iter().map(|setter| (setter, "", false));
    for ((setter, set), getter, of_part) in attribute_setters.chain(schema_setters) {
        let array = Array::open(&ctx, &world.uri("array"), 0, None, None).unwrap();
        let schema = || ctx.get("array_get_schema", &[array.handle]).unwrap();
        let (first, second) = (schema(), schema());
        let object = if of_part { ctx.get(getter, &[first, 0]).unwrap() } else { first };
        world.tell(&format!("open: {setter} {of_part}"), set(&ctx, object));
        dump(world, &ctx, "second", "array_schema", second);
        dump(world, &ctx, "third", "array_schema", schema());
        let other = Array::open(&ctx, &world.uri("array"), 0, None, None).unwrap();
        dump_got(world, &ctx, "array_schema", "array_get_schema", &[other.handle]);
        dump_got(world, &ctx, "array_schema", "array_schema_load", &[pointer(&uri)]);
        world.tell("reopen", ctx.call("array_reopen", &[array.handle]));
        dump(world, &ctx, "reopened", "array_schema", schema());
        dump(world, &ctx, "second", "array_schema", second);
    }
    let loads = || ctx.get("array_schema_load", &[pointer(&uri)]).unwrap();
    let (first, second) = (loads(), loads());
    for (setter, set) in ATTRIBUTE_SETTERS {
        let attr = ctx.get("array_schema_get_attribute_from_index", &[first, 0]).unwrap();
        world.tell(&format!("loaded: {setter}"), set(&ctx, attr));
        dump(world, &ctx, "first", "array_schema", first);
        dump(world, &ctx, "second", "array_schema", second);
    }
    let array = Array::open(&ctx, &world.uri("array"), 0, None, None).unwrap();
    let schema = || ctx.get("array_get_schema", &[array.handle]).unwrap();
    let (first, second) = (schema(), schema());
    let add = ctx.call("array_schema_add_enumeration", &[first, enumeration(&ctx, "f").unwrap()]);
    world.tell("enumeration", add);
    for name in ["e", "f", "g"] {
        let got = ctx.get("array_schema_get_enumeration_from_name", &[second, pointer(&text(name))]);
        world.tell(name, got);
    }
    for end in [9, 12] {
        let array = Array::open(&ctx, &world.uri("array"), 0, None, None).unwrap();
        let schema = ctx.get("array_get_schema", &[array.handle]).unwrap();
        let current = ctx.get("array_schema_get_current_domain", &[schema]).unwrap();
        let rectangle = ctx.get("current_domain_get_ndrectangle", &[current]).unwrap();
        world.tell("range", set_range(&ctx, rectangle, 0, 1, end));
        tell_ranges(world, &ctx, current, &[schema, ctx.get("array_get_schema", &[array.handle]).unwrap()]);
    }
}

/// A list of no filter or one, with this size of chunks.
fn chunked(ctx: &Ctx<'_>, filters: &[u64], size: u64) -> u64 {
    let filters = list(ctx, filters);
    ctx.call("filter_list_set_max_chunk_size", &[filters, size]).unwrap();
    filters
}

/// The sizes of chunks that dimensions tell, whose own lists of filters are empty or not.
fn chunk_sizes(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    for coords in [&[][..], &[1]] {
        for own in [None, Some(&[][..]), Some(&[2])] {
            let made = made(&ctx).unwrap();
            if let Some(own) = own {
                ctx.call("dimension_set_filter_list", &[made.dim, chunked(&ctx, own, 2000)]).unwrap();
            }
            ctx.call("array_schema_set_coords_filter_list", &[made.schema, chunked(&ctx, coords, 1000)]).unwrap();
            let tell = |dim: u64| {
                let filters = ctx.get("dimension_get_filter_list", &[dim]).unwrap();
                let limits =
                    ["nfilters", "max_chunk_size"].map(|what| ctx.get(&format!("filter_list_get_{what}"), &[filters]));
                world.say(&format!("{coords:?} {own:?} {limits:?}"));
            };
            tell(made.dim);
            let uri = text(&world.uri(&format!("{coords:?}{own:?}")));
            world.tell("create", ctx.call("array_create", &[pointer(&uri), made.schema]));
            let loaded = ctx.get("array_schema_load", &[pointer(&uri)]).unwrap();
            let domain = ctx.get("array_schema_get_domain", &[loaded]).unwrap();
            tell(ctx.get("domain_get_dimension_from_index", &[domain, 0]).unwrap());
        }
    }
    for time in [0, 1] {
        world.tell(&format!("schema at {time}"), ctx.get("array_schema_alloc_at_timestamp", &[0, time]));
    }
}

/// Configurations that an array is given one after the other, and contexts with many threads.
fn configurations(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    let made = made(&ctx).unwrap();
    let uri = text(&world.uri("array"));
    ctx.call("array_create", &[pointer(&uri), made.schema]).unwrap();
    let array = ctx.get("array_alloc", &[pointer(&uri)]).unwrap();
    let (mut error, names) = (0u64, ["my.x", "my.y", "sm.mem.total_budget"].map(text));
    let config = |error: u64| {
        let mut config = 0u64;
        ctx.api.raw("config_alloc", &[address(&mut config), error]);
        config
    };
    for set in [&[0, 2][..], &[1], &[]] {
        let parameters = config(address(&mut error));
        for &name in set {
            let value = text("12345678");
            ctx.api.raw("config_set", &[parameters, pointer(&names[name]), pointer(&value), address(&mut error)]);
        }
        world.tell("set", ctx.call("array_set_config", &[array, parameters]));
        let got = ctx.get("array_get_config", &[array]).unwrap();
        for name in &names {
            let mut value = 0u64;
            ctx.api.raw("config_get", &[got, pointer(name), address(&mut value), address(&mut error)]);
            world.say(&format!("{name:?} {:?}", (value != 0).then(|| borrowed(value))));
        }
    }
    for name in ["sm.compute_concurrency_level", "sm.io_concurrency_level"] {
        // Numbers that no machine's cores make a difference to.
        for threads in ["1", "255", "1000000000"] {
            let (parameters, mut made, mut text_of) = (config(address(&mut error)), 0u64, 0u64);
            ctx.api
                .raw("config_set", &[parameters, pointer(&text(name)), pointer(&text(threads)), address(&mut error)]);
            let code =
                ctx.api.raw("ctx_alloc_with_error", &[parameters, address(&mut made), address(&mut error)]) as i32;
            if code != 0 {
                ctx.api.raw("error_message", &[error, address(&mut text_of)]);
            }
            world.say(&format!("{name} {threads} {code} {:?}", (text_of != 0).then(|| borrowed(text_of))));
        }
    }
}

/// Handles whose owner is gone.
fn outlive(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    let made = made(&ctx).unwrap();
    let current = current(&ctx, made.domain, 2, 5).unwrap();
    ctx.call("array_schema_set_current_domain", &[made.schema, current]).unwrap();
    ctx.free("current_domain", current);
    let attr = ctx.get("array_schema_get_attribute_from_index", &[made.schema, 1]).unwrap();
    let domain = ctx.get("array_schema_get_domain", &[made.schema]).unwrap();
    let dim = ctx.get("domain_get_dimension_from_index", &[domain, 0]).unwrap();
    let current = ctx.get("array_schema_get_current_domain", &[made.schema]).unwrap();
    let rectangle = ctx.get("current_domain_get_ndrectangle", &[current]).unwrap();
    for (kind, handle) in [("attribute", made.attr), ("dimension", made.dim), ("domain", made.domain)] {
        ctx.free(kind, handle);
    }
    dump(world, &ctx, "schema", "array_schema", made.schema);
    ctx.free("array_schema", made.schema);
    for (_, set) in &ATTRIBUTE_SETTERS[..3] {
        world.tell("attribute", set(&ctx, attr));
    }
    dump(world, &ctx, "attribute", "attribute", attr);
    dump(world, &ctx, "domain", "domain", domain);
    ctx.free("domain", domain);
    world.tell("dimension", ctx.call("dimension_set_filter_list", &[dim, list(&ctx, &[1])]));
    dump(world, &ctx, "dimension", "dimension", dim);
    ctx.free("current_domain", current);
    world.tell("rectangle", set_range(&ctx, rectangle, 0, 1, 9));
    dump(world, &ctx, "rectangle", "ndrectangle", rectangle);
}
