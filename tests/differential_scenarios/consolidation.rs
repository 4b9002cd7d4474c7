//! Consolidation and vacuum: merged fragments, rejected requests, and consolidation plans.

use crate::Scenario;
use crate::world::{INT32, ROW, Read, UNORDERED, World, all, attr, dense, dim, fixed, range, sparse};
use support::{Array, Failure, address, borrowed, pointer, text};

pub const SCENARIOS: &[Scenario] = &[
    ("consolidation_dense", of_dense),
    ("consolidation_dense_large_tiles", of_large_tiles),
    ("consolidation_sparse", of_sparse),
    ("consolidation_lists", lists),
    ("consolidation_refused", refused),
    ("consolidation_plans", plans),
    ("consolidation_keys", keys),
    ("consolidation_little_room", little_room),
];

/// Consolidates under a configuration and tells how many fragments there are then.
fn consolidate(world: &World<'_>, name: &str, config: &[(&str, &str)]) {
    // The reference fills its buffers with zeros first.
    let ctx = world.api.context(&[&[("sm.mem.total_budget", "20000000")], config].concat());
    let uri = text(&world.uri(name));
    let done = ctx.call("array_consolidate", &[pointer(&uri), 0]);
    world.tell(&format!("consolidate {name} {config:?}"), done);
    world.fragments(name);
}

fn vacuum(world: &World<'_>, name: &str, mode: &str) {
    let ctx = world.api.context(&[("sm.vacuum.mode", mode)]);
    let uri = text(&world.uri(name));
    world.tell(&format!("vacuum {mode} of {name}"), ctx.call("array_vacuum", &[pointer(&uri), 0]));
}

/// Reads everything, as of now and as of the times of the first writes.
fn read(world: &World<'_>, name: &str, layout: u64, fields: &[&str]) {
    for end in [None, Some(10), Some(25)] {
        let mut read = all(layout, fields);
        read.window = (None, end);
        read.sorted = layout == UNORDERED;
        world.read(name, &read);
    }
}

/// A dense array of one dimension, with fragments that cover these parts of it.
fn covered(world: &mut World<'_>, name: &str, parts: &[(i32, i32)]) {
    world.create(name, dense(&[dim("d", 1, 20, 4)], &[attr("a", INT32, 1, false)]));
    for (low, high) in parts {
        let values: Vec<i32> = (*low..=*high).collect();
        world.write(name, ROW, &[range(0, *low, *high)], &[("a", fixed(&values))]);
    }
}

const AMPLIFICATION: &str = "sm.consolidation.amplification";
const START: &str = "sm.consolidation.timestamp_start";
const END: &str = "sm.consolidation.timestamp_end";
const LEAST: &str = "sm.consolidation.step_min_frags";
const MOST: &str = "sm.consolidation.step_max_frags";
const STEPS: &str = "sm.consolidation.steps";
const RATIO: &str = "sm.consolidation.step_size_ratio";
const MODE: &str = "sm.consolidation.mode";

fn of_dense(world: &mut World<'_>) {
    covered(world, "gap", &[(1, 3), (14, 18)]);
    for amplification in ["1.0", "1.6", "1.7"] {
        consolidate(world, "gap", &[(AMPLIFICATION, amplification)]);
    }
    read(world, "gap", ROW, &["a"]);
    vacuum(world, "gap", "fragments");
    read(world, "gap", ROW, &["a"]);
    covered(world, "above", &[(1, 20), (2, 3), (6, 7), (6, 9)]);
    // They were written at the times 30 to 60.
    consolidate(world, "above", &[(START, "35")]);
    consolidate(world, "above", &[(START, "45")]);
    consolidate(world, "above", &[(END, "55")]);
    consolidate(world, "above", &[]);
    read(world, "above", ROW, &["a"]);
    covered(world, "steps", &[(1, 4), (1, 4), (1, 20), (1, 4), (1, 4), (1, 4)]);
    consolidate(world, "steps", &[(LEAST, "2"), (MOST, "2"), (STEPS, "1")]);
    consolidate(world, "steps", &[(LEAST, "2"), (MOST, "3"), (STEPS, "2")]);
    consolidate(world, "steps", &[(LEAST, "0"), (MOST, "0")]);
    consolidate(world, "steps", &[(RATIO, "0.5"), (LEAST, "2")]);
    consolidate(world, "steps", &[]);
    vacuum(world, "steps", "fragments");
    read(world, "steps", ROW, &["a"]);
}

