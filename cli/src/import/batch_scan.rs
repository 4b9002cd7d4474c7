//! Columns of Arrow and Parquet files: datatypes, nulls, bounds and dictionaries, for a new array.

use std::collections::HashSet;

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type};
use arrow_array::{AnyDictionaryArray, Array, RecordBatch};
use arrow_schema::{DataType, Field, TimeUnit};
use tiledb::Datatype;

use crate::model::{AttributeDetail, AttributeDetails, DatatypeExt, Error, Result, Unit};

use super::arrow_reader::contain;
use super::arrow_types::column_type;
use super::dictionary::DictionaryValues;
use super::propose::InferredColumn;
use super::record_batches::RecordBatches;
use super::sample::RowSample;

/// Rows of a pipe that are scanned for a new array.
pub(crate) const SAMPLE: u64 = 100_000;

/// Bytes of rows that are sampled together.
const SAMPLE_BYTES: usize = 8 << 20;

/// Columns of a file, and its number of rows.
pub(crate) struct ScannedBatches {
    pub columns: Vec<InferredColumn>,
    pub details: AttributeDetails,
    pub rows: u64,
    /// Bytes of all cells.
    pub bytes: u64,
}

/// A column during the scan.
struct Column {
    found: InferredColumn,
    values: u32,
    dictionary: Option<DictionaryValues>,
    is_dimension: bool,
    /// How many units of the column are one of the datatype.
    units: Option<i64>,
}

impl Column {
    fn new(field: &Field, dimensions: &HashSet<&str>, types: &HashSet<&str>) -> Result<Self> {
        let name = field.name();
        if name.contains('\0') {
            return Err(Error::failed(format!("the name of column {name:?} contains a zero byte")));
        }
        let (kind, is_dimension) = (column_type(field)?, dimensions.contains(name.as_str()));
        if is_dimension && kind.values != 1 && !is_text(field.data_type()) {
            return Err(Error::failed(format!("column {name:?} cannot be a dimension: its cells have several values")));
        }
        // A dimension has no enumeration, nor has an attribute whose datatype the user names.
        let dictionary = match is_dimension || types.contains(name.as_str()) {
            true => None,
            false => DictionaryValues::new(field.data_type(), kind.datatype, field.dict_is_ordered().unwrap_or(false)),
        };
        let found = InferredColumn { name: name.clone(), datatype: kind.datatype, has_nulls: false, bounds: None };
        let units = units(field.data_type(), kind.datatype);
        Ok(Self { found, values: kind.values, dictionary, is_dimension, units })
    }

    /// Takes cells into account.
    fn see(&mut self, cells: &dyn Array) {
        self.found.has_nulls |= cells.logical_null_count() > 0;
        if let Some(dictionary) = &mut self.dictionary {
            dictionary.add(cells);
        }
        if self.is_dimension
            && let Some((low, high)) = bounds(cells)
            && let Some(units) = self.units
        {
            let (low, high) = (low.div_euclid(units), high.div_euclid(units));
            let (least, most) = self.found.bounds.unwrap_or((low, high));
            self.found.bounds = Some((least.min(low), most.max(high)));
        }
    }
}

/// Whether cells are texts or bytes, whose number of values is that of their bytes.
fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_text(values),
        kind => kind.is_string() || kind.is_binary() && !matches!(kind, DataType::FixedSizeBinary(_)),
    }
}

/// The names of the columns.
pub(crate) fn names(batches: &RecordBatches) -> Vec<String> {
    batches.schema().fields().iter().map(|field| field.name().clone()).collect()
}

/// Scans a file for its columns and number of rows, and samples some of them. Of a pipe, `most` rows are read ahead.
pub(crate) fn scan(
    batches: &mut RecordBatches,
    is_pipe: bool,
    most: u64,
    [dimensions, types]: [&HashSet<&str>; 2],
    sample: &mut RowSample<RecordBatch>,
) -> Result<ScannedBatches> {
    let schema = batches.schema().clone();
    let columns = schema.fields().iter().map(|field| Column::new(field, dimensions, types));
    let mut columns = columns.collect::<Result<Vec<_>>>()?;
    if columns.is_empty() {
        return Err(Error::failed("there are no columns"));
    }
    let (mut rows, mut all_bytes) = (0, 0);
    let mut see = |batch: &RecordBatch| {
        let first = rows;
        rows += batch.num_rows() as u64;
        contain(|| {
            take_sample(batch, first, sample);
            for (cells, column) in batch.columns().iter().zip(&mut columns) {
                column.see(cells);
                let is_enumerated = column.dictionary.as_ref().is_some_and(|values| !values.is_too_large());
                all_bytes += cell_bytes(cells, is_enumerated) as u64;
            }
            Ok(())
        })
    };
    if is_pipe {
        batches.look_ahead(most)?.iter().try_for_each(&mut see)?;
        // Later rows may have no value.
        for (column, field) in columns.iter_mut().zip(schema.fields()) {
            column.found.has_nulls |= field.is_nullable() && !column.is_dimension;
        }
    } else {
        for batch in batches {
            see(&batch?)?;
        }
    }
    let mut details = AttributeDetails::new();
    let found = columns.into_iter().map(|mut column| {
        let name = column.found.name.clone();
        let enumeration = column.dictionary.and_then(|dictionary| dictionary.finish(&name));
        let detail = match enumeration {
            Some((enumeration, indexes)) => {
                column.found.datatype = indexes;
                AttributeDetail { values: 1, enumeration: Some(enumeration) }
            }
            None => AttributeDetail { values: column.values, enumeration: None },
        };
        if !column.is_dimension && !types.contains(name.as_str()) {
            details.insert(name, detail);
        }
        column.found
    });
    Ok(ScannedBatches { columns: found.collect(), details, rows, bytes: all_bytes })
}

