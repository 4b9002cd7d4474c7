//! Batches of results.

use std::fmt;
use std::sync::Arc;

use super::column::Column;
use super::lists::Lists;
use super::strings::{Blobs, Strings};
use crate::datatype::CellValNum;
use crate::element::{Element, check_type};
use crate::error::{Error, Result};
use crate::schema::{Enumeration, Field, FieldKind};
use crate::value::Value;
use tiledb_array::array::OpenArray;

/// Results of a read: cells, as one column per field.
///
/// Columns are slices of the memory that the read filled; nothing is copied.
///
/// ```
/// # use tiledb::{Array, ArraySchema, Attribute, Context, Dimension};
/// # let ctx = Context::new()?;
/// # let schema = ArraySchema::sparse()
/// #     .dimension(Dimension::new("id", 0..=99_i64))
/// #     .attribute(Attribute::new::<f64>("delay").nullable())
/// #     .attribute(Attribute::string("origin"))
/// #     .build()?;
/// # Array::create(&ctx, "mem://batch", &schema)?;
/// # Array::open_for_writing(&ctx, "mem://batch")?
/// #     .write()
/// #     .values("id", &[1_i64, 2])
/// #     .optional("delay", &[Some(61.5), None])
/// #     .strings("origin", &["JFK", "EWR"])
/// #     .submit()?;
/// let batch = Array::open(&ctx, "mem://batch")?.read().all()?;
/// assert_eq!(batch.values::<i64>("id")?, [1, 2]);
/// assert_eq!(batch.optional::<f64>("delay")?.collect::<Vec<_>>(), [Some(61.5), None]);
/// assert_eq!(batch.strings("origin")?.iter().collect::<Vec<_>>(), ["JFK", "EWR"]);
/// # Ok::<(), tiledb::Error>(())
/// ```
pub struct Batch {
    pub(super) columns: Vec<Column>,
    array: Arc<OpenArray>,
}

impl Batch {
    pub(super) fn new(array: &Arc<OpenArray>, columns: Vec<Column>) -> Batch {
        Batch { columns, array: Arc::clone(array) }
    }

    /// The number of cells. Columns of dimension labels have as many values as there are coordinates of their dimension instead.
    pub fn len(&self) -> usize {
        let cells = self.columns.iter().find(|column| column.field.kind() != FieldKind::Label);
        cells.or(self.columns.first()).map_or(0, |column| column.rows)
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The fields, in the order of the columns.
    pub fn fields(&self) -> impl ExactSizeIterator<Item = &Field> {
        self.columns.iter().map(|column| &column.field)
    }

    /// The field of a name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields().find(|field| field.name() == name)
    }

    fn column(&self, name: &str) -> Result<&Column> {
        self.columns.iter().find(|column| column.field.name() == name).ok_or_else(|| {
            let names: Vec<&str> = self.fields().map(Field::name).collect();
            Error::not_found(format!("The results have no field '{name}'; they have: {}", names.join(", ")))
        })
    }

    fn typed<T: Element>(&self, name: &str) -> Result<&Column> {
        let column = self.column(name)?;
        check_type::<T>(name, column.field.datatype())?;
        Ok(column)
    }

    /// The values of a field of numbers, one per cell; of a field with a fixed number of values per cell, all of them. Null cells
    /// have the fill value ([`Batch::optional`] tells them apart).
    ///
    /// # Errors
    /// If there is no such field, or it has values of another type.
    pub fn values<T: Element>(&self, name: &str) -> Result<&[T]> {
        let column = self.typed::<T>(name)?;
        if column.field.is_var() {
            return Err(Error::invalid(format!(
                "Field '{name}' has any number of values per cell; use `lists`, `strings` or `blobs`"
            )));
        }
        bytemuck::try_cast_slice(column.data())
            .map_err(|error| Error::invalid(format!("Field '{name}' is not readable as a slice: {error}")))
    }

    /// The values of a nullable field of numbers, `None` for null cells.
    ///
    /// # Errors
    /// If there is no such field, or it has values of another type or several per cell.
    pub fn optional<T: Element>(&self, name: &str) -> Result<impl ExactSizeIterator<Item = Option<T>>> {
        let column = self.typed::<T>(name)?;
        if column.field.cell_val_num() != CellValNum::Fixed(1) {
            return Err(Error::invalid(format!("Field '{name}' has several values per cell; use `lists`")));
        }
        let values: &[T] = self.values(name)?;
        Ok(values.iter().enumerate().map(|(row, value)| if column.is_null(row) { None } else { Some(*value) }))
    }

