//! Removing fragments, and whole arrays.

use std::path::Path;

use crate::Scenario;
use crate::support::{pointer, text};
use crate::world::{INT32, UNORDERED, World, all, attr, dim, fixed, sparse};

pub const SCENARIOS: &[Scenario] =
    &[("removal_of_fragments", fragments), ("removal_of_named_fragments", named), ("removal_of_arrays", arrays)];

/// Four fragments at the times 10 to 40.
fn array(world: &mut World<'_>, name: &str) {
    world.create(name, sparse(&[dim("d", 1, 100, 10)], &[attr("a", INT32, 1, false)]));
    for cell in 1..=4 {
        world.write(name, UNORDERED, &[], &[("d", fixed(&[cell])), ("a", fixed(&[10 * cell]))]);
    }
}

/// Tells what lies in a folder, with names but without what is random in them.
fn tree(world: &World<'_>, folder: &str) {
    let mut found = Vec::new();
    list(Path::new(&world.uri(folder)), "", &mut found);
    found.sort();
    world.say(&format!("  {found:?}"));
}

fn list(folder: &Path, at: &str, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let parts: Vec<&str> =
            name.split('_').filter(|part| part.len() < 32 && (part.len() < 13 || part.contains('a'))).collect();
        let shown = format!("{at}/{}", parts.join("_"));
        list(&entry.path(), &shown, found);
        found.push(shown);
    }
}

fn fragments(world: &mut World<'_>) {
    array(world, "s");
    let ctx = world.api.context(&[]);
    for (start, end) in [(11, 19), (15, 25), (30, 30), (40, 30), (0, u64::MAX), (0, u64::MAX)] {
        let uri = text(&world.uri("s"));
        let removed = ctx.call("array_delete_fragments_v2", &[pointer(&uri), start, end]);
        world.tell_exactly(&format!("remove {start} to {end}"), removed);
        tree(world, "s");
        world.read("s", &all(UNORDERED, &["d", "a"]));
    }
    let nowhere = text(&world.uri("nowhere"));
    world.tell_exactly("nowhere", ctx.call("array_delete_fragments_v2", &[pointer(&nowhere), 0, 1]));
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
        world.tell_exactly(&format!("remove {name}"), ctx.call("array_delete", &[pointer(&uri)]));
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
