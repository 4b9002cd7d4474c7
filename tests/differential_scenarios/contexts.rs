//! Precedence of the configurations of a query, and buffers with implausible sizes.

use crate::Scenario;
use crate::world::{INT32, ROW, UNORDERED, VAR, World, attr, dense, dim, fixed, range, ranges, schema, sparse, var};
use support::{Array, Column, Ctx, Failure, address, borrowed, bytes, pointer, text};

pub const SCENARIOS: &[Scenario] = &[
    ("contexts_of_queries", contexts),
    ("contexts_and_keys", keys),
    ("contexts_and_budgets", budgets),
    ("sizes_beyond_memory", sizes),
    ("build_description", build_description),
    ("mistyped_values", mistyped_values),
];

const EXTRA: &str = "sm.var_offsets.extra_element";
const MODE: &str = "sm.var_offsets.mode";
const DUPS: &str = "sm.check_coord_dups";
const THREADS: &str = "sm.io_concurrency_level";
const BUDGET: &str = "sm.mem.total_budget";

fn fill(world: &mut World<'_>) {
    let attrs = [attr("a", INT32, 1, false), attr("s", INT32, VAR, false)];
    world.create("sparse", sparse(&[dim("d", 0, 99, 4)], &attrs));
    world.create("dense", dense(&[dim("d", 0, 99, 4)], &attrs));
    let cells = |data: &[i32]| {
        let starts = (0..data.len() as u64).map(|cell| cell * 4).collect();
        support::Cells { offsets: Some(starts), ..fixed(data) }
    };
    let columns = [("a", fixed(&[1, 2, 3, 4])), ("s", cells(&[5, 6, 7, 8]))];
    world.write("dense", ROW, &[range(0, 0, 3)], &columns);
    world.write("sparse", UNORDERED, &[], &[&columns[..], &[("d", fixed(&[0, 1, 2, 3]))]].concat());
}

/// Which calls refuse values that are none of those that a parameter can have, where the configuration is the context's, the array's, the
/// query's or the subarray's.
fn mistyped_values(world: &mut World<'_>) {
    fill(world);
    for parameter in [
        "sm.read_range_oob",
        "sm.merge_overlapping_ranges_experimental",
        "sm.query.dense.reader",
        "sm.query.sparse_global_order.reader",
        "sm.query.sparse_unordered_with_dups.reader",
        "sm.query.condition_evaluator",
    ] {
        for place in ["ctx", "array", "query", "subarray"] {
            for (name, kind) in [("sparse", 0), ("sparse", 1), ("dense", 0), ("dense", 1)] {
                let wrong = &[(parameter, "eror")][..];
                let at = |own: &str| if place == own { wrong } else { &[] };
                let outcome = with_configs(world, name, kind, &at);
                world.tell(&format!("{parameter} of the {place}, {name}, query type {kind}"), outcome);
            }
        }
    }
}

/// Makes a query with a range and submits it if it reads, with a configuration at each place.
fn with_configs<'c>(
    world: &World<'_>,
    name: &str,
    kind: u64,
    at: &impl Fn(&str) -> &'c [(&'c str, &'c str)],
) -> Result<(), Failure> {
    let (mut config, mut error, mut handle) = (0u64, 0u64, 0u64);
    world.api.raw("config_alloc", &[address(&mut config), address(&mut error)]);
    for (parameter, value) in at("ctx") {
        let (parameter, value) = (text(parameter), text(value));
        if world.api.raw("config_set", &[config, pointer(&parameter), pointer(&value), address(&mut error)]) as i32 != 0
        {
            world.say("config_set refuses");
        }
    }
    assert_eq!(world.api.raw("ctx_alloc", &[config, address(&mut handle)]) as i32, 0);
    let ctx = Ctx { api: world.api, handle };
    let uri = text(&world.uri(name));
    let array = Array { ctx: &ctx, handle: ctx.get("array_alloc", &[pointer(&uri)])? };
    set_config(&ctx, "array_set_config", array.handle, at("array"))?;
    ctx.call("array_open", &[array.handle, kind])?;
    let query = ctx.get("query_alloc", &[array.handle, kind])?;
    set_config(&ctx, "query_set_config", query, at("query"))?;
    let subarray = ctx.get("subarray_alloc", &[array.handle])?;
    set_config(&ctx, "subarray_set_config", subarray, at("subarray"))?;
    let (low, high) = (1i32, 2i32);
    ctx.call("subarray_add_range", &[subarray, 0, bytes(&low.to_le_bytes()), bytes(&high.to_le_bytes()), 0])?;
    if kind == 0 {
        ctx.call("query_set_subarray_t", &[query, subarray])?;
        let mut column = Column::with_capacity("a", 64, None, None);
        column.bind(&ctx, query)?;
        ctx.call("query_submit", &[query])?;
        world.say(&format!("{:?}", column.result()));
    }
    ctx.free("subarray", subarray);
    ctx.free("query", query);
    Ok(())
}

