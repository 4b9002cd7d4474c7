//! Every deserialization function, with a valid message and with invalid ones: empty, garbage, truncated, of another
//! kind.

use crate::world::{READ, WRITE, World, sample};
use support::messages::{CAPNP, JSON};
use support::{Failure, address, pointer, text};

/// `TILEDB_MODIFY_EXCLUSIVE`.
const EXCLUSIVE: u64 = 4;

/// A function that reads: the sample it takes, and how it is called with a message.
type Function = (&'static str, &'static str, fn(&World<'_>, u64, &[u8]) -> Result<(), Failure>);

const FUNCTIONS: &[Function] = &[
    ("deserialize_array", "array-dense-client", |world, form, bytes| {
        let (buffer, uri) = (world.ctx.buffer(bytes), text(&world.uri("dense")));
        made(world, "array", world.ctx.get("deserialize_array", &[buffer.handle, form, 1, pointer(&uri)]))
    }),
    ("deserialize_array_create", "array_create", |world, form, bytes| {
        let (buffer, mut uri, mut schema) = (world.ctx.buffer(bytes), 0u64, 0u64);
        let out = [buffer.handle, form, 0, address(&mut uri), address(&mut schema)];
        world.ctx.call("deserialize_array_create", &out)?;
        world.ctx.take_string(uri);
        made(world, "array_schema", Ok(schema))
    }),
    ("deserialize_array_metadata", "array_metadata-dense", |world, form, bytes| {
        let (buffer, array) = (world.ctx.buffer(bytes), world.array("dense", WRITE));
        world.ctx.call("deserialize_array_metadata", &[array.handle, form, buffer.handle])
    }),
    ("deserialize_array_non_empty_domain_all_dimensions", "non_empty_domain_all-dense", |world, form, bytes| {
        let (buffer, array) = (world.ctx.buffer(bytes), world.array("dense", READ));
        let function = "deserialize_array_non_empty_domain_all_dimensions";
        world.ctx.call(function, &[array.handle, buffer.handle, form, 1])
    }),
    ("deserialize_array_nonempty_domain", "nonempty_domain-dense", |world, form, bytes| {
        let (buffer, array) = (world.ctx.buffer(bytes), world.array("dense", READ));
        let (mut domain, mut empty) = ([0u64; 8], 0u32);
        let out = [array.handle, buffer.handle, form, 1, address(&mut domain), address(&mut empty)];
        world.ctx.call("deserialize_array_nonempty_domain", &out)
    }),
    ("deserialize_array_open", "array_open-dense", |world, form, bytes| {
        let buffer = world.ctx.buffer(bytes);
        made(world, "array", world.ctx.get("deserialize_array_open", &[buffer.handle, form, 0]))
    }),
    ("deserialize_array_schema", "array_schema-dense-client", |world, form, bytes| {
        let buffer = world.ctx.buffer(bytes);
        made(world, "array_schema", world.ctx.get("deserialize_array_schema", &[buffer.handle, form, 0]))
    }),
    ("deserialize_array_schema_evolution", "array_schema_evolution", |world, form, bytes| {
        let buffer = world.ctx.buffer(bytes);
        let evolution = world.ctx.get("deserialize_array_schema_evolution", &[buffer.handle, form, 0]);
        made(world, "array_schema_evolution", evolution)
    }),
    ("deserialize_config", "config", |world, form, bytes| {
        let buffer = world.ctx.buffer(bytes);
        made(world, "config", world.ctx.get("deserialize_config", &[buffer.handle, form, 0]))
    }),
    ("deserialize_fragment_info", "fragment_info", |world, form, bytes| {
        let (buffer, uri) = (world.ctx.buffer(bytes), text(&world.uri("sparse")));
        let read = |info| world.ctx.call("deserialize_fragment_info", &[buffer.handle, form, pointer(&uri), 1, info]);
        world.with("fragment_info", Ok(world.fragment_info()), read)
    }),
    ("deserialize_fragment_info_request", "fragment_info_request", |world, form, bytes| {
        let buffer = world.ctx.buffer(bytes);
        let read = |info| world.ctx.call("deserialize_fragment_info_request", &[buffer.handle, form, 0, info]);
        world.with("fragment_info", Ok(world.fragment_info()), read)
    }),
    ("deserialize_group", "group", |world, form, bytes| {
        let (buffer, group) = (world.ctx.buffer(bytes), world.group(READ));
        let outcome = world.ctx.call("deserialize_group", &[buffer.handle, form, 1, group]);
        world.end_group(group);
        outcome
    }),
    ("deserialize_group_metadata", "group_metadata", |world, form, bytes| {
        let (buffer, group) = (world.ctx.buffer(bytes), world.group(WRITE));
        let outcome = world.ctx.call("deserialize_group_metadata", &[group, form, buffer.handle]);
        world.end_group(group);
        outcome
    }),
    ("handle_array_delete_fragments_list_request", "delete_fragments_list_request", |world, form, bytes| {
        let (buffer, array) = (world.ctx.buffer(bytes), world.array("sparse", EXCLUSIVE));
        world.ctx.call("handle_array_delete_fragments_list_request", &[array.handle, form, buffer.handle])
    }),
    (
        "handle_array_delete_fragments_timestamps_request",
        "delete_fragments_timestamps_request",
        |world, form, bytes| {
            let (buffer, array) = (world.ctx.buffer(bytes), world.array("sparse", EXCLUSIVE));
            world.ctx.call("handle_array_delete_fragments_timestamps_request", &[array.handle, form, buffer.handle])
        },
    ),
    ("handle_consolidation_plan_request", "consolidation_plan_request", |world, form, bytes| {
        let array = world.array("dense", READ);
        world.ctx.answer("handle_consolidation_plan_request", array.handle, form, bytes).map(drop)
    }),
    ("handle_load_array_schema_request", "load_array_schema_request", |world, form, bytes| {
        let array = world.array("dense", READ);
        world.ctx.answer("handle_load_array_schema_request", array.handle, form, bytes).map(drop)
    }),
    ("handle_query_plan_request", "query_plan_request", |world, form, bytes| {
        let array = world.array("dense", READ);
        world.ctx.answer("handle_query_plan_request", array.handle, form, bytes).map(drop)
    }),
    ("handle_load_enumerations_request", "load_enumerations_request", |world, form, bytes| {
        let array = world.array("sparse", READ);
        world.ctx.answer("handle_load_enumerations_request", array.handle, form, bytes).map(drop)
    }),
];

/// Frees what was made.
fn made(world: &World<'_>, kind: &str, handle: Result<u64, Failure>) -> Result<(), Failure> {
    handle.map(|handle| world.ctx.free(kind, handle))
}

/// What libtiledb answers, from the table: function, form and message, and how the text begins before it says what is wrong
/// with the bytes.
fn expected() -> Vec<(String, String)> {
    let table = String::from_utf8(sample("probe_deserialize.tsv")).unwrap();
    let lines = table.lines().skip(1).filter_map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        let function = columns[0].strip_prefix("tiledb_")?;
        let text = columns[3].strip_prefix("error: ")?.strip_prefix(function)?.strip_prefix(": ")?;
        let text = text.strip_prefix("Error: Internal TileDB uncaught exception; ").unwrap_or(text);
        let begin = &text[..text.find("kj::Exception").unwrap_or(0)];
        Some((format!("{function} {} {}", columns[1], columns[2]), begin.to_owned()))
    });
    lines.collect()
}

