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
mod world;

use kinds::{KINDS, Kind};
use serde_json::{Value, json};
use support::Api;
use support::library_process::{self, HARNESS, LibraryProcess};
use support::messages::{CAPNP, JSON, difference, parse};
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
    let mut samples = Vec::new();
    for entry in std::fs::read_dir(world::folder()).unwrap().map(Result::unwrap) {
        let file = entry.file_name().into_string().unwrap();
        let Some(name) = file.strip_suffix(".capnp").filter(|name| kind.has(name)) else { continue };
        let json = world::sample(&format!("{name}.json"));
        samples.push(Sample { name: name.to_owned(), capnp: world::sample(&file), twin: parse(&json), json });
    }
    assert!(!samples.is_empty(), "no sample of {}", kind.name);
    samples
}

/// Arguments of a process that calls [`messages_of_another_library`].
const OTHER: [&str; 5] = {
    let [ignored, shown, threads, exact] = HARNESS;
    [ignored, shown, threads, exact, "messages_of_another_library"]
};

#[test]
#[ignore = "run by other tests in a process of its own"]
fn messages_of_another_library() {
    library_process::serve(|api, request| {
        let word = |number: usize| request[number].as_str().unwrap();
        let bytes = |number: usize| serde_json::from_value::<Vec<u8>>(request[number].clone()).unwrap();
        let form = |number: usize| request[number].as_u64().unwrap();
        library_process::to_value(match word(0) {
            "again" => {
                let kind = KINDS.iter().find(|kind| kind.name == word(1)).unwrap();
                (kind.again)(&World::new(api), word(2), form(3), &bytes(4), JSON).map(Value::from)
            }
            "plan" => Ok(Value::from(query_plan(api, form(1), word(2)))),
            "query" => queries::read(&World::new(api), word(1), &bytes(2)),
            "submit" => queries::submit(&api.context(&[]), word(1), &bytes(2), word(3)).map(Value::from),
            "count" => return Value::from(queries::count(&api.context(&[]), word(1), form(2))),
            _ => return queries::writes(api, LibraryProcess::ours(&OTHER)).err().into(),
        })
    });
}

#[test]
fn samples_are_read_and_written_unchanged() {
    let ours = Api::ours();
    let world = World::new(&ours);
    let mut reference = LibraryProcess::reference(&OTHER);
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
            let Some(reference) = reference.as_mut().filter(|_| kind.judged) else { continue };
            for form in [CAPNP, JSON] {
                let again = (kind.again)(&world, &name, CAPNP, &capnp, form).unwrap();
                let read = reference.read(&json!(["again", kind.name, name, form, again])).unwrap();
                let read = library_process::to_result(&read)
                    .unwrap_or_else(|why| panic!("{name}: libtiledb cannot read form {form} of ours: {why}"));
                let read: Vec<u8> = serde_json::from_value(read).unwrap();
                if let Some(place) = difference(&kind.comparable(&parse(&read)), &twin) {
                    panic!("{name}, form {form} of ours read by libtiledb: {place}");
                }
            }
        }
    }
    assert!(count >= 56, "{count}");
}

#[test]
fn invalid_messages_are_errors() {
    let ours = Api::ours();
    let world = World::new(&ours);
    probe::run(&world);
}

/// The response to the request of a query plan.
fn query_plan(api: &Api, form: u64, ending: &str) -> Vec<u8> {
    let world = World::new(api);
    let request = parse(&world::sample("query_plan_request.json"));
    let array = world.made_of("planned", request["query"]["array"]["arraySchemaLatest"].clone());
    let request = world::sample(&format!("query_plan_request.{ending}"));
    world.ctx.answer("handle_query_plan_request", array.handle, form, &request).unwrap()
}

#[test]
fn query_plan_equals_that_of_the_reference() {
    let ours = Api::ours();
    let answer = parse(&query_plan(&ours, JSON, "json"));
    assert_eq!(answer["attributeNames"], json!(["a"]));
    if let Some(mut reference) = LibraryProcess::reference(&OTHER) {
        let mut plan = |form: u64, ending: &str| -> Vec<u8> {
            let plan = reference.read(&json!(["plan", form, ending])).unwrap();
            serde_json::from_value(library_process::to_result(&plan).unwrap()).unwrap()
        };
        assert_eq!(difference(&answer, &parse(&plan(JSON, "json"))), None);
        assert_eq!(query_plan(&ours, CAPNP, "capnp"), plan(CAPNP, "capnp"));
    }
}

#[test]
fn sample_queries_are_read_and_invalid_ones_refused() {
    let ours = Api::ours();
    let world = World::new(&ours);
    queries::samples(&world, LibraryProcess::reference(&OTHER).as_mut());
    queries::without_buffers(&world);
    queries::bad(&world);
}

#[test]
fn writes_are_exchanged_with_the_reference() {
    let Some(mut reference) = LibraryProcess::reference(&OTHER) else { return };
    let write = || queries::writes(&Api::ours(), LibraryProcess::reference(&OTHER).unwrap());
    write().or_else(|_| write()).unwrap();
    assert_eq!(reference.read(&json!(["writes"])).unwrap(), Value::Null);
}
