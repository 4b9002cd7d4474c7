//! Attributes.

use super::filter::{Filter, FilterList};
use crate::datatype::{CellValNum, Datatype};
use crate::element::AttributeType;
use crate::error::{Error, ErrorKind, Result};
use crate::name::check_text;
use crate::value::Value;
use tiledb_array::schema as engine;

/// An attribute: a named, typed value that every cell of an array has.
///
/// ```
/// use tiledb::{Attribute, Datatype, Filter};
///
/// let delay = Attribute::new::<f64>("delay").nullable().filter(Filter::zstd(5));
/// let origin = Attribute::string("origin");
/// let rgb = Attribute::new::<u8>("rgb").values_per_cell(3).fill_value(255_u8);
/// let departure = Attribute::with_datatype("departure", Datatype::DatetimeMs);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    name: String,
    datatype: Datatype,
    cell_val_num: CellValNum,
    nullable: bool,
    filters: FilterList,
    enumeration: Option<String>,
    fill: Option<FillValue>,
}

/// The value that cells have which were not written.
#[derive(Clone, Debug, PartialEq)]
enum FillValue {
    /// One value, which is repeated if cells have several.
    Value(Value),
    /// All bytes of a cell.
    Bytes(Vec<u8>),
    /// Null, and the bytes of the cell if they are not the default.
    Null(Option<Vec<u8>>),
}

impl Attribute {
    /// An attribute for a Rust type: a number, `bool`, or `String` for UTF-8 texts.
    pub fn new<T: AttributeType>(name: impl Into<String>) -> Attribute {
        Attribute { cell_val_num: T::CELL_VAL_NUM, ..Attribute::with_datatype(name, T::DATATYPE) }
    }

    /// An attribute of a datatype that is known at run time, or that no Rust type stands for, such as dates. Texts and bytes have
    /// any number of values per cell, others one.
    pub fn with_datatype(name: impl Into<String>, datatype: Datatype) -> Attribute {
        let is_var = datatype.is_string() || datatype.engine().is_opaque();
        Attribute {
            name: name.into(),
            datatype,
            cell_val_num: if is_var { CellValNum::Var } else { CellValNum::Fixed(1) },
            nullable: false,
            filters: FilterList::new(),
            enumeration: None,
            fill: None,
        }
    }

    /// An attribute of UTF-8 texts.
    pub fn string(name: impl Into<String>) -> Attribute {
        Attribute::new::<String>(name)
    }

    /// An attribute of ASCII texts.
    pub fn ascii(name: impl Into<String>) -> Attribute {
        Attribute::with_datatype(name, Datatype::StringAscii)
    }

    /// An attribute of bytes, any number per cell.
    pub fn bytes(name: impl Into<String>) -> Attribute {
        Attribute::with_datatype(name, Datatype::Blob)
    }

    /// Makes cells nullable.
    #[must_use]
    pub fn nullable(mut self) -> Attribute {
        self.nullable = true;
        self
    }

    /// Sets the number of values per cell.
    #[must_use]
    pub fn values_per_cell(mut self, number: u32) -> Attribute {
        self.cell_val_num = CellValNum::Fixed(number);
        self
    }

    /// Lets each cell have any number of values.
    #[must_use]
    pub fn variable(mut self) -> Attribute {
        self.cell_val_num = CellValNum::Var;
        self
    }

