//! Conversion of rows of text or JSON to cells of an array.

use std::collections::HashMap;
use std::io::Write;

use tiledb::Datatype;

use crate::model::{DatatypeExt, DatatypeKind, Error, Field, Result, Value, WriteBuffers};

use super::json_rows::CellKind;
use super::row_file::RowFormat;

/// The columns of a file that go into fields of an array.
pub(super) struct ImportColumns {
    pub cells: Vec<WriteBuffers>,
    columns: Vec<Column>,
    rows: u64,
}

/// Where a field's cells come from.
struct Column {
    /// The place in a row.
    place: usize,
    name: String,
    datatype: Datatype,
    /// Whether cells have several values, which JSON files have as lists.
    is_list: bool,
    /// The numbers of an enumeration's values.
    numbers: Option<HashMap<Vec<u8>, u64>>,
}

impl ImportColumns {
    /// Finds the columns of fields among these.
    pub(super) fn new(fields: &[Field], names: &[String], form: &RowFormat) -> Result<Self> {
        let places: HashMap<&str, usize> = names.iter().zip(0..).map(|(name, at)| (name.as_str(), at)).collect();
        let column = |field: &Field| {
            let place = places.get(field.name.as_str()).copied();
            let place = place.ok_or_else(|| Error::failed(format!("there is no column {:?}", field.name)))?;
            let is_text =
                field.is_var() && matches!(field.datatype.kind(), DatatypeKind::Text(_) | DatatypeKind::Bytes);
            if field.values != 1 && !is_text && !form.is_json {
                let name = &field.name;
                return Err(Error::failed(format!(
                    "cells of {name:?} have several values, a CSV file has one in each"
                )));
            }
            let numbers = field.enumeration.as_ref().map(|enumeration| {
                let values = enumeration.values.iter().zip(0..);
                values.map(|(value, number)| (value.to_string().into_bytes(), number)).collect()
            });
            let is_list = field.values != 1 && !is_text;
            Ok(Column { place, name: field.name.clone(), datatype: field.datatype, is_list, numbers })
        };
        let columns = fields.iter().map(column).collect::<Result<_>>()?;
        Ok(Self { cells: fields.iter().cloned().map(WriteBuffers::new).collect(), columns, rows: 0 })
    }

    /// Number of buffered rows.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// Bytes of memory that they take.
    pub(super) fn bytes(&self) -> usize {
        self.cells.iter().map(WriteBuffers::bytes).sum()
    }

    /// Lets go of all rows.
    pub(super) fn clear(&mut self) {
        self.cells.iter_mut().for_each(WriteBuffers::clear);
        self.rows = 0;
    }

    /// Takes a row.
    pub(super) fn push(&mut self, row: &csv::ByteRecord, line: u64, form: &RowFormat) -> Result<()> {
        for (cells, column) in self.cells.iter_mut().zip(&self.columns) {
            let cell = row.get(column.place).unwrap_or_default();
            let is_null = form.is_null(row, column.place) && (cells.field.is_nullable || !cells.field.is_var());
            if form.is_json && !is_null {
                column
                    .check(cell, CellKind::in_row(row, column.place))
                    .map_err(|what| Error::failed(format!("line {line}, column {:?}: {what}", column.name)))?;
            }
            column
                .put(if is_null { None } else { Some(cell) }, cells)
                .map_err(|what| Error::failed(format!("line {line}, column {:?}: {what}", column.name)))?;
        }
        self.rows += 1;
        Ok(())
    }
}

impl Column {
    /// Checks that a value of a JSON file has the type of its field: no text becomes a number, and no number a text.
    fn check(&self, cell: &[u8], kind: CellKind) -> std::result::Result<(), String> {
        let is_number = match self.datatype.kind() {
            // Infinite numbers are texts in JSON.
            DatatypeKind::Real(_) => {
                !std::str::from_utf8(cell).is_ok_and(|text| text.parse::<f64>().is_ok_and(|number| !number.is_finite()))
            }
            DatatypeKind::Signed(_) | DatatypeKind::Unsigned(_) => self.datatype.unit().is_none(),
            _ => false,
        };
        let is_wrong = match kind {
            _ if self.is_list => !matches!(kind, CellKind::List | CellKind::Nested),
            CellKind::Text => is_number && self.numbers.is_none(),
            CellKind::Number => matches!(self.datatype.kind(), DatatypeKind::Text(_)) && self.numbers.is_none(),
            _ => false,
        };
        let expected =
            if self.is_list { "a list".to_owned() } else { format!("a value of datatype {}", self.datatype) };
        if is_wrong { Err(format!("there is {kind}, and not {expected}")) } else { Ok(()) }
    }

