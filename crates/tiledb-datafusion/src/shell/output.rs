//! Results in the formats of the command line.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;
use arrow::csv::WriterBuilder;
use arrow::datatypes::SchemaRef;
use arrow::ipc::writer::FileWriter;
use arrow::json::{LineDelimitedWriter, writer::LineDelimited};
use arrow::util::display::FormatOptions;
use arrow::util::pretty::pretty_format_batches_with_options;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::basic::Compression;
use datafusion::parquet::file::properties::WriterProperties;
use futures::StreamExt;

use crate::options::{Format, Options};

/// Where results go.
pub(crate) struct Output {
    format: Format,
    max_rows: usize,
    path: Option<PathBuf>,
    /// Whether a statement has written to the file: formats that are files have the rows of one.
    is_written: bool,
}

impl Output {
    pub(crate) fn new(options: &Options) -> Result<Output> {
        let format = options.format();
        let path = options.output.clone();
        if path.is_none()
            && matches!(format, Format::Parquet | Format::Arrow)
            && io::IsTerminal::is_terminal(&io::stdout())
        {
            return Err(DataFusionError::Plan(
                "Parquet and Arrow files are not for terminals; name a file with -o".into(),
            ));
        }
        Ok(Output { format, max_rows: options.max_rows, path, is_written: false })
    }

    /// Writes the rows of a statement. Statements that only change the session have none.
    pub(crate) async fn write(&mut self, mut rows: SendableRecordBatchStream, has_rows: bool) -> Result<()> {
        if !has_rows {
            while rows.next().await.transpose()?.is_some() {}
            return Ok(());
        }
        if self.is_written && (self.path.is_some() || matches!(self.format, Format::Parquet | Format::Arrow)) {
            return Err(DataFusionError::Plan(
                "a file has the result of one statement; run the others by themselves".into(),
            ));
        }
        self.is_written = true;
        let schema = rows.schema();
        let partial = self.path.as_deref().map(PartialFile::new);
        let mut writer = self.writer(&schema, partial.as_ref())?;
        while let Some(batch) = rows.next().await {
            writer.write(&batch?)?;
        }
        writer.finish()?;
        partial.map_or(Ok(()), PartialFile::complete)
    }

    pub(crate) fn finish(self) -> Result<()> {
        io::stdout().flush()?;
        Ok(())
    }

    fn writer(&self, schema: &SchemaRef, partial: Option<&PartialFile>) -> Result<Writer> {
        let target: Box<dyn Write + Send> = match partial {
            Some(partial) => Box::new(BufWriter::new(partial.create()?)),
            None => Box::new(BufWriter::new(io::stdout())),
        };
        Ok(match self.format {
            Format::Table => {
                Writer::Table { target, schema: schema.clone(), batches: Vec::new(), rows: 0, max: self.max_rows }
            }
            Format::Csv => {
                let mut writer = WriterBuilder::new().with_header(true).build(target);
                writer.write(&RecordBatch::new_empty(schema.clone()))?;
                Writer::Csv(Box::new(writer))
            }
            Format::Json => Writer::Json(LineDelimitedWriter::new(target)),
            Format::Parquet => {
                let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
                Writer::Parquet(Box::new(ArrowWriter::try_new(target, schema.clone(), Some(properties))?))
            }
            Format::Arrow => Writer::Arrow(Box::new(FileWriter::try_new(target, schema)?)),
        })
    }
}

/// A file that gets its name when it is complete: until then a query may read what was there, and an error leaves it.
struct PartialFile {
    path: PathBuf,
    partial: PathBuf,
}

impl PartialFile {
    fn new(path: &Path) -> PartialFile {
        // Devices and pipes are written to as they are.
        let is_special = path.metadata().is_ok_and(|metadata| !metadata.is_file());
        let mut name = path.as_os_str().to_owned();
        if !is_special {
            name.push(format!(".partial-{}", std::process::id()));
        }
        PartialFile { path: path.to_owned(), partial: name.into() }
    }

    fn error(&self, error: &io::Error) -> DataFusionError {
        DataFusionError::Execution(format!("{}: {error}", self.path.display()))
    }

    fn create(&self) -> Result<File> {
        File::create(&self.partial).map_err(|error| self.error(&error))
    }

    fn complete(self) -> Result<()> {
        std::fs::rename(&self.partial, &self.path).map_err(|error| self.error(&error))
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if self.partial != self.path {
            // After it was renamed there is none.
            let _ = std::fs::remove_file(&self.partial);
        }
    }
}

type Target = Box<dyn Write + Send>;

enum Writer {
    Table { target: Target, schema: SchemaRef, batches: Vec<RecordBatch>, rows: usize, max: usize },
    Csv(Box<arrow::csv::Writer<Target>>),
    Json(arrow::json::Writer<Target, LineDelimited>),
    Parquet(Box<ArrowWriter<Target>>),
    Arrow(Box<FileWriter<Target>>),
}

impl Writer {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        match self {
            Writer::Table { batches, rows, max, .. } => {
                let left = if *max == 0 { usize::MAX } else { max.saturating_sub(*rows) };
                if left > 0 {
                    batches.push(batch.slice(0, batch.num_rows().min(left)));
                }
                *rows += batch.num_rows();
            }
            Writer::Csv(writer) => writer.write(batch)?,
            Writer::Json(writer) => writer.write(batch)?,
            Writer::Parquet(writer) => writer.write(batch)?,
            Writer::Arrow(writer) => writer.write(batch)?,
        }
        Ok(())
    }

    fn finish(self) -> Result<()> {
        match self {
            Writer::Table { mut target, schema, mut batches, rows, max } => {
                if batches.is_empty() {
                    batches.push(RecordBatch::new_empty(schema));
                }
                let options = FormatOptions::default().with_null("NULL").with_display_error(true);
                writeln!(target, "{}", pretty_format_batches_with_options(&batches, &options)?)?;
                target.flush()?;
                if max > 0 && rows > max {
                    anstream::eprintln!("{max} of {rows} rows; --max-rows 0 prints all");
                } else {
                    anstream::eprintln!("{rows} {}", if rows == 1 { "row" } else { "rows" });
                }
            }
            Writer::Csv(writer) => writer.into_inner().flush()?,
            Writer::Json(mut writer) => {
                writer.finish()?;
                writer.into_inner().flush()?;
            }
            Writer::Parquet(writer) => {
                writer.into_inner()?.flush()?;
            }
            Writer::Arrow(mut writer) => {
                writer.finish()?;
                writer.into_inner()?.flush()?;
            }
        }
        Ok(())
    }
}
