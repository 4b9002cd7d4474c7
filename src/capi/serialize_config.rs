//! C functions that serialize configurations.

use super::boundary::{CEnum, In, InConst, OutHandle};
use super::buffer_object::BufferObject;
use super::call::make;
use super::config::ConfigObject;
use super::enums::tiledb_serialization_type_t;
use super::handles::{tiledb_buffer_t, tiledb_config_t, tiledb_ctx_t};
use super::serialized::{form_of, reading_of};
use tiledb_rest::serialization::config;

/// Writes a configuration as a message: every parameter that has a value, secrets too.
///
/// @param ctx The TileDB context.
/// @param config The configuration.
/// @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param client_side Without effect.
/// @param buffer Receives the message, to be freed with `tiledb_buffer_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_config(
    ctx: In<tiledb_ctx_t>,
    config: InConst<tiledb_config_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    buffer: OutHandle<tiledb_buffer_t>,
) -> i32 {
    let _ = client_side;
    make(ctx, buffer, |_| {
        let form = form_of(serialize_type, "serializing config")?;
        config::write(form, &config.get()?.snapshot()).map(BufferObject::new)
    })
}

/// Makes a configuration of a message. Values are checked as when they are set.
///
/// @param ctx The TileDB context.
/// @param buffer The message.
/// @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param client_side Without effect.
/// @param config Receives the configuration, to be freed with `tiledb_config_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_config(
    ctx: In<tiledb_ctx_t>,
    buffer: InConst<tiledb_buffer_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    config: OutHandle<tiledb_config_t>,
) -> i32 {
    let _ = client_side;
    make(ctx, config, |context| {
        let reading = reading_of(context, serialize_type, "deserializing config")?;
        buffer.get()?.with_bytes(|bytes| config::read(reading, bytes)).map(ConfigObject::new)
    })
}
