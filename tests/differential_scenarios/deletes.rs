//! Delete queries, and later operations on arrays with deletes.

use std::path::Path;

use crate::Scenario;
use crate::world::{ASCII, INT32, Little, UNORDERED, VAR, World, all, attr, dense, dim, fixed, sparse, var};
use support::{Array, Column, Ctx, Failure, address, bytes, pointer, text};

pub const SCENARIOS: &[Scenario] = &[
    ("deletes_by_dropped", by_dropped),
    ("deletes_inside", inside),
    ("deletes_in_old_arrays", old),
    ("deletes_with_more", with_more),
];

/// Deletes the cells with an attribute greater than 1, at a time.
fn delete(world: &World<'_>, name: &str, attribute: &str, time: u64) {
    world.say(&format!("at {time}"));
    delete_quietly(world, name, attribute, time);
}

pub fn delete_quietly(world: &World<'_>, name: &str, attribute: &str, time: u64) {
    let ctx = world.api.context(&[]);
    let deleted = Array::open(&ctx, &world.uri(name), 2, None, Some(time)).and_then(|array| {
        let query = ctx.get("query_alloc", &[array.handle, 2])?;
        let condition = ctx.get("query_condition_alloc", &[])?;
        let (field, value) = (text(attribute), [1i32].little());
        ctx.call("query_condition_init", &[condition, pointer(&field), bytes(&value), 4, 2])?;
        ctx.call("query_set_condition", &[query, condition])?;
        ctx.free("query_condition", condition);
        let done = ctx.call("query_submit", &[query]);
        ctx.free("query", query);
        done
    });
    world.tell(&format!("delete in {name}"), deleted);
}

fn drop_attribute(world: &World<'_>, name: &str, attribute: &str) {
    let ctx = world.api.context(&[]);
    let (uri, attribute) = (text(&world.uri(name)), text(attribute));
    let dropped = ctx.get("array_schema_evolution_alloc", &[]).and_then(|evolution| {
        ctx.call("array_schema_evolution_drop_attribute", &[evolution, pointer(&attribute)])?;
        let evolved = ctx.call("array_evolve", &[pointer(&uri), evolution]);
        ctx.free("array_schema_evolution", evolution);
        evolved
    });
    world.tell("drop", dropped);
}

fn consolidate(world: &World<'_>, name: &str, config: &[(&str, &str)]) -> Result<(), Failure> {
    let ctx = world.api.context(&[&[("sm.mem.total_budget", "20000000")], config].concat());
    let uri = text(&world.uri(name));
    ctx.call("array_consolidate", &[pointer(&uri), 0])
}

/// Cells of the time 10 and, beyond the deletion at 12, of 20 and later.
fn by_dropped(world: &mut World<'_>) {
    let attrs = [attr("a", INT32, 1, false), attr("b", INT32, 1, false)];
    world.create("empty", sparse(&[dim("d", 1, 100, 10)], &attrs));
    delete(world, "empty", "b", 12);
    drop_attribute(world, "empty", "b");
    world.alter("empty", &attrs[..1]);
    world.read("empty", &all(UNORDERED, &["d", "a"]));
    world.create("full", sparse(&[dim("d", 1, 100, 10)], &attrs));
    let two = [("d", fixed(&[1, 2])), ("a", fixed(&[1, 2]))];
    world.write("full", UNORDERED, &[], &[&two[..], &[("b", fixed(&[1, 2]))]].concat());
    delete(world, "full", "b", 12);
    drop_attribute(world, "full", "b");
    world.alter("full", &attrs[..1]);
    // As soon as there are fragments the reference can read nothing any more; ours can, and consolidate too.
    world.write("empty", UNORDERED, &[], &two);
    world.write("full", UNORDERED, &[], &[("d", fixed(&[5])), ("a", fixed(&[5]))]);
    if world.is_ours() {
        for config in [&[][..], &[("sm.consolidation.purge_deleted_cells", "true")]] {
            assert_eq!((cells(world, "empty"), cells(world, "full")), ([1, 2].little(), [1, 5].little()));
            consolidate(world, "full", config).unwrap();
        }
        assert_eq!(cells(world, "full"), [1, 5].little());
    }
}

