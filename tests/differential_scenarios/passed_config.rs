//! Functions that take a configuration beside the context: which of the two a parameter comes from, where it is set in one, in
//! both, in neither, or was set and unset again.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::Scenario;
use crate::deletes::delete_quietly;
use crate::groups::{Group, WRITE};
use crate::world::{INT32, ROW, UNORDERED, World, attr, dense, dim, fixed, range, sparse, var};
use support::{Ctx, Failure, address, borrowed, pointer, text};

pub const SCENARIOS: &[Scenario] = &[
    ("passed_config_of_consolidation", consolidation),
    ("passed_config_of_queries", queries),
    ("passed_config_of_vacuum", vacuum),
    ("passed_config_of_groups", groups),
    ("passed_config_of_handles", handles),
];

/// A parameter with two values, and the array or group whose files show which of them applies.
type Row = (&'static str, &'static str, &'static str, &'static str);
/// A value of the context, and the values that are set one after the other in the passed configuration, where `None` unsets the
/// parameter. No list is a null pointer.
type Case = (Option<&'static str>, Option<Vec<Option<&'static str>>>);

const STEP_MIN: &str = "sm.consolidation.step_min_frags";
const STEP_MAX: &str = "sm.consolidation.step_max_frags";
const START: &str = "sm.consolidation.timestamp_start";
const END: &str = "sm.consolidation.timestamp_end";
const BUDGET: &str = "sm.mem.total_budget";

const CONSOLIDATION: &[Row] = &[
    ("sparse", "sm.consolidation.purge_deleted_cells", "true", "false"),
    ("sparse", "sm.consolidation.purge_deleted_cells", "false", "true"),
    ("var", "sm.consolidation.mode", "fragment_meta", "array_meta"),
    ("var", "sm.consolidation.mode", "x", "fragments"),
    ("sparse", START, "15", "0"),
    ("sparse", END, "25", "35"),
    ("sparse", STEP_MIN, "4", "5"),
    ("sparse", STEP_MAX, "1", "2"),
    ("sparse", "sm.consolidation.steps", "1", "2"),
    ("sparse", "sm.consolidation.step_size_ratio", "2", "0"),
    ("dense", "sm.consolidation.amplification", "1.7", "1.0"),
    ("rows", "sm.consolidation.buffer_size", "3", "1000"),
    ("sparse", BUDGET, "x", "20000000"),
    ("sparse", "sm.mem.consolidation.buffers_weight", "x", "1"),
    ("sparse", "sm.mem.consolidation.reader_weight", "x", "1"),
    ("sparse", "sm.mem.consolidation.writer_weight", "x", "1"),
];

/// Parameters of the queries of a consolidation and of the file system, which libtiledb takes from the context alone. Here, those
/// that are set in the passed configuration apply. With `sm.dedup_coords`, offsets of 32 bits or another reader of sparse arrays in the
/// context the
/// reference fails.
const QUERIES: &[Row] = &[
    ("rows", "sm.query.dense.reader", "x", "refactored"),
    ("sparse", "sm.check_coord_dups", "false", "true"),
    ("sparse", "sm.check_global_order", "false", "true"),
    ("sparse", "sm.merge_overlapping_ranges_experimental", "false", "true"),
    ("var", "sm.var_offsets.mode", "elements", "bytes"),
    ("var", "sm.var_offsets.extra_element", "true", "false"),
    ("var", "vfs.file.posix_file_permissions", "600", "640"),
];

