//! C functions of array metadata.

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

/// Deletes a metadata value of an array, effective when the array is closed.
///
/// A missing key is not an error.
///
/// @param ctx The TileDB context.
/// @param array The array, open for writing or exclusive modification.
/// @param key The key.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open for writing or the key is null.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_delete_metadata(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    key: Str,
) -> capi_return_t {
    call(ctx, |_| array.get()?.delete_metadata(key.opt()?))
}

/// Returns a metadata value of an array by its key.
///
/// A missing key is not an error: `value` is null then, and `value_num` is unchanged. Initialize `value_num` to 0 to tell a
/// missing key from an empty value, which has a null `value` and a `value_num` of 1, or use `tiledb_array_has_metadata_key`.
///
/// ```c
/// tiledb_datatype_t type = TILEDB_ANY;
/// uint32_t count = 0;
/// const void *value = NULL;
/// tiledb_array_get_metadata(ctx, array, "range", &type, &count, &value);
/// if (value != NULL && type == TILEDB_FLOAT64 && count == 2)
///   printf("%g to %g\n", ((const double *)value)[0], ((const double *)value)[1]);
/// ```
///
/// @param ctx The TileDB context.
/// @param array The array, open for reading.
/// @param key The key.
/// @param value_type Receives the datatype of the value.
/// @param value_num Receives the number of elements, 1 for an empty value; unchanged if the key does not exist.
/// @param value Receives the address of the elements, or null for an empty value or a missing key. The memory belongs to the
///     array and is valid until it is closed or reopened; it need not be aligned for the datatype.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open for reading, or its metadata cannot be read.
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

/// Returns a metadata entry of an array by its position in the order of the keys.
///
/// Use it with `tiledb_array_get_metadata_num` to list all metadata.
///
/// ```c
/// uint64_t count = 0;
/// tiledb_array_get_metadata_num(ctx, array, &count);
/// for (uint64_t i = 0; i < count; i++) {
///   const char *key = NULL;
///   uint32_t key_length = 0, elements = 0;
///   tiledb_datatype_t type = TILEDB_ANY;
///   const void *value = NULL;
///   tiledb_array_get_metadata_from_index(ctx, array, i, &key, &key_length, &type, &elements, &value);
///   printf("%.*s: %u elements\n", (int)key_length, key, elements);
/// }
/// ```
///
/// @param ctx The TileDB context.
/// @param array The array, open for reading.
/// @param index The position, from 0 and less than the number of entries.
/// @param key Receives the key, valid until the array is closed or reopened. It is not NUL-terminated: use `key_len`.
/// @param key_len Receives the length of the key in bytes.
/// @param value_type Receives the datatype of the value.
/// @param value_num Receives the number of elements, 1 for an empty value.
/// @param value Receives the address of the elements, null for an empty value; valid until the array is closed or reopened.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open for reading or the index is out of range.
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

/// Returns the number of metadata entries of an array.
///
/// @param ctx The TileDB context.
/// @param array The array, open for reading.
/// @param num Receives the number of keys.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open for reading.
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

/// Reports whether an array has a metadata value under a key.
///
/// @param ctx The TileDB context.
/// @param array The array, open for reading.
/// @param key The key.
/// @param value_type Receives the datatype of the value; unchanged if the key does not exist.
/// @param has_key Receives 1 if the key exists, else 0.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open for reading.
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

/// Sets a metadata value of an array, which is stored when the array is closed.
///
/// Metadata are key-value pairs with typed values; a later value replaces an earlier one of the same key. Readers see the
/// change once the array has been closed and they open or reopen it. All metadata of an array are loaded together on first
/// access, so keep them small. If the array handle is freed without `tiledb_array_close`, the change is lost.
///
/// ```c
/// double range[] = {0.5, 99.5};
/// tiledb_array_open(ctx, array, TILEDB_WRITE);
/// tiledb_array_put_metadata(ctx, array, "range", TILEDB_FLOAT64, 2, range);
/// tiledb_array_put_metadata(ctx, array, "station", TILEDB_STRING_UTF8, 4, "Bern");
/// tiledb_array_close(ctx, array);
/// ```
///
/// See also `tiledb_array_get_metadata`, `tiledb_array_delete_metadata`.
///
/// @param ctx The TileDB context.
/// @param array The array, open for writing or exclusive modification.
/// @param key The key, a NUL-terminated string.
/// @param value_type The datatype of the value; any but `TILEDB_ANY`.
/// @param value_num The number of elements of that datatype: for strings the number of bytes, without a NUL.
/// @param value The elements, which are copied; null for an empty value.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open for writing, the key is null, or the datatype is not
///     allowed.
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
