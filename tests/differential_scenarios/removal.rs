//! Deletion of fragments, and of arrays.

use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::Scenario;
use crate::world::{ASCII, INT32, UNORDERED, VAR, World, all, attr, dim, fixed, sparse, var};
use support::{Array, bytes, pointer, text};

pub const SCENARIOS: &[Scenario] = &[
    ("removal_of_fragments", fragments),
    ("removal_of_named_fragments", named),
    ("removal_of_arrays", arrays),
    ("removal_of_links", links),
    ("updates", updates),
];

/// Four fragments at the times 10 to 40.
fn array(world: &mut World<'_>, name: &str) {
    world.create(name, sparse(&[dim("d", 1, 100, 10)], &[attr("a", INT32, 1, false)]));
    for cell in 1..=4 {
        world.write(name, UNORDERED, &[], &[("d", fixed(&[cell])), ("a", fixed(&[10 * cell]))]);
    }
}

/// Tells what lies in a folder, with names but without what is random in them.
fn tree(world: &World<'_>, folder: &str) {
    let mut paths = Vec::new();
    list(Path::new(&world.uri(folder)), "", &mut paths);
    paths.sort();
    world.say(&format!("  {paths:?}"));
}

fn list(folder: &Path, at: &str, paths: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let parts: Vec<&str> =
            name.split('_').filter(|part| part.len() < 32 && (part.len() < 13 || part.contains('a'))).collect();
        let shown = format!("{at}/{}", parts.join("_"));
        list(&entry.path(), &shown, paths);
        paths.push(shown);
    }
}

fn fragments(world: &mut World<'_>) {
    array(world, "s");
    let ctx = world.api.context(&[]);
    for (start, end) in [(11, 19), (15, 25), (30, 30), (40, 30), (0, u64::MAX), (0, u64::MAX)] {
        let uri = text(&world.uri("s"));
        let removed = ctx.call("array_delete_fragments_v2", &[pointer(&uri), start, end]);
        world.tell(&format!("remove {start} to {end}"), removed);
        tree(world, "s");
        world.read("s", &all(UNORDERED, &["d", "a"]));
    }
    let nowhere = text(&world.uri("nowhere"));
    world.tell("nowhere", ctx.call("array_delete_fragments_v2", &[pointer(&nowhere), 0, 1]));
    world.tell("null", ctx.call("array_delete_fragments_v2", &[0, 0, 1]));
}

/// The folders of the fragments of an array.
fn folders(world: &World<'_>, name: &str) -> Vec<String> {
    let folder = format!("{}/__fragments", world.uri(name));
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.path().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn named(world: &mut World<'_>) {
    array(world, "s");
    array(world, "other");
    let ctx = world.api.context(&[]);
    let remove = |world: &World<'_>, step: &str, uris: &[String]| {
        let uri = text(&world.uri("s"));
        let names: Vec<_> = uris.iter().map(|name| text(name)).collect();
        let pointers: Vec<u64> = names.iter().map(|name| pointer(name)).collect();
        let count = pointers.len() as u64;
        let removed = ctx.call("array_delete_fragments_list", &[pointer(&uri), pointers.as_ptr() as u64, count]);
        world.tell(step, removed);
        tree(world, "s");
        world.read("s", &all(UNORDERED, &["d", "a"]));
    };
    let own = folders(world, "s");
    remove(world, "two", &[own[0].clone(), format!("file://{}", own[2])]);
    remove(world, "gone", &own[..1]);
    remove(world, "one of another", &folders(world, "other")[..1]);
    remove(world, "one that is there and one that is gone", &[own[1].clone(), own[0].clone()]);
    remove(world, "no name of a fragment", &[format!("{}/__fragments/x", world.uri("s"))]);
    remove(world, "none", &[]);
    remove(world, "a bare name", &[own[3].rsplit('/').next().unwrap().to_owned()]);
}

fn arrays(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    let remove = |world: &World<'_>, name: &str| {
        let uri = text(&world.uri(name));
        world.tell(&format!("remove {name}"), ctx.call("array_delete", &[pointer(&uri)]));
        tree(world, name);
        world.say(&format!("  still there: {}", Path::new(&world.uri(name)).exists()));
    };
    array(world, "s");
    remove(world, "s");
    remove(world, "s");
    array(world, "t");
    let path = world.uri("t");
    for file in ["notes.txt", "__commits/notes.txt"] {
        std::fs::write(format!("{path}/{file}"), "kept").unwrap();
    }
    std::fs::create_dir(format!("{path}/pictures")).unwrap();
    std::fs::write(format!("{path}/pictures/one"), "kept").unwrap();
    remove(world, "t");
    std::fs::create_dir(world.uri("folder")).unwrap();
    std::fs::write(format!("{}/file", world.uri("folder")), "kept").unwrap();
    remove(world, "folder");
    world.tell("null", ctx.call("array_delete", &[0]));
}

