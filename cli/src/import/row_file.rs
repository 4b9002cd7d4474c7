//! Files of rows: CSV (comma-separated values) and JSON, read row by row.

use std::collections::{HashSet, VecDeque};
use std::io::Read;
use std::rc::Rc;

use csv::{ByteRecord, Reader, ReaderBuilder};

use crate::model::{Error, Result};

use super::input::Input;
use super::json_rows::{CellKind, JsonRows};
use super::quotes::{QuoteTracker, Quotes};

/// Maximum number of bytes of rows that are read ahead of the import.
const AHEAD: usize = 256 << 20;
/// Delimiters that are recognized beside the comma, and how many records have to agree.
const OTHER_DELIMITERS: [u8; 3] = [b';', b'\t', b'|'];
const SAMPLED_RECORDS: usize = 100;
/// Maximum number of rows of a JSON pipe whose keys are the columns.
const JSON_AHEAD: usize = 100_000;

/// The dialect of a file.
#[derive(Clone)]
pub(crate) struct RowFormat {
    pub delimiter: u8,
    /// The first row names the columns.
    pub has_header: bool,
    /// Words that mean no value; the empty one does, too.
    pub nulls: Vec<Vec<u8>>,
    /// JSON, whose rows have a cell more with the kinds of the others.
    pub is_json: bool,
}

impl RowFormat {
    /// Whether a cell has no value.
    pub(crate) fn is_null(&self, row: &ByteRecord, place: usize) -> bool {
        if self.is_json {
            return CellKind::in_row(row, place) == CellKind::Null;
        }
        let cell = row.get(place).unwrap_or_default();
        cell.is_empty() || self.nulls.iter().any(|word| word == cell)
    }
}

/// The delimiter that divides all records of a sample into as many fields, at least two, where a comma does not.
pub(super) fn recognize_delimiter(sample: &[u8], is_whole: bool) -> Option<u8> {
    let end =
        if is_whole { sample.len() } else { sample.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1) };
    let fields = |delimiter: u8| {
        let mut reader = ReaderBuilder::new().delimiter(delimiter).has_headers(false).from_reader(&sample[..end]);
        let mut records = reader.byte_records().take(SAMPLED_RECORDS);
        let count = records.next()?.ok()?.len();
        // Records of other lengths are errors.
        (count > 1 && records.all(|record| record.is_ok())).then_some(count)
    };
    if fields(b',').is_some() {
        return None;
    }
    let counts = OTHER_DELIMITERS.into_iter().filter_map(|delimiter| Some((fields(delimiter)?, delimiter)));
    counts.max_by_key(|(count, _)| *count).map(|(_, delimiter)| delimiter)
}

/// Such a file.
pub(crate) struct RowFile {
    pub name: String,
    rows: Rows,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Size of the file; 0 if unknown.
    pub size: u64,
    /// Rows that were read for inference, and are returned first.
    ahead: VecDeque<ByteRecord>,
    row: ByteRecord,
}

enum Rows {
    Csv { reader: Reader<QuoteTracker<Box<dyn Read>>>, quotes: Rc<Quotes> },
    Json(JsonRows),
}

impl RowFile {
    /// Opens a file from its beginning, or a pipe.
    pub(crate) fn open(input: &mut Input, form: &RowFormat) -> Result<Self> {
        if form.is_json {
            return Self::open_json(input);
        }
        let (name, size) = (input.name.clone(), input.size);
        let mut builder = ReaderBuilder::new();
        builder.delimiter(form.delimiter).has_headers(form.has_header).buffer_capacity(1 << 20);
        let (source, quotes) = QuoteTracker::new(input.read()?, form.delimiter);
        let mut reader = builder.from_reader(source);
        let first = reader.byte_headers().cloned();
        let rows = Rows::Csv { reader, quotes };
        let mut file = Self { name, rows, columns: Vec::new(), size, ahead: VecDeque::new(), row: ByteRecord::new() };
        let name = file.name.as_str();
        let first = first.map_err(|error| wrong(name, &error)).and_then(|first| file.terminated(first))?;
        if first.is_empty() {
            return Err(Error::failed(format!("{name} has no columns")));
        }
        let column = |(at, cell): (usize, &[u8])| match form.has_header {
            true => String::from_utf8_lossy(cell).trim_start_matches('\u{feff}').trim().to_owned(),
            false => format!("c{}", at + 1),
        };
        let columns: Vec<String> = first.iter().enumerate().map(column).collect();
        let mut known = HashSet::new();
        for (place, column) in (1..).zip(&columns) {
            if column.is_empty() || column.contains('\0') || !known.insert(column) {
                return Err(Error::failed(format!(
                    "{name}: column {place} is called {column:?}; columns need names of their own, or --no-header"
                )));
            }
        }
        file.columns = columns;
        Ok(file)
    }

