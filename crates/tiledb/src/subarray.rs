//! Subarrays: the cells that a query reads or writes, as ranges of each dimension.

use std::fmt;
use std::ops::{Bound, Deref, RangeBounds};

use crate::datatype::Datatype;
use crate::error::{Error, Result};
use crate::schema::ArraySchema;
use crate::value::Value;
use tiledb_array::array::OpenArray;
use tiledb_cells::space::subarray as engine;
use tiledb_core::types::CellRange;

/// Ranges of the dimensions of an array: the cells that a query reads or writes. Dimensions without a range are selected as a whole.
///
/// Queries have the same methods; a subarray of its own is for parts of a read that is [divided](crate::ReadQuery::partitions), and
/// for selections that several queries have in common.
///
/// ```
/// use tiledb::{ArraySchema, Attribute, Dimension, Subarray};
///
/// let schema = ArraySchema::sparse()
///     .dimension(Dimension::new("id", 0..=999_i64))
///     .dimension(Dimension::string("key"))
///     .attribute(Attribute::new::<i32>("a"))
///     .build()?;
/// let mut subarray = Subarray::new(&schema);
/// subarray.add_range("id", 10..20)?;
/// subarray.add_range("id", 900..)?;
/// subarray.add_points("key", ["a", "b"])?;
/// assert!(subarray.add_range("id", ..=1000).is_err(), "outside of the domain");
/// # Ok::<(), tiledb::Error>(())
/// ```
#[derive(Clone)]
pub struct Subarray(pub(crate) engine::Subarray);

/// The end of a range of strings without an upper bound: no string of this length or less is greater.
const LAST_STRING: [u8; 256] = [u8::MAX; 256];

impl Subarray {
    /// The whole domain of an array.
    pub fn new(schema: &ArraySchema) -> Subarray {
        Subarray(engine::Subarray::new(&schema.0))
    }

    /// The current domain of an array, or its whole domain if there is none, as a range of each dimension.
    pub(crate) fn present(array: &OpenArray) -> Result<Subarray> {
        let schema = array.schema();
        let mut subarray = engine::Subarray::new(schema);
        let current = array.current_domain();
        let bounds = current.rectangle().and_then(|rectangle| rectangle.complete());
        for (index, dimension) in schema.domain().dimensions().iter().enumerate() {
            let of_current = bounds.as_ref().and_then(|bounds| bounds.get(index));
            if let Some(range) = of_current.or(dimension.domain()) {
                subarray.add_range(index as u32, range.low(), range.high())?;
            }
        }
        Ok(Subarray(subarray))
    }

    /// Adds a range of a dimension: `0..10`, `..=5`, `"a"..="f"`, of dates also `"2024-01-01"..="2024-06-30"`. Dimensions may have
    /// several ranges.
    ///
    /// # Errors
    /// For a dimension that does not exist, and a range that is empty, outside of the domain or of another type.
    pub fn add_range<V: Into<Value> + Clone>(
        &mut self,
        dimension: &str,
        range: impl RangeBounds<V>,
    ) -> Result<&mut Subarray> {
        let index = self.index(dimension)?;
        let (datatype, domain) = self.of_dimension(index)?;
        let (low, high) = bounds(dimension, datatype, domain, &range)?;
        if datatype.is_string() {
            self.0.add_range_var(index, &low, &high)?;
        } else {
            self.0.add_range(index, &low, &high)?;
        }
        Ok(self)
    }

    /// Adds single coordinates of a dimension.
    ///
    /// # Errors
    /// For a dimension that does not exist, and a coordinate that is outside of the domain or of another type.
    pub fn add_points<V: Into<Value>>(
        &mut self,
        dimension: &str,
        points: impl IntoIterator<Item = V>,
    ) -> Result<&mut Subarray> {
        let index = self.index(dimension)?;
        let (datatype, _) = self.of_dimension(index)?;
        if datatype.is_string() {
            for point in points {
                let bytes = point.into().to_bytes(datatype)?;
                self.0.add_range_var(index, &bytes, &bytes)?;
            }
            return Ok(self);
        }
        let mut bytes = Vec::new();
        for point in points {
            bytes.extend(point.into().to_bytes(datatype)?);
        }
        self.0.add_points(index, &bytes)?;
        Ok(self)
    }

