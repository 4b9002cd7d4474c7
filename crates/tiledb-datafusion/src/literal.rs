//! Constants of filters.

use datafusion::common::ScalarValue;
use tiledb::Datatype;

/// Nanoseconds of a day.
const DAY: i128 = 86_400_000_000_000;

/// A constant that a column is compared with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    Integer(i128),
    Float(f64),
    Bool(bool),
    Text(String),
    /// Nanoseconds since 1970.
    Time(i128),
}

impl Literal {
    /// The constant of a scalar; `None` for nulls and for types that are not compared by the engine.
    pub(crate) fn of_scalar(scalar: &ScalarValue) -> Option<Literal> {
        Some(match scalar {
            ScalarValue::Int8(Some(value)) => Literal::Integer((*value).into()),
            ScalarValue::Int16(Some(value)) => Literal::Integer((*value).into()),
            ScalarValue::Int32(Some(value)) => Literal::Integer((*value).into()),
            ScalarValue::Int64(Some(value)) => Literal::Integer((*value).into()),
            ScalarValue::UInt8(Some(value)) => Literal::Integer((*value).into()),
            ScalarValue::UInt16(Some(value)) => Literal::Integer((*value).into()),
            ScalarValue::UInt32(Some(value)) => Literal::Integer((*value).into()),
            ScalarValue::UInt64(Some(value)) => Literal::Integer((*value).into()),
            ScalarValue::Float32(Some(value)) => Literal::Float((*value).into()),
            ScalarValue::Float64(Some(value)) => Literal::Float(*value),
            ScalarValue::Boolean(Some(value)) => Literal::Bool(*value),
            ScalarValue::Utf8(Some(text)) | ScalarValue::LargeUtf8(Some(text)) | ScalarValue::Utf8View(Some(text)) => {
                Literal::Text(text.clone())
            }
            ScalarValue::Date32(Some(days)) => Literal::Time(i128::from(*days) * DAY),
            ScalarValue::TimestampSecond(Some(value), None) => Literal::Time(i128::from(*value) * 1_000_000_000),
            ScalarValue::TimestampMillisecond(Some(value), None) => Literal::Time(i128::from(*value) * 1_000_000),
            ScalarValue::TimestampMicrosecond(Some(value), None) => Literal::Time(i128::from(*value) * 1_000),
            ScalarValue::TimestampNanosecond(Some(value), None) => Literal::Time((*value).into()),
            ScalarValue::Dictionary(_, value) => return Literal::of_scalar(value),
            _ => return None,
        })
    }
}

/// The length in nanoseconds of the unit of a datatype that is a date or a timestamp in SQL; `None` of other datatypes.
pub(crate) fn unit_of(datatype: Datatype) -> Option<i128> {
    Some(match datatype {
        Datatype::DatetimeDay => DAY,
        Datatype::DatetimeHr => 3_600_000_000_000,
        Datatype::DatetimeMin => 60_000_000_000,
        Datatype::DatetimeSec => 1_000_000_000,
        Datatype::DatetimeMs => 1_000_000,
        Datatype::DatetimeUs => 1_000,
        Datatype::DatetimeNs => 1,
        _ => return None,
    })
}