/// Tiles that are large enough to be taken over as they are stored, beside others that overlap or are cut.
fn of_large_tiles(world: &mut World<'_>) {
    let parts = [(1, 40_000), (40_001, 80_000), (59_990, 60_010), (80_001, 100_000), (120_001, 130_000)];
    world.create(
        "large",
        dense(&[dim("d", 1, 170_000, 20_000)], &[attr("a", INT32, 1, false), attr("b", INT32, 2, false)]),
    );
    for (low, high) in parts {
        let values: Vec<i32> = (low..=high).map(|cell| cell % 1009).collect();
        let twice: Vec<i32> = (low..=high).flat_map(|cell| [cell, -cell]).collect();
        world.write("large", ROW, &[range(0, low, high)], &[("a", fixed(&values)), ("b", fixed(&twice))]);
    }
    consolidate(world, "large", &[(AMPLIFICATION, "1.5")]);
    let edges = [(1, 20), (39_990, 40_010), (59_980, 60_020), (79_995, 80_005), (99_990, 100_010), (129_995, 130_005)];
    for step in ["consolidated", "vacuumed"] {
        for (low, high) in edges {
            world.read("large", &Read { ranges: vec![range(0, low, high)], ..all(ROW, &["a", "b"]) });
        }
        if step == "consolidated" {
            vacuum(world, "large", "fragments");
        }
    }
}

fn of_sparse(world: &mut World<'_>) {
    world.create("s", sparse(&[dim("d", 1, 100, 10)], &[attr("a", INT32, 1, false)]));
    for cell in 1..=4 {
        world.write("s", UNORDERED, &[], &[("d", fixed(&[1, cell, 90 + cell])), ("a", fixed(&[cell, 10 * cell, 7]))]);
    }
    consolidate(world, "s", &[]);
    for mode in ["commits", "fragment_meta", "array_meta", "fragments"] {
        consolidate(world, "s", &[(MODE, mode)]);
    }
    world.write("s", UNORDERED, &[], &[("d", fixed(&[2])), ("a", fixed(&[99]))]);
    for mode in ["fragments", "fragment_meta", "commits"] {
        consolidate(world, "s", &[(MODE, mode)]);
        read(world, "s", UNORDERED, &["d", "a"]);
        vacuum(world, "s", mode);
        read(world, "s", UNORDERED, &["d", "a"]);
    }
    world.fragments("s");
}

