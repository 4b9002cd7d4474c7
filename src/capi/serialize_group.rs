//! C functions that serialize groups.

use super::boundary::{CEnum, In, InConst, OutHandle};
use super::buffer_object::BufferObject;
use super::call::{call, make};
use super::enums::tiledb_serialization_type_t;
use super::handles::{tiledb_buffer_t, tiledb_ctx_t, tiledb_group_t};
use super::serialized::{form_of, reading_of};
use tiledb_core::types::QueryType;
use tiledb_rest::serialization::{config, group as convert, metadata};

/// Writes an open group as a message: members, metadata and, of its configuration, what a server can use: the parameters
/// `sm.*` and `rest.load_*`; `sm.encryption_key` is among them.
///
/// @param ctx The TileDB context.
/// @param group The group, which is open.
/// @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param client_side Without effect.
/// @param buffer_list Receives the message, to be freed with `tiledb_buffer_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_group(
    ctx: In<tiledb_ctx_t>,
    group: InConst<tiledb_group_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    buffer_list: OutHandle<tiledb_buffer_t>,
) -> i32 {
    let _ = client_side;
    make(ctx, buffer_list, |_| {
        let form = form_of(serialize_type, "serializing group")?;
        let group = group.get()?;
        let open = group.snapshot("Cannot serialize group")?;
        convert::write(form, &open, &config::for_server(&group.config())).map(BufferObject::new)
    })
}

/// Reads members, metadata and configuration into a group. Of one that is open for writing members and metadata are changes,
/// written when it is closed; of another one they are what it has, and it is open then.
///
/// @param ctx The TileDB context.
/// @param buffer The message.
/// @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param client_side Without effect.
/// @param group The group.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_group(
    ctx: In<tiledb_ctx_t>,
    buffer: InConst<tiledb_buffer_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    group: In<tiledb_group_t>,
) -> i32 {
    let _ = client_side;
    call(ctx, |context| {
        let reading = reading_of(context, serialize_type, "deserializing group")?;
        let group = group.get()?;
        let parts = buffer.get()?.with_bytes(|bytes| convert::read(reading, bytes))?;
        match parts.contents {
            Some(contents) => group.set_contents(parts.config.as_ref(), Some(contents.members), contents.metadata),
            None => group.set_contents(parts.config.as_ref(), None, None),
        }
    })
}

/// Writes the metadata of a group as a message: all values of one that is open for reading, else what was put and deleted
/// since it was opened.
///
/// @param ctx The TileDB context.
/// @param group The group, which is open.
/// @param serialization_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param buffer Receives the message, to be freed with `tiledb_buffer_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_group_metadata(
    ctx: In<tiledb_ctx_t>,
    group: InConst<tiledb_group_t>,
    serialization_type: CEnum<tiledb_serialization_type_t>,
    buffer: OutHandle<tiledb_buffer_t>,
) -> i32 {
    make(ctx, buffer, |_| {
        let form = form_of(serialization_type, "serializing array metadata")?;
        let group = group.get()?;
        let open = group.snapshot("Cannot serialize group metadata")?;
        let bytes = match open.query_type() {
            QueryType::Read => metadata::write(form, metadata::entries(open.metadata()?)?.into_iter()),
            _ => group.changes(|changes| metadata::write(form, changes.sorted()?.into_iter())),
        };
        bytes.map(BufferObject::new)
    })
}

/// Reads metadata into a group that is open for writing: they are changes, written when it is closed.
///
/// @param ctx The TileDB context.
/// @param group The group, open for writing.
/// @param serialization_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param buffer The message.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_group_metadata(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    serialization_type: CEnum<tiledb_serialization_type_t>,
    buffer: InConst<tiledb_buffer_t>,
) -> i32 {
    call(ctx, |context| {
        let reading = reading_of(context, serialization_type, "deserializing array metadata")?;
        let group = group.get()?;
        let told = buffer.get()?.with_bytes(|bytes| metadata::read(reading, bytes))?;
        group.set_metadata(&told)
    })
}
