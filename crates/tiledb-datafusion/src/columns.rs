//! Columns whose types in SQL are not those that the engine returns: dates and times.
//!
//! The engine returns dates in units that Arrow lacks as integers, and "not a time" as the least integer.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, PrimitiveArray, RecordBatch, RecordBatchOptions};
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Date32Type, Field, Int64Type, Schema, SchemaRef, TimeUnit, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
};
use datafusion::error::{DataFusionError, Result};
use tiledb::Datatype;

use crate::fields::{ArrayFields, Column};

/// The value of dates and times that are not one.
const NOT_A_TIME: i64 = i64::MIN;

/// How a column is converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Conversion {
    None,
    /// Days as a date.
    Date,
    /// Units of so many seconds as a timestamp.
    Seconds(i64),
    /// A timestamp that may be "not a time".
    Time(TimeUnit),
}

impl Conversion {
    fn of(column: &Column) -> Conversion {
        match column.datatype {
            _ if !column.is_scalar || column.has_enumeration => Conversion::None,
            Datatype::DatetimeDay => Conversion::Date,
            Datatype::DatetimeHr => Conversion::Seconds(3600),
            Datatype::DatetimeMin => Conversion::Seconds(60),
            _ if column.is_dimension => Conversion::None,
            Datatype::DatetimeSec => Conversion::Time(TimeUnit::Second),
            Datatype::DatetimeMs => Conversion::Time(TimeUnit::Millisecond),
            Datatype::DatetimeUs => Conversion::Time(TimeUnit::Microsecond),
            Datatype::DatetimeNs => Conversion::Time(TimeUnit::Nanosecond),
            _ => Conversion::None,
        }
    }

    /// The type in SQL; `None` for that of the engine.
    fn data_type(self) -> Option<DataType> {
        match self {
            Conversion::None => None,
            Conversion::Date => Some(DataType::Date32),
            Conversion::Seconds(_) => Some(DataType::Timestamp(TimeUnit::Second, None)),
            Conversion::Time(unit) => Some(DataType::Timestamp(unit, None)),
        }
    }
}

/// The schema in SQL of the fields of an array.
pub(crate) fn table_schema(schema: &Schema, fields: &ArrayFields) -> SchemaRef {
    let converted = schema.fields().iter().map(|field| match fields.find(field.name()) {
        Some(column) => match Conversion::of(column).data_type() {
            Some(data_type) => {
                let is_nullable = field.is_nullable() || !column.is_dimension;
                Arc::new(Field::new(field.name(), data_type, is_nullable).with_metadata(field.metadata().clone()))
            }
            None => Arc::clone(field),
        },
        None => Arc::clone(field),
    });
    Arc::new(Schema::new_with_metadata(converted.collect::<Vec<_>>(), schema.metadata().clone()))
}

/// A batch with the schema of a table, whose fields are `fields`.
pub(crate) fn table_batch(batch: &RecordBatch, schema: &SchemaRef, fields: &ArrayFields) -> Result<RecordBatch> {
    let columns = schema.fields().iter().zip(batch.columns()).map(|(field, values)| match fields.find(field.name()) {
        Some(column) => convert(column, values),
        None => Ok(Arc::clone(values)),
    });
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(RecordBatch::try_new_with_options(Arc::clone(schema), columns.collect::<Result<_>>()?, &options)?)
}

fn convert(column: &Column, values: &ArrayRef) -> Result<ArrayRef> {
    let beyond = |value: i64| {
        DataFusionError::Execution(format!(
            "column '{}' has {value} of {}, which SQL has no date for",
            column.name, column.datatype
        ))
    };
    Ok(match Conversion::of(column) {
        Conversion::None => Arc::clone(values),
        Conversion::Date => {
            let dates = times(values.as_primitive::<Int64Type>());
            let dates = dates.try_unary::<_, Date32Type, _>(|day| i32::try_from(day).map_err(|_| beyond(day)))?;
            Arc::new(dates)
        }
        Conversion::Seconds(length) => {
            let units = times(values.as_primitive::<Int64Type>());
            let seconds = |units: i64| units.checked_mul(length).ok_or_else(|| beyond(units));
            Arc::new(units.try_unary::<_, TimestampSecondType, _>(seconds)?)
        }
        Conversion::Time(TimeUnit::Second) => known_times::<TimestampSecondType>(values),
        Conversion::Time(TimeUnit::Millisecond) => known_times::<TimestampMillisecondType>(values),
        Conversion::Time(TimeUnit::Microsecond) => known_times::<TimestampMicrosecondType>(values),
        Conversion::Time(TimeUnit::Nanosecond) => known_times::<TimestampNanosecondType>(values),
    })
}

/// The values, of which "not a time" is null.
fn times<T: ArrowPrimitiveType<Native = i64>>(values: &PrimitiveArray<T>) -> PrimitiveArray<T> {
    if !values.values().contains(&NOT_A_TIME) {
        return values.clone();
    }
    values.iter().map(|value| value.filter(|value| *value != NOT_A_TIME)).collect()
}

fn known_times<T: ArrowPrimitiveType<Native = i64>>(values: &ArrayRef) -> ArrayRef {
    Arc::new(times(values.as_primitive::<T>()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::Int64Array;

    fn column(datatype: Datatype) -> Column {
        let name = "when".to_owned();
        Column { name, datatype, is_dimension: false, is_nullable: false, has_enumeration: false, is_scalar: true }
    }

    #[test]
    fn dates_are_dates_and_not_a_time_is_null() {
        let values: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), Some(NOT_A_TIME), None]));
        let dates = convert(&column(Datatype::DatetimeDay), &values).unwrap();
        assert_eq!(dates.as_primitive::<Date32Type>().iter().collect::<Vec<_>>(), [Some(1), None, None]);
        let hours = convert(&column(Datatype::DatetimeHr), &values).unwrap();
        assert_eq!(hours.as_primitive::<TimestampSecondType>().iter().collect::<Vec<_>>(), [Some(3600), None, None]);
        let late: ArrayRef = Arc::new(Int64Array::from(vec![1_i64 << 40]));
        assert!(convert(&column(Datatype::DatetimeDay), &late).unwrap_err().to_string().contains("1099511627776"));
    }
}
