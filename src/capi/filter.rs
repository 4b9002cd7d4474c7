//! C functions of filters: a tile filter with its options.

use super::boundary::{Buffer, Bytes, CEnum, In, Out, OutHandle, OutStr, Str, capi_return_t};
use super::call::{call, free, make};
use super::enum_text::{Texts, of_text, text_of};
use super::enums::{tiledb_filter_option_t, tiledb_filter_type_t};
use super::handles::{tiledb_ctx_t, tiledb_filter_t};
use super::value::Value;
use tiledb_core::error::{Error, Result, bail};
use tiledb_filters::filter::{Filter, FilterOption, FilterType};

/// Creates a filter of a type, with the default values of its options.
///
/// A filter transforms the bytes of tiles when they are written and reverses that when they are read. Filters take effect as
/// members of a filter list.
///
/// ```c
/// int32_t level = 7;
/// tiledb_filter_t *zstd = NULL;
/// tiledb_filter_list_t *filters = NULL;
/// tiledb_filter_alloc(ctx, TILEDB_FILTER_ZSTD, &zstd);
/// tiledb_filter_set_option(ctx, zstd, TILEDB_COMPRESSION_LEVEL, &level);
/// tiledb_filter_list_alloc(ctx, &filters);
/// tiledb_filter_list_add_filter(ctx, filters, zstd);
/// tiledb_array_schema_set_coords_filter_list(ctx, schema, filters);
/// tiledb_filter_list_free(&filters);
/// tiledb_filter_free(&zstd);
/// ```
///
/// @param ctx The TileDB context.
/// @param type The type of the filter.
/// @param filter Receives the filter; free it with `tiledb_filter_free`.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for an unknown type. Encryption is no filter of a list: set
///     `sm.encryption_key` instead.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_alloc(
    ctx: In<tiledb_ctx_t>,
    r#type: CEnum<tiledb_filter_type_t>,
    filter: OutHandle<tiledb_filter_t>,
) -> capi_return_t {
    make(ctx, filter, |_| match FilterType::from_number(r#type.number()) {
        Ok(kind) if kind != FilterType::Aes256Gcm => Ok(Value::new(Filter::new(kind))),
        _ => bail!("FilterCreate: Invalid filter type {}", r#type.number()),
    })
}

/// Frees a filter and sets the pointer to null. Filter lists to which it was added have copies.
///
/// @param filter The filter; a null handle is accepted.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_free(filter: OutHandle<tiledb_filter_t>) {
    free(filter)
}

/// Returns the value of an option of a filter.
///
/// @param ctx The TileDB context.
/// @param filter The filter.
/// @param option The option; `tiledb_filter_set_option` lists the types of the values.
/// @param value Receives the value; the address of a variable of the option's type.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the filter does not have the option.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_get_option(
    ctx: In<tiledb_ctx_t>,
    filter: In<tiledb_filter_t>,
    option: CEnum<tiledb_filter_option_t>,
    value: Buffer,
) -> capi_return_t {
    call(ctx, |_| {
        let filter = filter.get()?;
        if value.is_null() {
            bail!("C API: Invalid output pointer for object");
        }
        value.fill("value", &filter.snapshot().option(FilterOption::from_number(option.number()))?)
    })
}

/// Returns the type of a filter.
///
/// @param ctx The TileDB context.
/// @param filter The filter.
/// @param type Receives the type.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_get_type(
    ctx: In<tiledb_ctx_t>,
    filter: In<tiledb_filter_t>,
    r#type: Out<tiledb_filter_type_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let filter = filter.get()?;
        r#type.check()?;
        r#type.set(c_type(filter.snapshot().kind())?)
    })
}

/// Returns a filter option from its text.
///
/// @param str The text.
/// @param filter_option Receives the value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_option_from_str(str: Str, filter_option: Out<tiledb_filter_option_t>) -> capi_return_t {
    of_text(str, filter_option)
}

/// Returns the text of a filter option.
///
/// @param filter_option The value.
/// @param str Receives its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_option_to_str(
    filter_option: CEnum<tiledb_filter_option_t>,
    str: OutStr,
) -> capi_return_t {
    text_of(filter_option, str)
}

/// Sets an option of a filter.
///
/// Filter lists hold copies, so set options before the filter is added to a list.
///
/// | option | type of the value |
/// |---|---|
/// | `TILEDB_COMPRESSION_LEVEL` | `int32_t` |
/// | `TILEDB_BIT_WIDTH_MAX_WINDOW`, `TILEDB_POSITIVE_DELTA_MAX_WINDOW` | `uint32_t`, bytes |
/// | `TILEDB_SCALE_FLOAT_BYTEWIDTH` | `uint64_t`: 1, 2, 4 or 8 |
/// | `TILEDB_SCALE_FLOAT_FACTOR`, `TILEDB_SCALE_FLOAT_OFFSET` | `double`, finite; the factor is not 0 |
/// | `TILEDB_WEBP_QUALITY` | `float`, 0 to 100 |
/// | `TILEDB_WEBP_INPUT_FORMAT` | `uint8_t`, a `tiledb_filter_webp_format_t` |
/// | `TILEDB_WEBP_LOSSLESS` | `uint8_t`, 0 or 1 |
/// | `TILEDB_COMPRESSION_REINTERPRET_DATATYPE` | `uint8_t`, a `tiledb_datatype_t` |
///
/// @param ctx The TileDB context.
/// @param filter The filter.
/// @param option The option.
/// @param value The address of a value of the option's type, which is copied.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the filter does not have the option, or the value is not allowed.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_set_option(
    ctx: In<tiledb_ctx_t>,
    filter: In<tiledb_filter_t>,
    option: CEnum<tiledb_filter_option_t>,
    value: Bytes,
) -> capi_return_t {
    call(ctx, |_| {
        let filter = filter.get()?;
        let option = FilterOption::from_number(option.number());
        let value = value.opt("value", option.map_or(0, FilterOption::value_size) as u64)?;
        filter.change(|filter| filter.set_option(option, value))
    })
}

/// Returns a filter type from its text.
///
/// @param str The text.
/// @param filter_type Receives the value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_type_from_str(str: Str, filter_type: Out<tiledb_filter_type_t>) -> capi_return_t {
    of_text(str, filter_type)
}

/// Returns the text of a filter type.
///
/// @param filter_type The value.
/// @param str Receives its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_type_to_str(filter_type: CEnum<tiledb_filter_type_t>, str: OutStr) -> capi_return_t {
    text_of(filter_type, str)
}

/// The C value of a kind of filter.
fn c_type(kind: FilterType) -> Result<tiledb_filter_type_t> {
    let number = u32::from(kind.number());
    let entry = tiledb_filter_type_t::TEXTS.iter().find(|entry| entry.0 == number);
    entry.map(|entry| entry.1).ok_or_else(|| Error::internal(format!("Filter {kind} has no number in C")))
}
