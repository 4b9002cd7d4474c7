//! Copies of arrays and groups between stores.

use std::ops::ControlFlow;

use tiledb::copy::ObjectCopy;
use tiledb::object::object_type;
use tiledb::{Array, ArraySchema, Attribute, Context, Dimension, ErrorKind, Group, ObjectType};

/// A group with an array in its folder and another one elsewhere, on a disk and in memory.
fn group(ctx: &Context, uri: &str) {
    let schema = ArraySchema::dense()
        .dimension(Dimension::new("x", 0..=999_i64).tile(100))
        .attribute(Attribute::new::<i64>("a"))
        .build()
        .unwrap();
    Group::create(ctx, uri).unwrap();
    let group = Group::open_for_writing(ctx, uri).unwrap();
    for (array, name) in [(format!("{uri}/inside"), "inside"), ("mem://outside".to_owned(), "outside")] {
        Array::create(ctx, &array, &schema).unwrap();
        let values: Vec<i64> = (0..1000).collect();
        Array::open_for_writing(ctx, &array).unwrap().write().values("a", &values).submit().unwrap();
        group.add(&array, Some(name)).unwrap();
    }
    group.close().unwrap();
}

fn cells(ctx: &Context, uri: &str) -> usize {
    Array::open(ctx, uri).unwrap().read().all().unwrap().len()
}

#[test]
fn stopped_copy_is_invisible_and_resumed() {
    let ctx = Context::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let from = folder.path().join("group").to_str().unwrap().to_owned();
    group(&ctx, &from);
    let mut calls = 0;
    let whole = ObjectCopy::new().on_progress(|_| {
        calls += 1;
        ControlFlow::Continue(())
    });
    let whole = whole.run(&ctx, &from, "mem://whole").unwrap();
    assert_eq!((whole.arrays, whole.groups, whole.is_snapshot), (1, 1, true));
    assert_eq!((whole.rewritten_groups.as_slice(), whole.members_elsewhere.len()), (&[String::new()][..], 1));
    assert_eq!(cells(&ctx, "mem://whole/inside"), 1000);
    assert_eq!(Group::open(&ctx, "mem://whole").unwrap().member("inside").unwrap().uri(), "mem://whole/inside");
    for stop_at in 1..=calls {
        let to = format!("mem://stopped{stop_at}");
        let mut call = 0;
        let stopped = ObjectCopy::new().on_progress(|progress| {
            call += 1;
            assert!(progress.done <= progress.total);
            if call == stop_at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let error = stopped.run(&ctx, &from, &to).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled);
        if object_type(&ctx, &format!("{to}/inside")).unwrap() == Some(ObjectType::Array) {
            assert_eq!(cells(&ctx, &format!("{to}/inside")), 1000, "a part of the array is visible at {stop_at}");
        }
        let resumed = ObjectCopy::new().run(&ctx, &from, &to).unwrap();
        assert_eq!(resumed.files + resumed.already_there, whole.files);
        assert_eq!(cells(&ctx, &format!("{to}/inside")), 1000);
    }
}

#[test]
fn differing_files_are_counted_and_copied_again() {
    let ctx = Context::new().unwrap();
    group(&ctx, "mem://source");
    let copied = ObjectCopy::new().run(&ctx, "mem://source", "mem://target").unwrap();
    let again = ObjectCopy::new().check().dry_run().run(&ctx, "mem://source", "mem://target").unwrap();
    assert_eq!((again.files, again.already_there, again.differing), (0, copied.files, 0));
    let vfs = tiledb::Vfs::new(&ctx);
    let files = vfs.list_recursive("mem://target").unwrap();
    let data = files.iter().find(|file| file.uri().ends_with("/a0.tdb")).unwrap();
    vfs.write(data.uri(), &vec![7; data.size() as usize]).unwrap();
    let repaired = ObjectCopy::new().check().run(&ctx, "mem://source", "mem://target").unwrap();
    assert_eq!((repaired.files, repaired.differing), (1, 1));
    assert_eq!(cells(&ctx, "mem://target/inside"), 1000);
}

#[test]
fn targets_that_are_no_copy_are_errors() {
    let ctx = Context::new().unwrap();
    group(&ctx, "mem://source");
    let kind = |from: &str, to: &str| ObjectCopy::new().run(&ctx, from, to).unwrap_err().kind();
    assert_eq!(kind("mem://source", "mem://source/copy"), ErrorKind::InvalidArgument);
    assert_eq!(kind("mem://outside", "mem://source/inside/__meta"), ErrorKind::InvalidArgument);
    assert_eq!(kind("mem://missing", "mem://copy"), ErrorKind::NotFound);
    assert_eq!(kind("mem://outside", "mem://source/inside"), ErrorKind::AlreadyExists);
    let conflict = ObjectCopy::conflict(&ctx, "mem://source", "mem://source/copy").unwrap();
    assert!(conflict.is_some_and(|text| text.contains("lie in one another")));
    assert_eq!(ObjectCopy::conflict(&ctx, "mem://source", "mem://copy").unwrap(), None);
}
