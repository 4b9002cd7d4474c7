//! C functions of the kinds of storage backends.

use super::boundary::{CEnum, Out, OutStr, Str, capi_return_t};
use super::enum_text::{of_text, text_of};
use super::enums::tiledb_filesystem_t;

/// Returns a kind of storage from its text.
///
/// @param str The text.
/// @param filesystem Receives the value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filesystem_from_str(str: Str, filesystem: Out<tiledb_filesystem_t>) -> capi_return_t {
    of_text(str, filesystem)
}

/// Returns the text of a kind of storage.
///
/// @param filesystem The value.
/// @param str Receives its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filesystem_to_str(filesystem: CEnum<tiledb_filesystem_t>, str: OutStr) -> capi_return_t {
    text_of(filesystem, str)
}