/// Adds rows of a batch to the sample; its first is this one of the file.
fn take_sample(batch: &RecordBatch, row: u64, sample: &mut RowSample<RecordBatch>) {
    let mut first = 0;
    while first < batch.num_rows() {
        let at = row + first as u64;
        let (same, is_sampled) = sample.next(at);
        let count = (batch.num_rows() - first).min(usize::try_from(same).unwrap_or(usize::MAX));
        if is_sampled {
            let part = batch.slice(first, count);
            let size = stored_bytes(&part, |_| false);
            // A few rows of large cells suffice.
            let rows = (count as u128 * SAMPLE_BYTES as u128 / size.max(1) as u128).clamp(1, count as u128) as usize;
            sample.add(at, size / count * rows, part.slice(0, rows));
        }
        first += count;
    }
}

/// Bytes of the cells of a batch, in memory as an array stores them: views of one text count as often as they occur. Of dictionaries
/// only the indexes count.
pub(crate) fn bytes(batch: &RecordBatch) -> usize {
    batch.columns().iter().map(|column| column_bytes(column)).sum()
}

/// Bytes of the cells of a batch where only these fields have enumerations: in others the values of dictionaries are repeated.
pub(crate) fn stored_bytes(batch: &RecordBatch, is_enumerated: impl Fn(&str) -> bool) -> usize {
    let columns = batch.schema_ref().fields().iter().zip(batch.columns());
    columns.map(|(field, column)| cell_bytes(column, is_enumerated(field.name()))).sum()
}

fn cell_bytes(column: &dyn Array, is_enumerated: bool) -> usize {
    match column.as_any_dictionary_opt() {
        Some(dictionary) if !is_enumerated => repeated_bytes(dictionary),
        _ => column_bytes(column),
    }
}

fn column_bytes(column: &dyn Array) -> usize {
    let of_lengths =
        |lengths: &mut dyn Iterator<Item = u32>| lengths.map(|length| length as usize + size_of::<u64>()).sum();
    match column.data_type() {
        DataType::Utf8View => of_lengths(&mut column.as_string_view().lengths()),
        DataType::BinaryView => of_lengths(&mut column.as_binary_view().lengths()),
        DataType::Dictionary(keys, _) => column.len() * keys.primitive_width().unwrap_or(1),
        _ => column.to_data().get_slice_memory_size().unwrap_or(0),
    }
}

/// Bytes of the values that the indexes of a dictionary stand for.
fn repeated_bytes(dictionary: &dyn AnyDictionaryArray) -> usize {
    let values = dictionary.values();
    if values.is_empty() {
        return 0;
    }
    // A dictionary can have many more values than the batch has rows: only those that occur are looked at.
    let keys = dictionary.normalized_keys();
    let keys = keys.iter().filter(|key| **key < values.len());
    keys.map(|key| value_bytes(values, *key)).sum()
}

/// Bytes of a value, with the offset of a text.
fn value_bytes(values: &dyn Array, at: usize) -> usize {
    let of_text = |length: usize| length + size_of::<u64>();
    match values.data_type() {
        DataType::Utf8 => of_text(values.as_string::<i32>().value(at).len()),
        DataType::LargeUtf8 => of_text(values.as_string::<i64>().value(at).len()),
        DataType::Binary => of_text(values.as_binary::<i32>().value(at).len()),
        DataType::LargeBinary => of_text(values.as_binary::<i64>().value(at).len()),
        _ => column_bytes(&values.slice(at, 1)),
    }
}

/// How many units of a column are one of its datatype: some for points in time. `None` if a unit of the column is several.
fn units(kind: &DataType, datatype: Datatype) -> Option<i64> {
    let DataType::Timestamp(unit, _) = kind else { return Some(1) };
    let of_second = match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    };
    match datatype.unit()? {
        Unit::Seconds(seconds) => seconds.checked_mul(of_second),
        Unit::Digits(digits) => Some(of_second / 10_i64.checked_pow(digits)?).filter(|units| *units > 0),
        Unit::Years | Unit::Months => None,
    }
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
        DataType::Date32 => of!(Date32Type),
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test stops at once")]
    use super::*;
    use arrow_array::{ArrayRef, DictionaryArray, Int32Array, LargeStringArray, StringArray};
    use arrow_schema::Schema;
    use std::sync::Arc;

    #[test]
    fn values_of_dictionaries_count_as_often_as_they_occur() {
        let texts: Vec<String> = (1..=1000).map(|length| "x".repeat(length)).collect();
        let kinds: [ArrayRef; 3] = [
            Arc::new(StringArray::from(texts.clone())),
            Arc::new(LargeStringArray::from(texts)),
            Arc::new((0..1000).collect::<Int32Array>()),
        ];
        for (values, expected) in kinds.into_iter().zip([3 * 8 + 2 + 2 + 999, 3 * 8 + 2 + 2 + 999, 3 * 4]) {
            let column = DictionaryArray::new(Int32Array::from(vec![1, 998, 1]), values);
            let schema = Schema::new(vec![Field::new("c", column.data_type().clone(), true)]);
            let batch = RecordBatch::try_new(Arc::new(schema), vec![Arc::new(column)]).unwrap();
            assert_eq!(stored_bytes(&batch, |_| false), expected);
            assert_eq!(stored_bytes(&batch, |_| true), 3 * 4);
        }
    }
}