    /// Appends the values of a list; returns an error message if one is invalid.
    fn put_list(&self, cell: &[u8], cells: &mut WriteBuffers) -> std::result::Result<(), String> {
        let values: Vec<serde_json::Value> = serde_json::from_slice(cell).map_err(|error| error.to_string())?;
        if !cells.field.is_var() && values.len() as u64 != u64::from(cells.field.values) {
            return Err(format!("the list has {} values, and not {}", values.len(), cells.field.values));
        }
        for value in values {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            if !put(&text, self.datatype, &mut cells.data) {
                return Err(format!("{text:?} is no value of datatype {}", self.datatype));
            }
        }
        Ok(())
    }

    /// Appends a cell; returns an error message if it is invalid.
    fn put(&self, cell: Option<&[u8]>, cells: &mut WriteBuffers) -> std::result::Result<(), String> {
        if cells.field.is_var() {
            cells.offsets.push(cells.data.len() as u64);
        }
        if cells.field.is_nullable {
            cells.validity.push(u8::from(cell.is_some()));
        }
        let Some(cell) = cell else {
            if !cells.field.is_nullable {
                return Err("there is no value, and the field takes no nulls".to_owned());
            }
            if !cells.field.is_var() {
                let values = if self.is_list { cells.field.values as usize } else { 1 };
                cells.data.resize(cells.data.len() + self.datatype.size() * values, 0);
            }
            return Ok(());
        };
        if self.is_list {
            return self.put_list(cell, cells);
        }
        let number = match &self.numbers {
            Some(numbers) => Some(*numbers.get(cell).ok_or_else(|| {
                format!(
                    "{:?} is not among the values of the enumeration; extend it first",
                    String::from_utf8_lossy(cell)
                )
            })?),
            None => None,
        };
        let is_put = match (number, self.datatype.kind()) {
            (Some(number), _) => put_number(number.into(), self.datatype, &mut cells.data),
            (None, DatatypeKind::Text(1))
                if self.datatype == Datatype::StringUtf8 && std::str::from_utf8(cell).is_err() =>
            {
                false
            }
            (None, DatatypeKind::Text(1)) => cells.data.write_all(cell).is_ok(),
            (None, DatatypeKind::Bytes) if !cell.starts_with(b"0x") => cells.data.write_all(cell).is_ok(),
            _ => std::str::from_utf8(cell).is_ok_and(|text| put(text, self.datatype, &mut cells.data)),
        };
        let text = || format!("{:?} is no value of datatype {}", String::from_utf8_lossy(cell), self.datatype);
        if is_put { Ok(()) } else { Err(text()) }
    }
}

/// Appends a value from text; false if it does not parse.
fn put(text: &str, datatype: Datatype, data: &mut Vec<u8>) -> bool {
    match datatype.kind() {
        DatatypeKind::Signed(_) if datatype.unit().is_none() => {
            text.parse::<i64>().is_ok_and(|number| put_number(number.into(), datatype, data))
        }
        DatatypeKind::Unsigned(_) => text.parse::<u64>().is_ok_and(|number| put_number(number.into(), datatype, data)),
        DatatypeKind::Real(8) => text.parse::<f64>().map(|number| data.extend(number.to_le_bytes())).is_ok(),
        _ => Value::parse(datatype, text).map(|bytes| data.extend(bytes)).is_ok(),
    }
}

/// Appends an integer; false if it is out of range.
fn put_number(number: i128, datatype: Datatype, data: &mut Vec<u8>) -> bool {
    let size = datatype.size();
    let bits = 8 * size as u32;
    let (low, high) = match datatype.kind() {
        DatatypeKind::Signed(_) => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
        _ => (0, (1_i128 << bits) - 1),
    };
    let fits = (low..=high).contains(&number);
    if fits {
        data.extend(&number.to_le_bytes()[..size]);
    }
    fits
}
