//! C interface: filter.

use super::boundary::{Buffer, Bytes, CEnum, In, Out, OutHandle, OutStr, Str, capi_return_t, free, pending};
use super::enum_text::{of_text, text_of};
use super::enums::{tiledb_filter_option_t, tiledb_filter_type_t};
use super::handles::{tiledb_ctx_t, tiledb_filter_t};

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_alloc(
    ctx: In<tiledb_ctx_t>,
    r#type: CEnum<tiledb_filter_type_t>,
    filter: OutHandle<tiledb_filter_t>,
) -> capi_return_t {
    let _ = (r#type, filter);
    pending(ctx, "tiledb_filter_alloc")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_free(filter: OutHandle<tiledb_filter_t>) {
    free(filter)
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_get_option(
    ctx: In<tiledb_ctx_t>,
    filter: In<tiledb_filter_t>,
    option: CEnum<tiledb_filter_option_t>,
    value: Buffer,
) -> capi_return_t {
    let _ = (filter, option, value);
    pending(ctx, "tiledb_filter_get_option")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_get_type(
    ctx: In<tiledb_ctx_t>,
    filter: In<tiledb_filter_t>,
    r#type: Out<tiledb_filter_type_t>,
) -> capi_return_t {
    let _ = (filter, r#type);
    pending(ctx, "tiledb_filter_get_type")
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

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_set_option(
    ctx: In<tiledb_ctx_t>,
    filter: In<tiledb_filter_t>,
    option: CEnum<tiledb_filter_option_t>,
    value: Bytes,
) -> capi_return_t {
    let _ = (filter, option, value);
    pending(ctx, "tiledb_filter_set_option")
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
