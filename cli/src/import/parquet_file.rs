//! Opens Parquet files: their sizes are checked, and their texts are decoded as views.

use std::fs::File;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::file::metadata::ParquetMetaData;

use crate::model::Result;

use super::arrow_reader::contain;
use super::parquet_pages::check_pages;
use super::parquet_schema::check_schema;

/// Rows of a Parquet file that are decoded at once, and their maximum number of bytes.
const ROWS: usize = 1 << 13;
const BYTES: u64 = 64 << 20;

/// Opens a file.
pub(super) fn open(mut file: File) -> Result<ParquetRecordBatchReader> {
    check_schema(&mut file)?;
    let metadata = contain(|| Ok(read_metadata(&file)?))?;
    check_pages(&mut file, metadata.metadata())?;
    contain(|| {
        let options = ArrowReaderOptions::new().with_schema(with_views(metadata.schema()));
        // What no view can be made of is decoded as it is.
        let viewed = ArrowReaderMetadata::try_new(metadata.metadata().clone(), options).unwrap_or(metadata);
        let rows = batch_rows(viewed.metadata());
        Ok(ParquetRecordBatchReaderBuilder::new_with_metadata(file, viewed).with_batch_size(rows).build()?)
    })
}

/// How many rows are decoded at once, by the sizes that row groups have without compression.
fn batch_rows(metadata: &ParquetMetaData) -> usize {
    let groups = metadata.row_groups().iter().filter(|group| group.num_rows() > 0 && group.total_byte_size() > 0);
    let largest = groups.map(|group| group.total_byte_size() as u64 / group.num_rows() as u64).max().unwrap_or(0);
    (BYTES / largest.max(1)).clamp(1, ROWS as u64) as usize
}

/// The metadata of a file. An Arrow schema that cannot be decoded is ignored, as by other readers: nanoparquet stores one whose parts are
/// not aligned.
fn read_metadata(file: &File) -> parquet::errors::Result<ArrowReaderMetadata> {
    ArrowReaderMetadata::load(file, ArrowReaderOptions::new())
        .or_else(|_| ArrowReaderMetadata::load(file, ArrowReaderOptions::new().with_skip_arrow_metadata(true)))
}

/// A schema with views of texts and bytes: the values of a batch can have more than 2 GiB, and those of a dictionary are not repeated.
fn with_views(schema: &SchemaRef) -> SchemaRef {
    let viewed = |field: &Arc<Field>| match field.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 => Arc::new(field.as_ref().clone().with_data_type(DataType::Utf8View)),
        DataType::Binary | DataType::LargeBinary => {
            Arc::new(field.as_ref().clone().with_data_type(DataType::BinaryView))
        }
        _ => field.clone(),
    };
    let fields: Vec<_> = schema.fields().iter().map(viewed).collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}
