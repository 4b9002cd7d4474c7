//! Messages, of either form: the first byte says which. What is read is written and read again, and must be the same.

use std::sync::LazyLock;

use tiledb_array::schema::Domain;
use tiledb_core::config::Config;
use tiledb_core::error::Result;
use tiledb_core::types::Datatype;
use tiledb_rest::serialization::schema::Endpoint;
use tiledb_rest::serialization::{
    Deserializer, SerializationType, array, config, domain, evolution, fragment_info, group, metadata, schema,
};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

static RESOURCES: LazyLock<Resources> = LazyLock::new(|| Resources::new(Config::new()).expect("resources"));
static PLACE: LazyLock<Uri> = LazyLock::new(|| Uri::parse("mem://fuzz/messages").expect("a URI"));

/// Reads a message; what was read is written, read again, and written the same.
fn again<T>(
    bytes: &[u8],
    read: impl Fn(Deserializer, &[u8]) -> Result<T>,
    write: impl Fn(SerializationType, &T) -> Result<Vec<u8>>,
) {
    let Some((&first, bytes)) = bytes.split_first() else { return };
    let form = if first & 1 == 0 { SerializationType::Capnp } else { SerializationType::Json };
    let reading = |form| Deserializer::new(form, &Config::new()).expect("the limits of messages");
    let Ok(object) = read(reading(form), bytes) else { return };
    // An array may need what does not lie at its place.
    let Ok(written) = write(form, &object) else { return };
    let read_again = read(reading(form), &written);
    let object = read_again.unwrap_or_else(|error| panic!("what was written cannot be read: {error}"));
    assert!(write(form, &object).is_ok_and(|twice| twice == written), "what was read again is written otherwise");
}

pub fn of_config(bytes: &[u8]) {
    again(bytes, config::read, config::write);
}

pub fn of_schema(bytes: &[u8]) {
    again(bytes, schema::read, |form, read| schema::write(form, read, Endpoint::Client));
}

pub fn of_creation(bytes: &[u8]) {
    again(bytes, schema::read_create, |form, read| schema::write_create(form, &read.1, &read.0));
}

pub fn of_evolution(bytes: &[u8]) {
    again(bytes, evolution::read, evolution::write);
}

pub fn of_metadata(bytes: &[u8]) {
    again(bytes, metadata::read, |form, read| metadata::write(form, read.sorted()?.into_iter()));
}

pub fn of_domain(bytes: &[u8]) {
    again(
        bytes,
        |reading, bytes| domain::read_box(reading, bytes, Datatype::Int32, 2),
        |form, read| domain::write_box(form, Datatype::Int32, &read.0, read.1),
    );
    again(
        bytes,
        |reading, bytes| domain::read_all(reading, bytes, &Domain::default()),
        |form, read| domain::write_all(form, read.as_ref()),
    );
}

pub fn of_array(bytes: &[u8]) {
    again(
        bytes,
        |reading, bytes| array::read(reading, &RESOURCES, PLACE.as_str(), bytes),
        |form, read| array::write(form, read, Endpoint::Server),
    );
}

pub fn of_opening(bytes: &[u8]) {
    again(
        bytes,
        |reading, bytes| array::read_open(reading, &RESOURCES, bytes),
        |form, read| {
            // A key is not told, which is the same as none only to those who are not asked twice.
            let mut sent = config::for_server(&read.config());
            sent.retain(|(name, _)| name != "sm.encryption_key");
            array::write_open(form, &sent, read.query_type())
        },
    );
}

pub fn of_fragment_info(bytes: &[u8]) {
    again(
        bytes,
        |reading, bytes| fragment_info::read(reading, &RESOURCES, &PLACE, bytes),
        |form, read| fragment_info::write(form, &PLACE, read, false, Endpoint::Server),
    );
}

pub fn of_group(bytes: &[u8]) {
    let Some((&first, bytes)) = bytes.split_first() else { return };
    let form = if first & 1 == 0 { SerializationType::Capnp } else { SerializationType::Json };
    let _ = group::read(Deserializer::new(form, &Config::new()).expect("the limits of messages"), bytes);
}
