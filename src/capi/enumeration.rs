//! C functions of enumerations: lists of values that attribute cells refer to by index.

use std::ffi::c_int;

use super::boundary::{Bytes, CEnum, In, Out, OutHandle, OutPtr, Str, capi_return_t};
use super::call::{call, free, make};
use super::enum_text::value_of;
use super::enums::tiledb_datatype_t;
use super::handles::{tiledb_ctx_t, tiledb_enumeration_t, tiledb_string_t};
use super::string::Text;
use super::value::internal;
use tiledb_array::schema::Enumeration;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::Datatype;

/// Creates an enumeration: a list of distinct values that the cells of an attribute refer to by index (dictionary encoding).
///
/// The values are numbered from 0 in the order given. Add the enumeration to a schema with
/// `tiledb_array_schema_add_enumeration`, and name it in attributes with `tiledb_attribute_set_enumeration_name`. Cells hold
/// the indexes; query conditions compare values.
///
/// ```c
/// const char *names = "redgreenblue";
/// uint64_t starts[] = {0, 3, 8};
/// tiledb_enumeration_t *colors = NULL;
/// tiledb_enumeration_alloc(ctx, "colors", TILEDB_STRING_UTF8, TILEDB_VAR_NUM, 0, names, 12, starts, sizeof starts, &colors);
/// tiledb_array_schema_add_enumeration(ctx, schema, colors);
/// ```
///
/// @param ctx The TileDB context.
/// @param name The name, not empty and unique in a schema.
/// @param type The datatype of the values.
/// @param cell_val_num The number of elements per value, or `TILEDB_VAR_NUM` for values of variable length.
/// @param ordered 1 if the order of the values is meaningful, so that conditions may use `TILEDB_LT` and the like; else 0.
/// @param data The values, one after another; they are copied. Null if there are none.
/// @param data_size The size of the values in bytes.
/// @param offsets The position in bytes at which each value starts, in ascending order, for values of variable length;
///     otherwise null.
/// @param offsets_size The size of the offsets in bytes, a multiple of 8.
/// @param enumeration Receives the enumeration, to be freed with `tiledb_enumeration_free`; null if it is invalid.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if a value occurs twice, or sizes and offsets do not match.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_enumeration_alloc(
    ctx: In<tiledb_ctx_t>,
    name: Str,
    r#type: CEnum<tiledb_datatype_t>,
    cell_val_num: u32,
    ordered: c_int,
    data: Bytes,
    data_size: u64,
    offsets: Bytes,
    offsets_size: u64,
    enumeration: OutHandle<tiledb_enumeration_t>,
) -> capi_return_t {
    make(ctx, enumeration, |_| {
        let Some(name) = name.opt()? else { bail!("C API: tiledb_enumeration_alloc: name must not be null") };
        enumeration.clear();
        let datatype = Datatype::from_number(r#type.number()).map_err(internal)?;
        let offsets = words(offsets, offsets_size)?;
        check_buffers(cell_val_num, data.is_null(), data_size, offsets.as_deref(), offsets_size)?;
        let data = data.opt("data", data_size)?.unwrap_or_default();
        Enumeration::new(name, datatype, cell_val_num, ordered != 0, data, offsets.as_deref())
    })
}

/// Returns a readable description of an enumeration, without its values.
///
/// @param ctx The TileDB context.
/// @param enumeration The enumeration.
/// @param out Receives the text, to be freed with `tiledb_string_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_enumeration_dump_str(
    ctx: In<tiledb_ctx_t>,
    enumeration: In<tiledb_enumeration_t>,
    out: OutHandle<tiledb_string_t>,
) -> i32 {
    make(ctx, out, |_| Ok(Text::new(enumeration.get()?.dump())))
}

/// Creates an enumeration with the values of another one, followed by new ones.
///
/// Existing indexes stay valid. Use it with `tiledb_array_schema_evolution_extend_enumeration` to add values to the enumeration
/// of an array.
///
/// @param ctx The TileDB context.
/// @param old_enumeration The enumeration to extend, which does not change.
/// @param data The new values, one after another; they are copied.
/// @param data_size The size of the new values in bytes.
/// @param offsets The position in `data` at which each new value starts, for values of variable length; otherwise null.
/// @param offsets_size The size of the offsets in bytes, a multiple of 8.
/// @param new_enumeration Receives the enumeration; free it with `tiledb_enumeration_free`.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if a value exists already, or sizes and offsets do not match.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_enumeration_extend(
    ctx: In<tiledb_ctx_t>,
    old_enumeration: In<tiledb_enumeration_t>,
    data: Bytes,
    data_size: u64,
    offsets: Bytes,
    offsets_size: u64,
    new_enumeration: OutHandle<tiledb_enumeration_t>,
) -> capi_return_t {
    make(ctx, new_enumeration, |_| {
        let old = old_enumeration.get()?;
        if data.is_null() && data_size > 0 {
            bail!("Enumeration: Unable to extend an enumeration without a data buffer.");
        }
        let offsets = words(offsets, offsets_size)?;
        old.extend(data.opt("data", data_size)?.unwrap_or_default(), offsets.as_deref())
    })
}

/// Frees an enumeration and sets the pointer to null.
///
/// @param enumeration The enumeration.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_enumeration_free(enumeration: OutHandle<tiledb_enumeration_t>) {
    free(enumeration)
}

/// Returns the number of elements per value; `TILEDB_VAR_NUM` for any number.
///
/// @param ctx The TileDB context.
/// @param enumeration The enumeration.
/// @param cell_val_num Receives the number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_enumeration_get_cell_val_num(
    ctx: In<tiledb_ctx_t>,
    enumeration: In<tiledb_enumeration_t>,
    cell_val_num: Out<u32>,
) -> capi_return_t {
    call(ctx, |_| cell_val_num.set(enumeration.get()?.cell_val_num().number()))
}

