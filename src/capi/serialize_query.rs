//! C functions that serialize queries.

use super::array_object::ArrayObject;
use super::boundary::{CEnum, In, InConst, OutHandle, Str, capi_return_t};
use super::buffer_object::{BufferListObject, BufferObject};
use super::call::{call, make};
use super::enums::tiledb_serialization_type_t;
use super::handles::{tiledb_array_t, tiledb_buffer_list_t, tiledb_buffer_t, tiledb_ctx_t, tiledb_query_t};
use super::query_object::QueryObject;
use super::serialized::{form_of, reading_of};
use tiledb_query::Query;
use tiledb_rest::serialization::query;
use tiledb_rest::serialization::query::{BufferFill, estimate};
use tiledb_rest::serialization::schema::Endpoint;
use tiledb_rest::serve::plan::query_plan;

/// Writes a query as a message with its buffers behind it. A client sends the cells of a write, a server the results of a
/// read and how far it has come. The buffers are not copied: they must be left as they are while the list is used. Of the
/// configuration a message holds what a server can use, as with `tiledb_serialize_array_open`.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param serialize_type The form of the message: `TILEDB_CAPNP`.
/// @param client_side Not 0 to write what a client sends, 0 for what a server does.
/// @param buffer_list Receives the message and the buffers, to be freed with `tiledb_buffer_list_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_query(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    buffer_list: OutHandle<tiledb_buffer_list_t>,
) -> i32 {
    make(ctx, buffer_list, |_| {
        let form = form_of(serialize_type, "serializing query")?;
        let query = query.get()?;
        let pieces = query::write(form, &mut query.lock(), &query.array, Endpoint::from_flag(client_side))?;
        Ok(BufferListObject::of_query(pieces))
    })
}

/// Reads a message into a query. On a server the query takes over what the message says; buffers for results are null with
/// the sizes that are needed, and must be set; cells to be written stay in the message, which must be kept until the query
/// is freed. On a client the results in the message are copied to the buffers of the query.
///
/// @param ctx The TileDB context.
/// @param buffer The message, with the buffers behind it.
/// @param serialize_type The form of the message: `TILEDB_CAPNP`.
/// @param client_side Not 0 on a client, 0 on a server.
/// @param query The query, on an array opened for the same purpose.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_query(
    ctx: In<tiledb_ctx_t>,
    buffer: InConst<tiledb_buffer_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    query: In<tiledb_query_t>,
) -> i32 {
    call(ctx, |context| {
        let reads = reading_of(context, serialize_type, "deserializing query")?;
        let (query, buffer) = (query.get()?, buffer.get()?);
        let mut query = query.lock();
        let place = buffer.place();
        buffer.with_bytes(|bytes| match Endpoint::from_flag(client_side) {
            Endpoint::Client => query::read_on_client(&mut query, reads, bytes, &mut BufferFill::default()),
            Endpoint::Server => query::read_on_server(&mut query, reads, bytes, place),
        })
    })
}

/// Makes a query, and the array that it is on, of the message of a client.
///
/// @param ctx The TileDB context.
/// @param buffer The message, with the buffers behind it; it must be kept until the query is freed.
/// @param serialize_type The form of the message: `TILEDB_CAPNP`.
/// @param client_side Not 0 on a client, 0 on a server.
/// @param array_uri Where the array is.
/// @param query Receives the query, to be freed with `tiledb_query_free`.
/// @param array Receives the array, to be freed with `tiledb_array_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_query_and_array(
    ctx: In<tiledb_ctx_t>,
    buffer: InConst<tiledb_buffer_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    array_uri: Str,
    query: OutHandle<tiledb_query_t>,
    array: OutHandle<tiledb_array_t>,
) -> i32 {
    call(ctx, |context| {
        query.check()?;
        array.check()?;
        let uri = array_uri.path("array_uri")?;
        let reads = reading_of(context, serialize_type, "deserializing query")?;
        let buffer = buffer.get()?;
        let place = buffer.place();
        let (made, opened) = buffer.with_bytes(|bytes| {
            let opened = query::array_of(context.resources(), reads, &uri, bytes)?;
            let open = opened.snapshot()?;
            let mut made = Query::new(&open, open.query_type())?;
            match Endpoint::from_flag(client_side) {
                Endpoint::Client => query::read_on_client(&mut made, reads, bytes, &mut BufferFill::default())?,
                Endpoint::Server => query::read_on_server(&mut made, reads, bytes, place)?,
            }
            Ok((made, opened))
        })?;
        let opened = std::sync::Arc::new(ArrayObject::new(opened));
        query.set(QueryObject::new(opened.clone(), made))?;
        array.set(opened)
    })
}

/// Writes the estimated sizes of the results of all fields as a message.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param client_side Without effect.
/// @param buffer Receives the message, to be freed with `tiledb_buffer_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_query_est_result_sizes(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    buffer: OutHandle<tiledb_buffer_t>,
) -> i32 {
    let _ = client_side;
    make(ctx, buffer, |_| {
        let form = form_of(serialize_type, "serializing query est result size")?;
        estimate::write(form, &query.get()?.lock()).map(BufferObject::new)
    })
}

/// Reads estimated sizes of results from a message; the query tells them from then on.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param client_side Without effect.
/// @param buffer The message.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_query_est_result_sizes(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    buffer: InConst<tiledb_buffer_t>,
) -> i32 {
    let _ = client_side;
    call(ctx, |context| {
        let reading = reading_of(context, serialize_type, "deserializing query est result size")?;
        let query = query.get()?;
        buffer.get()?.with_bytes(|bytes| estimate::read(&mut query.lock(), reading, bytes))
    })
}

/// Answers, on the side of a server, the request what a query is going to do.
///
/// @param ctx The TileDB context.
/// @param array The array, open for what the query does.
/// @param serialization_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param request The request: the query without its cells, which must fit the array.
/// @param response The answer: layout, strategy, and the fields by name.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_handle_query_plan_request(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    serialization_type: CEnum<tiledb_serialization_type_t>,
    request: InConst<tiledb_buffer_t>,
    response: In<tiledb_buffer_t>,
) -> capi_return_t {
    call(ctx, |context| {
        let reading = reading_of(context, serialization_type, "deserializing query plan request")?;
        let open = array.get()?.snapshot()?.in_context(context.resources());
        let response = response.get()?;
        response.set_bytes(request.get()?.with_bytes(|bytes| query_plan(&open, reading, bytes))?);
        Ok(())
    })
}
