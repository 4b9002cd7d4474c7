//! Cells to be written.

use std::borrow::Cow;
use std::sync::Arc;

use crate::datatype::{CellValNum, Datatype};
use crate::element::{Element, check_type};
use crate::error::{Error, Result};
use crate::schema::Field;
use crate::value::Value;
use tiledb_array::array::OpenArray;
use tiledb_array::schema::Enumeration;
use tiledb_query::CellSlices;

/// Cells to be written: a column per field, borrowed where possible.
///
/// [`WriteQuery`](crate::WriteQuery) has the same methods; cells of their own are for [writes in several parts](crate::GlobalWrite).
#[derive(Clone, Default)]
pub struct Cells<'b> {
    columns: Vec<CellColumn<'b>>,
    error: Option<String>,
}

/// The cells of a field.
#[derive(Clone)]
struct CellColumn<'b> {
    name: String,
    check: fn(&Field) -> Result<()>,
    data: Cow<'b, [u8]>,
    /// The starts of cells of variable length in bytes, and the end of the last one.
    starts: Option<Cow<'b, [u64]>>,
    validity: Option<Cow<'b, [u8]>>,
    /// Whether the cells are texts, which an enumeration replaces by indexes.
    are_texts: bool,
}

/// Accepts fields with a fixed number of values.
fn is_fixed<T: Element>(field: &Field) -> Result<()> {
    check_type::<T>(field.name(), field.datatype())?;
    match field.is_var() {
        true => Err(Error::invalid(format!(
            "Field '{}' has any number of values per cell; use `lists`, `strings` or `var`",
            field.name()
        ))),
        false => Ok(()),
    }
}

fn is_var<T: Element>(field: &Field) -> Result<()> {
    check_type::<T>(field.name(), field.datatype())?;
    has_offsets(field)
}

/// Accepts fields with any number of values.
fn has_offsets(field: &Field) -> Result<()> {
    match field.is_var() {
        true => Ok(()),
        false => Err(Error::invalid(format!("Field '{}' has a fixed number of values per cell", field.name()))),
    }
}

fn lacks_offsets(field: &Field) -> Result<()> {
    match field.is_var() {
        true => Err(Error::invalid(format!("Field '{}' has any number of values per cell; add offsets", field.name()))),
        false => Ok(()),
    }
}

fn is_text(field: &Field) -> Result<()> {
    if field.is_var() && field.datatype().engine().is_text() {
        return Ok(());
    }
    let name = field.name();
    let datatype = field.datatype();
    Err(Error::invalid(format!("Field '{name}' has values of datatype {datatype}, not texts in ASCII or UTF-8")))
}

fn is_bytes(field: &Field) -> Result<()> {
    if field.is_var() && field.datatype().size() == 1 {
        return Ok(());
    }
    let name = field.name();
    let datatype = field.datatype();
    Err(Error::invalid(format!("Field '{name}' has values of datatype {datatype}, not bytes of any number")))
}

fn is_bool(field: &Field) -> Result<()> {
    if field.datatype() == Datatype::Bool && !field.is_var() {
        return Ok(());
    }
    let name = field.name();
    let datatype = field.datatype();
    Err(Error::invalid(format!("Field '{name}' has values of datatype {datatype}, not Booleans")))
}

