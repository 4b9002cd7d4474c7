//! Bodies of responses of a TileDB server: the first byte says to which question, the second which fields are read, the third how the
//! body is compressed and in which form it is.

use std::sync::LazyLock;

use tiledb_core::config::Config;
use tiledb_rest::client::response_reader::ResponseReader;
use tiledb_rest::serialization::{Deserializer, SerializationType, schema};
use tiledb_storage::resources::Resources;

const SCHEMAS: [&[u8]; 2] = [
    include_bytes!("../../../tests/data/serialized/array_schema-sparse-server.capnp"),
    include_bytes!("../../../tests/data/serialized/array_schema-dense-server.capnp"),
];

static RESPONSES: LazyLock<[ResponseReader; 2]> = LazyLock::new(|| {
    let resources = Resources::new(Config::new()).expect("resources");
    SCHEMAS.map(|bytes| {
        let schema = schema::read(reading(SerializationType::Capnp), bytes).expect("a schema");
        ResponseReader::new(&resources, schema).expect("an array")
    })
});

fn reading(form: SerializationType) -> Deserializer {
    Deserializer::new(form, &Config::new()).expect("the limits of messages")
}

pub fn of_rest(bytes: &[u8]) {
    let Some((&[which, fields, coding], body)) = bytes.split_first_chunk() else { return };
    let encoding = [None, Some("gzip"), Some("deflate"), Some("zstd")][usize::from(coding & 3)];
    let form = if coding & 4 == 0 { SerializationType::Capnp } else { SerializationType::Json };
    let responses = &RESPONSES[usize::from(which & 1)];
    if which & 2 != 0 {
        let _ = responses.other(reading(form), which >> 2, encoding, body);
        return;
    }
    // What is delivered are cells, whatever comes afterwards.
    for field in responses.read(reading(form), fields, encoding, body).unwrap_or_default() {
        assert!(field.offsets.is_sorted() && field.offsets.last().is_none_or(|&last| last <= field.bytes));
    }
}
