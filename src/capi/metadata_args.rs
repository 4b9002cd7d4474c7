//! Conversion of metadata values between C arguments and the engine.

use super::boundary::{Bytes, CEnum, Out, OutPtr};
use super::enum_text::value_of;
use super::enums::tiledb_datatype_t;
use tiledb_array::array::MetadataValue;
use tiledb_core::error::Result;
use tiledb_core::types::Datatype;

/// The bytes of a value of `num` cells; `None` for an empty one.
///
/// # Errors
/// If the number is not a datatype, or the size exceeds the address space.
pub(super) fn value_bytes<'a>(kind: CEnum<tiledb_datatype_t>, num: u32, value: Bytes<'a>) -> Result<Option<&'a [u8]>> {
    let cell = Datatype::from_number(kind.number())?.size() as u64;
    value.opt("value", cell * u64::from(num))
}

/// Gives out a value, valid as long as its owner; without one a null pointer.
///
/// # Errors
/// For a null output pointer.
pub(super) fn put_value(
    found: Option<MetadataValue<'_>>,
    kind: Out<tiledb_datatype_t>,
    num: Out<u32>,
    value: OutPtr,
) -> Result<()> {
    kind.check()?;
    let datatype = found.map_or(Datatype::Int32, |found| found.datatype());
    match found.filter(|found| found.count() > 0) {
        Some(found) => value.set(found.bytes())?,
        None => value.set_null()?,
    }
    if let Some(found) = found {
        num.set(u32::try_from(found.count().max(1)).unwrap_or(u32::MAX))?;
    }
    kind.set(value_of(datatype.number())?)
}
