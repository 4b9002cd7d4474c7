//! Types of DuckDB for the fields of an array.

use std::ffi::{CStr, CString};

use arrow_schema::{DataType, Field, TimeUnit};
use libduckdb_sys as ffi;
use tiledb::{Array, Datatype};

use crate::boundary::LogicalType;

/// A column of a table.
pub(crate) struct DuckColumn {
    pub(crate) name: String,
    pub(crate) logical_type: LogicalType,
    pub(crate) conversion: Conversion,
}

// SAFETY: a type of DuckDB is a value that is only read once it is made.
unsafe impl Send for DuckColumn {}
// SAFETY: as above.
unsafe impl Sync for DuckColumn {}

/// How the values of a column become those of DuckDB.
#[derive(Debug)]
pub(crate) enum Conversion {
    /// Copied: so many bytes each.
    Copied(usize),
    Bool,
    /// Days as a date.
    Date,
    /// Units of so many seconds as a timestamp.
    Seconds(i64),
    /// A timestamp that may be "not a time".
    Timestamp,
    Text,
    Bytes,
    /// Bytes of one length.
    FixedBytes,
    /// Indexes, with the place of each value among those of the type.
    Enumeration(Vec<u32>),
    /// Values of a dictionary that is no enumeration of texts.
    Decoded(Box<Conversion>),
    /// Lists of one length.
    Array(Box<Conversion>, usize),
    List(Box<Conversion>),
}

impl DuckColumn {
    /// The column of a field of an array, which batches have with the type of `field`.
    pub(crate) fn of_field(array: &Array, field: &Field) -> Result<DuckColumn, String> {
        let name = field.name().clone();
        let schema = array.schema();
        let attribute = schema.attributes().into_iter().find(|attribute| attribute.name() == name);
        if let Some(enumeration) = attribute.as_ref().and_then(|attribute| attribute.enumeration_name()) {
            let enumeration = array.enumeration(enumeration).map_err(|error| error.to_string())?;
            if let Some((logical_type, places)) = enumeration_type(&enumeration) {
                return Ok(DuckColumn { name, logical_type, conversion: Conversion::Enumeration(places) });
            }
        }
        let dimension = || schema.dimensions().into_iter().find(|dimension| dimension.name() == name);
        let datatype = attribute.map(|attribute| attribute.datatype()).or_else(|| Some(dimension()?.datatype()));
        let (logical_type, conversion) = conversion_of(field.data_type(), datatype)
            .ok_or_else(|| format!("column '{name}': DuckDB has no type for {}", field.data_type()))?;
        Ok(DuckColumn { name, logical_type, conversion })
    }
}

/// The type of an enumeration of texts, and the place of each of its values in it; `None` for others, and for those with texts that are
/// no text for DuckDB.
///
/// DuckDB orders the values of such a type by their places. Those of an enumeration that is not ordered are sorted, so that `ORDER BY` and
/// comparisons mean the texts.
fn enumeration_type(enumeration: &tiledb::Enumeration) -> Option<(LogicalType, Vec<u32>)> {
    if enumeration.is_empty() {
        return None;
    }
    let texts = (0..enumeration.len()).map(|index| CString::new(enumeration.string(index)?).ok());
    let texts: Vec<CString> = texts.collect::<Option<_>>()?;
    let mut order: Vec<u32> = (0..u32::try_from(texts.len()).ok()?).collect();
    if !enumeration.is_ordered() {
        order.sort_by(|left, right| texts[*left as usize].cmp(&texts[*right as usize]));
    }
    let mut places = vec![0; texts.len()];
    for (place, index) in (0..).zip(&order) {
        places[*index as usize] = place;
    }
    let sorted: Vec<&CStr> = order.iter().map(|index| texts[*index as usize].as_c_str()).collect();
    Some((LogicalType::enumeration(&sorted), places))
}

