//! C functions that serialize metadata and non-empty domains of arrays.

use super::boundary::{Buffer, Bytes, CEnum, In, InConst, Out, OutHandle};
use super::buffer_object::BufferObject;
use super::call::{call, make};
use super::enums::tiledb_serialization_type_t;
use super::handles::{tiledb_array_t, tiledb_buffer_t, tiledb_ctx_t};
use super::serialized::{form_of, reading_of};
use tiledb_array::array::OpenArray;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{Datatype, QueryType};
use tiledb_rest::serialization::{domain, metadata};

/// Writes the metadata of an array as a message: all values of one that is open for reading, else what was put and deleted
/// since it was opened.
///
/// @param ctx The TileDB context.
/// @param array The array, which is open.
/// @param serialization_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param buffer Receives the message, to be freed with `tiledb_buffer_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_array_metadata(
    ctx: In<tiledb_ctx_t>,
    array: InConst<tiledb_array_t>,
    serialization_type: CEnum<tiledb_serialization_type_t>,
    buffer: OutHandle<tiledb_buffer_t>,
) -> i32 {
    make(ctx, buffer, |_| {
        let form = form_of(serialization_type, "serializing array metadata")?;
        let array = array.get()?;
        let open = array.snapshot()?;
        let bytes = match open.query_type() {
            QueryType::Read => metadata::write(form, metadata::entries(open.metadata()?)?.into_iter()),
            _ => array.changes(|changes| metadata::write(form, changes.sorted()?.into_iter())),
        };
        bytes.map(BufferObject::new)
    })
}

/// Reads metadata into an array. Of one that is open for writing they are changes, written when it is closed; of one that is
/// open for reading they are what it has, unless its own were read already.
///
/// @param ctx The TileDB context.
/// @param array The array, which is open.
/// @param serialization_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param buffer The message.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_array_metadata(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    serialization_type: CEnum<tiledb_serialization_type_t>,
    buffer: InConst<tiledb_buffer_t>,
) -> i32 {
    call(ctx, |context| {
        let reading = reading_of(context, serialization_type, "deserializing array metadata")?;
        let array = array.get()?;
        let told = buffer.get()?.with_bytes(|bytes| metadata::read(reading, bytes))?;
        array.set_metadata(told)
    })
}

/// Writes the non-empty domain of an array as a message, dimension by dimension: of any type.
///
/// @param ctx The TileDB context.
/// @param array The array, open for reading.
/// @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param client_side Without effect.
/// @param buffer Receives the message, to be freed with `tiledb_buffer_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_array_non_empty_domain_all_dimensions(
    ctx: In<tiledb_ctx_t>,
    array: InConst<tiledb_array_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    buffer: OutHandle<tiledb_buffer_t>,
) -> i32 {
    let _ = client_side;
    make(ctx, buffer, |_| {
        let form = form_of(serialize_type, "serializing nonempty domain")?;
        let domain = array.get()?.snapshot()?.non_empty_domain()?;
        domain::write_all(form, domain.as_ref()).map(BufferObject::new)
    })
}

/// Reads the non-empty domain of an array: from now on, until it is opened again, that is its domain.
///
/// @param ctx The TileDB context.
/// @param array The array, which is open.
/// @param buffer The message.
/// @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param client_side Without effect.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_array_non_empty_domain_all_dimensions(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    buffer: InConst<tiledb_buffer_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
) -> i32 {
    let _ = client_side;
    call(ctx, |context| {
        let reading = reading_of(context, serialize_type, "deserializing nonempty domain")?;
        let open = array.get()?.snapshot()?;
        let read = |bytes: &[u8]| domain::read_all(reading, bytes, open.schema().domain());
        open.set_non_empty_domain(buffer.get()?.with_bytes(read)?);
        Ok(())
    })
}

/// Writes a non-empty domain as a message, for arrays whose dimensions are of one type that is no string.
///
/// @param ctx The TileDB context.
/// @param array The array, which is open.
/// @param nonempty_domain Both ends of each dimension, one after the other; may be null for an empty domain.
/// @param is_empty Not 0 for an empty domain.
/// @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param client_side Without effect.
/// @param buffer Receives the message, to be freed with `tiledb_buffer_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_array_nonempty_domain(
    ctx: In<tiledb_ctx_t>,
    array: InConst<tiledb_array_t>,
    nonempty_domain: Bytes,
    is_empty: i32,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    buffer: OutHandle<tiledb_buffer_t>,
) -> i32 {
    let _ = client_side;
    make(ctx, buffer, |_| {
        let form = form_of(serialize_type, "serializing nonempty domain")?;
        let (datatype, count) = uniform(&*array.get()?.snapshot()?)?;
        let bytes = match is_empty {
            0 => nonempty_domain.opt("nonempty_domain", (2 * count * datatype.size()) as u64)?,
            _ => Some(&[][..]),
        };
        let Some(bytes) = bytes else {
            bail!("[TileDB::Serialization] Error: Error serializing nonempty domain; nonempty domain is null.")
        };
        domain::write_box(form, datatype, bytes, is_empty != 0).map(BufferObject::new)
    })
}

/// Reads a non-empty domain, for arrays whose dimensions are of one type that is no string.
///
/// @param ctx The TileDB context.
/// @param array The array, which is open.
/// @param buffer The message.
/// @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
/// @param client_side Without effect.
/// @param nonempty_domain Room for both ends of each dimension; left as it is where the domain is empty.
/// @param is_empty 1 for an empty domain, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_deserialize_array_nonempty_domain(
    ctx: In<tiledb_ctx_t>,
    array: InConst<tiledb_array_t>,
    buffer: InConst<tiledb_buffer_t>,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    client_side: i32,
    nonempty_domain: Buffer,
    is_empty: Out<i32>,
) -> i32 {
    let _ = client_side;
    call(ctx, |context| {
        let reading = reading_of(context, serialize_type, "deserializing nonempty domain")?;
        is_empty.check()?;
        let (datatype, count) = uniform(&*array.get()?.snapshot()?)?;
        let read = |bytes: &[u8]| domain::read_box(reading, bytes, datatype, count);
        let (bytes, empty) = buffer.get()?.with_bytes(read)?;
        nonempty_domain.fill("nonempty_domain", &bytes)?;
        is_empty.set(i32::from(empty))
    })
}

/// Is no longer supported, as in libtiledb: always an error.
///
/// @param ctx The TileDB context.
/// @param array Without effect.
/// @param subarray Without effect.
/// @param serialize_type Without effect.
/// @param buffer Left as it is.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialize_array_max_buffer_sizes(
    ctx: In<tiledb_ctx_t>,
    array: InConst<tiledb_array_t>,
    subarray: Bytes,
    serialize_type: CEnum<tiledb_serialization_type_t>,
    buffer: OutHandle<tiledb_buffer_t>,
) -> i32 {
    let _ = (array, subarray, serialize_type, buffer);
    call(ctx, |_| bail!("C API: tiledb_serialize_array_max_buffer_sizes is no longer supported."))
}

/// The type that all dimensions of an array have, and how many there are.
fn uniform(open: &OpenArray) -> Result<(Datatype, usize)> {
    let domain = open.schema().domain();
    if !domain.is_homogeneous() || !domain.is_fixed_size() {
        bail!(
            "[TileDB::Serialization] Error: Error serializing nonempty domain; The dimensions are strings, or not of one type"
        );
    }
    Ok((domain.datatype()?, domain.len()))
}
