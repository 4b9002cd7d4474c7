//! C interface: metadata of arrays.

use super::boundary::{Bytes, CEnum, In, Out, OutPtr, OutStr, Str, capi_return_t};
use super::call::call;
use super::enum_text::value_of;
use super::enums::tiledb_datatype_t;
use super::handles::{tiledb_array_t, tiledb_ctx_t};
use super::metadata_args::{put_value, value_bytes};
use tiledb_core::error::{Result, bail};

/// A key that may not be null.
fn required<'a>(key: Str<'a>) -> Result<&'a str> {
    match key.opt()? {
        Some(key) => Ok(key),
        None => bail!("Array: Cannot get metadata; Key cannot be null"),
    }
}

/// Deletes metadata of an array when it is closed; a missing key is fine.
///
/// @param ctx The TileDB context.
/// @param array The array, open for writing or exclusive modification.
/// @param key The key.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_delete_metadata(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    key: Str,
) -> capi_return_t {
    call(ctx, |_| array.get()?.delete_metadata(key.opt()?))
}

/// Gets metadata of an array.
///
/// @param ctx The TileDB context.
/// @param array The array, open for reading.
/// @param key The key.
/// @param value_type The datatype of the value.
/// @param value_num How many cells the value has, 1 for an empty one; untouched for a missing key.
/// @param value The value, valid until the array is closed or reopened; null for an empty one and a missing key.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_metadata(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    key: Str,
    value_type: Out<tiledb_datatype_t>,
    value_num: Out<u32>,
    value: OutPtr,
) -> capi_return_t {
    call(ctx, |_| {
        value_num.check()?;
        let open = array.get()?.with_metadata("Cannot get metadata")?;
        put_value(open.metadata()?.get(required(key)?), value_type, value_num, value)
    })
}

/// Gets metadata of an array by position in the order of keys.
///
/// @param ctx The TileDB context.
/// @param array The array, open for reading.
/// @param index The position.
/// @param key The key, valid until the array is closed or reopened.
/// @param key_len The length of the key.
/// @param value_type The datatype of the value.
/// @param value_num How many cells the value has, 1 for an empty one.
/// @param value The value, valid until the array is closed or reopened; null for an empty one.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_metadata_from_index(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    index: u64,
    key: OutStr,
    key_len: Out<u32>,
    value_type: Out<tiledb_datatype_t>,
    value_num: Out<u32>,
    value: OutPtr,
) -> capi_return_t {
    call(ctx, |_| {
        key.check()?;
        key_len.check()?;
        value_num.check()?;
        let open = array.get()?.with_metadata("Cannot get metadata")?;
        let (name, found) = open.metadata()?.at(index)?;
        put_value(Some(found), value_type, value_num, value)?;
        key.set_bytes(name)?;
        key_len.set(name.len() as u32)
    })
}

/// Gets the number of metadata of an array.
///
/// @param ctx The TileDB context.
/// @param array The array, open for reading.
/// @param num The number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_metadata_num(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    num: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| {
        num.check()?;
        num.set(array.get()?.with_metadata("Cannot get number of metadata")?.metadata()?.len() as u64)
    })
}

/// Tells whether an array has metadata under a key.
///
/// @param ctx The TileDB context.
/// @param array The array, open for reading.
/// @param key The key.
/// @param value_type The datatype of the value; untouched for a missing key.
/// @param has_key 1 if there is such a key, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_has_metadata_key(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    key: Str,
    value_type: Out<tiledb_datatype_t>,
    has_key: Out<i32>,
) -> capi_return_t {
    call(ctx, |_| {
        value_type.check()?;
        has_key.check()?;
        let open = array.get()?.with_metadata("Cannot get metadata")?;
        let found = open.metadata()?.get(required(key)?);
        if let Some(found) = found {
            value_type.set(value_of(found.datatype().number())?)?;
        }
        has_key.set(found.is_some().into())
    })
}

/// Puts metadata into an array, which is written when the array is closed.
///
/// @param ctx The TileDB context.
/// @param array The array, open for writing or exclusive modification.
/// @param key The key.
/// @param value_type The datatype of the value; any but `TILEDB_ANY`.
/// @param value_num How many cells of the datatype the value has.
/// @param value The value, which is copied; null for an empty one.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_put_metadata(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    key: Str,
    value_type: CEnum<tiledb_datatype_t>,
    value_num: u32,
    value: Bytes,
) -> capi_return_t {
    call(ctx, |_| {
        let value = value_bytes(value_type, value_num, value)?;
        array.get()?.put_metadata(key.opt()?, value_type.number(), value)
    })
}