    /// Adds a range of values of a dimension label, which selects the coordinates that have them. Both ends are included.
    ///
    /// # Errors
    /// For a label that does not exist, a range without both ends or of another type, and a dimension with other ranges.
    pub fn add_label_range<V: Into<Value> + Clone>(
        &mut self,
        label: &str,
        range: impl RangeBounds<V>,
    ) -> Result<&mut Subarray> {
        let schema = self.0.schema();
        let datatype = Datatype::of_engine(schema.existing_label(label)?.datatype);
        let is_var = schema.existing_label(label)?.cell_val_num.is_var();
        let (low, high) = bounds(label, datatype, None, &range)?;
        if is_var {
            self.0.add_label_range_var(label, &low, &high)?;
        } else {
            self.0.add_label_range(label, &low, &high)?;
        }
        Ok(self)
    }

    /// The number of ranges of a dimension.
    ///
    /// # Errors
    /// For a dimension that does not exist.
    pub fn range_count(&self, dimension: &str) -> Result<u64> {
        Ok(self.0.range_num(self.index(dimension)?)?)
    }

    /// The ranges of a dimension, both ends included.
    ///
    /// # Errors
    /// For a dimension that does not exist.
    pub fn ranges(&self, dimension: &str) -> Result<Vec<(Value, Value)>> {
        let index = self.index(dimension)?;
        let (datatype, _) = self.of_dimension(index)?;
        let value = |bytes: &[u8]| Value::from_bytes(datatype, bytes);
        let ranges = (0..self.0.range_num(index)?).map(|number| {
            let range = self.0.range(index, number)?;
            Ok((value(range.low()), value(range.high())))
        });
        ranges.collect()
    }

    /// The number of cells of the box that a dense query selects, if it is one.
    pub(crate) fn cell_count(&self) -> Option<u64> {
        let ranges = self.0.single_box()?;
        let dimensions = self.0.schema().domain().dimensions();
        ranges.iter().zip(dimensions).try_fold(1_u64, |cells, (range, dimension)| {
            cells.checked_mul(range.distance(dimension.datatype())?.checked_add(1)?)
        })
    }

    fn index(&self, dimension: &str) -> Result<u32> {
        self.0.dimension_index(dimension).map_err(|_| {
            let names: Vec<&str> =
                self.0.schema().domain().dimensions().iter().map(|dimension| dimension.name().as_str()).collect();
            Error::not_found(format!("There is no dimension '{dimension}'; there are: {}", names.join(", ")))
        })
    }

    fn of_dimension(&self, index: u32) -> Result<(Datatype, Option<&CellRange>)> {
        let dimension = self.0.schema().domain().dimensions().get(index as usize);
        let dimension = dimension.ok_or_else(|| Error::not_found("There is no such dimension"))?;
        Ok((Datatype::of_engine(dimension.datatype()), dimension.domain()))
    }
}

impl fmt::Debug for Subarray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_map();
        for dimension in self.0.schema().domain().dimensions() {
            shown.entry(&dimension.name().as_str(), &self.ranges(dimension.name()).unwrap_or_default());
        }
        shown.finish()
    }
}

/// The bytes of a value: numbers without an allocation.
enum ValueBytes {
    Number([u8; 8], usize),
    Text(Vec<u8>),
}

impl ValueBytes {
    fn new(datatype: Datatype, value: &Value) -> Result<ValueBytes> {
        if datatype.is_string() {
            return value.to_bytes(datatype).map(ValueBytes::Text);
        }
        let number = value.number(datatype).ok_or_else(|| value.misfit(datatype))?;
        Ok(ValueBytes::Number(number, datatype.size()))
    }

