//! CSV files (comma-separated values), read row by row.

use std::collections::{HashSet, VecDeque};
use std::io::Read;
use std::rc::Rc;

use csv::{ByteRecord, Reader, ReaderBuilder};

use crate::model::{Error, Result};

use super::input::Input;
use super::quotes::{QuoteTracker, Quotes};

/// Maximum number of bytes of rows that are read ahead of the import.
const AHEAD: usize = 256 << 20;

/// The CSV dialect of a file.
#[derive(Clone)]
pub struct CsvFormat {
    pub delimiter: u8,
    /// The first row names the columns.
    pub has_header: bool,
    /// Words that mean no value; the empty one does, too.
    pub nulls: Vec<Vec<u8>>,
}

impl CsvFormat {
    /// Whether a cell has no value.
    pub fn is_null(&self, cell: &[u8]) -> bool {
        cell.is_empty() || self.nulls.iter().any(|word| word == cell)
    }
}

/// Such a file.
pub struct CsvFile {
    pub name: String,
    reader: Reader<QuoteTracker<Box<dyn Read>>>,
    quotes: Rc<Quotes>,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Size of the file; 0 if unknown.
    pub size: u64,
    /// Rows that were read for inference, and are returned first.
    ahead: VecDeque<ByteRecord>,
    row: ByteRecord,
}

impl CsvFile {
    /// Opens a file from its beginning, or a pipe.
    pub fn open(input: &mut Input, form: &CsvFormat) -> Result<Self> {
        let (source, name, size) = (input.read()?, input.name.as_str(), input.size);
        let mut builder = ReaderBuilder::new();
        builder.delimiter(form.delimiter).has_headers(form.has_header).buffer_capacity(1 << 20);
        let (source, quotes) = QuoteTracker::new(source, form.delimiter);
        let mut file = Self {
            name: name.to_owned(),
            reader: builder.from_reader(source),
            quotes,
            columns: Vec::new(),
            size,
            ahead: Default::default(),
            row: ByteRecord::new(),
        };
        let first = file.reader.byte_headers().cloned();
        let first = first.map_err(|error| wrong(name, &error)).and_then(|first| file.terminated(first))?;
        if first.is_empty() {
            return Err(Error::failed(format!("{name} has no columns")));
        }
        let column = |(at, cell): (usize, &[u8])| match form.has_header {
            true => String::from_utf8_lossy(cell).trim_start_matches('\u{feff}').trim().to_owned(),
            false => format!("c{}", at + 1),
        };
        file.columns = first.iter().enumerate().map(column).collect();
        let mut known = HashSet::new();
        for (place, column) in (1..).zip(&file.columns) {
            if column.is_empty() || column.contains('\0') || !known.insert(column) {
                return Err(Error::failed(format!(
                    "{name}: column {place} is called {column:?}; columns need names of their own, or --no-header"
                )));
            }
        }
        Ok(file)
    }

    /// The next row, and the line that it begins in.
    pub fn next(&mut self) -> Result<Option<(&ByteRecord, u64)>> {
        let has_row = match self.ahead.pop_front() {
            Some(row) => {
                self.row = row;
                true
            }
            None => {
                let read = self.reader.read_byte_record(&mut self.row).map_err(|error| wrong(&self.name, &error));
                self.terminated(())?;
                read?
            }
        };
        let line = self.row.position().map_or(0, csv::Position::line);
        Ok(has_row.then_some((&self.row, line)))
    }

    /// Reads rows for inference, within a memory limit; they are returned again.
    pub fn look_ahead(&mut self, rows: u64) -> Result<&VecDeque<ByteRecord>> {
        let (mut ahead, mut bytes) = (VecDeque::new(), 0);
        while (ahead.len() as u64) < rows
            && bytes < AHEAD
            && let Some((row, _)) = self.next()?
        {
            bytes += size_of::<ByteRecord>() + row.as_slice().len() + row.len() * size_of::<usize>();
            ahead.push_back(row.clone());
        }
        self.ahead = ahead;
        Ok(&self.ahead)
    }

    /// Returns a row, unless the file ended within quotes.
    fn terminated<T>(&self, read: T) -> Result<T> {
        match self.quotes.unterminated() {
            Some(line) => {
                let name = &self.name;
                Err(Error::failed(format!(
                    "{name}, line {line}: a quote is opened here and never closed: close it, or double it"
                )))
            }
            None => Ok(read),
        }
    }

    /// How many bytes were read.
    pub fn position(&self) -> u64 {
        self.reader.position().byte()
    }
}

fn wrong(name: &str, error: &csv::Error) -> Error {
    let line = error.position().map_or(String::new(), |position| format!(", line {}", position.line()));
    let what = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("there are {len} cells where the first row has {expected_len}")
        }
        _ => error.to_string(),
    };
    Error::failed(format!("{name}{line}: {what}"))
}
