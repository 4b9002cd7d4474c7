//! Enumerations.

use std::sync::Arc;

use crate::datatype::{CellValNum, Datatype};
use crate::element::{Element, check_type};
use crate::error::{Error, ErrorKind, Result};
use crate::name::check_text;
use crate::value::Value;
use tiledb_array::schema as engine;

/// An enumeration: a list of values that the cells of an attribute refer to by index, as in a dictionary or a factor.
///
/// ```
/// use tiledb::Enumeration;
///
/// let carriers = Enumeration::strings("carriers", ["AA", "DL", "UA"])?;
/// assert_eq!((carriers.len(), carriers.string(1)), (3, Some("DL")));
/// assert_eq!(carriers.index_of("UA"), Some(2));
/// # Ok::<(), tiledb::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Enumeration(pub(crate) Arc<engine::Enumeration>);

impl Enumeration {
    /// An enumeration of UTF-8 texts.
    ///
    /// # Errors
    /// If the name is empty or a value occurs twice.
    pub fn strings<S: AsRef<str>>(name: &str, values: impl IntoIterator<Item = S>) -> Result<Enumeration> {
        Enumeration::texts(name, values, false)
    }

    /// An enumeration of UTF-8 texts whose order has a meaning: conditions compare cells by `<` and `>`.
    ///
    /// # Errors
    /// If the name is empty or a value occurs twice.
    pub fn ordered_strings<S: AsRef<str>>(name: &str, values: impl IntoIterator<Item = S>) -> Result<Enumeration> {
        Enumeration::texts(name, values, true)
    }

    fn texts<S: AsRef<str>>(name: &str, values: impl IntoIterator<Item = S>, is_ordered: bool) -> Result<Enumeration> {
        check_text(name)?;
        let (data, offsets) = joined(values);
        let datatype = Datatype::StringUtf8.engine();
        let number = CellValNum::Var.number();
        of_parts(engine::Enumeration::new(name, datatype, number, is_ordered, &data, Some(&offsets)))
    }

    /// An enumeration of numbers.
    ///
    /// # Errors
    /// If the name is empty or a value occurs twice.
    pub fn numbers<T: Element>(name: &str, values: &[T]) -> Result<Enumeration> {
        check_text(name)?;
        let data = bytemuck::cast_slice(values);
        of_parts(engine::Enumeration::new(name, T::DATATYPE.engine(), 1, false, data, None))
    }

    /// An enumeration of a datatype that is known at run time only: the bytes of all values, and where each starts in them if they
    /// have any number of elements.
    ///
    /// ```
    /// use tiledb::{CellValNum, Datatype, Enumeration, Value};
    ///
    /// let carriers =
    ///     Enumeration::from_bytes("carriers", Datatype::StringUtf8, CellValNum::Var, false, b"AADLUA", Some(&[0, 2, 4]))?;
    /// assert_eq!((carriers.value(2), carriers.bytes(1)), (Some(Value::from("UA")), Some(&b"DL"[..])));
    /// # Ok::<(), tiledb::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the name is empty, the bytes are not a number of whole values, or a value occurs twice.
    pub fn from_bytes(
        name: &str,
        datatype: Datatype,
        cell_val_num: CellValNum,
        is_ordered: bool,
        data: &[u8],
        offsets: Option<&[u64]>,
    ) -> Result<Enumeration> {
        check_text(name)?;
        of_parts(engine::Enumeration::new(name, datatype.engine(), cell_val_num.number(), is_ordered, data, offsets))
    }

    /// An enumeration with these values appended; see [`Enumeration::from_bytes`].
    ///
    /// # Errors
    /// If the bytes are not a number of whole values, or a value occurs twice.
    pub fn extend_bytes(&self, data: &[u8], offsets: Option<&[u64]>) -> Result<Enumeration> {
        of_parts(self.0.extend(data, offsets))
    }

    /// An enumeration with these texts appended, for
    /// [`SchemaEvolution::extend_enumeration`](crate::SchemaEvolution::extend_enumeration).
    ///
    /// # Errors
    /// If the values are not texts, or one occurs twice.
    pub fn extend<S: AsRef<str>>(&self, values: impl IntoIterator<Item = S>) -> Result<Enumeration> {
        let (data, offsets) = joined(values);
        of_parts(self.0.extend(&data, Some(&offsets)))
    }

    /// An enumeration with these numbers appended.
    ///
    /// # Errors
    /// If the values have another type, or one occurs twice.
    pub fn extend_numbers<T: Element>(&self, values: &[T]) -> Result<Enumeration> {
        check_type::<T>(self.name(), self.datatype())?;
        of_parts(self.0.extend(bytemuck::cast_slice(values), None))
    }

    /// The name.
    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// The datatype of the values.
    pub fn datatype(&self) -> Datatype {
        Datatype::of_engine(self.0.datatype())
    }

    /// Whether the order of the values has a meaning.
    pub fn is_ordered(&self) -> bool {
        self.0.ordered()
    }

    /// The number of elements of a value.
    pub fn cell_val_num(&self) -> CellValNum {
        CellValNum::of_engine(self.0.cell_val_num())
    }

    /// The bytes of the value at an index.
    pub fn bytes(&self, index: usize) -> Option<&[u8]> {
        self.0.value(index)
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.0.len() == 0
    }

    /// The value at an index.
    pub fn value(&self, index: usize) -> Option<Value> {
        self.0.value(index).map(|bytes| Value::from_bytes(self.datatype(), bytes))
    }

    /// The text at an index, if the values are ASCII or UTF-8 texts.
    pub fn string(&self, index: usize) -> Option<&str> {
        self.0.value(index).filter(|_| self.datatype().engine().is_text()).and_then(|text| str::from_utf8(text).ok())
    }

    /// The values in the order of their indexes.
    pub fn values(&self) -> impl Iterator<Item = Value> {
        (0..self.len()).filter_map(|index| self.value(index))
    }

    /// The index of a value.
    pub fn index_of(&self, value: impl Into<Value>) -> Option<usize> {
        value.into().to_bytes(self.datatype()).ok().and_then(|bytes| self.0.index_of(&bytes))
    }
}

/// Texts one after the other, and where each starts.
fn joined<S: AsRef<str>>(values: impl IntoIterator<Item = S>) -> (Vec<u8>, Vec<u64>) {
    let (mut data, mut offsets) = (Vec::new(), Vec::new());
    for value in values {
        offsets.push(data.len() as u64);
        data.extend_from_slice(value.as_ref().as_bytes());
    }
    (data, offsets)
}

fn of_parts(parts: Result<engine::Enumeration, tiledb_core::error::Error>) -> Result<Enumeration> {
    match parts {
        Ok(enumeration) => Ok(Enumeration(Arc::new(enumeration))),
        Err(error) => Err(Error::from(error).refined(ErrorKind::Schema)),
    }
}
