//! Copies of arrays and groups with relative members, at all stages of their lifecycle: they are copied file by file or
//! by folder, from disk to memory and back to another folder on disk, and moved from there. Both libraries must read
//! the same from the copies, and further operations on them must have the same results as on arrays that were created
//! in memory and moved.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "the operations tell when they are done")]
#![allow(dead_code, reason = "shares what other test programs use")]

mod fixtures;
#[path = "../crash_consistency/operations.rs"]
mod operations;
#[path = "../crash_consistency/snapshot.rs"]
mod snapshot;
#[path = "../support/mod.rs"]
mod support;
mod transport;
#[path = "../support/walk.rs"]
mod walk;

use fixtures::{LIVES, Life};
use operations::Place;
use support::own_process::isolated;
use support::{Api, Ctx, pointer, text};
use transport::{Way, carry};

#[test]
fn copies_of_what_we_wrote_read_the_same() {
    isolated("copies_of_what_we_wrote_read_the_same", || {
        let ours = Api::ours();
        LIVES.iter().for_each(|life| travel(life, &ours));
    });
}

#[test]
fn copies_of_what_the_reference_wrote_read_the_same() {
    isolated("copies_of_what_the_reference_wrote_read_the_same", || {
        let Some(reference) = Api::reference() else { return };
        LIVES.iter().for_each(|life| travel(life, &reference));
    });
}

/// Lets an array or group come into being with a library, and carries it around with ours.
fn travel(life: &Life, writer: &Api) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| {
        std::fs::create_dir_all(folder.path().join(name)).unwrap();
        folder.path().join(name).to_str().unwrap().to_owned()
    };
    let (ours, reference) = (Api::ours(), Api::reference());
    let (ctx, writing) = (ours.context(&[]), writer.context(&[]));
    let home = at("home");
    (life.prepare)(&Place::new(&writing, &home)).unwrap();
    let expected = (life.look)(&Place::new(&ctx, &home)).unwrap();
    assert!(expected.len() > 20, "{}: {expected}", life.name);
    let check = |place: &str| {
        assert_eq!((life.look)(&Place::new(&ctx, place)).unwrap(), expected, "{} at {place}", life.name);
        if let Some(reference) = &reference {
            let ctx = reference.context(&[]);
            let seen = (life.look)(&Place::new(&ctx, place)).unwrap();
            assert_eq!(seen, expected, "{} at {place} with the reference", life.name);
        }
    };
    check(&home);
    assert_eq!(life_in_memory(life, &ctx).as_ref(), Some(&expected), "{} in memory", life.name);
    for way in [Way::Files, Way::Folders] {
        let abroad = at(&format!("{way:?}"));
        let vfs = ctx.get("vfs_alloc", &[0]).unwrap();
        carry(&ctx, vfs, way, &home, "mem://way");
        carry(&ctx, vfs, way, "mem://way", &abroad);
        ctx.free("vfs", vfs);
        // The original has no part in it.
        let aside = folder.path().join("aside");
        std::fs::rename(&home, &aside).unwrap();
        check(&abroad);
        let moved = at(&format!("{way:?}_moved"));
        move_object(&ctx, life, &abroad, &moved);
        check(&moved);
        std::fs::rename(&aside, &home).unwrap();
        go_on(life, &ctx, &moved, reference.as_ref());
    }
}

/// What is seen of one that came into being in memory and was moved there.
fn life_in_memory(life: &Life, ctx: &Ctx<'_>) -> Option<String> {
    (life.prepare)(&Place::new(ctx, "mem://born")).unwrap();
    move_object(ctx, life, "mem://born", "mem://grown");
    (life.look)(&Place::new(ctx, "mem://grown")).ok()
}

fn move_object(ctx: &Ctx<'_>, life: &Life, from: &str, to: &str) {
    let [from, to] = [from, to].map(|folder| text(&format!("{folder}/{}", life.object)));
    ctx.call("object_move", &[pointer(&from), pointer(&to)]).unwrap();
}

/// What is written from now on is there too, on disk as in memory.
fn go_on(life: &Life, ctx: &Ctx<'_>, moved: &str, reference: Option<&Api>) {
    let fresh = ctx.api.context(&[]);
    life_in_memory(life, &fresh).unwrap();
    let places = [Place::new(&fresh, "mem://grown"), Place::new(ctx, moved)];
    places.iter().for_each(|place| (life.go_on)(place).unwrap());
    let [in_memory, on_disk] = places.map(|place| (life.look)(&place).unwrap());
    assert_eq!(in_memory, on_disk, "{}", life.name);
    if let Some(reference) = reference {
        let ctx = reference.context(&[]);
        assert_eq!((life.look)(&Place::new(&ctx, moved)).unwrap(), on_disk, "{} with the reference", life.name);
    }
}
