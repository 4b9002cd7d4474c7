//! `sm.maintenance.after_write`: a context maintains an array after its own writes, which succeed whatever comes of it.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;

use crate::commits;
use crate::process_of_reference;
use support::library_process;
use support::writer_rows::{self, CELLS, Kind, SLOTS};
use support::{Api, Array, Ctx, Failure, address, borrowed, bytes, pointer, text};

const BOUND: usize = 5;
const COMMITS: usize = 12;
const BOUNDS: [(&str, &str); 5] = [
    ("sm.maintenance.after_write", "true"),
    ("sm.maintenance.max_fragments", "5"),
    ("sm.maintenance.max_commits", "12"),
    ("sm.maintenance.max_fragment_metadata", "3"),
    // All times can be read.
    ("sm.maintenance.retention_ms", "18446744073709551615"),
];
const KEY: [(&str, &str); 2] =
    [("sm.encryption_type", "AES_256_GCM"), ("sm.encryption_key", "0123456789abcdeF0123456789abcdeF")];

/// The number of visible fragments.
fn fragments(ctx: &Ctx<'_>, uri: &str) -> usize {
    let uri = text(uri);
    let info = ctx.get("fragment_info_alloc", &[pointer(&uri)]).unwrap();
    ctx.call("fragment_info_load", &[info]).unwrap();
    let count = ctx.get("fragment_info_get_fragment_num", &[info]).unwrap() as u32;
    ctx.free("fragment_info", info);
    count as usize
}

/// How often maintenance after a write of this context failed.
fn failures(ctx: &Ctx<'_>) -> u64 {
    let mut statistics = 0u64;
    ctx.call("ctx_get_stats", &[address(&mut statistics)]).unwrap();
    let shown = borrowed(statistics);
    let count = shown
        .split_once("Maintenance.after_write_failed_num\": ")
        .map(|(_, rest)| rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap());
    count.unwrap_or(0)
}

/// The values at the places of writer 0 as of a time, sorted.
fn values(ctx: &Ctx<'_>, uri: &str, kind: Kind, time: u64) -> Vec<[i32; 3]> {
    let mut rows = writer_rows::read(&Array::open(ctx, uri, 0, None, Some(time)).unwrap(), kind).unwrap();
    rows.sort_unstable();
    rows
}

/// What writes 0 to `last` of writer 0 leave.
fn expected(kind: Kind, last: i32) -> Vec<[i32; 3]> {
    let first = if kind == Kind::Duplicates { 0 } else { (last + 1 - SLOTS).max(0) };
    let cells = |number: i32| (0..CELLS).map(move |cell| [0, number % SLOTS * CELLS + cell, number * CELLS + cell]);
    let mut cells: Vec<[i32; 3]> = (first..=last).flat_map(cells).collect();
    cells.sort_unstable();
    cells
}

/// Writes at the times 1 to `writes`, and checks after each that the bound holds, and at the end all times.
fn append(ctx: &Ctx<'_>, uri: &str, kind: Kind, writes: i32, layout: u64) {
    writer_rows::create(ctx, uri, kind).unwrap();
    for number in 0..writes {
        let opened = Array::open(ctx, uri, 1, None, Some(number as u64 + 1)).unwrap();
        writer_rows::write_to(&opened, kind, 0, number, layout).unwrap();
        drop(opened);
        assert!(fragments(ctx, uri) <= BOUND, "{} after write {number} of {uri}", fragments(ctx, uri));
    }
    assert_eq!(failures(ctx), 0);
    for number in (0..writes).filter(|number| number % 7 == 0 || number + 1 == writes) {
        assert_eq!(values(ctx, uri, kind, number as u64 + 1), expected(kind, number), "write {number} of {uri}");
    }
}