/// What the build says of itself.
fn build_description(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    let mut built = 0u64;
    assert_eq!(world.api.raw("as_built_dump", &[address(&mut built)]), 0);
    world.say(&format!("as built: {:?}", ctx.take_string(built)));
    let mut version = [0i32; 3];
    let [major, minor, rev] = &mut version;
    world.api.raw("version", &[address(major), address(minor), address(rev)]);
    world.say(&format!("version: {version:?}"));
    for constant in ["max_path", "offset_size", "var_num"] {
        world.say(&format!("{constant}: {}", world.api.raw(constant, &[]) as u32));
    }
    world.say(&format!("timestamps: {}", borrowed(world.api.raw("timestamps", &[]) as u64)));
    for filesystem in 0..6 {
        let mut supported = -7i32;
        let outcome = ctx.call("ctx_is_supported_fs", &[filesystem, address(&mut supported)]);
        world.tell(&format!("file system {filesystem}: {supported}"), outcome);
    }
}

/// Sets these parameters, and no others.
fn set_config(ctx: &Ctx<'_>, function: &str, handle: u64, parameters: &[(&str, &str)]) -> Result<(), Failure> {
    let (mut config, mut error) = (0u64, 0u64);
    ctx.api.raw("config_alloc", &[address(&mut config), address(&mut error)]);
    for (name, value) in parameters {
        let (name, value) = (text(name), text(value));
        ctx.api.raw("config_set", &[config, pointer(&name), pointer(&value), address(&mut error)]);
    }
    let set = ctx.call(function, &[handle, config]);
    ctx.free("config", config);
    set
}

/// Opening arrays with keys of the context and of the array's own configuration, sound and unsound.
fn keys(world: &mut World<'_>) {
    const TYPE: &str = "sm.encryption_type";
    const KEY: &str = "sm.encryption_key";
    const AES: &str = "AES_256_GCM";
    let key = "0123456789abcdeF0123456789abcdeF";
    let spec = dense(&[dim("d", 0, 99, 4)], &[attr("a", INT32, 1, false)]);
    let of_contexts = [&[][..], &[(TYPE, AES), (KEY, key)][..]];
    for (name, of_creation) in [("plain", of_contexts[0]), ("secret", of_contexts[1])] {
        let ctx = world.api.context(of_creation);
        let created = schema(&ctx, &spec).and_then(|schema| {
            let created = ctx.call("array_create", &[pointer(&text(&world.uri(name))), schema]);
            ctx.free("array_schema", schema);
            created
        });
        world.tell(&format!("create {name}"), created);
        for of_context in of_contexts {
            for kind in [None, Some("NO_ENCRYPTION"), Some(AES)] {
                for own_key in [None, Some(""), Some("0"), Some(key)] {
                    let parameters: Vec<(&str, &str)> =
                        kind.map(|kind| (TYPE, kind)).into_iter().chain(own_key.map(|key| (KEY, key))).collect();
                    let (ctx, uri) = (world.api.context(of_context), text(&world.uri(name)));
                    let opened = ctx.get("array_alloc", &[pointer(&uri)]).and_then(|array| {
                        set_config(&ctx, "array_set_config", array, &parameters)?;
                        let opened = ctx.call("array_open", &[array, 0]);
                        ctx.free("array", array);
                        opened
                    });
                    world.tell(&format!("open {name} {} {parameters:?}", of_context.len()), opened);
                }
            }
        }
    }
}

