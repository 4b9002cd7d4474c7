//! Serialized messages: samples written by libtiledb 2.30 are deserialized, serialized again, and read by libtiledb;
//! invalid messages are rejected.
//!
//! Messages are compared in their JSON form, which both libraries write. `tests/differential_serialization/main.rs`
//! does the same with random objects.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

mod kinds;
mod probe;
mod queries;
#[path = "../support/mod.rs"]
mod support;
mod world;

use kinds::{KINDS, Kind};
use serde_json::Value;
use support::Api;
use support::messages::{CAPNP, JSON, difference, parse};
use support::own_process::isolated;
use world::World;

/// A sample: its bytes in both forms, the JSON parsed.
struct Sample {
    name: String,
    capnp: Vec<u8>,
    json: Vec<u8>,
    twin: Value,
}

/// The samples of a kind.
fn samples(kind: &Kind) -> Vec<Sample> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(world::folder()).unwrap().map(Result::unwrap) {
        let file = entry.file_name().into_string().unwrap();
        let Some(name) = file.strip_suffix(".capnp").filter(|name| kind.has(name)) else { continue };
        let json = world::sample(&format!("{name}.json"));
        found.push(Sample { name: name.to_owned(), capnp: world::sample(&file), twin: parse(&json), json });
    }
    assert!(!found.is_empty(), "no sample of {}", kind.name);
    found
}

#[test]
fn the_samples_are_read_and_written_again() {
    isolated("the_samples_are_read_and_written_again", read_and_write_samples);
}

fn read_and_write_samples() {
    let ours = Api::ours();
    let reference = Api::reference();
    let world = World::new(&ours);
    let foreign = reference.as_ref().map(World::new);
    let mut count = 0;
    for kind in KINDS {
        for Sample { name, capnp, json, twin } in samples(kind) {
            let twin = kind.comparable(&twin);
            for (form, bytes) in [(CAPNP, &capnp), (JSON, &json)] {
                let again =
                    (kind.again)(&world, &name, form, bytes, JSON).unwrap_or_else(|why| panic!("{name}: {why:?}"));
                if let Some(place) = difference(&kind.comparable(&parse(&again)), &twin) {
                    panic!("{name}, read from form {form}: {place}");
                }
                count += 1;
            }
            let Some(foreign) = foreign.as_ref().filter(|_| kind.judged) else { continue };
            for form in [CAPNP, JSON] {
                let again = (kind.again)(&world, &name, CAPNP, &capnp, form).unwrap();
                let read = (kind.again)(foreign, &name, form, &again, JSON);
                let read =
                    read.unwrap_or_else(|why| panic!("{name}: libtiledb cannot read form {form} of ours: {why:?}"));
                if let Some(place) = difference(&kind.comparable(&parse(&read)), &twin) {
                    panic!("{name}, form {form} of ours read by libtiledb: {place}");
                }
            }
        }
    }
    assert!(count >= 56, "{count}");
}

#[test]
fn bad_messages_are_errors() {
    let ours = Api::ours();
    let world = World::new(&ours);
    probe::run(&world);
}

#[test]
fn a_query_plan_is_the_same() {
    isolated("a_query_plan_is_the_same", compare_query_plans);
}

fn compare_query_plans() {
    let plan = |api: &Api, form: u64, ending: &str| {
        let world = World::new(api);
        let request = parse(&world::sample("query_plan_request.json"));
        let array = world.made_of("planned", request["query"]["array"]["arraySchemaLatest"].clone());
        let request = world::sample(&format!("query_plan_request.{ending}"));
        world.ctx.answer("handle_query_plan_request", array.handle, form, &request).unwrap()
    };
    let ours = Api::ours();
    let answer = parse(&plan(&ours, JSON, "json"));
    assert_eq!(answer["attributeNames"], serde_json::json!(["a"]));
    if let Some(reference) = Api::reference() {
        assert_eq!(difference(&answer, &parse(&plan(&reference, JSON, "json"))), None);
        assert_eq!(plan(&ours, CAPNP, "capnp"), plan(&reference, CAPNP, "capnp"));
    }
}

#[test]
fn queries_of_the_samples_are_read_and_bad_ones_refused() {
    isolated("queries_of_the_samples_are_read_and_bad_ones_refused", || {
        let ours = Api::ours();
        let reference = Api::reference();
        let world = World::new(&ours);
        queries::samples(&world, reference.as_ref().map(World::new).as_ref());
        queries::without_buffers(&world);
        queries::bad(&world);
    });
}

#[test]
fn writes_cross_between_the_libraries() {
    isolated("writes_cross_between_the_libraries", || {
        let ours = Api::ours();
        let Some(reference) = Api::reference() else { return };
        let (here, there) = (World::new(&ours), World::new(&reference));
        for servers in [&[&here][..], &[&there], &[&here, &there]] {
            queries::writes(&[&World::new(&ours), &World::new(&reference)], servers);
        }
    });
}