    /// The values of a field of Booleans.
    ///
    /// # Errors
    /// If there is no such field, or it has values of another type.
    pub fn bools(&self, name: &str) -> Result<impl ExactSizeIterator<Item = bool>> {
        Ok(self.values::<u8>(name)?.iter().map(|value| *value != 0))
    }

    /// The texts of a field in ASCII or UTF-8; of an attribute whose enumeration has texts, those that its cells refer to.
    ///
    /// # Errors
    /// If there is no such field, it has no texts, or a text is not valid UTF-8.
    pub fn strings(&self, name: &str) -> Result<Strings<'_>> {
        let column = self.column(name)?;
        let enumeration = self.enumeration(name)?;
        let datatype = enumeration.as_ref().map_or(column.field.datatype(), Enumeration::datatype);
        if !datatype.engine().is_text() {
            return Err(Error::invalid(format!("Field '{name}' has values of datatype {datatype}, not texts")));
        }
        Strings::new(column, enumeration)
    }

    /// The bytes of each cell of a field.
    ///
    /// # Errors
    /// If there is no such field.
    pub fn blobs(&self, name: &str) -> Result<Blobs<'_>> {
        Ok(Blobs(self.column(name)?))
    }

    /// The bytes of all cells of a field, one after the other.
    ///
    /// # Errors
    /// If there is no such field.
    pub fn bytes(&self, name: &str) -> Result<&[u8]> {
        Ok(self.column(name)?.data())
    }

    /// The values of each cell of a field with several values per cell.
    ///
    /// # Errors
    /// If there is no such field, or it has values of another type.
    pub fn lists<T: Element>(&self, name: &str) -> Result<Lists<'_, T>> {
        Ok(Lists::new(self.typed::<T>(name)?))
    }

    /// The offsets in bytes of the cells of a field with any number of values per cell, and the end of the last one; `None` for
    /// other fields.
    ///
    /// # Errors
    /// If there is no such field.
    pub fn offsets(&self, name: &str) -> Result<Option<&[u64]>> {
        Ok(self.column(name)?.offsets())
    }

    /// A byte per cell of a nullable field, 0 for null and 1 for others; `None` for fields that are not nullable.
    ///
    /// # Errors
    /// If there is no such field.
    pub fn validity(&self, name: &str) -> Result<Option<&[u8]>> {
        Ok(self.column(name)?.validity())
    }

    /// The enumeration of a field, if it has one.
    ///
    /// # Errors
    /// If there is no such field, or the enumeration cannot be read.
    pub fn enumeration(&self, name: &str) -> Result<Option<Enumeration>> {
        match self.column(name)?.field.enumeration_name() {
            Some(name) => Ok(Some(Enumeration(self.array.enumeration(name)?))),
            None => Ok(None),
        }
    }

    /// A cell of a field whose type is known at run time only; `None` for null.
    ///
    /// # Errors
    /// If there is no such field or cell.
    pub fn value(&self, name: &str, row: usize) -> Result<Option<Value>> {
        let column = self.column(name)?;
        if column.is_null(row) {
            return Ok(None);
        }
        let cell = column.cell(row).ok_or_else(|| Error::invalid(format!("There is no cell {row} of '{name}'")))?;
        let is_whole = column.field.datatype().is_string() || column.field.datatype().engine().is_opaque();
        Ok(Some(match column.field.cell_val_num() {
            CellValNum::Fixed(1) => Value::from_bytes(column.field.datatype(), cell),
            _ if is_whole => Value::from_bytes(column.field.datatype(), cell),
            _ => Value::Bytes(cell.to_vec()),
        }))
    }

    /// The cells of several batches with the same fields, one after the other.
    pub(super) fn concatenated(batches: Vec<Batch>) -> Result<Option<Batch>> {
        let Some(first) = batches.first() else { return Ok(None) };
        let array = Arc::clone(&first.array);
        let mut columns: Vec<Vec<Column>> = first.columns.iter().map(|_| Vec::new()).collect();
        for batch in batches {
            for (parts, column) in columns.iter_mut().zip(batch.columns) {
                parts.push(column);
            }
        }
        let columns = columns.into_iter().map(Column::concatenated).collect::<Result<_>>()?;
        Ok(Some(Batch { columns, array }))
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.fields().map(Field::name).collect();
        f.debug_struct("Batch").field("len", &self.len()).field("fields", &names).finish()
    }
}
