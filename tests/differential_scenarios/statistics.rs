//! Statistics of reads and writes: equal if a counter has the same meaning in both libraries. [`OTHERWISE`] lists
//! counters that differ since the work does.

use crate::Scenario;
use crate::world::{
    ASCII, COL, GLOBAL, INT32, Little, ROW, Spec, UNORDERED, VAR, World, all, attr, attribute, dense, dim, fixed,
    range, sparse, text_dim, var,
};
use support::{Ctx, borrowed, bytes, pointer, text};

pub const SCENARIOS: &[Scenario] = &[
    ("statistics_dense", of_dense),
    ("statistics_sparse", of_sparse),
    ("statistics_texts", of_texts),
    ("statistics_times", of_times),
    ("statistics_upkeep", of_upkeep),
];

const READ: u64 = 0;
const WRITE: u64 = 1;

/// Counters whose numbers are those of the work that was done, which is another in each library, by the beginnings of
/// their names.
const OTHERWISE: [(&str, &str); 11] = [
    ("ChunkCache.", "the reference has no such cache"),
    ("VFS.", "files are read and written in other pieces, and folders listed once"),
    ("read_", "tables of fragments are read when they are needed, some never"),
    ("write_null_counts_size", "zlib of another version packs the totals of fields otherwise"),
    ("Query.Reader.read_unfiltered_byte_num", "bytes that were decoded in truth: tiles are decoded in part"),
    ("Query.Reader.internal_loop_num", "inner steps are of other sizes"),
    ("Query.Reader.ignored_tiles", "tiles of which nothing is wanted are found by other means"),
    ("Query.Reader.overlap_tile_num", "of what parts of a read share nothing is read again"),
    ("Subarray.", "what ranges touch is not kept in tables"),
    ("Query.Subarray.", "the same"),
    ("subSubarray.", "ranges are counted by nobody"),
];

/// Tells the counters of a context.
pub fn tell(world: &World<'_>, ctx: &Ctx<'_>) {
    tell_but(world, ctx, |name| OTHERWISE.iter().any(|(beginning, _)| name.starts_with(beginning)));
}

/// Tells the counters of a context but those with some names.
fn tell_but(world: &World<'_>, ctx: &Ctx<'_>, is_left_out: impl Fn(&str) -> bool) {
    let Ok(json) = ctx.get("ctx_get_stats", &[]) else { return world.say("  no statistics") };
    let text = borrowed(json);
    let mut lines: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix("\"Context.")).collect();
    let counted = |line: &&str| {
        let name = line.split('"').next().unwrap_or_default();
        let is_timer = name.ends_with(".sum") || name.ends_with(".avg");
        !is_timer && !is_left_out(name)
    };
    lines.retain(counted);
    world.say(&format!("  counted {}", lines.join(" ").replace(['"', ','], "")));
}

fn numbers(from: i32, count: i32) -> support::Cells {
    fixed(&(from..from + count).collect::<Vec<i32>>())
}

fn of_dense(world: &mut World<'_>) {
    let spec = dense(&[dim("x", 0, 7, 4), dim("y", 0, 7, 4)], &[attr("a", INT32, 1, false), attr("n", INT32, 1, true)]);
    world.count();
    world.create("d", spec);
    let validity: Vec<u8> = (0..64).map(|cell| u8::from(cell % 3 > 0)).collect();
    world.write("d", ROW, &[], &[("a", numbers(0, 64)), ("n", numbers(0, 64).nulls(&validity))]);
    let part = [range(0, 2, 5), range(1, 2, 5)];
    world.write("d", COL, &part, &[("a", numbers(0, 16)), ("n", numbers(0, 16).nulls(&validity[..16]))]);
    world.write("d", GLOBAL, &[], &[("a", numbers(0, 64)), ("n", numbers(0, 64).nulls(&validity))]);
    for layout in [ROW, COL, GLOBAL] {
        for ranges in [vec![range(0, 0, 7), range(1, 0, 7)], part.to_vec(), vec![range(0, 5, 5), range(1, 0, 7)]] {
            for fields in [&["a"][..], &["a", "n"], &["x", "y", "n"]] {
                let mut read = all(layout, fields);
                read.ranges = ranges.clone();
                world.read("d", &read);
            }
        }
    }
}

fn written(world: &mut World<'_>, name: &str, spec: Spec) {
    world.create(name, spec);
    let xs: Vec<i32> = (0..40).map(|cell| cell * 7 % 40).collect();
    world.write(name, UNORDERED, &[], &[("x", fixed(&xs)), ("a", numbers(0, 40)), ("v", var(&["some"; 40]))]);
    world.write(name, UNORDERED, &[], &[("x", numbers(45, 4)), ("a", numbers(0, 4)), ("v", var(&["", "b", "", "cc"]))]);
}