/// What is read of an attribute.
fn cells(world: &World<'_>, name: &str) -> Vec<u8> {
    let ctx = world.api.context(&[]);
    let array = Array::open(&ctx, &world.uri(name), 0, None, None).unwrap();
    let query = ctx.get("query_alloc", &[array.handle, 0]).unwrap();
    let mut column = Column::with_capacity("a", 400, None, None);
    column.bind(&ctx, query).unwrap();
    ctx.call("query_submit", &[query]).unwrap();
    ctx.free("query", query);
    column.result().data
}

/// Deletions at times inside a fragment that was merged of several.
fn inside(world: &mut World<'_>) {
    world.create("s", sparse(&[dim("d", 1, 100, 10)], &[attr("a", INT32, 1, false)]));
    for cell in 1..=3 {
        world.write("s", UNORDERED, &[], &[("d", fixed(&[cell])), ("a", fixed(&[cell]))]);
    }
    world.tell("consolidate", consolidate(world, "s", &[]));
    for time in [5, 10, 15, 20, 30, 40] {
        delete(world, "s", "a", time);
        world.read("s", &all(UNORDERED, &["d", "a"]));
    }
}

/// An array of an earlier release, with fragments merged by one that kept no times of cells.
fn old(world: &mut World<'_>) {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v11.tar.gz");
    let packed = flate2::read::GzDecoder::new(std::fs::File::open(golden).unwrap());
    tar::Archive::new(packed).unpack(world.uri("")).unwrap();
    let case = world.uri("consolidated_sparse__2.7.2");
    tar::Archive::new(std::fs::File::open(format!("{case}/array.tar")).unwrap()).unpack(&case).unwrap();
    let name = "consolidated_sparse__2.7.2/array";
    delete(world, name, "a", 1);
    let (ctx, uri) = (world.api.context(&[]), text(&world.uri(name)));
    world.tell("upgrade", ctx.call("array_upgrade_version", &[pointer(&uri), 0]));
    let mut times: Vec<(u64, u64)> = Vec::new();
    for entry in std::fs::read_dir(world.uri(name)).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let mut parts = name.trim_start_matches('_').split('_').map(str::parse);
        if let (Some(Ok(start)), Some(Ok(end))) = (parts.next(), parts.next()) {
            times.push((start, end));
        }
    }
    times.sort_unstable();
    // The new schema counts from the first fragment on.
    let schemas = world.uri(&format!("{name}/__schema"));
    let mut names: Vec<String> =
        std::fs::read_dir(&schemas).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| !name.contains("enumerations"));
    names.sort();
    let (start, end) = (times[0].0, times.iter().map(|times| times.1).max().unwrap());
    let newest = names.last().unwrap();
    let (_, unique) = newest.rsplit_once('_').unwrap();
    std::fs::rename(format!("{schemas}/{newest}"), format!("{schemas}/__{start}_{start}_{unique}")).unwrap();
    for (step, time) in
        [("before", start - 1), ("first", start), ("inside", start + 1), ("last", end), ("after", end + 1)]
    {
        world.say(step);
        delete_quietly(world, name, "a", time);
    }
}

