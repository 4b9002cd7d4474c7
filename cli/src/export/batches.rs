//! Cells as Arrow files, Arrow streams and Parquet files.

use std::io::BufWriter;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::ArrowError;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::out::Out;
use crate::args::Format;
use crate::model::{Error, Result};
use crate::progress::Progress;

/// Rows of a row group of a Parquet file, which is built in memory; and its bytes.
const GROUP_ROWS: usize = 1 << 20;
const GROUP_BYTES: usize = 64 << 20;

enum Writer {
    File(Box<FileWriter<BufWriter<Out>>>),
    Stream(Box<StreamWriter<BufWriter<Out>>>),
    /// It has a buffer of its own.
    Parquet(Box<ArrowWriter<Out>>),
}

impl Writer {
    fn new(format: Format, out: Out, batches: &impl RecordBatchReader) -> Result<Self> {
        let schema = batches.schema();
        Ok(match format {
            Format::Parquet => {
                let properties = WriterProperties::builder()
                    .set_compression(Compression::ZSTD(ZstdLevel::default()))
                    .set_max_row_group_row_count(Some(GROUP_ROWS))
                    .set_max_row_group_bytes(Some(GROUP_BYTES))
                    .set_created_by("tiledb-rs".to_owned())
                    .build();
                Self::Parquet(Box::new(ArrowWriter::try_new(out, schema, Some(properties)).map_err(of_parquet)?))
            }
            Format::ArrowStream => {
                Self::Stream(Box::new(StreamWriter::try_new(BufWriter::new(out), &schema).map_err(of_arrow)?))
            }
            _ => Self::File(Box::new(FileWriter::try_new(BufWriter::new(out), &schema).map_err(of_arrow)?)),
        })
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        match self {
            Self::File(writer) => writer.write(batch).map_err(of_arrow),
            Self::Stream(writer) => writer.write(batch).map_err(of_arrow),
            Self::Parquet(writer) => writer.write(batch).map_err(of_parquet),
        }
    }

    fn finish(self) -> Result<()> {
        let out = match self {
            Self::File(mut writer) => {
                writer.finish().map_err(of_arrow)?;
                writer.into_inner().map_err(of_arrow)?
            }
            Self::Stream(mut writer) => {
                writer.finish().map_err(of_arrow)?;
                writer.into_inner().map_err(of_arrow)?
            }
            Self::Parquet(mut writer) => {
                writer.finish().map_err(of_parquet)?;
                let out = std::mem::replace(writer.inner_mut(), Out::Standard(std::io::stdout()));
                return out.finish();
            }
        };
        out.into_inner().map_err(|error| error.into_error())?.finish()
    }
}

/// Writes at most so many cells, and returns their number.
pub(crate) fn write_batches_as(
    format: Format,
    mut batches: impl RecordBatchReader,
    limit: u64,
    out: Out,
    progress: &Progress,
) -> Result<u64> {
    let mut writer = Writer::new(format, out, &batches)?;
    let mut left = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut written = 0;
    while let Some(batch) = if left > 0 { batches.next() } else { None } {
        let batch = batch.map_err(of_arrow)?;
        if progress.is_stopped() {
            return Err(Error::Stopped);
        }
        let taken = batch.num_rows().min(left);
        writer.write(&batch.slice(0, taken))?;
        left -= taken;
        written += taken as u64;
    }
    writer.finish()?;
    Ok(written)
}

fn of_arrow(error: ArrowError) -> Error {
    match error {
        ArrowError::IoError(_, error) => error.into(),
        other => Error::failed_by(other),
    }
}

fn of_parquet(error: ParquetError) -> Error {
    match error {
        ParquetError::External(error) => match error.downcast::<std::io::Error>() {
            Ok(error) => (*error).into(),
            Err(error) => Error::failed_by(error),
        },
        other => Error::failed_by(other),
    }
}
