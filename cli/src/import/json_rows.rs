//! Rows of JSON lines, and of JSON files with a list of objects, one at a time.

use std::collections::HashMap;
use std::fmt;
use std::io::{BufRead, BufReader, Read};

use serde_core::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;

use crate::model::{Error, Result};

/// The first bytes of a JSON file may be a byte order mark.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Kind of a cell, as a byte of the last cell of a row, which has one for each column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CellKind {
    Null = b'-' as isize,
    Text = b'"' as isize,
    Number = b'#' as isize,
    Bool = b'?' as isize,
    /// A list of numbers, or of booleans.
    List = b'[' as isize,
    /// An object, or a list of other values: stored as text in JSON.
    Nested = b'{' as isize,
}

impl CellKind {
    fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::String(_) => Self::Text,
            Value::Number(_) => Self::Number,
            Value::Bool(_) => Self::Bool,
            Value::Array(values) if values.iter().all(Value::is_number) || values.iter().all(Value::is_boolean) => {
                Self::List
            }
            Value::Array(_) | Value::Object(_) => Self::Nested,
        }
    }

    /// The kind of a cell of a row.
    pub(crate) fn in_row(row: &csv::ByteRecord, place: usize) -> Self {
        let kinds = row.get(row.len().saturating_sub(1)).unwrap_or_default();
        match kinds.get(place) {
            Some(b'"') => Self::Text,
            Some(b'#') => Self::Number,
            Some(b'?') => Self::Bool,
            Some(b'[') => Self::List,
            Some(b'{') => Self::Nested,
            _ => Self::Null,
        }
    }

    /// Whether a column can have cells of both kinds.
    fn joins(self, other: Self) -> bool {
        let is_nested = |kind| matches!(kind, Self::List | Self::Nested);
        self == other || is_nested(self) && is_nested(other)
    }
}

impl fmt::Display for CellKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Null => "null",
            Self::Text => "a text",
            Self::Number => "a number",
            Self::Bool => "a boolean",
            Self::List | Self::Nested => "a list or an object",
        })
    }
}

/// The keys and values of an object, and the line that it begins in.
type LocatedPairs = (Vec<(String, Value)>, u64);

/// A reader of rows.
pub(super) struct JsonRows {
    name: String,
    source: BufReader<Box<dyn Read>>,
    /// The object that is being read.
    object: Vec<u8>,
    /// Whether the objects are in a list; none before the first byte.
    is_list: Option<bool>,
    is_done: bool,
    /// Whether the next byte of a list has to be a comma or its end, or an object.
    is_after_object: bool,
    is_after_comma: bool,
    line: u64,
    position: u64,
    /// Places of the columns, and the kind of their first value.
    places: HashMap<String, (usize, CellKind)>,
}