/// Objects and folders that are symbolic links, in any spelling, or have links inside: what links lead to stays. The deletion
/// of an array is not compared: the reference deletes what links lead to.
fn links(world: &mut World<'_>) {
    array(world, "s");
    let ctx = world.api.context(&[]);
    let vfs = ctx.get("vfs_alloc", &[0]).unwrap();
    let is_link = |world: &World<'_>, name: &str| Path::new(&world.uri(name)).is_symlink();
    for spelling in ["link", "link/", "link//", "link/."] {
        let uri = text(&world.uri(spelling));
        for step in ["object_remove", "vfs_remove_dir", "object_move"] {
            _ = std::fs::remove_file(world.uri("link"));
            symlink(world.uri("s"), world.uri("link")).unwrap();
            let moved = text(&world.uri("moved"));
            let done = match step {
                "object_remove" => ctx.call(step, &[pointer(&uri)]),
                "vfs_remove_dir" => ctx.call(step, &[vfs, pointer(&uri)]),
                _ => ctx.call(step, &[pointer(&uri), pointer(&moved)]),
            };
            world.tell(&format!("{step} {spelling}"), done);
            world.say(&format!("  links: {} {}", is_link(world, "link"), is_link(world, "moved")));
            _ = std::fs::remove_file(world.uri("moved"));
            tree(world, "s");
        }
    }
    for folder in ["__fragments", "__commits", "__meta", "__schema"] {
        for step in ["object_remove", "vfs_remove_dir"] {
            let (name, outside) = (format!("{step}{folder}"), format!("{step}{folder}_outside"));
            array(world, &name);
            let inner = format!("{}/{folder}", world.uri(&name));
            std::fs::rename(&inner, world.uri(&outside)).unwrap();
            symlink(world.uri(&outside), &inner).unwrap();
            let uri = text(&world.uri(&name));
            let arguments = [vfs, pointer(&uri)];
            let done = ctx.call(step, if step == "object_remove" { &arguments[1..] } else { &arguments });
            world.tell(&format!("{step} with {folder} linked"), done);
            world.say(&format!("  still there: {}", Path::new(&world.uri(&name)).exists()));
            tree(world, &outside);
        }
    }
    ctx.free("vfs", vfs);
}

/// The contents of the commits with an extension.
fn commits(world: &World<'_>, name: &str, extension: &str) -> Vec<Vec<u8>> {
    let folder = format!("{}/__commits", world.uri(name));
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let files = files.filter(|path| path.extension().is_some_and(|actual| actual == extension));
    let content = |path| {
        let bytes = std::fs::read(path).unwrap();
        let inflate = |start: usize| {
            let mut content = Vec::new();
            flate2::read::ZlibDecoder::new(&bytes[start..]).read_to_end(&mut content).ok()?;
            Some(content)
        };
        (0..bytes.len()).filter(|&start| bytes[start] == 0x78).find_map(inflate).unwrap_or(bytes.clone())
    };
    files.map(content).collect()
}

/// Update queries: their commits are as the reference makes them, and change no cell.
fn updates(world: &mut World<'_>) {
    let attrs = [attr("a", INT32, 1, false), attr("n", INT32, 1, true), attr("s", ASCII, VAR, false)];
    world.create("u", sparse(&[dim("d", 1, 100, 10)], &attrs));
    let cells =
        [("d", fixed(&[1, 2])), ("a", fixed(&[3, 9])), ("n", fixed(&[1, 1]).nulls(&[1, 1])), ("s", var(&["x", "y"]))];
    world.write("u", UNORDERED, &[], &cells);
    let uri = world.uri("u");
    world.tell("refused", Array::open(&world.api.context(&[]), &uri, 3, None, None).map(|_| ()));
    let ctx = world.api.context(&[("sm.allow_updates_experimental", "true")]);
    let seven = 7i32.to_le_bytes();
    type Values<'a> = &'a [(&'a str, Option<&'a [u8]>)];
    let tries: [Values<'_>; 11] = [
        &[("a", Some(&seven))],
        &[("a", Some(&seven)), ("n", None), ("s", Some(b"hello"))],
        &[("n", Some(&seven)), ("n", Some(&seven))],
        &[("s", Some(b""))],
        &[("s", None)],
        &[],
        &[("a", None)],
        &[("a", Some(b"123"))],
        &[("n", Some(b"12345"))],
        &[("d", Some(&seven))],
        &[("nobody", Some(&seven))],
    ];
    for (kind, with_condition) in [(3, true), (3, false), (2, true), (1, false), (0, true)] {
        for (number, values) in tries.iter().enumerate() {
            let array = Array::open(&ctx, &uri, kind, None, Some(20 + number as u64)).unwrap();
            let query = ctx.get("query_alloc", &[array.handle, kind]).unwrap();
            if with_condition {
                let (name, five) = (text("a"), 5i32.to_le_bytes());
                let condition = ctx.get("query_condition_alloc", &[]).unwrap();
                ctx.call("query_condition_init", &[condition, pointer(&name), bytes(&five), 4, 0]).unwrap();
                ctx.call("query_set_condition", &[query, condition]).unwrap();
                ctx.free("query_condition", condition);
            }
            for (name, value) in *values {
                let field = text(name);
                let (start, size) = value.map_or((0, 0), |value| (bytes(value), value.len() as u64));
                let added = ctx.call("query_add_update_value", &[query, pointer(&field), start, size]);
                world.tell(&format!("kind {kind}, try {number}: add {name}"), added);
            }
            if kind > 1 {
                world.tell(&format!("kind {kind}, try {number}: submit"), ctx.call("query_submit", &[query]));
            }
            ctx.free("query", query);
        }
    }
    let mut contents = commits(world, "u", "upd");
    contents.sort();
    world.say(&format!("  {contents:?}"));
    world.say(&format!("  {} deletions", commits(world, "u", "del").len()));
    world.read("u", &all(UNORDERED, &["d", "a"]));
}
