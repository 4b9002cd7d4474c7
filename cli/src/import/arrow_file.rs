//! Arrow files, read batch by batch.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Field, TimeUnit};

use crate::tiledb::{Datatype, Error, Result};

use super::arrow_reader::{ArrowReader, contain};
use super::propose::InferredColumn;
use super::sample::RowSample;

/// Whether a file is an Arrow file or stream. Pipes are not inspected: consumed bytes are lost.
pub fn is_arrow(name: &str) -> bool {
    let mut start = [0; 6];
    if !std::fs::metadata(name).is_ok_and(|found| found.is_file()) {
        return false;
    }
    let is_read = File::open(name).and_then(|mut file| file.read_exact(&mut start)).is_ok();
    is_read && (start == *b"ARROW1" || start[..4] == [0xff; 4])
}

/// Scans a file for its columns and number of rows, and samples some of them.
pub fn scan(
    name: &str,
    dimensions: &[String],
    sample: &mut RowSample<RecordBatch>,
) -> Result<(Vec<InferredColumn>, u64)> {
    let batches = ArrowReader::open(name)?;
    let dimensions: HashSet<&str> = dimensions.iter().map(String::as_str).collect();
    let mut found = batches
        .schema()
        .fields()
        .iter()
        .map(|field| {
            if field.name().contains('\0') {
                return Err(Error::failed(format!("the name of column {:?} contains a zero byte", field.name())));
            }
            Ok(InferredColumn {
                name: field.name().clone(),
                datatype: datatype(field)?,
                has_nulls: false,
                bounds: None,
            })
        })
        .collect::<Result<Vec<_>>>()
        .map_err(|error| error.at(name))?;
    if found.is_empty() {
        return Err(Error::failed(format!("{name} has no columns")));
    }
    let mut rows = 0;
    for batch in batches {
        let batch = batch?;
        let mut first = 0;
        while first < batch.num_rows() {
            let at = rows + first as u64;
            let (same, is_sampled) = sample.next(at);
            let count = (batch.num_rows() - first).min(usize::try_from(same).unwrap_or(usize::MAX));
            if is_sampled {
                let part = batch.slice(first, count);
                sample.add(at, bytes(&part), part);
            }
            first += count;
        }
        rows += batch.num_rows() as u64;
        let see = || {
            for (column, found) in batch.columns().iter().zip(&mut found) {
                found.has_nulls |= column.logical_null_count() > 0;
                if dimensions.contains(found.name.as_str())
                    && let Some((low, high)) = bounds(column)
                {
                    let (least, most) = found.bounds.unwrap_or((low, high));
                    found.bounds = Some((least.min(low), most.max(high)));
                }
            }
            Ok(())
        };
        contain(see).map_err(|error| error.at(name))?;
    }
    Ok((found, rows))
}

/// Bytes of a batch.
pub fn bytes(batch: &RecordBatch) -> usize {
    batch.columns().iter().map(|column| column.to_data().get_slice_memory_size().unwrap_or(0)).sum()
}

/// The datatype of a column: from TileDB's metadata, or inferred.
fn datatype(field: &Field) -> Result<Datatype> {
    if let Some(name) = field.metadata().get("tiledb.datatype") {
        let wrong = |error| Error::failed(format!("column {:?}: {error}", field.name()));
        return Datatype::named(name).map_err(wrong);
    }
    of_type(field.data_type()).ok_or_else(|| {
        let (name, kind) = (field.name(), field.data_type());
        Error::failed(format!("no datatype suits the type {kind} of column {name:?}: cast it, or make the array first"))
    })
}

fn of_type(kind: &DataType) -> Option<Datatype> {
    let digits = |unit: &TimeUnit| match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 1,
        TimeUnit::Microsecond => 2,
        TimeUnit::Nanosecond => 3,
    };
    Some(match kind {
        DataType::Int8 => Datatype::INT8,
        DataType::Int16 => Datatype::INT16,
        DataType::Int32 => Datatype::INT32,
        DataType::Int64 => Datatype::INT64,
        DataType::UInt8 => Datatype::UINT8,
        DataType::UInt16 => Datatype::UINT16,
        DataType::UInt32 => Datatype::UINT32,
        DataType::UInt64 => Datatype::UINT64,
        DataType::Float32 => Datatype::FLOAT32,
        DataType::Float64 => Datatype::FLOAT64,
        DataType::Boolean => Datatype::BOOL,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Datatype::STRING_UTF8,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => Datatype::CHAR,
        DataType::Date32 => Datatype::DATETIME_DAY,
        DataType::Date64 => Datatype::DATETIME_MS,
        DataType::Timestamp(unit, _) => Datatype(Datatype::DATETIME_SEC.0 + digits(unit)),
        DataType::Time32(unit) | DataType::Time64(unit) | DataType::Duration(unit) => {
            Datatype(Datatype::TIME_SEC.0 + digits(unit))
        }
        DataType::Dictionary(_, values) => return of_type(values),
        _ => return None,
    })
}

/// The least and the greatest of integers.
fn bounds(column: &dyn Array) -> Option<(i64, i64)> {
    macro_rules! of {
        ($kind:ty) => {{
            let values = column.as_primitive_opt::<$kind>()?.values();
            Some((i64::from(*values.iter().min()?), i64::from(*values.iter().max()?)))
        }};
    }
    match column.data_type() {
        DataType::Int8 => of!(Int8Type),
        DataType::Int16 => of!(Int16Type),
        DataType::Int32 => of!(Int32Type),
        DataType::Int64 => of!(Int64Type),
        DataType::UInt8 => of!(UInt8Type),
        DataType::UInt16 => of!(UInt16Type),
        DataType::UInt32 => of!(UInt32Type),
        _ => {
            // Dates and times are stored in 64-bit integers.
            let data = column.to_data();
            let values = data.buffers().first()?;
            let is_long = matches!(column.data_type(), DataType::Timestamp(..) | DataType::Date64);
            let values =
                is_long.then(|| values.typed_data::<i64>().get(data.offset()..data.offset() + data.len()))??;
            Some((*values.iter().min()?, *values.iter().max()?))
        }
    }
}
