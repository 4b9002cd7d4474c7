//! C interface: data order.

use super::boundary::{CEnum, Out, OutStr, Str, capi_return_t, pending_plain};
use super::enums::tiledb_data_order_t;

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_data_order_from_str(str: Str, data_order: Out<tiledb_data_order_t>) -> capi_return_t {
    let _ = (str, data_order);
    pending_plain("tiledb_data_order_from_str")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_data_order_to_str(data_order: CEnum<tiledb_data_order_t>, str: OutStr) -> capi_return_t {
    let _ = (data_order, str);
    pending_plain("tiledb_data_order_to_str")
}