    fn copied(datatype: Datatype, bytes: &[u8]) -> ValueBytes {
        match bytes.len() {
            size @ 0..=8 if !datatype.is_string() => {
                let mut word = [0; 8];
                word[..size].copy_from_slice(bytes);
                ValueBytes::Number(word, size)
            }
            _ => ValueBytes::Text(bytes.to_vec()),
        }
    }
}

impl Deref for ValueBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            ValueBytes::Number(word, size) => word.get(..*size).unwrap_or_default(),
            ValueBytes::Text(bytes) => bytes,
        }
    }
}

/// The bytes of the first and the last value of a range.
fn bounds<V: Into<Value> + Clone>(
    name: &str,
    datatype: Datatype,
    domain: Option<&CellRange>,
    range: &impl RangeBounds<V>,
) -> Result<(ValueBytes, ValueBytes)> {
    let owned = |bound: Bound<&V>| bound.map(|value| value.clone().into());
    let (start, end) = (owned(range.start_bound()), owned(range.end_bound()));
    let low = bound(name, datatype, &start, domain.map(CellRange::low), Side::Lower)?;
    let high = bound(name, datatype, &end, domain.map(CellRange::high), Side::Upper)?;
    if CellRange::compare(datatype.engine(), &low, &high).is_gt() {
        return Err(empty(name));
    }
    Ok((low, high))
}

#[derive(Clone, Copy)]
enum Side {
    Lower,
    Upper,
}

#[cold]
fn empty(name: &str) -> Error {
    Error::invalid(format!("Range of '{name}' is empty"))
}

/// The bytes of a bound that is included; of one that is missing, those of the domain.
fn bound(
    name: &str,
    datatype: Datatype,
    bound: &Bound<Value>,
    of_domain: Option<&[u8]>,
    side: Side,
) -> Result<ValueBytes> {
    let of_name = |error: Error| Error::new(error.kind(), format!("Range of '{name}': {}", error.message()));
    let is_text = datatype.is_string();
    match (bound, of_domain) {
        (Bound::Included(value), _) => ValueBytes::new(datatype, value).map_err(of_name),
        (Bound::Excluded(_), _) if is_text => {
            Err(Error::invalid(format!("Range of '{name}' is of texts and excludes one; write first..=last")))
        }
        (Bound::Excluded(value), _) => {
            let step = match side {
                Side::Lower => 1,
                Side::Upper => -1,
            };
            let bytes = ValueBytes::new(datatype, value).map_err(of_name)?;
            let next = neighbour(datatype, &bytes, step).ok_or_else(|| empty(name))?;
            ValueBytes::new(datatype, &next).map_err(|_| empty(name))
        }
        (Bound::Unbounded, Some(bytes)) => Ok(ValueBytes::copied(datatype, bytes)),
        (Bound::Unbounded, None) if is_text => Ok(ValueBytes::Text(match side {
            Side::Lower => Vec::new(),
            Side::Upper => LAST_STRING.to_vec(),
        })),
        (Bound::Unbounded, None) => Err(Error::invalid(format!("Range of '{name}' lacks a bound; name both"))),
    }
}

/// The next or the previous number of a datatype.
fn neighbour(datatype: Datatype, bytes: &[u8], step: i64) -> Option<Value> {
    Some(match Value::from_bytes(datatype, bytes) {
        Value::Int(number) => Value::Int(number.checked_add(step)?),
        Value::Unsigned(number) => Value::Unsigned(number.checked_add_signed(step)?),
        Value::Float(number) if datatype == Datatype::Float32 => {
            let number = number as f32;
            Value::from(if step > 0 { number.next_up() } else { number.next_down() })
        }
        Value::Float(number) => Value::Float(if step > 0 { number.next_up() } else { number.next_down() }),
        _ => return None,
    })
}