/// Calls every function with every message.
pub fn run(world: &World<'_>) {
    let expected = expected();
    let begin_of = |case: &str| expected.iter().find(|row| row.0 == case).map_or("", |row| row.1.as_str());
    let mut wrong = Vec::new();
    let mut calls = 0;
    for (name, good, call) in FUNCTIONS {
        for (form, ending) in [(CAPNP, "capnp"), (JSON, "json")] {
            let file = format!("{good}.{ending}");
            let message = crate::world::folder().join(&file).exists().then(|| sample(&file));
            let other = if *name == "deserialize_config" { "array_schema-dense-client" } else { "config" };
            let mut cases = vec![("empty", Vec::new()), ("garbage", b"\x07garbage".repeat(4))];
            if let Some(message) = &message {
                cases.push(("half", message[..message.len() / 2].to_vec()));
            }
            if form == JSON {
                cases.push(("another kind", sample(&format!("{other}.json"))));
            }
            for (case, bytes) in cases {
                calls += 1;
                let begin = begin_of(&format!("{name} {ending} {case}"));
                match call(world, form, &bytes) {
                    Ok(()) => wrong.push(format!("{name} {ending} {case}: accepted")),
                    Err(why) if why.code != -1 => wrong.push(format!("{name} {ending} {case}: code {}", why.code)),
                    Err(why) if !why.text.starts_with(begin) || why.text.len() <= begin.len() => {
                        wrong.push(format!("{name} {ending} {case}: '{}', not '{begin}...'", why.text));
                    }
                    Err(_) => {}
                }
            }
            // These ask for what the arrays here do not have; of the last one libtiledb dies.
            const REFUSED: [&str; 3] = [
                "handle_array_delete_fragments_list_request",
                "handle_load_enumerations_request",
                "handle_query_plan_request",
            ];
            let is_refused = REFUSED.contains(name);
            if let Some(message) = message {
                calls += 1;
                match call(world, form, &message) {
                    Err(why) if !is_refused => wrong.push(format!("{name} {ending} good: {}", why.text)),
                    Ok(()) if is_refused => wrong.push(format!("{name} {ending} good: accepted")),
                    _ => {}
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {calls} calls:\n{}", wrong.len(), wrong.join("\n"));
    assert!(calls >= 150, "{calls}");
}