impl<'b> Cells<'b> {
    /// No cells.
    pub fn new() -> Cells<'b> {
        Cells::default()
    }

    /// The values of a field of numbers: one per cell, or of a field with several values per cell all of them.
    #[must_use]
    pub fn values<T: Element>(self, name: impl Into<String>, values: &'b [T]) -> Cells<'b> {
        self.column(name, is_fixed::<T>, Cow::Borrowed(bytemuck::cast_slice(values)), None, None)
    }

    /// The values of a nullable field of numbers, and a byte per cell that is 0 for null and 1 for others.
    #[must_use]
    pub fn nullable<T: Element>(self, name: impl Into<String>, values: &'b [T], validity: &'b [u8]) -> Cells<'b> {
        let data = Cow::Borrowed(bytemuck::cast_slice(values));
        self.column(name, is_fixed::<T>, data, None, Some(Cow::Borrowed(validity)))
    }

    /// The values of a nullable field of numbers, `None` for null; copied.
    #[must_use]
    pub fn optional<T: Element>(self, name: impl Into<String>, values: &[Option<T>]) -> Cells<'b> {
        let data: Vec<T> = values.iter().map(|value| value.unwrap_or_else(bytemuck::Zeroable::zeroed)).collect();
        let validity: Vec<u8> = values.iter().map(|value| value.is_some().into()).collect();
        let data = Cow::Owned(bytemuck::cast_slice(&data).to_vec());
        self.column(name, is_fixed::<T>, data, None, Some(Cow::Owned(validity)))
    }

    /// The values of a field of numbers, which are not borrowed.
    #[cfg(feature = "ndarray")]
    pub(crate) fn owned<T: Element>(self, name: impl Into<String>, values: &[T]) -> Cells<'b> {
        self.column(name, is_fixed::<T>, Cow::Owned(bytemuck::cast_slice(values).to_vec()), None, None)
    }

    /// The values of a field of Booleans.
    #[must_use]
    pub fn bools(self, name: impl Into<String>, values: &'b [bool]) -> Cells<'b> {
        self.column(name, is_bool, Cow::Borrowed(bytemuck::cast_slice(values)), None, None)
    }

    /// The texts of a field in ASCII or UTF-8; copied. Of an attribute whose enumeration has texts these are the texts that the
    /// cells refer to.
    #[must_use]
    pub fn strings<S: AsRef<str>>(self, name: impl Into<String>, values: &[S]) -> Cells<'b> {
        let (data, starts) = joined(values.iter().map(|value| value.as_ref().as_bytes()));
        self.texts(name, data, starts, None)
    }

    /// The texts of a nullable field, `None` for null; copied.
    #[must_use]
    pub fn optional_strings<S: AsRef<str>>(self, name: impl Into<String>, values: &[Option<S>]) -> Cells<'b> {
        let bytes = values.iter().map(|value| value.as_ref().map_or(&b""[..], |value| value.as_ref().as_bytes()));
        let (data, starts) = joined(bytes);
        let validity = values.iter().map(|value| value.is_some().into()).collect();
        self.texts(name, data, starts, Some(validity))
    }

    /// The bytes of each cell of a field of bytes; copied.
    #[must_use]
    pub fn blobs<B: AsRef<[u8]>>(self, name: impl Into<String>, values: &[B]) -> Cells<'b> {
        let (data, starts) = joined(values.iter().map(AsRef::as_ref));
        self.column(name, is_bytes, Cow::Owned(data), Some(Cow::Owned(starts)), None)
    }

    /// The values of each cell of a field with any number of values per cell; copied.
    #[must_use]
    pub fn lists<T: Element, L: AsRef<[T]>>(self, name: impl Into<String>, values: &[L]) -> Cells<'b> {
        let (data, starts) = joined(values.iter().map(|list| bytemuck::cast_slice(list.as_ref())));
        self.column(name, is_var::<T>, Cow::Owned(data), Some(Cow::Owned(starts)), None)
    }

    /// The values of a field with any number of values per cell, and the offsets of the cells in values: one more than there are
    /// cells, the last one is the number of values.
    #[must_use]
    pub fn var<T: Element>(self, name: impl Into<String>, values: &'b [T], offsets: &'b [u64]) -> Cells<'b> {
        self.variable(name, values, offsets, None)
    }

    /// As [`Cells::var`], of a nullable field, with a byte per cell that is 0 for null and 1 for others.
    #[must_use]
    pub fn var_nullable<T: Element>(
        self,
        name: impl Into<String>,
        values: &'b [T],
        offsets: &'b [u64],
        validity: &'b [u8],
    ) -> Cells<'b> {
        self.variable(name, values, offsets, Some(Cow::Borrowed(validity)))
    }

    /// The cells of a field whose datatype is known at run time only: the bytes of all values; of a field with any number of values
    /// per cell the offsets of the cells in bytes, one more than there are cells; of a nullable field a byte per cell that is 0 for
    /// null.
    ///
    /// ```
    /// use tiledb::{Array, ArraySchema, Attribute, Cells, Context, Dimension};
    ///
    /// let ctx = Context::new()?;
    /// let schema = ArraySchema::dense()
    ///     .dimension(Dimension::new("x", 0..=1_i32))
    ///     .attribute(Attribute::string("text").nullable())
    ///     .build()?;
    /// Array::create(&ctx, "mem://untyped", &schema)?;
    /// let cells = Cells::new().untyped("text", b"one", Some(&[0, 3, 3]), Some(&[1, 0]));
    /// Array::open_for_writing(&ctx, "mem://untyped")?.write().cells(cells).submit()?;
    /// let batch = Array::open(&ctx, "mem://untyped")?.read().all()?;
    /// assert_eq!(batch.strings("text")?.optional().collect::<Vec<_>>(), [Some("one"), None]);
    /// assert_eq!(batch.bytes("text")?, b"one");
    /// # Ok::<(), tiledb::Error>(())
    /// ```
    #[must_use]
    pub fn untyped(
        self,
        name: impl Into<String>,
        data: &'b [u8],
        offsets: Option<&'b [u64]>,
        validity: Option<&'b [u8]>,
    ) -> Cells<'b> {
        let check = if offsets.is_some() { has_offsets } else { lacks_offsets };
        self.column(name, check, Cow::Borrowed(data), offsets.map(Cow::Borrowed), validity.map(Cow::Borrowed))
    }

    fn variable<T: Element>(
        mut self,
        name: impl Into<String>,
        values: &'b [T],
        offsets: &'b [u64],
        validity: Option<Cow<'b, [u8]>>,
    ) -> Cells<'b> {
        let name = name.into();
        if offsets.last() != Some(&(values.len() as u64)) {
            let end = offsets.last().map_or("none".to_owned(), u64::to_string);
            let count = values.len();
            self.error.get_or_insert(format!("Field '{name}': the last offset is {end}, but there are {count} values"));
        }
        let size = size_of::<T>() as u64;
        let starts = match size {
            1 => Cow::Borrowed(offsets),
            _ => Cow::Owned(offsets.iter().map(|offset| offset.saturating_mul(size)).collect()),
        };
        let data = Cow::Borrowed(bytemuck::cast_slice(values));
        self.column(name, is_var::<T>, data, Some(starts), validity)
    }

    fn texts(
        mut self,
        name: impl Into<String>,
        data: Vec<u8>,
        starts: Vec<u64>,
        validity: Option<Vec<u8>>,
    ) -> Cells<'b> {
        let starts = Some(Cow::Owned(starts));
        let validity = validity.map(Cow::Owned);
        let name = name.into();
        let data = Cow::Owned(data);
        self.columns.push(CellColumn { name, check: is_text, data, starts, validity, are_texts: true });
        self
    }

    fn column(
        mut self,
        name: impl Into<String>,
        check: fn(&Field) -> Result<()>,
        data: Cow<'b, [u8]>,
        starts: Option<Cow<'b, [u64]>>,
        validity: Option<Cow<'b, [u8]>>,
    ) -> Cells<'b> {
        self.columns.push(CellColumn { name: name.into(), check, data, starts, validity, are_texts: false });
        self
    }

    /// Checks the columns with the schema of an array, and passes them to `write` as the engine takes them.
    pub(super) fn with_slices<R>(
        mut self,
        array: &Arc<OpenArray>,
        write: impl FnOnce(&[CellSlices<'_>]) -> Result<R>,
    ) -> Result<R> {
        if let Some(error) = self.error {
            return Err(Error::invalid(error));
        }
        let schema = array.schema();
        let mut fields = Vec::new();
        for column in &mut self.columns {
            let Some(field) = Field::find(schema, &column.name) else {
                let names: Vec<&str> = schema.fields().iter().map(|field| field.name.as_str()).collect();
                return Err(Error::not_found(format!(
                    "There is no field '{}'; there are: {}",
                    column.name,
                    names.join(", ")
                )));
            };
            match field.enumeration_name().filter(|_| column.are_texts && !field.is_var()) {
                Some(name) => {
                    let enumeration = array.enumeration(name)?;
                    column.data = Cow::Owned(indexes(column, &field, &enumeration)?);
                    column.starts = None;
                }
                None => (column.check)(&field)?,
            }
            fields.push(field);
        }
        // A nullable field whose cells are all valid.
        let counts: Vec<usize> = self.columns.iter().zip(&fields).map(|(column, field)| column.count(field)).collect();
        let all_valid: Vec<u8> = match counts.iter().max() {
            Some(count) if self.columns.iter().zip(&fields).any(|(column, field)| column.lacks_validity(field)) => {
                vec![1; *count]
            }
            _ => Vec::new(),
        };
        let slices: Vec<CellSlices<'_>> = self
            .columns
            .iter()
            .zip(&fields)
            .zip(&counts)
            .map(|((column, field), count)| CellSlices {
                name: &field.name,
                data: &column.data,
                starts: column.starts.as_deref(),
                validity: match column.lacks_validity(field) {
                    true => all_valid.get(..*count),
                    false => column.validity.as_deref(),
                },
            })
            .collect();
        write(&slices)
    }
}

impl CellColumn<'_> {
    fn lacks_validity(&self, field: &Field) -> bool {
        field.is_nullable() && self.validity.is_none()
    }

    /// The number of cells.
    fn count(&self, field: &Field) -> usize {
        match &self.starts {
            Some(starts) => starts.len().saturating_sub(1),
            None => self.data.len() / field.cell_size().max(1),
        }
    }
}