    /// Appends a filter.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> Attribute {
        self.filters = self.filters.with(filter);
        self
    }

    /// Sets the filters.
    #[must_use]
    pub fn filters(mut self, filters: impl Into<FilterList>) -> Attribute {
        self.filters = filters.into();
        self
    }

    /// Sets the enumeration whose values the cells refer to by index. The schema must have it
    /// ([`ArraySchemaBuilder::enumeration`](crate::ArraySchemaBuilder::enumeration)), and the attribute an integer datatype.
    #[must_use]
    pub fn enumeration(mut self, name: impl Into<String>) -> Attribute {
        self.enumeration = Some(name.into());
        self
    }

    /// Sets the value that cells have which were not written. If a cell has several values, each has this one.
    #[must_use]
    pub fn fill_value(mut self, value: impl Into<Value>) -> Attribute {
        self.fill = Some(FillValue::Value(value.into()));
        self
    }

    /// Makes cells nullable, and cells that were not written null.
    #[must_use]
    pub fn fill_null(mut self) -> Attribute {
        self.nullable = true;
        self.fill = Some(FillValue::Null(None));
        self
    }

    /// Sets all bytes of the cells that were not written, as [`Attribute::fill`] returns them.
    #[must_use]
    pub fn fill_bytes(mut self, bytes: impl Into<Vec<u8>>) -> Attribute {
        self.fill = Some(FillValue::Bytes(bytes.into()));
        self
    }

    /// Makes cells nullable, and cells that were not written null, with these bytes.
    #[must_use]
    pub fn fill_null_bytes(mut self, bytes: impl Into<Vec<u8>>) -> Attribute {
        self.nullable = true;
        self.fill = Some(FillValue::Null(Some(bytes.into())));
        self
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The datatype of the values.
    pub fn datatype(&self) -> Datatype {
        self.datatype
    }

    /// The number of values per cell.
    pub fn cell_val_num(&self) -> CellValNum {
        self.cell_val_num
    }

    /// Whether cells may be null.
    pub fn is_nullable(&self) -> bool {
        self.nullable
    }

    /// The filters.
    pub fn filter_list(&self) -> &FilterList {
        &self.filters
    }

    /// The name of the enumeration whose values the cells refer to.
    pub fn enumeration_name(&self) -> Option<&str> {
        self.enumeration.as_deref()
    }

    /// The bytes of the value that cells have which were not written, and whether it is not null; none for the default of the
    /// datatype that has not been looked up.
    pub fn fill(&self) -> Option<(&[u8], bool)> {
        match &self.fill {
            Some(FillValue::Bytes(bytes)) => Some((bytes, true)),
            Some(FillValue::Null(bytes)) => Some((bytes.as_deref().unwrap_or_default(), false)),
            Some(FillValue::Value(_)) | None => None,
        }
    }

    /// Whether cells that were not written have the default value of the datatype.
    ///
    /// ```
    /// use tiledb::Attribute;
    ///
    /// assert!(Attribute::new::<f64>("delay").has_default_fill());
    /// assert!(!Attribute::new::<f64>("delay").fill_value(0.0).has_default_fill());
    /// ```
    pub fn has_default_fill(&self) -> bool {
        let default = || default_fill(self.datatype, self.cell_val_num);
        match &self.fill {
            None => true,
            Some(FillValue::Bytes(bytes)) => !self.nullable && *bytes == default(),
            Some(FillValue::Null(bytes)) => bytes.as_ref().is_none_or(|bytes| *bytes == default()),
            Some(FillValue::Value(value)) => {
                !self.nullable && value.to_bytes(self.datatype).is_ok_and(|bytes| bytes == default())
            }
        }
    }

    pub(super) fn engine(&self) -> Result<engine::Attribute> {
        self.build().map_err(|error| {
            let message = format!("Attribute '{}': {}", self.name, error.message());
            Error::new(error.kind(), message).refined(ErrorKind::Schema)
        })
    }

    fn build(&self) -> Result<engine::Attribute> {
        check_text(&self.name)?;
        let mut attribute = engine::Attribute::new(&self.name, self.datatype.engine());
        attribute.set_cell_val_num(self.cell_val_num.number())?;
        attribute.set_nullable(self.nullable);
        attribute.set_filters(self.filters.engine())?;
        if let Some(name) = &self.enumeration {
            attribute.set_enumeration(name)?;
        }
        let bytes = match &self.fill {
            None => return Ok(attribute),
            Some(FillValue::Null(bytes)) => {
                let bytes = bytes.clone().unwrap_or_else(|| attribute.fill().0.to_vec());
                attribute.set_fill_nullable(Some(&bytes), false)?;
                return Ok(attribute);
            }
            Some(FillValue::Bytes(bytes)) => bytes.clone(),
            Some(FillValue::Value(value)) => {
                let one = value.to_bytes(self.datatype)?;
                match self.cell_val_num {
                    CellValNum::Fixed(number) if !self.datatype.is_string() => one.repeat(number as usize),
                    _ => one,
                }
            }
        };
        match self.nullable {
            true => attribute.set_fill_nullable(Some(&bytes), true)?,
            false => attribute.set_fill(Some(&bytes))?,
        }
        Ok(attribute)
    }

    pub(super) fn of_engine(attribute: &engine::Attribute) -> Attribute {
        let (fill, is_valid) = attribute.fill();
        Attribute {
            name: attribute.name().to_string(),
            datatype: Datatype::of_engine(attribute.datatype()),
            cell_val_num: CellValNum::of_engine(attribute.cell_val_num()),
            nullable: attribute.nullable(),
            filters: FilterList::of_engine(attribute.filters()),
            enumeration: attribute.enumeration().map(|name| name.to_string()),
            fill: Some(if is_valid || !attribute.nullable() {
                FillValue::Bytes(fill.to_vec())
            } else {
                FillValue::Null(Some(fill.to_vec()))
            }),
        }
    }
}

/// The bytes of the cells that were not written, unless they are set.
fn default_fill(datatype: Datatype, cell_val_num: CellValNum) -> Vec<u8> {
    let mut attribute = engine::Attribute::new("", datatype.engine());
    match attribute.set_cell_val_num(cell_val_num.number()) {
        Ok(()) => attribute.fill().0.to_vec(),
        Err(_) => Vec::new(),
    }
}
