//! C functions that serialize schemas and schema evolutions.

use super::boundary::{CEnum, In, InConst, OutHandle, capi_return_t};
use super::buffer_object::BufferObject;
use super::call::{call, make};
use super::enums::tiledb_serialization_type_t;
use super::handles::{
    tiledb_array_schema_evolution_t, tiledb_array_schema_t, tiledb_array_t, tiledb_buffer_t, tiledb_ctx_t,
    tiledb_string_t,
};
use super::schema_object::{EvolutionObject, SchemaObject};
use super::serialized::{form_of, reading_of};
use super::string::Text;
use tiledb_rest::serialization::schema::Endpoint;
use tiledb_rest::serialization::{evolution, schema};
use tiledb_rest::serve::schemas;

/// Writes a schema as a message, with the values of those enumerations that are loaded.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema, which has a domain.
/// @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param client_side Not 0 to say where the array is that has the schema.
/// @param buffer Receives the message, to be freed with `tiledb_buffer_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_array_schema(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    buffer: OutHandle<tiledb_buffer_t>,
) -> i32 {
    make(ctx, buffer, |_| {
        let form = form_of(serialize_type, "serializing array schema")?;
        let snapshot = array_schema.get()?.snapshot();
        schema::write(form, &snapshot, Endpoint::from_flag(client_side)).map(BufferObject::new)
    })
}

/// Makes a schema of a message. It is checked as one from a file is.
///
/// @param ctx The TileDB context.
/// @param buffer The message.
/// @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param client_side Without effect.
/// @param array_schema Receives the schema, to be freed with `tiledb_array_schema_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_array_schema(
    ctx: In<tiledb_ctx_t>,
    buffer: InConst<tiledb_buffer_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    array_schema: OutHandle<tiledb_array_schema_t>,
) -> i32 {
    let _ = client_side;
    make(ctx, array_schema, |context| {
        let reading = reading_of(context, serialize_type, "deserializing array schema")?;
        buffer.get()?.with_bytes(|bytes| schema::read(reading, bytes)).map(SchemaObject::owning)
    })
}

/// Reads a request to create an array, as clients send it to a server.
///
/// @param ctx The TileDB context.
/// @param buffer The message.
/// @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param client_side Without effect.
/// @param storage_uri Where the client wants the array to be stored, empty where it leaves that to the server; to be freed with `tiledb_string_free`.
/// @param array_schema Receives the schema, to be freed with `tiledb_array_schema_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_array_create(
    ctx: In<tiledb_ctx_t>,
    buffer: InConst<tiledb_buffer_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    storage_uri: OutHandle<tiledb_string_t>,
    array_schema: OutHandle<tiledb_array_schema_t>,
) -> i32 {
    let _ = client_side;
    call(ctx, |context| {
        let reading = reading_of(context, serialize_type, "deserializing array creation request")?;
        storage_uri.check()?;
        array_schema.check()?;
        let (uri, schema) = buffer.get()?.with_bytes(|bytes| schema::read_create(reading, bytes))?;
        storage_uri.set(Text::new(&uri))?;
        array_schema.set(SchemaObject::owning(schema))
    })
}

/// Writes an evolution of a schema as a message.
///
/// @param ctx The TileDB context.
/// @param array_schema_evolution The evolution.
/// @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param client_side Without effect.
/// @param buffer Receives the message, to be freed with `tiledb_buffer_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_array_schema_evolution(
    ctx: In<tiledb_ctx_t>,
    array_schema_evolution: InConst<tiledb_array_schema_evolution_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    buffer: OutHandle<tiledb_buffer_t>,
) -> i32 {
    let _ = client_side;
    make(ctx, buffer, |_| {
        let form = form_of(serialize_type, "serializing array schema evolution")?;
        evolution::write(form, &array_schema_evolution.get()?.snapshot()).map(BufferObject::new)
    })
}

/// Makes an evolution of a message.
///
/// @param ctx The TileDB context.
/// @param buffer The message.
/// @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param client_side Without effect.
/// @param array_schema_evolution Receives the evolution, to be freed with `tiledb_array_schema_evolution_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_array_schema_evolution(
    ctx: In<tiledb_ctx_t>,
    buffer: InConst<tiledb_buffer_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    array_schema_evolution: OutHandle<tiledb_array_schema_evolution_t>,
) -> i32 {
    let _ = client_side;
    make(ctx, array_schema_evolution, |context| {
        let reading = reading_of(context, serialize_type, "deserializing array schema evolution")?;
        let told = buffer.get()?.with_bytes(|bytes| evolution::read(reading, bytes))?;
        Ok(EvolutionObject::of(told, None))
    })
}

/// Answers, on the side of a server, the request to load the schemas of an array.
///
/// @param ctx The TileDB context.
/// @param array The array, which is open.
/// @param serialization_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param request The request.
/// @param response The answer: the schema of the opening, and all schemas by name; of that of the opening the enumerations
///     are loaded where `rest.load_enumerations_on_array_open` is true in the configuration that the request holds.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_handle_load_array_schema_request(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    serialization_type: CEnum<tiledb_serialization_type_t>,
    request: InConst<tiledb_buffer_t>,
    response: In<tiledb_buffer_t>,
) -> capi_return_t {
    call(ctx, |context| {
        let reading = reading_of(context, serialization_type, "deserializing load array schema request")?;
        let open = array.get()?.snapshot()?;
        let response = response.get()?;
        response.set_bytes(request.get()?.with_bytes(|bytes| schemas::load_schemas(&open, reading, bytes))?);
        Ok(())
    })
}

/// Answers, on the side of a server, the request to load enumerations of an array.
///
/// @param ctx The TileDB context.
/// @param array The array, which is open.
/// @param serialization_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param request The request: names of enumerations of the schema of the opening; without any, all of all schemas.
/// @param response The answer: the enumerations with their values.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_handle_load_enumerations_request(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    serialization_type: CEnum<tiledb_serialization_type_t>,
    request: InConst<tiledb_buffer_t>,
    response: In<tiledb_buffer_t>,
) -> capi_return_t {
    call(ctx, |context| {
        let reading = reading_of(context, serialization_type, "deserializing load enumerations request")?;
        let open = array.get()?.snapshot()?;
        let response = response.get()?;
        response.set_bytes(request.get()?.with_bytes(|bytes| schemas::load_enumerations(&open, reading, bytes))?);
        Ok(())
    })
}