#[test]
fn bound_holds_after_each_write_and_all_times_are_readable() {
    let (folder, api) = (tempfile::tempdir().unwrap(), Api::ours());
    let ctx = api.context(&BOUNDS);
    let mut reference = process_of_reference("after_write::libtiledb_reads_the_last_write");
    for (kind, layout) in
        [(Kind::Dense, 0), (Kind::Dense, 2), (Kind::Unique, 3), (Kind::Duplicates, 3), (Kind::Duplicates, 2)]
    {
        let array = folder.path().join(format!("{}{layout}", kind.name()));
        append(&ctx, array.to_str().unwrap(), kind, if layout == 3 { 200 } else { 100 }, layout);
        assert!(commits(&array, ".lease").is_empty());
        if let Some(reference) = &mut reference {
            let values = reference.read(&json!([array.to_str().unwrap(), kind.name()])).unwrap();
            assert_eq!(values, json!(expected(kind, 99)), "{layout}");
        }
    }
}

#[test]
#[ignore = "run by another test in a process of its own"]
fn libtiledb_reads_the_last_write() {
    library_process::serve(|api, request| {
        let [array, name] = [0, 1].map(|word| request[word].as_str().unwrap());
        let kind = [Kind::Dense, Kind::Unique, Kind::Duplicates].into_iter().find(|kind| kind.name() == name).unwrap();
        json!(values(&api.context(&[]), array, kind, 100))
    });
}

#[test]
fn arrays_in_memory_and_encrypted_ones_are_maintained() {
    let (folder, api) = (tempfile::tempdir().unwrap(), Api::ours());
    append(&api.context(&BOUNDS), "mem://maintained", Kind::Unique, 60, 3);
    let encrypted = api.context(&[&BOUNDS[..], &KEY].concat());
    append(&encrypted, folder.path().join("encrypted").to_str().unwrap(), Kind::Duplicates, 60, 3);
    // Key and bounds are parameters of the array.
    let (array, ctx) = (folder.path().join("array"), api.context(&[]));
    let uri = array.to_str().unwrap();
    writer_rows::create(&encrypted, uri, Kind::Unique).unwrap();
    for number in 0..20 {
        let name = text(uri);
        let opened = Array { ctx: &ctx, handle: ctx.get("array_alloc", &[pointer(&name)]).unwrap() };
        ctx.configure("array_set_config", opened.handle, &[&BOUNDS[..], &KEY].concat()).unwrap();
        ctx.call("array_open", &[opened.handle, 1]).unwrap();
        writer_rows::write_to(&opened, Kind::Unique, 0, number, 3).unwrap();
    }
    assert!(fragments(&encrypted, uri) <= BOUND);
    assert_eq!(failures(&ctx), 0);
}

#[test]
fn writes_without_the_parameter_are_not_maintained() {
    let (folder, api) = (tempfile::tempdir().unwrap(), Api::ours());
    let array = folder.path().join("array");
    let uri = array.to_str().unwrap();
    for (more, bound) in [(&[][..], 10), (&[("sm.maintenance.after_write", "false")], 20)] {
        let ctx = api.context(&[&BOUNDS[1..], more].concat());
        if bound == 10 {
            writer_rows::create(&ctx, uri, Kind::Unique).unwrap();
        }
        (bound - 10..bound).for_each(|number| {
            writer_rows::write(&ctx, uri, Kind::Unique, 0, number, number as u64 + 1).unwrap();
        });
        assert_eq!(fragments(&ctx, uri), bound as usize);
    }
    let (name, value, mut error) = (text("sm.maintenance.after_write"), text("maybe"), 0u64);
    let config = api.config(&[]);
    assert_ne!(api.raw("config_set", &[config, pointer(&name), pointer(&value), address(&mut error)]) as i32, 0);
}

/// Deletes the cells with a value.
fn delete(ctx: &Ctx<'_>, uri: &str, value: i32, time: u64) -> Result<(), Failure> {
    let array = Array::open(ctx, uri, 2, None, Some(time))?;
    let (query, condition) = (ctx.get("query_alloc", &[array.handle, 2])?, ctx.get("query_condition_alloc", &[])?);
    let (name, value) = (text("value"), value.to_le_bytes());
    ctx.call("query_condition_init", &[condition, pointer(&name), bytes(&value), 4, 4])?;
    ctx.call("query_set_condition", &[query, condition])?;
    let deleted = ctx.call("query_submit", &[query]);
    ctx.free("query_condition", condition);
    ctx.free("query", query);
    deleted
}

