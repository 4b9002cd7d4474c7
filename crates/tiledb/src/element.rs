//! Rust types of the values of fields.

use tiledb_core::types as engine;

use crate::datatype::{CellValNum, Datatype};
use crate::error::{Error, Result};
use crate::value::Value;

/// A Rust type of fixed size that fields have values of: the integers of 8 to 64 bits, `f32` and `f64`.
///
/// A type reads and writes the fields whose values it represents ([`Datatype`] has the table): `i64` those of `Int64` and of all
/// dates, `u8` those of `Uint8`, `Bool` and of texts.
///
/// The trait is sealed.
pub trait Element:
    sealed::Physical + bytemuck::Pod + Into<Value> + PartialEq + PartialOrd + Send + Sync + 'static
{
    /// The datatype of a field that is created for this type.
    const DATATYPE: Datatype;
}

/// A Rust type that attributes are created for: the [elements](Element), `bool`, and `String` for UTF-8 texts.
///
/// The trait is sealed.
pub trait AttributeType: sealed::Cells {
    /// The datatype of the attribute.
    const DATATYPE: Datatype;
    /// The number of values per cell.
    const CELL_VAL_NUM: CellValNum;
}

mod sealed {
    pub trait Physical {
        const PHYSICAL: tiledb_core::types::PhysicalType;
    }

    pub trait Cells {}
}

macro_rules! element_types {
    ($($type:ty: $datatype:ident $physical:ident,)+) => {
        $(
            impl sealed::Physical for $type {
                const PHYSICAL: engine::PhysicalType = engine::PhysicalType::$physical;
            }

            impl Element for $type {
                const DATATYPE: Datatype = Datatype::$datatype;
            }

            impl sealed::Cells for $type {}

            impl AttributeType for $type {
                const DATATYPE: Datatype = Datatype::$datatype;
                const CELL_VAL_NUM: CellValNum = CellValNum::Fixed(1);
            }
        )+
    };
}

element_types! {
    i8: Int8 I8,
    i16: Int16 I16,
    i32: Int32 I32,
    i64: Int64 I64,
    u8: Uint8 U8,
    u16: Uint16 U16,
    u32: Uint32 U32,
    u64: Uint64 U64,
    f32: Float32 F32,
    f64: Float64 F64,
}

impl sealed::Cells for bool {}

impl AttributeType for bool {
    const DATATYPE: Datatype = Datatype::Bool;
    const CELL_VAL_NUM: CellValNum = CellValNum::Fixed(1);
}

impl sealed::Cells for String {}

impl AttributeType for String {
    const DATATYPE: Datatype = Datatype::StringUtf8;
    const CELL_VAL_NUM: CellValNum = CellValNum::Var;
}

/// Checks that a field has values of a type.
pub(crate) fn check_type<T: Element>(field: &str, datatype: Datatype) -> Result<()> {
    if datatype.engine().physical() == T::PHYSICAL {
        return Ok(());
    }
    let name = std::any::type_name::<T>();
    let size = datatype.size();
    Err(Error::invalid(format!(
        "Field '{field}' has values of datatype {datatype} ({size} bytes), which is not read or written as {name}"
    )))
}