/// The names of the fragments of an array, by time.
fn names(world: &World<'_>, name: &str) -> Vec<String> {
    let folder = format!("{}/__fragments", world.uri(name));
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn consolidate_names(world: &World<'_>, name: &str, step: &str, names: &[String]) {
    let ctx = world.api.context(&[]);
    let uri = text(&world.uri(name));
    let names: Vec<_> = names.iter().map(|name| text(name)).collect();
    let pointers: Vec<u64> = names.iter().map(|name| pointer(name)).collect();
    let list = [pointer(&uri), pointers.as_ptr() as u64, pointers.len() as u64, 0];
    let done = ctx.call("array_consolidate_fragments", &list).map_err(|failure| Failure {
        text: failure.text.split("__").map(|part| part.get(..1).unwrap_or_default()).collect(),
        ..failure
    });
    world.tell(&format!("consolidate {step} of {name}"), done);
    world.fragments(name);
}

fn lists(world: &mut World<'_>) {
    covered(world, "d", &[(1, 4), (1, 4), (9, 12), (5, 8)]);
    let own = names(world, "d");
    consolidate_names(world, "d", "none", &[]);
    consolidate_names(world, "d", "one", &own[..1]);
    consolidate_names(world, "d", "the same twice", &[own[0].clone(), own[0].clone()]);
    consolidate_names(world, "d", "what is not there", &[own[0].clone(), "__1_1_nothing_22".to_owned()]);
    consolidate_names(world, "d", "what hides an earlier one", &own[1..3]);
    consolidate_names(world, "d", "apart", &own[2..]);
    let uris: Vec<String> =
        own[..2].iter().map(|name| format!("file://{}/__fragments/{name}", world.uri("d"))).collect();
    consolidate_names(world, "d", "URIs", &uris);
    read(world, "d", ROW, &["a"]);
    world.create("s", sparse(&[dim("d", 1, 100, 10)], &[attr("a", INT32, 1, false)]));
    for cell in 1..=3 {
        world.write("s", UNORDERED, &[], &[("d", fixed(&[50, cell])), ("a", fixed(&[cell, 10 * cell]))][..]);
    }
    let own = names(world, "s");
    consolidate_names(world, "s", "first and last", &[own[2].clone(), own[0].clone()]);
    read(world, "s", UNORDERED, &["d", "a"]);
}

fn refused(world: &mut World<'_>) {
    covered(world, "d", &[(1, 4), (1, 4)]);
    for config in [
        &[(LEAST, "3"), (MOST, "2")][..],
        &[(RATIO, "1.5")],
        &[(RATIO, "-1")],
        &[(AMPLIFICATION, "-1")],
        &[(MODE, "everything")],
        &[(MODE, "group_meta")],
        &[(START, "50"), (END, "10")],
    ] {
        consolidate(world, "d", config);
    }
    for mode in ["everything", "group_meta", "fragment_meta", "array_meta", "commits", "fragments"] {
        vacuum(world, "d", mode);
    }
    let ctx = world.api.context(&[]);
    let nowhere = text(&world.uri("nowhere"));
    world.tell("consolidate nothing", ctx.call("array_consolidate", &[pointer(&nowhere), 0]));
    for mode in ["everything", "group_meta", "fragment_meta", "array_meta", "fragments"] {
        vacuum(world, "nowhere", mode);
    }
    world.tell("consolidate null", ctx.call("array_consolidate", &[0, 0]));
    world.tell("vacuum null", ctx.call("array_vacuum", &[0, 0]));
    world.create("s", sparse(&[dim("d", 1, 100, 10)], &[attr("a", INT32, 1, false)]));
    for cell in 1..=2 {
        world.write("s", UNORDERED, &[], &[("d", fixed(&[cell])), ("a", fixed(&[cell]))]);
    }
    // Only one of the two was written since.
    consolidate(world, "s", &[(START, "35")]);
}

/// Tells the plan of an array for a size of fragments; fragments are named by their times.
fn tell_plan(world: &World<'_>, name: &str, size: u64) -> Result<(), Failure> {
    let ctx = world.api.context(&[]);
    let array = Array::open(&ctx, &world.uri(name), 0, None, None)?;
    let plan = ctx.get("consolidation_plan_create_with_mbr", &[array.handle, size])?;
    let time = |uri: &str| uri.split('_').nth(2).unwrap_or_default().to_owned();
    let mut nodes = Vec::new();
    for node in 0..ctx.get("consolidation_plan_get_num_nodes", &[plan])? {
        let mut times = Vec::new();
        for fragment in 0..ctx.get("consolidation_plan_get_num_fragments", &[plan, node])? {
            times.push(time(&borrowed(ctx.get("consolidation_plan_get_fragment_uri", &[plan, node, fragment])?)));
        }
        nodes.push(times);
    }
    let mut json = ctx.get("consolidation_plan_dump_json_str", &[plan])?;
    // Names without what is random in them.
    let text: Vec<String> = borrowed(json).split('_').filter(|part| part.len() != 32).map(str::to_owned).collect();
    world.say(&format!("  plan of {name} for {size}: {nodes:?} {}", text.join("_")));
    world.api.raw("consolidation_plan_free_json_str", &[address(&mut json)]);
    for (node, fragment) in [(99, 0), (0, 99)] {
        let uri = ctx.get("consolidation_plan_get_fragment_uri", &[plan, node, fragment]);
        world.tell("fragment", uri.map(|_| ()));
        world.tell("node", ctx.get("consolidation_plan_get_num_fragments", &[plan, node]).map(|_| ()));
    }
    ctx.free("consolidation_plan", plan);
    Ok(())
}

fn plans(world: &mut World<'_>) {
    covered(world, "d", &[(1, 3), (17, 18), (5, 6), (19, 20), (8, 8)]);
    covered(world, "o", &[(1, 3), (9, 12), (3, 4), (17, 20), (6, 7)]);
    covered(world, "none", &[]);
    for name in ["d", "o", "none"] {
        // Fragments have between 2 and 4 KiB in either library.
        for size in [0, 1, 1000, 9000, 30_000, 50_000, u64::MAX] {
            let outcome = tell_plan(world, name, size);
            world.tell("plan", outcome);
        }
    }
}

/// Keys in the context, in the configuration that is given, in both and in none. What the reference cannot do or does
/// wrongly with the context's key alone is left out.
fn keys(world: &mut World<'_>) {
    const KEYS: [&str; 2] = ["0123456789abcdeF0123456789abcdeF", "another89abcdeF0123456789abcdeF_"];
    let with_key = |key: &'static str| [("sm.encryption_type", "AES_256_GCM"), ("sm.encryption_key", key)];
    let own = with_key(KEYS[0]);
    let other = with_key(KEYS[1]);
    let choices: [&[(&str, &str)]; 5] = [&[], &own, &other, &own[..1], &own[1..]];
    for (number, (of_context, of_config)) in [(0, 0), (0, 1), (1, 0), (1, 2), (1, 3), (1, 4)].into_iter().enumerate() {
        for mode in ["array_meta", "fragment_meta", "commits", "fragments"] {
            let name = format!("s{number}{mode}");
            encrypted(world, &name, &own);
            let ctx = world.api.context(choices[of_context]);
            let little = [("sm.mem.total_budget", "20000000"), (MODE, mode)];
            let config = world.api.context(&[choices[of_config], &little].concat());
            let (uri, config) = (text(&world.uri(&name)), config.get("ctx_get_config", &[]).unwrap());
            let done = ctx.call("array_consolidate", &[pointer(&uri), config]);
            let by_context = of_context == 1 && of_config != 1 && of_config != 2;
            if by_context && matches!(mode, "fragment_meta" | "fragments") {
                assert!(done.is_ok() || !world.is_ours());
            } else {
                world.tell(&format!("consolidate {mode} with {of_context} {of_config}"), done);
            }
        }
    }
}

/// An encrypted array with two fragments.
fn encrypted(world: &World<'_>, name: &str, key: &[(&str, &str)]) {
    let ctx = world.api.context(key);
    let spec = dense(&[dim("d", 1, 4, 4)], &[attr("a", INT32, 1, false)]);
    let uri = text(&world.uri(name));
    let made = crate::world::schema(&ctx, &spec).and_then(|schema| {
        let made = ctx.call("array_create", &[pointer(&uri), schema]);
        ctx.free("array_schema", schema);
        made
    });
    world.tell("create", made);
    for time in [10, 20] {
        let written = Array::open(&ctx, &world.uri(name), 1, None, Some(time)).and_then(|array| {
            let query = ctx.get("query_alloc", &[array.handle, 1])?;
            let mut column = support::Column::filled("a", fixed(&[1, 2, 3, 4]));
            column.bind(&ctx, query)?;
            let done = ctx.call("query_submit", &[query]);
            ctx.free("query", query);
            done
        });
        world.tell("write", written);
    }
}

/// Buffers for less than a cell, and for one.
fn little_room(world: &mut World<'_>) {
    for (is_dense, size) in [(true, "3"), (true, "4"), (false, "4"), (false, "8")] {
        let name = format!("{}{size}", if is_dense { "d" } else { "s" });
        let (dims, attrs) = ([dim("d", 1, 20, 4)], [attr("a", INT32, 1, false)]);
        world.create(&name, if is_dense { dense(&dims, &attrs) } else { sparse(&dims, &attrs) });
        for _ in 0..2 {
            let values = fixed(&[1, 2, 3, 4]);
            if is_dense {
                world.write(&name, ROW, &[range(0, 1, 4)], &[("a", values)]);
            } else {
                world.write(&name, UNORDERED, &[], &[("d", values.clone()), ("a", values)]);
            }
        }
        consolidate(world, &name, &[("sm.consolidation.buffer_size", size)]);
    }
}