/// Values one after the other, where each starts, and where the last one ends.
fn joined<'v>(values: impl ExactSizeIterator<Item = &'v [u8]>) -> (Vec<u8>, Vec<u64>) {
    let mut data = Vec::new();
    let mut starts = Vec::with_capacity(values.len() + 1);
    for value in values {
        starts.push(data.len() as u64);
        data.extend_from_slice(value);
    }
    starts.push(data.len() as u64);
    (data, starts)
}

/// The indexes of texts in an enumeration, as values of a field.
fn indexes(column: &CellColumn<'_>, field: &Field, enumeration: &Enumeration) -> Result<Vec<u8>> {
    if CellValNum::of_engine(enumeration.cell_val_num()) != CellValNum::Var || !enumeration.datatype().is_text() {
        return Err(Error::invalid(format!("The enumeration of field '{}' has no texts", field.name())));
    }
    let starts = column.starts.as_deref().unwrap_or_default();
    let mut data = Vec::new();
    for (row, ends) in starts.windows(2).enumerate() {
        let is_null = column.validity.as_deref().and_then(|valid| valid.get(row)).is_some_and(|valid| *valid == 0);
        let text = match *ends {
            [start, end] => column.data.get(start as usize..end as usize).unwrap_or_default(),
            _ => &[],
        };
        let index = match enumeration.index_of(text) {
            Some(index) => index,
            None if is_null => 0,
            None => {
                return Err(Error::invalid(format!(
                    "'{}' is not a value of the enumeration '{}' of field '{}'; extend it with a SchemaEvolution",
                    String::from_utf8_lossy(text),
                    enumeration.name().as_str(),
                    field.name()
                )));
            }
        };
        data.extend(Value::from(index as u64).to_bytes(field.datatype())?);
    }
    Ok(data)
}
