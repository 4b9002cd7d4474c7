//! Record batches of a file or pipe, whatever its format.

use std::collections::VecDeque;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;

use crate::model::{Error, Result};

use super::arrow_reader::{ArrowReader, contain};
use super::batch_scan::bytes;
use super::input::Input;
use super::parquet_file;
use super::signature::FileKind;

/// Maximum number of bytes of rows that are read ahead of the import.
const AHEAD: usize = 256 << 20;

/// Iterates over the record batches of an input.
pub(crate) struct RecordBatches {
    schema: SchemaRef,
    source: Source,
    /// Batches that were read for the scan, and are returned first.
    ahead: VecDeque<RecordBatch>,
}

enum Source {
    Arrow(Box<ArrowReader>),
    Parquet { name: String, reader: ParquetRecordBatchReader, is_done: bool },
}

impl RecordBatches {
    /// Opens an input, and reads its schema.
    pub(crate) fn open(input: &mut Input) -> Result<Self> {
        let (schema, source) = match input.kind {
            FileKind::Parquet => {
                let name = input.name.clone();
                if input.is_pipe() {
                    return Err(Error::usage(format!(
                        "{name}: a Parquet file ends with its index, and cannot be read from a pipe; import the file itself"
                    )));
                }
                let reader = parquet_file::open(input.file()?).map_err(|error| error.at(&name))?;
                let schema = arrow_array::RecordBatchReader::schema(&reader);
                (schema, Source::Parquet { name, reader, is_done: false })
            }
            _ => {
                let reader = ArrowReader::open(input)?;
                (reader.schema().clone(), Source::Arrow(Box::new(reader)))
            }
        };
        Ok(Self { schema, source, ahead: VecDeque::new() })
    }

    /// The schema of all batches.
    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Reads rows of a pipe for the scan, within a memory limit; they are returned again.
    pub(crate) fn look_ahead(&mut self, rows: u64) -> Result<&VecDeque<RecordBatch>> {
        let (mut found, mut size) = (0, 0);
        while found < rows && size < AHEAD {
            let Some(batch) = self.source.next() else { break };
            let batch = batch?;
            found += batch.num_rows() as u64;
            size += bytes(&batch);
            self.ahead.push_back(batch);
        }
        Ok(&self.ahead)
    }
}

impl Iterator for RecordBatches {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.ahead.pop_front().map(Ok).or_else(|| self.source.next())
    }
}

impl Iterator for Source {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Arrow(reader) => reader.next(),
            Self::Parquet { name, reader, is_done } => {
                if *is_done {
                    return None;
                }
                let batch = contain(|| reader.next().transpose()).map_err(|error| error.at(name)).transpose();
                *is_done = !matches!(batch, Some(Ok(_)));
                batch
            }
        }
    }
}
