//! Cells as a table, as CSV or as JSON lines.

use std::io::{BufWriter, Write};
use std::path::Path;

use super::out::Out;
use crate::args::Format;
use crate::model::{Error, Field, Result, Value};
use crate::output;

/// Rows of a table that are printed at once, with columns as wide as they need.
const TABLE: usize = 1000;
/// Maximum number of bytes of their texts.
const TABLE_BYTES: usize = 16 << 20;

/// Writes cells as they come.
pub(crate) enum Printer {
    Table { names: Vec<String>, rows: Vec<Vec<String>>, bytes: usize },
    Csv { writer: Box<csv::Writer<Out>>, is_terminal: bool },
    Json { names: Vec<String>, out: BufWriter<Out>, is_terminal: bool },
}

impl Printer {
    pub(crate) fn new(format: Format, fields: &[Field], file: Option<&Path>) -> Result<Self> {
        let names: Vec<String> = fields.iter().map(|field| field.name.clone()).collect();
        if format == Format::Table {
            return Ok(Self::Table { names, rows: Vec::new(), bytes: 0 });
        }
        let out = Out::new(file)?;
        let is_terminal = out.is_terminal();
        if format == Format::Json {
            let names = names.iter().map(|name| serde_json::Value::from(name.as_str()).to_string()).collect();
            return Ok(Self::Json { names, out: BufWriter::new(out), is_terminal });
        }
        let mut printer = Self::Csv { writer: Box::new(csv::Writer::from_writer(out)), is_terminal };
        // Errors are reported at the end, too.
        _ = printer.record(names.into_iter());
        Ok(printer)
    }

    /// Writes a CSV row; on a terminal without control sequences.
    fn record(&mut self, cells: impl Iterator<Item = String>) -> Result<()> {
        let Self::Csv { writer, is_terminal } = self else { return Ok(()) };
        match is_terminal {
            true => writer.write_record(cells.map(|cell| output::escape(&cell).into_owned())),
            false => writer.write_record(cells),
        }
        .map_err(of_csv)
    }

    pub(crate) fn cell(&mut self, values: Vec<Value>) -> Result<()> {
        match self {
            Self::Table { names, rows, bytes } => {
                let row: Vec<String> = values.iter().map(Value::to_string).collect();
                *bytes += row.iter().map(String::len).sum::<usize>();
                rows.push(row);
                if rows.len() == TABLE || *bytes > TABLE_BYTES {
                    *bytes = 0;
                    print(names, rows)?;
                }
            }
            Self::Csv { .. } => {
                let text = |value: &Value| if *value == Value::Null { String::new() } else { value.to_string() };
                self.record(values.iter().map(text))?;
            }
            Self::Json { names, out, is_terminal } => {
                // Not a JSON map, so that fields keep their order.
                let pairs = names.iter().zip(&values);
                let pairs: Vec<_> = pairs.map(|(name, value)| format!("{name}:{}", value.json())).collect();
                let pairs = pairs.join(",");
                writeln!(out, "{{{}}}", if *is_terminal { output::escape_json(&pairs) } else { pairs.into() })?;
            }
        }
        Ok(())
    }

    pub(crate) fn end(self) -> Result<()> {
        match self {
            Self::Table { names, mut rows, .. } => print(&names, &mut rows),
            Self::Csv { writer, .. } => writer.into_inner().map_err(|error| error.into_error())?.finish(),
            Self::Json { out, .. } => out.into_inner().map_err(|error| error.into_error())?.finish(),
        }
    }
}

fn of_csv(error: csv::Error) -> Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error.into(),
        other => Error::failed(format!("{other:?}")),
    }
}

fn print(names: &[String], rows: &mut Vec<Vec<String>>) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    output::table(&names, rows)?;
    rows.clear();
    Ok(())
}
