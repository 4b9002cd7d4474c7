//! Texts and bytes of variable length.

use super::column::Column;
use crate::error::{Error, ErrorKind, Result};
use crate::schema::Enumeration;

/// The texts of a column of a [`Batch`](crate::Batch), which are valid UTF-8.
///
/// The texts of null cells are empty; [`Strings::optional`] tells them apart.
pub struct Strings<'a> {
    column: &'a Column,
    enumeration: Option<Enumeration>,
}

impl<'a> Strings<'a> {
    pub(super) fn new(column: &'a Column, enumeration: Option<Enumeration>) -> Result<Strings<'a>> {
        let strings = Strings { column, enumeration };
        match (0..column.rows).find(|row| strings.checked(*row).is_none()) {
            None => Ok(strings),
            Some(row) => {
                let name = column.field.name();
                Err(Error::new(ErrorKind::Corrupt, format!("Cell {row} of field '{name}' is not valid UTF-8")))
            }
        }
    }

    fn checked(&self, row: usize) -> Option<&str> {
        if self.column.is_null(row) {
            return Some("");
        }
        let cell = self.column.cell(row)?;
        match &self.enumeration {
            Some(enumeration) => enumeration.string(index(self.column, cell)?),
            None => str::from_utf8(cell).ok(),
        }
    }

    /// The number of cells.
    pub fn len(&self) -> usize {
        self.column.rows
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.column.rows == 0
    }

    /// The text of a cell; `None` beyond the last one.
    pub fn get(&self, row: usize) -> Option<&str> {
        if row < self.column.rows { self.checked(row) } else { None }
    }

    /// The texts of all cells.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.column.rows).map(|row| self.checked(row).unwrap_or_default())
    }

    /// The texts of all cells, `None` for null cells.
    pub fn optional(&self) -> impl ExactSizeIterator<Item = Option<&str>> {
        (0..self.column.rows).map(|row| if self.column.is_null(row) { None } else { self.checked(row) })
    }

    /// The texts as a vector.
    pub fn to_vec(&self) -> Vec<String> {
        self.iter().map(str::to_owned).collect()
    }
}

/// The index that a cell of an attribute with an enumeration has.
fn index(column: &Column, cell: &[u8]) -> Option<usize> {
    let value = crate::value::Value::from_bytes(column.field.datatype(), cell);
    value.as_u64().and_then(|index| usize::try_from(index).ok())
}

/// The bytes of each cell of a column of a [`Batch`](crate::Batch).
pub struct Blobs<'a>(pub(super) &'a Column);

impl<'a> Blobs<'a> {
    /// The number of cells.
    pub fn len(&self) -> usize {
        self.0.rows
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.0.rows == 0
    }

    /// The bytes of a cell; `None` beyond the last one.
    pub fn get(&self, row: usize) -> Option<&'a [u8]> {
        self.0.cell(row)
    }

    /// The bytes of all cells.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a [u8]> {
        let column = self.0;
        (0..column.rows).map(|row| column.cell(row).unwrap_or_default())
    }

    /// The bytes of all cells, `None` for null cells.
    pub fn optional(&self) -> impl ExactSizeIterator<Item = Option<&'a [u8]>> {
        let column = self.0;
        (0..column.rows).map(|row| if column.is_null(row) { None } else { column.cell(row) })
    }
}