/// Offsets as a query gives them: the array of one context, the query of another, and configurations of either.
fn contexts(world: &mut World<'_>) {
    fill(world);
    let plain: &[(&str, &str)] = &[];
    let extra = &[(EXTRA, "true")][..];
    let elements = &[(MODE, "elements")][..];
    let (one, none) = (&[(THREADS, "1")][..], &[(THREADS, "0")][..]);
    for name in ["sparse", "dense"] {
        for (of_array, of_query, set_array, set_query) in [
            (plain, plain, plain, plain),
            (extra, plain, plain, plain),
            (plain, extra, plain, plain),
            (extra, elements, plain, plain),
            (plain, plain, extra, plain),
            (plain, elements, extra, plain),
            (plain, elements, plain, extra),
            (plain, extra, elements, elements),
            (none, plain, plain, plain),
            (none, one, plain, plain),
            (none, none, plain, one),
            (plain, none, plain, plain),
        ] {
            let (a, b) = (world.api.context(of_array), world.api.context(of_query));
            let outcome = (|| {
                let uri = text(&world.uri(name));
                let array = Array { ctx: &a, handle: a.get("array_alloc", &[pointer(&uri)])? };
                set_config(&a, "array_set_config", array.handle, set_array)?;
                a.call("array_open", &[array.handle, 0])?;
                let query = b.get("query_alloc", &[array.handle, 0])?;
                set_config(&b, "query_set_config", query, set_query)?;
                let subarray = ranges(&array, world.spec(name), &[range(0, 0, 3)], None)?;
                b.call("query_set_subarray_t", &[query, subarray])?;
                let mut column = Column::with_capacity("s", 100, Some(10), None);
                column.bind(&b, query)?;
                b.call("query_submit", &[query])?;
                world.say(&format!("  {:?}", column.result().offsets));
                b.free("query", query);
                b.free("subarray", subarray);
                Ok::<(), Failure>(())
            })();
            world.tell(&format!("{name} {of_array:?} {of_query:?} {set_array:?} {set_query:?}"), outcome);
        }
    }
    // Of writes: whether equal coordinates are refused.
    for (of_array, of_query) in [("true", "false"), ("false", "true")] {
        let (a, b) = (world.api.context(&[(DUPS, of_array)]), world.api.context(&[(DUPS, of_query)]));
        let outcome = (|| {
            let array = Array::open(&a, &world.uri("sparse"), 1, None, None)?;
            let query = b.get("query_alloc", &[array.handle, 1])?;
            let columns = [("a", fixed(&[1, 2])), ("s", var(&["abcd", "efgh"])), ("d", fixed(&[7, 7]))];
            let mut columns = columns.map(|(name, cells)| Column::filled(name, cells));
            columns.iter_mut().try_for_each(|column| column.bind(&b, query))?;
            let submitted = b.call("query_submit", &[query]);
            b.free("query", query);
            submitted
        })();
        world.tell(&format!("write {of_array} {of_query}"), outcome);
    }
}

/// A budget of nothing: whose counts, and the code of the refusal.
fn budgets(world: &mut World<'_>) {
    fill(world);
    for (of_array, of_query) in [("0", "100000"), ("100000", "0"), ("0", "0")] {
        let (a, b) = (world.api.context(&[(BUDGET, of_array)]), world.api.context(&[(BUDGET, of_query)]));
        let array = Array::open(&a, &world.uri("sparse"), 0, None, None).unwrap();
        let query = b.get("query_alloc", &[array.handle, 0]).unwrap();
        b.call("query_set_layout", &[query, UNORDERED]).unwrap();
        let mut column = Column::with_capacity("a", 100, None, None);
        column.bind(&b, query).unwrap();
        let code = b.call("query_submit", &[query]).err().map(|failure| failure.code);
        world.say(&format!("{of_array} {of_query}: {code:?}"));
        b.free("query", query);
    }
}

/// Sizes that nobody has memory for: buffers whose ends would lie in one another.
fn sizes(world: &mut World<'_>) {
    fill(world);
    for name in ["sparse", "dense"] {
        for layout in [ROW, UNORDERED] {
            for size in [1u64 << 41, 1 << 62, 1 << 63, u64::MAX] {
                let ctx = world.api.context(&[]);
                let outcome = (|| {
                    let array = Array::open(&ctx, &world.uri(name), 0, None, None)?;
                    let query = ctx.get("query_alloc", &[array.handle, 0])?;
                    ctx.call("query_set_layout", &[query, layout])?;
                    let subarray = ranges(&array, world.spec(name), &[range(0, 0, 3)], None)?;
                    ctx.call("query_set_subarray_t", &[query, subarray])?;
                    let mut columns = ["a", "s"].map(|field| {
                        let mut column = Column::with_capacity(field, 100, (field == "s").then_some(10), None);
                        column.sizes[0] = size;
                        column
                    });
                    columns.iter_mut().try_for_each(|column| column.bind(&ctx, query))?;
                    ctx.call("query_submit", &[query])?;
                    world.say(&format!("  {:?}", columns.map(|column| column.result())));
                    ctx.free("query", query);
                    ctx.free("subarray", subarray);
                    Ok::<(), Failure>(())
                })();
                world.tell(&format!("{name} {layout} {size}"), outcome);
            }
        }
    }
}
