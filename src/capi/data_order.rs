//! C functions of data orders, the orders of dimension labels.

use super::boundary::{CEnum, Out, OutStr, Str, capi_return_t};
use super::enum_text::{of_text, text_of};
use super::enums::tiledb_data_order_t;

/// Returns a data order from its text.
///
/// @param str The text.
/// @param data_order Receives the value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_data_order_from_str(str: Str, data_order: Out<tiledb_data_order_t>) -> capi_return_t {
    of_text(str, data_order)
}

/// Returns the text of a data order.
///
/// @param data_order The value.
/// @param str Receives its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_data_order_to_str(data_order: CEnum<tiledb_data_order_t>, str: OutStr) -> capi_return_t {
    text_of(data_order, str)
}
