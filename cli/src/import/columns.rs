//! Conversion of columns of text to cells of an array.

use std::collections::HashMap;
use std::io::Write;

use tiledb::Datatype;

use crate::model::{DatatypeExt, DatatypeKind, Error, Field, Result, Value, WriteBuffers};

use super::csv_file::CsvFormat;

/// The columns of a file that go into fields of an array.
pub struct ImportColumns {
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
    /// The numbers of an enumeration's values.
    numbers: Option<HashMap<Vec<u8>, u64>>,
}

impl ImportColumns {
    /// Finds the columns of fields among these.
    pub fn new(fields: &[Field], names: &[String]) -> Result<Self> {
        let places: HashMap<&str, usize> = names.iter().zip(0..).map(|(name, at)| (name.as_str(), at)).collect();
        let column = |field: &Field| {
            let place = places.get(field.name.as_str()).copied();
            let place = place.ok_or_else(|| Error::failed(format!("there is no column {:?}", field.name)))?;
            if field.values != 1
                && !(field.is_var() && matches!(field.datatype.kind(), DatatypeKind::Text(_) | DatatypeKind::Bytes))
            {
                let name = &field.name;
                return Err(Error::failed(format!(
                    "cells of {name:?} have several values, a CSV file has one in each"
                )));
            }
            let numbers = field.enumeration.as_ref().map(|enumeration| {
                let values = enumeration.values.iter().zip(0..);
                values.map(|(value, number)| (value.to_string().into_bytes(), number)).collect()
            });
            Ok(Column { place, name: field.name.clone(), datatype: field.datatype, numbers })
        };
        let columns = fields.iter().map(column).collect::<Result<_>>()?;
        Ok(Self { cells: fields.iter().cloned().map(WriteBuffers::new).collect(), columns, rows: 0 })
    }

    /// Number of buffered rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Bytes of memory that they take.
    pub fn bytes(&self) -> usize {
        self.cells.iter().map(WriteBuffers::bytes).sum()
    }

    /// Lets go of all rows.
    pub fn clear(&mut self) {
        self.cells.iter_mut().for_each(WriteBuffers::clear);
        self.rows = 0;
    }

    /// Takes a row.
    pub fn push(&mut self, row: &csv::ByteRecord, line: u64, form: &CsvFormat) -> Result<()> {
        for (cells, column) in self.cells.iter_mut().zip(&self.columns) {
            let cell = row.get(column.place).unwrap_or_default();
            let is_null = form.is_null(cell) && (cells.field.is_nullable || !cells.field.is_var());
            column
                .put(if is_null { None } else { Some(cell) }, cells)
                .map_err(|what| Error::failed(format!("line {line}, column {:?}: {what}", column.name)))?;
        }
        self.rows += 1;
        Ok(())
    }
}

impl Column {
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
                cells.data.resize(cells.data.len() + self.datatype.size(), 0);
            }
            return Ok(());
        };
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
