//! C functions of serialization formats.

use super::boundary::{CEnum, Out, OutStr, Str};
use super::enum_text::{of_text, text_of};
use super::enums::tiledb_serialization_type_t;

/// Returns a serialization type from its text.
///
/// @param str The text.
/// @param serialization_type Receives the value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialization_type_from_str(
    str: Str,
    serialization_type: Out<tiledb_serialization_type_t>,
) -> i32 {
    of_text(str, serialization_type)
}

/// Returns the text of a serialization type.
///
/// @param serialization_type The value.
/// @param str Receives its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_serialization_type_to_str(
    serialization_type: CEnum<tiledb_serialization_type_t>,
    str: OutStr,
) -> i32 {
    text_of(serialization_type, str)
}