    /// Opens a JSON file: its columns are the keys of all rows, of a pipe those of the rows that are read ahead.
    fn open_json(input: &mut Input) -> Result<Self> {
        let (name, size) = (input.name.clone(), input.size);
        let mut columns = Vec::new();
        let mut ahead = VecDeque::new();
        let mut rows = JsonRows::new(input.read()?, &name);
        if input.is_pipe() {
            let (mut objects, mut bytes) = (Vec::new(), 0);
            while objects.len() < JSON_AHEAD
                && bytes < AHEAD as u64
                && let Some((pairs, line)) = rows.next_pairs()?
            {
                rows.add_keys(&pairs, line, &mut columns)?;
                objects.push((pairs, line));
                bytes = rows.position();
            }
            for (pairs, line) in objects {
                ahead.push_back(rows.row(&pairs, line)?);
            }
        } else {
            columns = rows.keys()?;
            rows = JsonRows::new(input.read()?, &name);
            rows.set_columns(&columns);
        }
        if columns.is_empty() {
            return Err(Error::failed(format!("{name} has no columns")));
        }
        Ok(Self { name, rows: Rows::Json(rows), columns, size, ahead, row: ByteRecord::new() })
    }

    /// The next row, and the line that it begins in.
    pub(crate) fn next(&mut self) -> Result<Option<(&ByteRecord, u64)>> {
        let has_row = match self.ahead.pop_front() {
            Some(row) => {
                self.row = row;
                true
            }
            None => match &mut self.rows {
                Rows::Json(rows) => rows.read(&mut self.row)?,
                Rows::Csv { reader, .. } => {
                    let read = reader.read_byte_record(&mut self.row).map_err(|error| wrong(&self.name, &error));
                    self.terminated(())?;
                    read?
                }
            },
        };
        let line = self.row.position().map_or(0, csv::Position::line);
        Ok(has_row.then_some((&self.row, line)))
    }

    /// Reads rows for inference, within a memory limit; they are returned again.
    pub(crate) fn look_ahead(&mut self, rows: u64) -> Result<&VecDeque<ByteRecord>> {
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
        let unterminated = match &self.rows {
            Rows::Csv { quotes, .. } => quotes.unterminated(),
            Rows::Json(_) => None,
        };
        match unterminated {
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
    pub(crate) fn position(&self) -> u64 {
        match &self.rows {
            Rows::Csv { reader, .. } => reader.position().byte(),
            Rows::Json(rows) => rows.position(),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters_of_all_records_are_recognized() {
        for (sample, expected) in [
            ("a;b\n1,5;2\n\"x\ny\";3\n", Some(b';')),
            ("a\tb\n1\t2\n", Some(b'\t')),
            ("a|b|c\n1|2|3", Some(b'|')),
            // Fields with semicolons, a single column, records of different lengths.
            ("a,b\n1;2,3;4\n", None),
            ("a\n1\n", None),
            ("a;b\n1;2;3\n", None),
            ("", None),
        ] {
            assert_eq!(recognize_delimiter(sample.as_bytes(), true), expected, "{sample:?}");
        }
        // The last record of a part of a file is incomplete.
        assert_eq!(recognize_delimiter(b"a;b;c\n1;2;3\n4;5", false), Some(b';'));
    }
}
