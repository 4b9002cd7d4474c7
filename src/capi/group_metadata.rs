//! C functions of group metadata.

use super::boundary::{Bytes, CEnum, In, Out, OutPtr, OutStr, Str, capi_return_t};
use super::call::call;
use super::enum_text::value_of;
use super::enums::tiledb_datatype_t;
use super::handles::{tiledb_ctx_t, tiledb_group_t};
use super::metadata_args::{put_value, value_bytes};

/// Deletes a metadata value of a group, effective when the group is closed. A missing key is not an error.
///
/// @param ctx The TileDB context.
/// @param group The group, open for writing or exclusive modification.
/// @param key The key.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_delete_metadata(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    key: Str,
) -> capi_return_t {
    call(ctx, |_| group.get()?.delete_metadata(key.get("key")?))
}

/// Returns a metadata value of a group by its key.
///
/// A missing key is not an error: `value` is null then, and `value_num` is unchanged; initialize it to 0.
///
/// @param ctx The TileDB context.
/// @param group The group, open for reading.
/// @param key The key.
/// @param value_type Receives the datatype of the value.
/// @param value_num Receives the number of elements, 1 for an empty value; unchanged if the key does not exist.
/// @param value Receives the address of the elements, or null for an empty value or a missing key. The memory belongs to the
///     group and is valid until it is closed.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the group is not open for reading.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_get_metadata(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    key: Str,
    value_type: Out<tiledb_datatype_t>,
    value_num: Out<u32>,
    value: OutPtr,
) -> capi_return_t {
    call(ctx, |_| {
        let (group, key) = (group.get()?, key.get("key")?);
        value_type.check()?;
        value_num.check()?;
        value.check()?;
        let open = group.with_metadata("Cannot get metadata")?;
        put_value(open.metadata()?.get(key), value_type, value_num, value)
    })
}

/// Returns a metadata entry of a group by its position in the order of the keys.
///
/// @param ctx The TileDB context.
/// @param group The group, open for reading.
/// @param index The position.
/// @param key Receives the key, valid until the group is closed.
/// @param key_len Receives the length of the key.
/// @param value_type Receives the datatype of the value.
/// @param value_num Receives how many cells the value has, 1 for an empty one.
/// @param value Receives the value, valid until the group is closed; null for an empty one.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_get_metadata_from_index(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    index: u64,
    key: OutStr,
    key_len: Out<u32>,
    value_type: Out<tiledb_datatype_t>,
    value_num: Out<u32>,
    value: OutPtr,
) -> capi_return_t {
    call(ctx, |_| {
        let group = group.get()?;
        key.check()?;
        key_len.check()?;
        value_num.check()?;
        let open = group.with_metadata("Cannot get metadata")?;
        let (name, found) = open.metadata()?.at(index)?;
        put_value(Some(found), value_type, value_num, value)?;
        key.set_bytes(name)?;
        key_len.set(name.len() as u32)
    })
}

/// Returns the number of metadata entries of a group.
///
/// @param ctx The TileDB context.
/// @param group The group, open for reading.
/// @param num Receives the number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_get_metadata_num(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    num: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| {
        let group = group.get()?;
        num.check()?;
        num.set(group.with_metadata("Cannot get number of metadata")?.metadata()?.len() as u64)
    })
}

/// Reports whether a group has a metadata value under a key.
///
/// @param ctx The TileDB context.
/// @param group The group, open for reading.
/// @param key The key.
/// @param value_type Receives the datatype of the value; untouched for a missing key.
/// @param has_key Receives 1 if there is such a key, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_has_metadata_key(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    key: Str,
    value_type: Out<tiledb_datatype_t>,
    has_key: Out<i32>,
) -> capi_return_t {
    call(ctx, |_| {
        let (group, key) = (group.get()?, key.get("key")?);
        value_type.check()?;
        has_key.check()?;
        let open = group.with_metadata("Cannot get metadata")?;
        let found = open.metadata()?.get(key);
        if let Some(found) = found {
            value_type.set(value_of(found.datatype().number())?)?;
        }
        has_key.set(found.is_some().into())
    })
}

/// Sets a metadata value of a group, which is stored when the group is closed.
///
/// It works like `tiledb_array_put_metadata`.
///
/// @param ctx The TileDB context.
/// @param group The group, open for writing or exclusive modification.
/// @param key The key, a NUL-terminated string.
/// @param value_type The datatype of the value; any but `TILEDB_ANY`.
/// @param value_num The number of elements of that datatype: for strings the number of bytes, without a NUL.
/// @param value The elements, which are copied; null for an empty value.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the group is not open for writing, or the datatype is not allowed.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_put_metadata(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    key: Str,
    value_type: CEnum<tiledb_datatype_t>,
    value_num: u32,
    value: Bytes,
) -> capi_return_t {
    call(ctx, |_| {
        let (group, key) = (group.get()?, key.get("key")?);
        let value = value_bytes(value_type, value_num, value)?;
        group.put_metadata(key, value_type.number(), value)
    })
}
