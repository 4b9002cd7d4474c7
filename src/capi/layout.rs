//! C functions of layouts and array types: conversion to and from text.

use super::boundary::{CEnum, Out, OutStr, Str, capi_return_t};
use super::enum_text::{of_text, text_of};
use super::enums::{tiledb_array_type_t, tiledb_layout_t};

/// Returns an array type from its text.
///
/// @param str The text.
/// @param array_type Receives the value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_type_from_str(str: Str, array_type: Out<tiledb_array_type_t>) -> capi_return_t {
    of_text(str, array_type)
}

/// Returns the text of an array type.
///
/// @param array_type The value.
/// @param str Receives its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_type_to_str(array_type: CEnum<tiledb_array_type_t>, str: OutStr) -> capi_return_t {
    text_of(array_type, str)
}

/// Returns a layout from its text.
///
/// @param str The text.
/// @param layout Receives the value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_layout_from_str(str: Str, layout: Out<tiledb_layout_t>) -> capi_return_t {
    of_text(str, layout)
}

/// Returns the text of a layout.
///
/// @param layout The value.
/// @param str Receives its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_layout_to_str(layout: CEnum<tiledb_layout_t>, str: OutStr) -> capi_return_t {
    text_of(layout, str)
}
