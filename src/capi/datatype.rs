//! C interface: datatype.

use super::boundary::{CEnum, Out, OutStr, Str, capi_return_t, pending_plain, value_or};
use super::enums::tiledb_datatype_t;
use crate::types::Datatype;

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_datatype_from_str(str: Str, datatype: Out<tiledb_datatype_t>) -> capi_return_t {
    let _ = (str, datatype);
    pending_plain("tiledb_datatype_from_str")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_datatype_size(r#type: CEnum<tiledb_datatype_t>) -> u64 {
    value_or(1, || Ok(Datatype::from_number(r#type.number())?.size() as u64))
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_datatype_to_str(datatype: CEnum<tiledb_datatype_t>, str: OutStr) -> capi_return_t {
    let _ = (datatype, str);
    pending_plain("tiledb_datatype_to_str")
}