/// Returns the values of an enumeration without copying them.
///
/// @param ctx The TileDB context.
/// @param enumeration The enumeration.
/// @param data Receives the values one after another, valid until the enumeration is freed; null if there are none.
/// @param data_size Receives bytes of the values.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_enumeration_get_data(
    ctx: In<tiledb_ctx_t>,
    enumeration: In<tiledb_enumeration_t>,
    data: OutPtr,
    data_size: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| lend(enumeration.get()?.data(), data, data_size))
}

/// Returns the name of an enumeration.
///
/// @param ctx The TileDB context.
/// @param enumeration The enumeration.
/// @param name Receives the name, to be freed with `tiledb_string_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_enumeration_get_name(
    ctx: In<tiledb_ctx_t>,
    enumeration: In<tiledb_enumeration_t>,
    name: OutHandle<tiledb_string_t>,
) -> capi_return_t {
    make(ctx, name, |_| Ok(Text::new(enumeration.get()?.name().as_str())))
}

/// Returns the position in bytes at which each value of an enumeration starts.
///
/// @param ctx The TileDB context.
/// @param enumeration The enumeration.
/// @param offsets Receives the starts as 64-bit numbers, valid until the enumeration is freed; null for values of one size.
/// @param offsets_size Receives bytes of the offsets.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_enumeration_get_offsets(
    ctx: In<tiledb_ctx_t>,
    enumeration: In<tiledb_enumeration_t>,
    offsets: OutPtr,
    offsets_size: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| lend(bytemuck::cast_slice(enumeration.get()?.offsets()), offsets, offsets_size))
}

/// Reports whether the order of the values of an enumeration is meaningful.
///
/// @param ctx The TileDB context.
/// @param enumeration The enumeration.
/// @param ordered Receives 1 if it has, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_enumeration_get_ordered(
    ctx: In<tiledb_ctx_t>,
    enumeration: In<tiledb_enumeration_t>,
    ordered: Out<c_int>,
) -> capi_return_t {
    call(ctx, |_| ordered.set(enumeration.get()?.ordered().into()))
}

/// Returns the type of the values.
///
/// @param ctx The TileDB context.
/// @param enumeration The enumeration.
/// @param type Receives the type.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_enumeration_get_type(
    ctx: In<tiledb_ctx_t>,
    enumeration: In<tiledb_enumeration_t>,
    r#type: Out<tiledb_datatype_t>,
) -> capi_return_t {
    call(ctx, |_| r#type.set(value_of(enumeration.get()?.datatype().number())?))
}

/// Returns the index of a value of an enumeration.
///
/// @param ctx The TileDB context.
/// @param enumeration The enumeration.
/// @param value The bytes of the value.
/// @param value_size The number of bytes.
/// @param exist Receives 1 if the enumeration contains the value, else 0.
/// @param index Receives the index, or `UINT64_MAX` if the enumeration does not contain the value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_enumeration_get_value_index(
    ctx: In<tiledb_ctx_t>,
    enumeration: In<tiledb_enumeration_t>,
    value: Bytes,
    value_size: u64,
    exist: Out<c_int>,
    index: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| {
        index.check()?;
        let value = value.opt("value", value_size)?.unwrap_or_default();
        let found = enumeration.get()?.index_of(value);
        exist.set(found.is_some().into())?;
        index.set(found.map_or(u64::MAX, |found| found as u64))
    })
}

/// The offsets of values, as C passes them.
fn words(offsets: Bytes, size: u64) -> Result<Option<Vec<u64>>> {
    if offsets.is_null() {
        return Ok(None);
    }
    if !size.is_multiple_of(8) {
        bail!("Enumeration: Invalid offsets size is not a multiple of sizeof(uint64_t)");
    }
    let bytes = offsets.opt("offsets", size)?.unwrap_or_default();
    Ok(Some(bytes.chunks_exact(8).map(bytemuck::pod_read_unaligned).collect()))
}

/// The combinations of pointers and sizes that mean nothing; no values at all is one that does.
fn check_buffers(number: u32, no_data: bool, size: u64, offsets: Option<&[u64]>, offsets_size: u64) -> Result<()> {
    let is_var = number == u32::MAX;
    if number == 0 || (no_data && size == 0 && offsets.is_none() && offsets_size == 0) {
        return Ok(());
    }
    match (is_var, offsets) {
        (false, Some(_)) => bail!("Enumeration: Fixed length value type defined but offsets is not nullptr."),
        (false, None) if offsets_size > 0 => {
            bail!("Enumeration: Fixed length value type defined but offsets size is non-zero.")
        }
        (false, None) if no_data => {
            bail!("Enumeration: Invalid data buffer must not be nullptr for fixed sized data.")
        }
        (false, None) if size == 0 => {
            bail!("Enumeration: Invalid data size; must be non-zero for fixed size data.")
        }
        (false, None) => Ok(()),
        (true, None) => bail!("Enumeration: Var sized enumeration values require a non-null offsets pointer."),
        (true, Some([])) => bail!("Enumeration: Var sized enumeration values require a non-zero offsets size."),
        (true, Some(_)) if no_data && size > 0 => {
            bail!("Enumeration: Invalid data buffer; must not be nullptr when data_size is non-zero.")
        }
        (true, Some(_)) => Ok(()),
    }
}

/// Passes the address of bytes to C: null if there are none.
fn lend(bytes: &[u8], address: OutPtr, size: Out<u64>) -> Result<()> {
    size.check()?;
    if bytes.is_empty() {
        address.set_null()?
    } else {
        address.set(bytes)?
    }
    size.set(bytes.len() as u64)
}