impl JsonRows {
    pub(super) fn new(source: Box<dyn Read>, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            source: BufReader::with_capacity(1 << 16, source),
            object: Vec::new(),
            is_list: None,
            is_done: false,
            is_after_object: false,
            is_after_comma: false,
            line: 1,
            position: 0,
            places: HashMap::new(),
        }
    }

    /// The keys of all objects to come, in the order in which they are first seen.
    pub(super) fn keys(&mut self) -> Result<Vec<String>> {
        let mut columns = Vec::new();
        while let Some((pairs, line)) = self.next_pairs()? {
            self.add_keys(&pairs, line, &mut columns)?;
        }
        Ok(columns)
    }

    /// Adds the keys of an object to the columns.
    pub(super) fn add_keys(&mut self, pairs: &[(String, Value)], line: u64, columns: &mut Vec<String>) -> Result<()> {
        for (key, _) in pairs {
            if self.places.contains_key(key) {
                continue;
            }
            if key.is_empty() || key.contains('\0') {
                return Err(self.wrong(line, format!("a column cannot be called {key:?}")));
            }
            self.places.insert(key.clone(), (columns.len(), CellKind::Null));
            columns.push(key.clone());
        }
        Ok(())
    }

    /// Sets the columns that rows have.
    pub(super) fn set_columns(&mut self, columns: &[String]) {
        self.places = columns.iter().zip(0..).map(|(name, at)| (name.clone(), (at, CellKind::Null))).collect();
    }

    /// Bytes that were read.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// Reads the next row: a cell for each column, and one with their kinds.
    pub(super) fn read(&mut self, row: &mut csv::ByteRecord) -> Result<bool> {
        let Some((pairs, line)) = self.next_pairs()? else { return Ok(false) };
        *row = self.row(&pairs, line)?;
        Ok(true)
    }

    /// The row of an object.
    pub(super) fn row(&mut self, pairs: &[(String, Value)], line: u64) -> Result<csv::ByteRecord> {
        let mut cells: Vec<(CellKind, String)> = vec![(CellKind::Null, String::new()); self.places.len()];
        for (key, value) in pairs {
            let kind = CellKind::of(value);
            let Some((place, first)) = self.places.get_mut(key) else {
                return Err(self.wrong(
                    line,
                    format!(
                        "the key {key:?} is in none of the rows that were read to infer the columns; import from a file"
                    ),
                ));
            };
            let first = *first;
            if kind != CellKind::Null && first != CellKind::Null && !kind.joins(first) {
                return Err(self.wrong(line, format!("column {key:?} has {kind} where earlier rows have {first}")));
            }
            let place = *place;
            if kind != CellKind::Null
                && let Some(known) = self.places.get_mut(key)
            {
                known.1 = kind;
            }
            if let Some(cell) = cells.get_mut(place) {
                let text = match value {
                    Value::Null => String::new(),
                    Value::String(text) => text.clone(),
                    value => value.to_string(),
                };
                *cell = (kind, text);
            }
        }
        let kinds: Vec<u8> = cells.iter().map(|(kind, _)| *kind as u8).collect();
        let mut row = csv::ByteRecord::new();
        cells.iter().for_each(|(_, text)| row.push_field(text.as_bytes()));
        row.push_field(&kinds);
        let mut position = csv::Position::new();
        position.set_line(line);
        row.set_position(Some(position));
        Ok(row)
    }

    /// The keys and values of the next object, and the line that it begins in.
    pub(super) fn next_pairs(&mut self) -> Result<Option<LocatedPairs>> {
        let Some(line) = self.next_object()? else { return Ok(None) };
        let mut parser = serde_json::Deserializer::from_slice(&self.object);
        let pairs = parser.deserialize_map(Pairs);
        pairs.map(|pairs| Some((pairs, line))).map_err(|error| {
            let line = line + (error.line() as u64).saturating_sub(1);
            self.wrong(line, error)
        })
    }

    /// Reads the bytes of the next object; none at the end.
    fn next_object(&mut self) -> Result<Option<u64>> {
        self.object.clear();
        let Some(first) = self.skip_separators()? else { return Ok(None) };
        let line = self.line;
        if first != b'{' {
            return Err(self.wrong(line, "a row must be a JSON object, {\"COLUMN\": VALUE, ...}"));
        }
        // An object ends with the brace that closes it; braces within texts do not count.
        let (mut depth, mut in_text, mut is_escaped) = (0_u64, false, false);
        loop {
            let block = self.source.fill_buf()?;
            if block.is_empty() {
                return Err(self.wrong(line, "the file ends within this object"));
            }
            let mut used = 0;
            let mut is_complete = false;
            for byte in block {
                used += 1;
                self.line += u64::from(*byte == b'\n');
                match byte {
                    _ if is_escaped => is_escaped = false,
                    b'\\' if in_text => is_escaped = true,
                    b'"' => in_text = !in_text,
                    b'{' if !in_text => depth += 1,
                    b'}' if !in_text => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    is_complete = true;
                    break;
                }
            }
            self.object.extend_from_slice(&block[..used]);
            self.source.consume(used);
            self.position += used as u64;
            if is_complete {
                (self.is_after_object, self.is_after_comma) = (self.is_list == Some(true), false);
                return Ok(Some(line));
            }
        }
    }

    /// Skips what is between two objects; returns the next byte.
    fn skip_separators(&mut self) -> Result<Option<u8>> {
        loop {
            let block = self.source.fill_buf()?;
            let Some(&byte) = block.first() else {
                return match self.is_list {
                    Some(true) if !self.is_done => Err(self.wrong(self.line, "the file ends within its list")),
                    _ => Ok(None),
                };
            };
            let mut used = 1;
            match (byte, self.is_list) {
                (0xef, None) if block.starts_with(BYTE_ORDER_MARK) => used = BYTE_ORDER_MARK.len(),
                (b' ' | b'\t' | b'\r' | b'\n', _) => self.line += u64::from(byte == b'\n'),
                (b'[', None) => self.is_list = Some(true),
                (b']', Some(true)) if !self.is_done && !self.is_after_comma => self.is_done = true,
                (b',', Some(true)) if !self.is_done && self.is_after_object => {
                    (self.is_after_object, self.is_after_comma) = (false, true);
                }
                (_, Some(true)) if !self.is_done && self.is_after_object => {
                    return Err(self.wrong(self.line, "the rows of a list have commas between them"));
                }
                _ if self.is_done => return Err(self.wrong(self.line, "there is more after the list")),
                _ => {
                    self.is_list.get_or_insert(false);
                    return Ok(Some(byte));
                }
            }
            self.source.consume(used);
            self.position += used as u64;
        }
    }

    fn wrong(&self, line: u64, what: impl fmt::Display) -> Error {
        Error::failed(format!("{}, line {line}: {what}", self.name))
    }
}