fn of_sparse(world: &mut World<'_>) {
    for (name, dups) in [("s", false), ("dups", true)] {
        let mut spec = sparse(&[dim("x", 0, 99, 10)], &[attr("a", INT32, 1, false), attr("v", ASCII, VAR, false)]);
        (spec.capacity, spec.dups) = (4, dups);
        world.count();
        written(world, name, spec);
        for layout in [ROW, COL, GLOBAL, UNORDERED] {
            for ranges in [vec![], vec![range(0, 10, 30)], vec![range(0, 60, 70)]] {
                for fields in [&["a"][..], &["x", "a", "v"], &["__coords", "a"]] {
                    // The reference dies of zipped coordinates in global order.
                    if fields[0] == "__coords" && matches!(layout, GLOBAL | UNORDERED) {
                        continue;
                    }
                    let mut read = all(layout, fields);
                    read.ranges = ranges.clone();
                    world.read(name, &read);
                }
            }
        }
    }
}

fn of_texts(world: &mut World<'_>) {
    let mut spec = sparse(&[text_dim("x")], &[attr("a", INT32, 1, true)]);
    spec.capacity = 2;
    world.count();
    world.create("t", spec);
    let cells = numbers(0, 5).nulls(&[1, 0, 1, 0, 1]);
    world.write("t", UNORDERED, &[], &[("x", var(&["b", "a", "dd", "c", "e"])), ("a", cells.clone())]);
    world.write("t", GLOBAL, &[], &[("x", var(&["p", "q", "r", "s", "t"])), ("a", cells)]);
    for layout in [GLOBAL, UNORDERED] {
        world.read("t", &all(layout, &["a"]));
        world.read("t", &all(layout, &["x", "a"]));
    }
}

/// Times of cells are read where single cells of a fragment lie outside the window, and nowhere else.
fn of_times(world: &mut World<'_>) {
    let mut spec = sparse(&[dim("x", 0, 99, 10)], &[attr("a", INT32, 1, false), attr("v", ASCII, VAR, false)]);
    (spec.capacity, spec.dups) = (4, true);
    written(world, "s", spec);
    let ctx = world.api.context(&[("sm.mem.total_budget", "20000000")]);
    let uri = text(&world.uri("s"));
    world.tell("consolidate", ctx.call("array_consolidate", &[pointer(&uri), 0]));
    world.count();
    for end in [None, Some(15), Some(10), Some(20)] {
        for ranges in [vec![], vec![range(0, 10, 30)]] {
            let mut read = all(UNORDERED, &["a"]);
            (read.window, read.ranges) = ((None, end), ranges);
            world.read("s", &read);
        }
    }
}

/// What changes arrays other than cells, groups and file systems count.
fn of_upkeep(world: &mut World<'_>) {
    for (name, spec) in [
        ("dense", dense(&[dim("x", 0, 7, 4)], &[attr("a", INT32, 1, false)])),
        ("sparse", sparse(&[dim("x", 0, 7, 4)], &[attr("a", INT32, 1, false)])),
    ] {
        world.create(name, spec);
        let ctx = world.api.context(&[]);
        let evolved = ctx.get("array_schema_evolution_alloc", &[]).and_then(|evolution| {
            let added = attribute(&ctx, &attr("b", INT32, 1, true))?;
            ctx.call("array_schema_evolution_add_attribute", &[evolution, added])?;
            ctx.free("attribute", added);
            let uri = text(&world.uri(name));
            let evolved = ctx.call("array_evolve", &[pointer(&uri), evolution]);
            ctx.free("array_schema_evolution", evolution);
            evolved
        });
        world.tell("evolve", evolved);
        tell(world, &ctx);
    }
    let uri = text(&world.uri("group"));
    let ctx = world.api.context(&[]);
    world.tell("create group", ctx.call("group_create", &[pointer(&uri)]));
    for open_for in [WRITE, READ] {
        let ctx = world.api.context(&[]);
        let outcome = ctx.get("group_alloc", &[pointer(&uri)]).and_then(|group| {
            ctx.call("group_open", &[group, open_for])?;
            match open_for {
                WRITE => {
                    let (key, member, value) = (text("key"), text(&world.uri("dense")), [7i32].little());
                    ctx.call("group_put_metadata", &[group, pointer(&key), INT32, 1, bytes(&value)])?;
                    ctx.call("group_add_member", &[group, pointer(&member), 0, 0])?;
                }
                _ => {
                    ctx.get("group_get_metadata_num", &[group])?;
                    ctx.get("group_get_member_count", &[group])?;
                }
            }
            ctx.call("group_close", &[group])?;
            ctx.free("group", group);
            Ok(())
        });
        world.tell("group", outcome);
        tell(world, &ctx);
    }
    let ctx = world.api.context(&[]);
    let outcome = ctx.get("vfs_alloc", &[0]).and_then(|vfs| {
        let (folder, file) = (text(&world.uri("v")), text(&world.uri("v/f")));
        ctx.call("vfs_create_dir", &[vfs, pointer(&folder)])?;
        let handle = ctx.get("vfs_open", &[vfs, pointer(&file), WRITE])?;
        ctx.call("vfs_write", &[handle, bytes(b"hello"), 5])?;
        ctx.call("vfs_close", &[handle])?;
        ctx.free("vfs_fh", handle);
        ctx.get("vfs_file_size", &[vfs, pointer(&file)])?;
        ctx.free("vfs", vfs);
        Ok(())
    });
    world.tell("file system", outcome);
    // Every file that is opened is looked for first.
    tell_but(world, &ctx, |name| name == "VFS.is_object_num");
}
