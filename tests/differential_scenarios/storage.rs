//! VFS calls on objects of any kind: results, and the remaining files.

use std::fs;
use std::os::unix::fs::symlink;

use crate::Scenario;
use crate::world::World;
use support::{Ctx, Failure, pointer, text};

pub const SCENARIOS: &[Scenario] = &[("storage_kinds", kinds), ("storage_moves", moves), ("storage_memory", memory)];

/// What lies there, by name: files, empty and full folders, links and nothing.
const KINDS: [&str; 8] = ["file", "empty", "full", "none", "to_file", "to_full", "to_nowhere", "file/x"];

/// Lays it all out anew.
fn lay_out(world: &World<'_>) {
    let at = |name: &str| world.uri(&format!("s/{name}"));
    _ = fs::remove_dir_all(at(""));
    fs::create_dir_all(at("empty")).unwrap();
    fs::create_dir_all(at("full")).unwrap();
    fs::write(at("file"), "abc").unwrap();
    fs::write(at("full/x"), "y").unwrap();
    symlink("file", at("to_file")).unwrap();
    symlink("full", at("to_full")).unwrap();
    symlink("nowhere", at("to_nowhere")).unwrap();
}

/// The names below a folder, with the sizes of files.
fn left(folder: &str) -> Vec<String> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            entries.extend(left(&format!("{folder}/{name}")).into_iter().map(|inner| format!("{name}/{inner}")));
        }
        let size = if entry.file_type().unwrap().is_file() { entry.metadata().unwrap().len() } else { 0 };
        entries.push(format!("{name} {size}"));
    }
    entries.sort();
    entries
}

fn with_vfs(world: &World<'_>, act: impl Fn(&Ctx<'_>, u64)) {
    let ctx = world.api.context(&[]);
    let vfs = ctx.get("vfs_alloc", &[0]).unwrap();
    act(&ctx, vfs);
    ctx.free("vfs", vfs);
}

/// Opens, writes, closes; the first refusal.
fn write(ctx: &Ctx<'_>, vfs: u64, uri: &str, mode: u64) -> Result<(), Failure> {
    let name = text(uri);
    let file = ctx.get("vfs_open", &[vfs, pointer(&name), mode])?;
    let written = ctx.call("vfs_write", &[file, b"zz".as_ptr() as u64, 2]);
    let closed = ctx.call("vfs_close", &[file]);
    ctx.free("vfs_fh", file);
    written.and(closed)
}

fn kinds(world: &mut World<'_>) {
    with_vfs(world, |ctx, vfs| {
        for kind in KINDS {
            let name = text(&world.uri(&format!("s/{kind}")));
            for call in ["is_dir", "is_file", "file_size", "dir_size"] {
                lay_out(world);
                let value =
                    world.tell(&format!("{call} {kind}"), ctx.get(&format!("vfs_{call}"), &[vfs, pointer(&name)]));
                // The size of a folder is the file system's affair.
                if call != "file_size" || matches!(kind, "file" | "to_file") {
                    world.say(&format!("  {value:?}"));
                }
            }
            for call in ["create_dir", "remove_dir", "remove_file", "touch"] {
                lay_out(world);
                let done = ctx.call(&format!("vfs_{call}"), &[vfs, pointer(&name)]);
                world.tell(&format!("{call} {kind}"), done);
                world.say(&format!("  {:?}", left(&world.uri("s"))));
            }
            for mode in [1, 2] {
                lay_out(world);
                let written = write(ctx, vfs, &world.uri(&format!("s/{kind}")), mode);
                world.tell(&format!("write {kind} {mode}"), written);
                world.say(&format!("  {:?}", left(&world.uri("s"))));
            }
        }
    });
}

fn moves(world: &mut World<'_>) {
    with_vfs(world, |ctx, vfs| {
        for call in ["move_file", "move_dir", "copy_file", "copy_dir"] {
            for from in &KINDS[..6] {
                for to in ["file", "empty", "full", "new", "to_file", "to_full", "to_nowhere"] {
                    lay_out(world);
                    let (old, new) = [from, to].map(|name| text(&world.uri(&format!("s/{name}")))).into();
                    let done = ctx.call(&format!("vfs_{call}"), &[vfs, pointer(&old), pointer(&new)]);
                    world.tell(&format!("{call} {from} {to}"), done);
                    world.say(&format!("  {:?}", left(&world.uri("s"))));
                }
            }
        }
    });
}

/// What the reference can do with things in memory without losing any.
fn memory(world: &mut World<'_>) {
    let calls = [
        ("create_dir", "file"),
        ("remove_dir", "file"),
        ("remove_dir", "none"),
        ("remove_file", "folder"),
        ("remove_file", "none"),
        ("touch", "file/x"),
        ("file_size", "folder"),
        ("file_size", "none"),
        ("dir_size", "file"),
    ];
    with_vfs(world, |ctx, vfs| {
        for (call, name) in [("create_dir", ""), ("create_dir", "/folder"), ("touch", "/file")] {
            let name = text(&format!("mem://s{name}"));
            world.tell(call, ctx.call(&format!("vfs_{call}"), &[vfs, pointer(&name)]));
        }
        for (call, kind) in calls {
            let name = text(&format!("mem://s/{kind}"));
            let mut value = 7u64;
            let arguments = [vfs, pointer(&name), support::address(&mut value)];
            let count = if call.ends_with("size") { 3 } else { 2 };
            let done = ctx.call(&format!("vfs_{call}"), &arguments[..count]);
            world.tell(&format!("{call} {kind}"), done);
            world.say(&format!("  {value}"));
        }
        let name = text("mem://s/none");
        let new = text("mem://s/new");
        world.tell("move none", ctx.call("vfs_move_file", &[vfs, pointer(&name), pointer(&new)]));
    });
}