/// The type and the conversion of values of Arrow; `datatype` is that of the field, if they are values of a field.
fn conversion_of(data_type: &DataType, datatype: Option<Datatype>) -> Option<(LogicalType, Conversion)> {
    let (id, conversion) = match (data_type, datatype) {
        (DataType::Int64, Some(Datatype::DatetimeDay)) => (ffi::DUCKDB_TYPE_DUCKDB_TYPE_DATE, Conversion::Date),
        (DataType::Int64, Some(Datatype::DatetimeHr)) => {
            (ffi::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_S, Conversion::Seconds(3600))
        }
        (DataType::Int64, Some(Datatype::DatetimeMin)) => {
            (ffi::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_S, Conversion::Seconds(60))
        }
        (DataType::Boolean, _) => (ffi::DUCKDB_TYPE_DUCKDB_TYPE_BOOLEAN, Conversion::Bool),
        (DataType::Int8, _) => (ffi::DUCKDB_TYPE_DUCKDB_TYPE_TINYINT, Conversion::Copied(1)),
        (DataType::Int16, _) => (ffi::DUCKDB_TYPE_DUCKDB_TYPE_SMALLINT, Conversion::Copied(2)),
        (DataType::Int32, _) => (ffi::DUCKDB_TYPE_DUCKDB_TYPE_INTEGER, Conversion::Copied(4)),
        // DuckDB has times of day in microseconds alone.
        (DataType::Int64 | DataType::Time64(TimeUnit::Nanosecond), _) => {
            (ffi::DUCKDB_TYPE_DUCKDB_TYPE_BIGINT, Conversion::Copied(8))
        }
        (DataType::Time64(_), _) => (ffi::DUCKDB_TYPE_DUCKDB_TYPE_TIME, Conversion::Copied(8)),
        (DataType::UInt8, _) => (ffi::DUCKDB_TYPE_DUCKDB_TYPE_UTINYINT, Conversion::Copied(1)),
        (DataType::UInt16, _) => (ffi::DUCKDB_TYPE_DUCKDB_TYPE_USMALLINT, Conversion::Copied(2)),
        (DataType::UInt32, _) => (ffi::DUCKDB_TYPE_DUCKDB_TYPE_UINTEGER, Conversion::Copied(4)),
        (DataType::UInt64, _) => (ffi::DUCKDB_TYPE_DUCKDB_TYPE_UBIGINT, Conversion::Copied(8)),
        (DataType::Float32, _) => (ffi::DUCKDB_TYPE_DUCKDB_TYPE_FLOAT, Conversion::Copied(4)),
        (DataType::Float64, _) => (ffi::DUCKDB_TYPE_DUCKDB_TYPE_DOUBLE, Conversion::Copied(8)),
        (DataType::Timestamp(unit, None), _) => {
            let id = match unit {
                TimeUnit::Second => ffi::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_S,
                TimeUnit::Millisecond => ffi::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_MS,
                TimeUnit::Microsecond => ffi::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP,
                TimeUnit::Nanosecond => ffi::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_NS,
            };
            (id, Conversion::Timestamp)
        }
        (DataType::LargeUtf8, _) => (ffi::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR, Conversion::Text),
        (DataType::LargeBinary, _) => (ffi::DUCKDB_TYPE_DUCKDB_TYPE_BLOB, Conversion::Bytes),
        (DataType::FixedSizeBinary(_), _) => (ffi::DUCKDB_TYPE_DUCKDB_TYPE_BLOB, Conversion::FixedBytes),
        (DataType::Dictionary(_, values), _) => {
            let (logical_type, conversion) = conversion_of(values, None)?;
            return Some((logical_type, Conversion::Decoded(Box::new(conversion))));
        }
        (DataType::FixedSizeList(child, length), _) => {
            let (child, conversion) = conversion_of(child.data_type(), None)?;
            let length = usize::try_from(*length).ok()?;
            let logical_type = LogicalType::array(&child, length as u64);
            return Some((logical_type, Conversion::Array(Box::new(conversion), length)));
        }
        (DataType::LargeList(child), _) => {
            let (child, conversion) = conversion_of(child.data_type(), None)?;
            return Some((LogicalType::list(&child), Conversion::List(Box::new(conversion))));
        }
        _ => return None,
    };
    Some((LogicalType::of(id), conversion))
}