/// The arrays that are copied for every case.
fn fill(world: &mut World<'_>) {
    let a = attr("a", INT32, 1, false);
    world.create("sparse", sparse(&[dim("d", 1, 100, 10)], std::slice::from_ref(&a)));
    for cell in 2..=5 {
        world.write("sparse", UNORDERED, &[], &[("d", fixed(&[1, cell, 50])), ("a", fixed(&[cell, cell, 1]))]);
    }
    delete_quietly(world, "sparse", "a", 100);
    world.create("dense", dense(&[dim("d", 1, 20, 4)], std::slice::from_ref(&a)));
    world.create("rows", dense(&[dim("d", 1, 20, 4)], std::slice::from_ref(&a)));
    for (name, low, high) in [("dense", 1, 3), ("dense", 14, 18), ("rows", 1, 4), ("rows", 3, 8)] {
        let values: Vec<i32> = (low..=high).collect();
        world.write(name, ROW, &[range(0, low, high)], &[("a", fixed(&values))]);
    }
    world.create("var", sparse(&[dim("d", 1, 100, 10)], &[attr("v", INT32, crate::world::VAR, false)]));
    for cell in 1..=2 {
        world.write("var", UNORDERED, &[], &[("d", fixed(&[cell, 9])), ("v", var(&["abcd", "efghijkl"]))]);
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The number of files in each folder of an array or group, and the permissions of its newest commit.
fn files(folder: &str) -> String {
    let count = |name: &str| fs::read_dir(format!("{folder}/{name}")).map_or(0, Iterator::count);
    let counts = ["__fragments", "__commits", "__fragment_meta", "__meta"].map(count);
    let commits = fs::read_dir(format!("{folder}/__commits")).into_iter().flatten().map(Result::unwrap);
    let newest = commits.map(|entry| entry.metadata().unwrap()).max_by_key(|file| file.modified().unwrap());
    format!("{counts:?} {:?}", newest.map(|file| format!("{:o}", file.permissions().mode() & 0o777)))
}

fn cases(first: &'static str, second: &'static str) -> Vec<Case> {
    vec![
        (None, None),
        (None, Some(vec![])),
        (Some(first), None),
        (Some(first), Some(vec![])),
        (Some(first), Some(vec![Some(second), None])),
        (None, Some(vec![Some(first)])),
        (Some(first), Some(vec![Some(second)])),
    ]
}

/// A configuration in which a parameter was set to values, or unset.
fn config(world: &World<'_>, name: &str, values: &[Option<&str>]) -> u64 {
    let handle = world.api.config(&[]);
    let (name, mut error) = (text(name), 0u64);
    for value in values {
        match value.map(text) {
            Some(value) => world.api.raw("config_set", &[handle, pointer(&name), pointer(&value), address(&mut error)]),
            None => world.api.raw("config_unset", &[handle, pointer(&name), address(&mut error)]),
        };
    }
    handle
}

/// Calls a function on a copy of an array or group, once for each case; tells its outcome and its effect.
fn run(
    world: &World<'_>,
    function: &str,
    (source, name, ..): Row,
    base: &[(&str, &str)],
    cases: &[Case],
    act: impl Fn(&Ctx<'_>, &[u64]) -> Result<(), Failure>,
) {
    for (number, (of_context, passed)) in cases.iter().enumerate() {
        let copied = format!("copies/{function}/{name}/{}/{number}", cases[2].0.unwrap_or_default());
        copy(Path::new(&world.uri(source)), Path::new(&world.uri(&copied)));
        let base = base.iter().copied().filter(|base| base.0 != name);
        let ctx = world.api.context(&base.chain(of_context.map(|value| (name, value))).collect::<Vec<_>>());
        let mut handle = passed.as_ref().map_or(0, |values| config(world, name, values));
        let done = act(&ctx, &[pointer(&text(&world.uri(&copied))), handle]);
        world.tell(&format!("{function} {source}: {name} {of_context:?}, passed {passed:?}"), done);
        world.say(&files(&world.uri(&copied)));
        if source != "group" {
            world.fragments(&copied);
        }
        world.api.raw("config_free", &[address(&mut handle)]);
    }
}

fn consolidation(world: &mut World<'_>) {
    fill(world);
    for row in CONSOLIDATION {
        // Neither more than a step needs, nor fewer fragments than its minimum.
        let base = match row.1 {
            STEP_MIN => &[(BUDGET, "20000000"), (STEP_MAX, "4")][..],
            STEP_MAX => &[(BUDGET, "20000000"), (STEP_MIN, "2")],
            "sm.consolidation.steps" => &[(BUDGET, "20000000"), (STEP_MIN, "2"), (STEP_MAX, "2")],
            _ => &[(BUDGET, "20000000")],
        };
        let call = |ctx: &Ctx<'_>, args: &[u64]| ctx.call("array_consolidate", args);
        run(world, "array_consolidate", *row, base, &cases(row.2, row.3), call);
    }
}

fn queries(world: &mut World<'_>) {
    fill(world);
    for row in QUERIES {
        let base = [(BUDGET, "20000000")];
        let call = |ctx: &Ctx<'_>, args: &[u64]| ctx.call("array_consolidate", args);
        run(world, "array_consolidate", *row, &base, &cases(row.2, row.3)[..5], call);
    }
    if world.is_ours() {
        let commits = world.uri("passed/__commits");
        copy(Path::new(&world.uri("var")), Path::new(&world.uri("passed")));
        let (ctx, name) = (world.api.context(&[]), "vfs.file.posix_file_permissions");
        let mut handle = config(world, name, &[Some("600")]);
        ctx.call("array_consolidate", &[pointer(&text(&world.uri("passed"))), handle]).unwrap();
        world.api.raw("config_free", &[address(&mut handle)]);
        let modes = fs::read_dir(commits).unwrap().map(|entry| entry.unwrap().metadata().unwrap().permissions().mode());
        assert!(modes.map(|mode| mode & 0o777).any(|mode| mode == 0o600));
    }
}

fn vacuum(world: &mut World<'_>) {
    fill(world);
    let ctx = world.api.context(&[(BUDGET, "20000000")]);
    for mode in ["fragment_meta", "fragments"] {
        let mut handle = config(world, "sm.consolidation.mode", &[Some(mode)]);
        let uri = text(&world.uri("var"));
        world.tell(mode, ctx.call("array_consolidate", &[pointer(&uri), handle]));
        world.api.raw("config_free", &[address(&mut handle)]);
    }
    for row in [("var", "sm.vacuum.mode", "array_meta", "fragments"), ("var", "sm.vacuum.mode", "x", "array_meta")] {
        let call = |ctx: &Ctx<'_>, args: &[u64]| ctx.call("array_vacuum", args);
        run(world, "array_vacuum", row, &[], &cases(row.2, row.3), call);
    }
}

fn groups(world: &mut World<'_>) {
    let uri = text(&world.uri("group"));
    world.tell("create", world.api.context(&[]).call("group_create", &[pointer(&uri)]));
    for time in ["10", "20", "30", "40"] {
        let ctx = world.api.context(&[("sm.group.timestamp_end", time)]);
        Group::open(&ctx, &world.uri("group"), WRITE).put(time, 1).unwrap();
    }
    for row in [("group", START, "15", "35"), ("group", END, "25", "15")] {
        let call = |ctx: &Ctx<'_>, args: &[u64]| {
            ctx.call("group_consolidate_metadata", args)?;
            ctx.call("group_vacuum_metadata", args)
        };
        run(world, "group_consolidate_metadata", row, &[], &cases(row.2, row.3), call);
    }
}

/// Handles with a configuration of their own: parameters after configurations were set one after the other.
fn handles(world: &mut World<'_>) {
    let (first, second) = ("sm.mem.total_budget", "vfs.s3.region");
    for kind in ["array", "group", "fragment_info"] {
        let ctx = world.api.context(&[(first, "1000000"), (second, "of-the-context")]);
        let uri = text(&world.uri("nothing"));
        let object = ctx.get(&format!("{kind}_alloc"), &[pointer(&uri)]).unwrap();
        for (name, values) in [
            (first, &[][..]),
            (first, &[Some("2000000")]),
            (second, &[Some("x"), None]),
            (second, &[Some("own")]),
            (first, &[Some("3000000"), None]),
        ] {
            let mut handle = config(world, name, values);
            world
                .tell(&format!("{kind} {name} {values:?}"), ctx.call(&format!("{kind}_set_config"), &[object, handle]));
            world.api.raw("config_free", &[address(&mut handle)]);
            let mut own = ctx.get(&format!("{kind}_get_config"), &[object]).unwrap();
            for name in [first, second].map(text) {
                let (mut value, mut error) = (0u64, 0u64);
                world.api.raw("config_get", &[own, pointer(&name), address(&mut value), address(&mut error)]);
                world.say(&format!("  {name:?}: {}", borrowed(value)));
            }
            world.api.raw("config_free", &[address(&mut own)]);
        }
        ctx.free(kind, object);
    }
}
