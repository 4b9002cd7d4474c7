//! The kinds of messages that are deserialized and serialized again.

use serde_json::Value;

use crate::world::{READ, WRITE, World};
use support::{Failure, address, pointer, text};

/// Reads a message, given by its sample's name, form and bytes, and writes it again in another form.
type Again = fn(&World<'_>, &str, u64, &[u8], u64) -> Result<Vec<u8>, Failure>;

/// A kind of message.
pub struct Kind {
    /// How the names of its samples begin.
    pub name: &'static str,
    pub again: Again,
    /// False where libtiledb does not read its own messages whole.
    pub judged: bool,
}

pub const KINDS: &[Kind] = &[
    Kind { name: "array_schema-", again: schema, judged: true },
    Kind { name: "array_schema_evolution", again: evolution, judged: true },
    Kind { name: "array-", again: array, judged: true },
    Kind { name: "array_open-", again: array_open, judged: true },
    Kind { name: "array_metadata-", again: array_metadata, judged: true },
    Kind { name: "config", again: config, judged: true },
    Kind { name: "fragment_info", again: fragment_info, judged: true },
    Kind { name: "fragment_info_request", again: fragment_info_request, judged: true },
    Kind { name: "group", again: group, judged: true },
    Kind { name: "group_metadata", again: group_metadata, judged: true },
    Kind { name: "non_empty_domain_all-", again: non_empty_domain_all, judged: true },
    // It gives out the range of the first dimension only.
    Kind { name: "nonempty_domain-", again: nonempty_domain, judged: false },
];

impl Kind {
    /// Whether a sample is of this kind.
    pub fn has(&self, sample: &str) -> bool {
        if self.name.ends_with('-') { sample.starts_with(self.name) } else { sample == self.name }
    }

    /// What is compared of a message.
    pub fn comparable(&self, message: &Value) -> Value {
        let mut message = message.clone();
        comparable(&mut message, None);
        message
    }
}

/// Leaves out what differs for a reason:
/// - a request holds of the configuration only what a server can use, never the secrets of stores;
/// - where an array is stands in its handle, and in the schemas of clients: the samples were made elsewhere;
/// - the present is not the same twice.
fn comparable(value: &mut Value, name: Option<&str>) {
    const PLACES: [&str; 3] = ["uri", "openedAtEndTimestamp", "endTimestamp"];
    match value {
        Value::Object(fields) => {
            let is_member = fields.contains_key("relative") || fields.contains_key("conditionMarker");
            fields.retain(|key, _| is_member || !PLACES.contains(&key.as_str()) || name == Some("arrayMetaUris"));
            if name == Some("arrayDirectory") {
                fields.remove("timestampEnd");
            }
            if let Some(Value::Array(entries)) = fields.get_mut("entries").filter(|_| name == Some("config")) {
                entries.retain(|entry| {
                    entry["key"].as_str().is_some_and(|key| key.starts_with("sm.") || key.starts_with("rest.load_"))
                });
            }
            fields.iter_mut().for_each(|(key, value)| comparable(value, Some(key)));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| comparable(item, name)),
        _ => {}
    }
}

fn schema(world: &World<'_>, name: &str, form: u64, bytes: &[u8], to: u64) -> Result<Vec<u8>, Failure> {
    let (ctx, client) = (world.ctx, u64::from(name.ends_with("client")));
    let buffer = ctx.buffer(bytes);
    let made = ctx.get("deserialize_array_schema", &[buffer.handle, form, 0]);
    world.with("array_schema", made, |schema| ctx.message("serialize_array_schema", &[schema, to, client]))
}

fn evolution(world: &World<'_>, _: &str, form: u64, bytes: &[u8], to: u64) -> Result<Vec<u8>, Failure> {
    let (ctx, kind) = (world.ctx, "array_schema_evolution");
    let buffer = ctx.buffer(bytes);
    let made = ctx.get("deserialize_array_schema_evolution", &[buffer.handle, form, 0]);
    world.with(kind, made, |evolution| ctx.message("serialize_array_schema_evolution", &[evolution, to, 1]))
}

fn array(world: &World<'_>, name: &str, form: u64, bytes: &[u8], to: u64) -> Result<Vec<u8>, Failure> {
    let (ctx, client) = (world.ctx, u64::from(name.ends_with("client")));
    let uri = text(&world.uri(name.split('-').nth(1).unwrap()));
    let buffer = ctx.buffer(bytes);
    let made = ctx.get("deserialize_array", &[buffer.handle, form, client, pointer(&uri)]);
    world.with("array", made, |array| ctx.message("serialize_array", &[array, to, client]))
}

fn array_open(world: &World<'_>, _: &str, form: u64, bytes: &[u8], to: u64) -> Result<Vec<u8>, Failure> {
    let ctx = world.ctx;
    let buffer = ctx.buffer(bytes);
    let made = ctx.get("deserialize_array_open", &[buffer.handle, form, 0]);
    world.with("array", made, |array| ctx.message("serialize_array_open", &[array, to, 1]))
}

fn config(world: &World<'_>, _: &str, form: u64, bytes: &[u8], to: u64) -> Result<Vec<u8>, Failure> {
    let ctx = world.ctx;
    let buffer = ctx.buffer(bytes);
    let made = ctx.get("deserialize_config", &[buffer.handle, form, 0]);
    world.with("config", made, |config| ctx.message("serialize_config", &[config, to, 1]))
}

fn array_metadata(world: &World<'_>, _: &str, form: u64, bytes: &[u8], to: u64) -> Result<Vec<u8>, Failure> {
    let array = world.array("hilbert", WRITE);
    let buffer = world.ctx.buffer(bytes);
    world.ctx.call("deserialize_array_metadata", &[array.handle, form, buffer.handle])?;
    world.ctx.message("serialize_array_metadata", &[array.handle, to])
}

fn group_metadata(world: &World<'_>, _: &str, form: u64, bytes: &[u8], to: u64) -> Result<Vec<u8>, Failure> {
    let group = world.group(WRITE);
    let buffer = world.ctx.buffer(bytes);
    let read = world.ctx.call("deserialize_group_metadata", &[group, form, buffer.handle]);
    world.end_group(group);
    read?;
    // They are the group's once it was closed.
    let group = world.group(READ);
    let again = world.ctx.message("serialize_group_metadata", &[group, to]);
    world.end_group(group);
    again
}

fn group(world: &World<'_>, _: &str, form: u64, bytes: &[u8], to: u64) -> Result<Vec<u8>, Failure> {
    let group = world.group(READ);
    let buffer = world.ctx.buffer(bytes);
    let read = world.ctx.call("deserialize_group", &[buffer.handle, form, 1, group]);
    let again = read.and_then(|()| world.ctx.message("serialize_group", &[group, to, 1]));
    world.end_group(group);
    again
}

fn fragment_info(world: &World<'_>, _: &str, form: u64, bytes: &[u8], to: u64) -> Result<Vec<u8>, Failure> {
    let (ctx, uri) = (world.ctx, text(&world.uri("sparse")));
    let buffer = ctx.buffer(bytes);
    world.with("fragment_info", Ok(world.fragment_info()), |info| {
        ctx.call("deserialize_fragment_info", &[buffer.handle, form, pointer(&uri), 1, info])?;
        ctx.message("serialize_fragment_info", &[info, to, 0])
    })
}

fn fragment_info_request(world: &World<'_>, _: &str, form: u64, bytes: &[u8], to: u64) -> Result<Vec<u8>, Failure> {
    let ctx = world.ctx;
    let buffer = ctx.buffer(bytes);
    world.with("fragment_info", Ok(world.fragment_info()), |info| {
        ctx.call("deserialize_fragment_info_request", &[buffer.handle, form, 0, info])?;
        ctx.message("serialize_fragment_info_request", &[info, to, 1])
    })
}

fn non_empty_domain_all(world: &World<'_>, name: &str, form: u64, bytes: &[u8], to: u64) -> Result<Vec<u8>, Failure> {
    let array = world.array(name.rsplit('-').next().unwrap(), READ);
    let buffer = world.ctx.buffer(bytes);
    let function = "deserialize_array_non_empty_domain_all_dimensions";
    world.ctx.call(function, &[array.handle, buffer.handle, form, 1])?;
    world.ctx.message("serialize_array_non_empty_domain_all_dimensions", &[array.handle, to, 0])
}

fn nonempty_domain(world: &World<'_>, name: &str, form: u64, bytes: &[u8], to: u64) -> Result<Vec<u8>, Failure> {
    let array = world.array(name.rsplit('-').next().unwrap(), READ);
    let buffer = world.ctx.buffer(bytes);
    let (mut domain, mut empty) = ([0u64; 8], 0u32);
    let out = [array.handle, buffer.handle, form, 1, address(&mut domain), address(&mut empty)];
    world.ctx.call("deserialize_array_nonempty_domain", &out)?;
    let values = [array.handle, address(&mut domain), u64::from(empty), to, 0];
    world.ctx.message("serialize_array_nonempty_domain", &values)
}
