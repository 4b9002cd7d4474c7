//! Copies of arrays and groups with relative members, at all stages of their lifecycle: they are copied file by file or
//! by folder, from disk to memory and back to another folder on disk, and moved from there. Both libraries must read
//! the same from the copies, and further operations on them must have the same results as on arrays that were created
//! in memory and moved.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "the operations tell when they are done")]

mod fixtures;
mod transport;

use std::fs::File;
use std::path::Path;

use fixtures::{LIVES, Life};
use serde_json::{Value, json};
use support::library_process::{self, HARNESS, LibraryProcess};
use support::operations::{self, Done, Place};
use support::{Api, Ctx, pointer, text};
use transport::{Way, carry};

#[test]
fn copies_of_our_arrays_read_the_same() {
    let mut reference = Reference::start();
    for life in &LIVES {
        let folder = tempfile::tempdir().unwrap();
        let home = subfolder(folder.path(), "home");
        prepare(&Api::ours(), life, &home).unwrap();
        travel(life, folder.path(), home, reference.as_mut());
    }
}

#[test]
fn copies_of_arrays_of_the_reference_read_the_same() {
    let Some(mut reference) = Reference::start() else { return };
    for life in &LIVES {
        let folder = tempfile::tempdir().unwrap();
        let home = reference.prepare(life, folder.path());
        travel(life, folder.path(), home, Some(&mut reference));
    }
}

/// A process with the reference.
struct Reference(LibraryProcess);

impl Reference {
    /// None if the reference is missing.
    fn start() -> Option<Reference> {
        LibraryProcess::reference(&[&HARNESS[..], &["calls_of_another_library"]].concat()).map(Reference)
    }

    /// Creates an array or group in a folder of `parent`, which is returned.
    fn prepare(&mut self, life: &Life, parent: &Path) -> String {
        let mut home = String::new();
        let prepared = self.0.write(|attempt| {
            home = subfolder(parent, &format!("home{attempt}"));
            json!(["prepare", life.name, home])
        });
        library_process::to_result(&prepared.unwrap()).unwrap();
        home
    }

    fn look(&mut self, life: &Life, folder: &str) -> String {
        let response = self.0.read(&json!(["look", life.name, folder])).unwrap();
        library_process::to_result(&response).unwrap().as_str().unwrap().to_owned()
    }
}

#[test]
#[ignore = "run by other tests in a process of its own"]
fn calls_of_another_library() {
    library_process::serve(|api, request| {
        let [operation, name, folder] = [0, 1, 2].map(|word| request[word].as_str().unwrap());
        let life = LIVES.iter().find(|life| life.name == name).unwrap();
        library_process::to_value(match operation {
            "die" if File::create_new(folder).is_ok() => std::process::abort(),
            "die" => Ok(Value::from("alive")),
            "prepare" => prepare(api, life, folder).map(|()| Value::Null),
            _ => operations::with(api, folder, life.look).map(Value::from),
        })
    });
}

#[test]
fn request_is_repeated_after_the_reference_died() {
    let Some(Reference(mut reference)) = Reference::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let request = |name: &str| json!(["die", "dense", folder.path().join(name)]);
    assert_eq!(library_process::to_result(&reference.read(&request("once")).unwrap()), Ok(Value::from("alive")));
    let death = reference.write(|attempt| request(&format!("twice{attempt}"))).unwrap_err();
    assert!(death.contains("libtiledb alone died (signal: 6"), "{death}");
    assert!(reference.read(&request("once")).is_ok());
}

#[test]
#[should_panic(expected = "libtiledb-rs alone died (signal: 6")]
fn death_of_our_library_fails_the_test() {
    let folder = tempfile::tempdir().unwrap();
    let mut ours = LibraryProcess::ours(&[&HARNESS[..], &["calls_of_another_library"]].concat());
    _ = ours.read(&json!(["die", "dense", folder.path().join("once")]));
}

fn prepare(api: &Api, life: &Life, folder: &str) -> Done {
    operations::with(api, folder, life.prepare)
}

fn subfolder(parent: &Path, name: &str) -> String {
    let folder = parent.join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder.to_str().unwrap().to_owned()
}

/// Carries an array or group around with our library.
fn travel(life: &Life, folder: &Path, home: String, mut reference: Option<&mut Reference>) {
    let ours = Api::ours();
    let ctx = ours.context(&[]);
    let expected = (life.look)(&Place::new(&ctx, &home)).unwrap();
    assert!(expected.len() > 20, "{}: {expected}", life.name);
    let check = |place: &str, reference: Option<&mut Reference>| {
        assert_eq!((life.look)(&Place::new(&ctx, place)).unwrap(), expected, "{} at {place}", life.name);
        if let Some(reference) = reference {
            assert_eq!(reference.look(life, place), expected, "{} at {place} with the reference", life.name);
        }
    };
    check(&home, reference.as_deref_mut());
    assert_eq!(life_in_memory(life, &ctx).as_ref(), Some(&expected), "{} in memory", life.name);
    for way in [Way::Files, Way::Folders] {
        let abroad = subfolder(folder, &format!("{way:?}"));
        let vfs = ctx.get("vfs_alloc", &[0]).unwrap();
        carry(&ctx, vfs, way, &home, "mem://way");
        carry(&ctx, vfs, way, "mem://way", &abroad);
        ctx.free("vfs", vfs);
        // The original has no part in it.
        let aside = folder.join("aside");
        std::fs::rename(&home, &aside).unwrap();
        check(&abroad, reference.as_deref_mut());
        let moved = subfolder(folder, &format!("{way:?}_moved"));
        move_object(&ctx, life, &abroad, &moved);
        check(&moved, reference.as_deref_mut());
        std::fs::rename(&aside, &home).unwrap();
        let on_disk = go_on(life, &ctx, &moved);
        if let Some(reference) = reference.as_deref_mut() {
            assert_eq!(reference.look(life, &moved), on_disk, "{} with the reference", life.name);
        }
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

/// What is written from now on is there too, on disk as in memory. Returns what is seen then.
fn go_on(life: &Life, ctx: &Ctx<'_>, moved: &str) -> String {
    let fresh = ctx.api.context(&[]);
    life_in_memory(life, &fresh).unwrap();
    let places = [Place::new(&fresh, "mem://grown"), Place::new(ctx, moved)];
    places.iter().for_each(|place| (life.go_on)(place).unwrap());
    let [in_memory, on_disk] = places.map(|place| (life.look)(&place).unwrap());
    assert_eq!(in_memory, on_disk, "{}", life.name);
    on_disk
}