/// Delete queries of which more is set than a condition.
fn with_more(world: &mut World<'_>) {
    let attrs = [attr("a", INT32, 1, false), attr("n", INT32, 1, true), attr("v", ASCII, VAR, false)];
    world.create("s", sparse(&[dim("d", 1, 100, 10)], &attrs));
    world.create("empty", sparse(&[dim("d", 1, 100, 10)], &attrs));
    world.create("dense", dense(&[dim("d", 1, 4, 2)], &attrs));
    let cells = [("d", fixed(&[1, 2])), ("a", fixed(&[1, 2])), ("v", var(&["x", "y"]))];
    world.write("s", UNORDERED, &[], &[&cells[..], &[("n", fixed(&[1, 2]).nulls(&[1, 0]))]].concat());
    let mores = ["nothing", "data", "offsets", "validity", "zipped", "subarray", "range", "layout", "ask"];
    for name in ["s", "empty", "dense"] {
        for more in mores {
            for conditioned in [false, true] {
                let ctx = world.api.context(&[]);
                let done = delete_with(world, &ctx, name, more, conditioned);
                world.tell(&format!("delete of {name} with {more} {conditioned}"), done);
            }
        }
        world.say(&format!("{:?}", commits(world, name)));
    }
}

/// How many commits there are.
fn commits(world: &World<'_>, name: &str) -> usize {
    std::fs::read_dir(world.uri(&format!("{name}/__commits"))).unwrap().count()
}

fn delete_with(world: &World<'_>, ctx: &Ctx<'_>, name: &str, more: &str, conditioned: bool) -> Result<(), Failure> {
    let array = Array::open(ctx, &world.uri(name), 2, None, None)?;
    let query = ctx.get("query_alloc", &[array.handle, 2])?;
    if conditioned {
        let condition = ctx.get("query_condition_alloc", &[])?;
        let (field, value) = (text("a"), [1i32].little());
        ctx.call("query_condition_init", &[condition, pointer(&field), bytes(&value), 4, 2])?;
        ctx.call("query_set_condition", &[query, condition])?;
        ctx.free("query_condition", condition);
    }
    let (mut room, mut size, mut starts) = ([0u8; 64], 64u64, [0u64; 8]);
    let set = |what: &str, field: &str, buffer: u64, size: u64| {
        let set = ctx.call(&format!("query_set_{what}_buffer"), &[query, pointer(&text(field)), buffer, size]);
        world.tell(&format!("  set {what} of {field}"), set);
    };
    let sized = address(&mut size);
    match more {
        "data" => ["a", "d", "v", "none"].into_iter().for_each(|field| set("data", field, address(&mut room), sized)),
        "offsets" => {
            ["a", "v", "none"].into_iter().for_each(|field| set("offsets", field, address(&mut starts), sized))
        }
        "validity" => {
            ["a", "n", "none"].into_iter().for_each(|field| set("validity", field, address(&mut room), sized))
        }
        "zipped" => set("data", "__coords", address(&mut room), sized),
        "subarray" | "range" => {
            let subarray = ctx.get("subarray_alloc", &[array.handle])?;
            if more == "range" {
                let ends = [1i32, 2];
                let ends = [&raw const ends[0] as u64, &raw const ends[1] as u64];
                ctx.call("subarray_add_range", &[subarray, 0, ends[0], ends[1], 0])?;
            }
            let set = ctx.call("query_set_subarray_t", &[query, subarray]);
            ctx.free("subarray", subarray);
            world.tell("  set the subarray", set);
        }
        "layout" => {
            for layout in [0, 1, 2, 3, 4] {
                world.tell(&format!("  layout {layout}"), ctx.call("query_set_layout", &[query, layout]));
            }
        }
        "ask" => {
            let status = ctx.get("query_get_status", &[query])?;
            let layout = ctx.get("query_get_layout", &[query]);
            let results = ctx.get("query_has_results", &[query]);
            world.say(&format!("  {status} {layout:?} {results:?}"));
            let estimate = ctx.get("query_get_est_result_size", &[query, pointer(&text("a"))]);
            world.tell("  estimate", estimate);
        }
        _ => {}
    }
    let done = ctx.call("query_submit", &[query]);
    world.say(&format!("  status {:?}", ctx.get("query_get_status", &[query])));
    if done.is_ok() {
        world.tell("  finalize", ctx.call("query_finalize", &[query]));
        world.tell("  submit again", ctx.call("query_submit", &[query]));
    }
    ctx.free("query", query);
    done
}
