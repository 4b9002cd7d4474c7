//! Points in time in the types that readers of Arrow and Parquet files recognize.
//!
//! The library exports datatypes as they are in memory: for days, weeks, hours and minutes, Arrow has no type of 64 bits, so that
//! they are numbers, and "not a time" is a number, too. In files it is null, days are `date32`, and the others timestamps. Parquet
//! has no timestamps in seconds: they are milliseconds there.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use arrow_array::{ArrayRef, ArrowPrimitiveType, PrimitiveArray, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, SchemaRef, TimeUnit};
use tiledb::Datatype;

use crate::model::{DatatypeExt, Field, Unit};

/// The number that is no point in time.
const NOT_A_TIME: i64 = i64::MIN;

/// Batches whose points in time have these types.
pub(crate) struct Datetimes<R> {
    batches: R,
    schema: SchemaRef,
    /// How the numbers of each column are converted; those of the others stay as they are.
    conversions: Vec<Option<Conversion>>,
}

#[derive(Clone, Copy)]
enum Conversion {
    /// Days as `date32`.
    Days,
    /// Timestamps in seconds, of which a unit has this number.
    Seconds(i64),
    /// Timestamps in milliseconds.
    Milliseconds(i64),
    /// Timestamps as they are.
    Same(TimeUnit),
}

impl Conversion {
    /// The conversion of the cells of a field, if they have one value each, for a file of Parquet or of Arrow.
    fn of(field: &Field, is_parquet: bool) -> Option<Self> {
        match field.datatype.unit()? {
            _ if field.values != 1 || field.enumeration.is_some() => None,
            Unit::Seconds(_) if field.datatype == Datatype::DatetimeDay => Some(Self::Days),
            Unit::Seconds(unit) if is_parquet => Some(Self::Milliseconds(unit.checked_mul(1000)?)),
            Unit::Seconds(1) => Some(Self::Same(TimeUnit::Second)),
            Unit::Seconds(unit) => Some(Self::Seconds(unit)),
            Unit::Digits(3) => Some(Self::Same(TimeUnit::Millisecond)),
            Unit::Digits(6) => Some(Self::Same(TimeUnit::Microsecond)),
            Unit::Digits(9) => Some(Self::Same(TimeUnit::Nanosecond)),
            Unit::Digits(_) | Unit::Years | Unit::Months => None,
        }
    }

    fn kind(self) -> DataType {
        match self {
            Self::Days => DataType::Date32,
            Self::Seconds(_) => DataType::Timestamp(TimeUnit::Second, None),
            Self::Milliseconds(_) => DataType::Timestamp(TimeUnit::Millisecond, None),
            Self::Same(unit) => DataType::Timestamp(unit, None),
        }
    }

    /// Converts a column; the value and the type are named if it is out of range.
    fn convert(self, column: &ArrayRef) -> Result<ArrayRef, String> {
        let numbers = || -> Vec<Option<i64>> {
            match column.data_type() {
                DataType::Timestamp(..) => column.as_primitive::<TimestampSecondType>().iter().collect(),
                _ => column.as_primitive::<Int64Type>().iter().collect(),
            }
        };
        let times = || numbers().into_iter().map(|number| number.filter(|&number| number != NOT_A_TIME));
        let timestamps = |unit: i64| {
            let product = |time: i64| time.checked_mul(unit).ok_or_else(|| time.to_string());
            times().map(|time| time.map(product).transpose()).collect::<Result<Vec<_>, _>>()
        };
        Ok(match self {
            Self::Days => {
                let day = |time: i64| i32::try_from(time).map_err(|_| time.to_string());
                let days = times().map(|time| time.map(day).transpose()).collect::<Result<Vec<_>, _>>()?;
                Arc::new(PrimitiveArray::<Date32Type>::from(days))
            }
            Self::Seconds(unit) => Arc::new(PrimitiveArray::<TimestampSecondType>::from(timestamps(unit)?)),
            Self::Milliseconds(unit) => Arc::new(PrimitiveArray::<TimestampMillisecondType>::from(timestamps(unit)?)),
            Self::Same(TimeUnit::Second) => times_of::<TimestampSecondType>(column),
            Self::Same(TimeUnit::Millisecond) => times_of::<TimestampMillisecondType>(column),
            Self::Same(TimeUnit::Microsecond) => times_of::<TimestampMicrosecondType>(column),
            Self::Same(TimeUnit::Nanosecond) => times_of::<TimestampNanosecondType>(column),
        })
    }
}

/// Timestamps, with null for those that are none.
fn times_of<T: ArrowPrimitiveType<Native = i64>>(column: &ArrayRef) -> ArrayRef {
    let times = column.as_primitive::<T>();
    if !times.values().contains(&NOT_A_TIME) {
        return Arc::clone(column);
    }
    Arc::new(times.iter().map(|time| time.filter(|&time| time != NOT_A_TIME)).collect::<PrimitiveArray<T>>())
}

impl<R: RecordBatchReader> Datetimes<R> {
    /// Converts batches, whose columns are these fields.
    pub(crate) fn new(batches: R, fields: &[Field], is_parquet: bool) -> Self {
        let conversions: Vec<Option<Conversion>> =
            fields.iter().map(|field| Conversion::of(field, is_parquet)).collect();
        let given = batches.schema();
        let columns = given.fields().iter().zip(&conversions).map(|(field, conversion)| match conversion {
            Some(conversion) => Arc::new(field.as_ref().clone().with_data_type(conversion.kind()).with_nullable(true)),
            None => Arc::clone(field),
        });
        let schema = arrow_schema::Schema::new_with_metadata(columns.collect::<Vec<_>>(), given.metadata().clone());
        Self { batches, schema: Arc::new(schema), conversions }
    }

    fn convert(&self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let columns = batch.columns().iter().zip(&self.conversions).zip(self.schema.fields());
        let columns = columns.map(|((column, conversion), field)| match conversion {
            Some(conversion) => conversion.convert(column).map_err(|number| {
                let (name, kind) = (field.name(), field.data_type());
                ArrowError::ComputeError(format!("{name}: {number} is out of the range of {kind}; use csv or json"))
            }),
            None => Ok(Arc::clone(column)),
        });
        RecordBatch::try_new(Arc::clone(&self.schema), columns.collect::<Result<_, _>>()?)
    }
}

impl<R: RecordBatchReader> Iterator for Datetimes<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.batches.next()?;
        Some(batch.and_then(|batch| self.convert(&batch)))
    }
}

impl<R: RecordBatchReader> RecordBatchReader for Datetimes<R> {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}
