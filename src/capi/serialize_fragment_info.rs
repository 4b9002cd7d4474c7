//! C functions that serialize fragment info.

use super::boundary::{CEnum, In, InConst, OutHandle, Str};
use super::buffer_object::BufferObject;
use super::call::{call, make};
use super::enums::tiledb_serialization_type_t;
use super::handles::{tiledb_buffer_t, tiledb_ctx_t, tiledb_fragment_info_t};
use super::serialized::{form_of, reading_of};
use tiledb_core::error::bail;
use tiledb_rest::serialization::schema::Endpoint;
use tiledb_rest::serialization::{config, fragment_info as convert};
use tiledb_storage::vfs::Uri;

/// Writes the request for information about the fragments of an array as a message: of the configuration what a server can
/// use, the parameters `sm.*` and `rest.load_*`; `sm.encryption_key` is among them.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param client_side Without effect.
/// @param buffer Receives the message, to be freed with `tiledb_buffer_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_fragment_info_request(
    ctx: In<tiledb_ctx_t>,
    fragment_info: InConst<tiledb_fragment_info_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    buffer: OutHandle<tiledb_buffer_t>,
) -> i32 {
    let _ = client_side;
    make(ctx, buffer, |_| {
        let form = form_of(serialize_type, "serializing fragment info request")?;
        let entries = config::for_server(&fragment_info.get()?.config());
        convert::write_request(form, &entries).map(BufferObject::new)
    })
}

/// Reads the request for information about the fragments of an array: a fragment info gets its configuration.
///
/// @param ctx The TileDB context.
/// @param buffer The message.
/// @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param client_side Without effect.
/// @param fragment_info The fragment info, which has loaded nothing.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_fragment_info_request(
    ctx: In<tiledb_ctx_t>,
    buffer: InConst<tiledb_buffer_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    fragment_info: In<tiledb_fragment_info_t>,
) -> i32 {
    let _ = client_side;
    call(ctx, |context| {
        let reading = reading_of(context, serialize_type, "deserializing fragment info request")?;
        let info = fragment_info.get()?;
        info.set_config(&buffer.get()?.with_bytes(|bytes| convert::read_request(reading, bytes))?)
    })
}

/// Writes what was loaded of the fragments of an array as a message; with the bounding boxes of their tiles where
/// `sm.fragment_info.preload_mbrs` asks for them.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info, which was loaded.
/// @param serialization_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param client_side Not 0 to say in the schemas where the array is.
/// @param buffer Receives the message, to be freed with `tiledb_buffer_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_fragment_info(
    ctx: In<tiledb_ctx_t>,
    fragment_info: InConst<tiledb_fragment_info_t>,
    serialization_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    buffer: OutHandle<tiledb_buffer_t>,
) -> i32 {
    make(ctx, buffer, |_| {
        let form = form_of(serialization_type, "serializing fragment info")?;
        let info = fragment_info.get()?;
        let with_boxes = info.config().bool("sm.fragment_info.preload_mbrs")?;
        let loaded = info.loaded()?;
        let side = Endpoint::from_flag(client_side);
        convert::write(form, info.uri(), &loaded, with_boxes, side).map(BufferObject::new)
    })
}

/// Reads what is known of the fragments of an array into a fragment info, in place of what was loaded before.
///
/// @param ctx The TileDB context.
/// @param buffer The message.
/// @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param array_uri Where the array is.
/// @param client_side Without effect.
/// @param fragment_info The fragment info.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_fragment_info(
    ctx: In<tiledb_ctx_t>,
    buffer: InConst<tiledb_buffer_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    array_uri: Str,
    client_side: i32,
    fragment_info: In<tiledb_fragment_info_t>,
) -> i32 {
    let _ = client_side;
    call(ctx, |context| {
        let reading = reading_of(context, serialize_type, "deserializing fragment info")?;
        let info = fragment_info.get()?;
        let Ok(uri) = Uri::parse(&array_uri.path("array_uri")?) else {
            bail!("Error: Failed to deserialize fragment info; Invalid array URI")
        };
        let resources = info.resources();
        let loaded = buffer.get()?.with_bytes(|bytes| convert::read(reading, &resources, &uri, bytes))?;
        info.set_loaded(loaded);
        Ok(())
    })
}