#[test]
fn deletes_trigger_maintenance() {
    let (folder, api) = (tempfile::tempdir().unwrap(), Api::ours());
    let (array, ctx) = (folder.path().join("array"), api.context(&BOUNDS));
    let uri = array.to_str().unwrap();
    writer_rows::create(&ctx, uri, Kind::Duplicates).unwrap();
    for number in 0..4 {
        writer_rows::write(&ctx, uri, Kind::Duplicates, 0, number, number as u64 + 1).unwrap();
    }
    assert!(commits(&array, ".con").is_empty());
    (0..10).for_each(|value| delete(&ctx, uri, value, 10 + value as u64).unwrap());
    assert_eq!((commits(&array, ".con").len(), fragments(&ctx, uri)), (1, 4), "more than {COMMITS} commits");
    assert_eq!(values(&ctx, uri, Kind::Duplicates, 4), expected(Kind::Duplicates, 3));
    let left: Vec<[i32; 3]> = expected(Kind::Duplicates, 3).into_iter().filter(|cell| cell[2] >= 10).collect();
    assert_eq!(values(&ctx, uri, Kind::Duplicates, 20), left);
}

#[test]
fn writes_succeed_while_another_maintainer_holds_the_lease() {
    let (folder, api) = (tempfile::tempdir().unwrap(), Api::ours());
    let (array, ctx) = (folder.path().join("array"), api.context(&BOUNDS));
    let uri = array.to_str().unwrap();
    writer_rows::create(&ctx, uri, Kind::Duplicates).unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64;
    let lease = format!("__commits/__{now}_{}_00112233445566778899aabbccddeeff_22.lease", now + 600_000);
    std::fs::write(array.join(&lease), "process 1\nend\n").unwrap();
    let write = |number: i32| writer_rows::write(&ctx, uri, Kind::Duplicates, 0, number, number as u64 + 1).unwrap();
    (0..10).for_each(write);
    assert_eq!((fragments(&ctx, uri), failures(&ctx)), (10, 5));
    assert_eq!(values(&ctx, uri, Kind::Duplicates, 10), expected(Kind::Duplicates, 9));
    std::fs::remove_file(array.join(&lease)).unwrap();
    write(10);
    assert!(fragments(&ctx, uri) <= BOUND);
    assert_eq!((values(&ctx, uri, Kind::Duplicates, 11), failures(&ctx)), (expected(Kind::Duplicates, 10), 5));
}

#[test]
fn writes_succeed_if_maintenance_fails() {
    let (folder, api) = (tempfile::tempdir().unwrap(), Api::ours());
    let (array, ctx) = (folder.path().join("array"), api.context(&BOUNDS));
    let uri = array.to_str().unwrap();
    writer_rows::create(&ctx, uri, Kind::Unique).unwrap();
    let write = |number: i32| writer_rows::write(&ctx, uri, Kind::Unique, 0, number, number as u64 + 1).unwrap();
    (0..3).for_each(write);
    // A fragment that cannot be merged since a file of its cells is missing.
    let fragment = std::fs::read_dir(array.join("__fragments")).unwrap().next().unwrap().unwrap().path();
    let (file, aside) = (fragment.join("a0.tdb"), folder.path().join("aside"));
    std::fs::rename(&file, &aside).unwrap();
    (3..8).for_each(write);
    assert_eq!((fragments(&ctx, uri), failures(&ctx)), (8, 3));
    assert!(commits(&array, ".lease").is_empty());
    std::fs::rename(&aside, &file).unwrap();
    write(8);
    assert!(fragments(&ctx, uri) <= BOUND);
    assert_eq!(values(&ctx, uri, Kind::Unique, 9), expected(Kind::Unique, 8));
}
