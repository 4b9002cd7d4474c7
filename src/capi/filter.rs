//! Filters: one tile filter with its options.

use super::boundary::{Buffer, Bytes, CEnum, In, Out, OutHandle, OutStr, Str, capi_return_t};
use super::call::{call, free, make};
use super::enum_text::{Texts, of_text, text_of};
use super::enums::{tiledb_filter_option_t, tiledb_filter_type_t};
use super::handles::{tiledb_ctx_t, tiledb_filter_t};
use super::value::Value;
use tiledb_core::error::{Error, Result, bail};
use tiledb_filters::filter::{Filter, FilterOption, FilterType};

/// Creates a filter of a type, with the options' defaults.
///
/// @param ctx The TileDB context.
/// @param type The type of the filter.
/// @param filter The filter, to be freed with `tiledb_filter_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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

/// Frees a filter and sets the pointer to null.
///
/// @param filter The filter.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_free(filter: OutHandle<tiledb_filter_t>) {
    free(filter)
}

/// Gives the value of an option.
///
/// @param ctx The TileDB context.
/// @param filter The filter.
/// @param option The option; each has its own type of value.
/// @param value The value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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

/// Gives the type of a filter.
///
/// @param ctx The TileDB context.
/// @param filter The filter.
/// @param type The type.
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

/// Gives a filter option from its text.
///
/// @param str The text.
/// @param filter_option The value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_option_from_str(str: Str, filter_option: Out<tiledb_filter_option_t>) -> capi_return_t {
    of_text(str, filter_option)
}

/// Gives the text of a filter option.
///
/// @param filter_option The value.
/// @param str Its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_option_to_str(
    filter_option: CEnum<tiledb_filter_option_t>,
    str: OutStr,
) -> capi_return_t {
    text_of(filter_option, str)
}

/// Sets an option. Filter lists hold copies: those that have this filter already do not change.
///
/// @param ctx The TileDB context.
/// @param filter The filter.
/// @param option The option; each has its own type of value.
/// @param value The value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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
        let value = value.opt(option.map_or(0, FilterOption::value_size))?;
        filter.change(|filter| filter.set_option(option, value))
    })
}

/// Gives a filter type from its text.
///
/// @param str The text.
/// @param filter_type The value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_type_from_str(str: Str, filter_type: Out<tiledb_filter_type_t>) -> capi_return_t {
    of_text(str, filter_type)
}

/// Gives the text of a filter type.
///
/// @param filter_type The value.
/// @param str Its text, which lives as long as the program.
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
