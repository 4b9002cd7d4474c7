//! C functions of datatypes.

use super::boundary::{CEnum, Out, OutStr, Str, capi_return_t};
use super::call::value_or;
use super::enum_text::{of_text, text_of};
use super::enums::tiledb_datatype_t;
use tiledb_core::types::Datatype;

/// Returns a datatype from its text.
///
/// @param str The text.
/// @param datatype Receives the value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_datatype_from_str(str: Str, datatype: Out<tiledb_datatype_t>) -> capi_return_t {
    of_text(str, datatype)
}

/// Returns the size of a value of a datatype in bytes.
///
/// @param type The type.
/// @return The size in bytes; 1 for a number that is no type.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_datatype_size(r#type: CEnum<tiledb_datatype_t>) -> u64 {
    value_or(1, || Ok(Datatype::from_number(r#type.number())?.size() as u64))
}

/// Returns the text of a datatype.
///
/// @param datatype The value.
/// @param str Receives its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_datatype_to_str(datatype: CEnum<tiledb_datatype_t>, str: OutStr) -> capi_return_t {
    text_of(datatype, str)
}
