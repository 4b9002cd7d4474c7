//! C functions that serialize arrays, and requests about their fragments.

use super::array_object::ArrayObject;
use super::boundary::{CEnum, In, InConst, OutHandle, Str, capi_return_t};
use super::buffer_object::BufferObject;
use super::call::{call, make};
use super::enums::tiledb_serialization_type_t;
use super::handles::{tiledb_array_t, tiledb_buffer_t, tiledb_ctx_t};
use super::serialized::{form_of, reading_of};
use tiledb_rest::serialization::schema::Endpoint;
use tiledb_rest::serialization::{array, config};
use tiledb_rest::serve::fragments;

/// Writes an open array as a message: its schemas, what lies in its folder, the fragments that reading sees and, as far as
/// the parameters `rest.load_*` of its configuration ask for it, the non-empty domain, the metadata and the enumerations.
///
/// @param ctx The TileDB context.
/// @param array The array, which is open.
/// @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param client_side Not 0 to say in the schemas where the array is.
/// @param buffer Receives the message, to be freed with `tiledb_buffer_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_array(
    ctx: In<tiledb_ctx_t>,
    array: InConst<tiledb_array_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    buffer: OutHandle<tiledb_buffer_t>,
) -> i32 {
    make(ctx, buffer, |_| {
        let form = form_of(serialize_type, "serializing array")?;
        array::write(form, &*array.get()?, Endpoint::from_flag(client_side)).map(BufferObject::new)
    })
}

/// Makes an array of a message. It is open; what the message does not hold is looked up where the array is.
///
/// @param ctx The TileDB context.
/// @param buffer The message.
/// @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param client_side Without effect.
/// @param array_uri Where the array is.
/// @param array Receives the array, to be freed with `tiledb_array_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_array(
    ctx: In<tiledb_ctx_t>,
    buffer: InConst<tiledb_buffer_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    array_uri: Str,
    array: OutHandle<tiledb_array_t>,
) -> i32 {
    let _ = client_side;
    make(ctx, array, |context| {
        let uri = array_uri.path("array_uri")?;
        let reading = reading_of(context, serialize_type, "deserializing array")?;
        let read = |bytes: &[u8]| array::read(reading, context.resources(), &uri, bytes);
        buffer.get()?.with_bytes(read).map(ArrayObject::new)
    })
}

/// Writes the request to open an array as a message: what the array was opened for, and of its configuration what a server
/// can use: the parameters `sm.*` and `rest.load_*`. `sm.encryption_key` is among them: a server needs it to read an
/// encrypted array. Secrets of stores, and the token of the server, are not.
///
/// @param ctx The TileDB context.
/// @param array The array.
/// @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param client_side Without effect.
/// @param buffer_list Receives the message, to be freed with `tiledb_buffer_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_array_open(
    ctx: In<tiledb_ctx_t>,
    array: InConst<tiledb_array_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    buffer_list: OutHandle<tiledb_buffer_t>,
) -> i32 {
    let _ = client_side;
    make(ctx, buffer_list, |_| {
        let form = form_of(serialize_type, "serializing array open")?;
        let array = array.get()?;
        let entries = config::for_server(&array.config());
        array::write_open(form, &entries, array.query_type()).map(BufferObject::new)
    })
}

/// Makes an array that is not open yet of the request to open one. Its name says nothing; its configuration is the message's.
///
/// @param ctx The TileDB context.
/// @param buffer The message.
/// @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param client_side Without effect.
/// @param array Receives the array, to be freed with `tiledb_array_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_array_open(
    ctx: In<tiledb_ctx_t>,
    buffer: InConst<tiledb_buffer_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    array: OutHandle<tiledb_array_t>,
) -> i32 {
    let _ = client_side;
    make(ctx, array, |context| {
        let reading = reading_of(context, serialize_type, "deserializing array open")?;
        let read = |bytes: &[u8]| array::read_open(reading, context.resources(), bytes);
        buffer.get()?.with_bytes(read).map(ArrayObject::new)
    })
}

/// Answers, on the side of a server, the request how to merge the fragments of an array.
///
/// @param ctx The TileDB context.
/// @param array The array, open for reading.
/// @param serialization_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param request The request: the wanted size of fragments.
/// @param response The answer: the fragments that belong together, node by node.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_handle_consolidation_plan_request(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    serialization_type: CEnum<tiledb_serialization_type_t>,
    request: InConst<tiledb_buffer_t>,
    response: In<tiledb_buffer_t>,
) -> capi_return_t {
    call(ctx, |context| {
        let reading = reading_of(context, serialization_type, "deserializing consolidation plan request")?;
        let open = array.get()?.snapshot()?;
        let response = response.get()?;
        response.set_bytes(request.get()?.with_bytes(|bytes| fragments::consolidation_plan(&open, reading, bytes))?);
        Ok(())
    })
}

/// Answers, on the side of a server, the request to delete fragments that it names.
///
/// @param ctx The TileDB context.
/// @param array The array, open with `TILEDB_WRITE` or `TILEDB_MODIFY_EXCLUSIVE`.
/// @param serialization_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param request The request.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_handle_array_delete_fragments_list_request(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    serialization_type: CEnum<tiledb_serialization_type_t>,
    request: InConst<tiledb_buffer_t>,
) -> capi_return_t {
    call(ctx, |context| {
        let reading = reading_of(context, serialization_type, "deserializing fragments list")?;
        let open = array.get()?.snapshot()?;
        request.get()?.with_bytes(|bytes| fragments::delete_list(&open, reading, bytes))
    })
}

/// Answers, on the side of a server, the request to delete the fragments that were wholly written within a time window.
///
/// @param ctx The TileDB context.
/// @param array The array, open with `TILEDB_WRITE` or `TILEDB_MODIFY_EXCLUSIVE`.
/// @param serialization_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param request The request.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_handle_array_delete_fragments_timestamps_request(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    serialization_type: CEnum<tiledb_serialization_type_t>,
    request: InConst<tiledb_buffer_t>,
) -> capi_return_t {
    call(ctx, |context| {
        let reading = reading_of(context, serialization_type, "deserializing fragments timestamps")?;
        let open = array.get()?.snapshot()?;
        request.get()?.with_bytes(|bytes| fragments::delete_window(&open, reading, bytes))
    })
}