/// The pairs of an object in the order of the file: a map of `serde_json` sorts them.
struct Pairs;

impl<'de> Visitor<'de> for Pairs {
    type Value = Vec<(String, Value)>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Self::Value, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(pairs)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test stops at once")]
    use super::*;

    fn rows(text: &'static str) -> Result<Vec<Vec<String>>> {
        let open = || JsonRows::new(Box::new(text.as_bytes()), "f");
        let columns = open().keys()?;
        let (mut rows, mut all, mut row) = (open(), vec![columns.clone()], csv::ByteRecord::new());
        rows.set_columns(&columns);
        while rows.read(&mut row)? {
            all.push(row.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect());
        }
        Ok(all)
    }

    #[test]
    fn lines_and_lists_have_the_same_rows() {
        let escaped = "x}\\\"";
        for text in [
            "{\"b\": 1, \"a\": \"x}\\\\\\\"\"}\n\n{\"a\": [1, 2]}\n{\"b\": 2.5, \"a\": null}",
            "\u{feff}[{\"b\": 1, \"a\": \"x}\\\\\\\"\"},\n {\"a\": [1, 2]}\n, {\"b\": 2.5,\n \"a\": null}]\n",
        ] {
            // A column has values of one kind only: the list is in a column of its own here.
            let text: &'static str = Box::leak(text.replace("\"a\": [1, 2]", "\"c\": [1, 2]").into_boxed_str());
            let actual = rows(text).unwrap();
            assert_eq!(actual[0], ["b", "a", "c"]);
            assert_eq!(actual[1], ["1", escaped, "", "#\"-"]);
            assert_eq!(actual[2], ["", "", "[1,2]", "--["]);
            assert_eq!(actual[3], ["2.5", "", "", "#--"]);
        }
        assert_eq!(rows("").unwrap(), [Vec::<String>::new()]);
        assert_eq!(rows("[]").unwrap(), [Vec::<String>::new()]);
    }

    #[test]
    fn broken_files_are_rejected_with_the_line() {
        for (text, part) in [
            ("{\"a\": 1}\n{\"a\": }", "line 2"),
            ("{\"a\": 1}\n{\"a\": 1", "line 2: the file ends within"),
            ("[{\"a\": 1}\n", "ends within its list"),
            ("[{\"a\": 1},]", "line 1: a row must be"),
            ("[,{\"a\": 1}]", "line 1: a row must be"),
            ("[{\"a\": 1}{\"a\": 1}]", "commas between them"),
            ("[{\"a\": 1}] 5", "more after the list"),
            ("[1, 2]", "a row must be"),
            ("{\"a\": 1}\n[2]", "line 2: a row must be"),
            ("{\"a\": 1}\n{\"a\": \"1\"}", "line 2: column \"a\" has a text where earlier rows have a number"),
            ("{\"a\": true}\n{\"a\": 1}", "a number where earlier rows have a boolean"),
            ("{\"\": true}", "cannot be called"),
        ] {
            let error = rows(text).err().map_or_else(String::new, |error| error.to_string());
            assert!(error.contains(part), "{text}: {error}");
        }
        let deep: &'static str =
            Box::leak(format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000)).into_boxed_str());
        assert!(rows(deep).is_err());
    }
}
