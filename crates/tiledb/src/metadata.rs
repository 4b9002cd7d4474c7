//! Metadata of arrays and groups: typed values by key.

use std::sync::Arc;

use crate::datatype::Datatype;
use crate::element::{Element, check_type};
use crate::error::{Error, Result};
use crate::value::Value;
use tiledb_array::array::{self as engine, OpenArray};
use tiledb_array::group::OpenGroup;

/// The metadata of an array or a group that is open for reading: a snapshot.
///
/// ```
/// # use tiledb::{Array, ArraySchema, Attribute, Context, Dimension};
/// # let ctx = Context::new()?;
/// # let schema = ArraySchema::dense().dimension(Dimension::new("x", 0..=9_i32)).attribute(Attribute::new::<i32>("a")).build()?;
/// # Array::create(&ctx, "mem://with_metadata", &schema)?;
/// let writer = Array::open_for_writing(&ctx, "mem://with_metadata")?;
/// writer.put_metadata("unit", "kelvin")?;
/// writer.put_metadata("range", vec![250.0, 320.0])?;
/// writer.close()?;
///
/// let array = Array::open(&ctx, "mem://with_metadata")?;
/// let metadata = array.metadata()?;
/// assert_eq!(metadata.get::<String>("unit")?.as_deref(), Some("kelvin"));
/// assert_eq!(metadata.get::<Vec<f64>>("range")?, Some(vec![250.0, 320.0]));
/// assert_eq!(metadata.keys().collect::<Vec<_>>(), ["range", "unit"]);
/// # Ok::<(), tiledb::Error>(())
/// ```
pub struct Metadata(MetadataOwner);

enum MetadataOwner {
    Array(Arc<OpenArray>),
    Group(Arc<OpenGroup>),
}

impl Metadata {
    pub(crate) fn of_array(open: Arc<OpenArray>) -> Metadata {
        Metadata(MetadataOwner::Array(open))
    }

    pub(crate) fn of_group(open: Arc<OpenGroup>) -> Metadata {
        Metadata(MetadataOwner::Group(open))
    }

    /// It was loaded when this snapshot was made.
    fn engine(&self) -> Option<&engine::Metadata> {
        match &self.0 {
            MetadataOwner::Array(open) => open.metadata().ok(),
            MetadataOwner::Group(open) => open.metadata().ok(),
        }
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.engine().map_or(0, engine::Metadata::len)
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether there is an entry with this key.
    pub fn contains_key(&self, key: &str) -> bool {
        self.engine().is_some_and(|metadata| metadata.get(key).is_some())
    }

    /// A value as a Rust type: a number, `bool`, `String`, `Vec` of numbers, [`Value`] or [`MetadataValue`]; `None` if there is no
    /// such key.
    ///
    /// # Errors
    /// If the value has another type.
    pub fn get<T: FromMetadata>(&self, key: &str) -> Result<Option<T>> {
        let Some(value) = self.engine().and_then(|metadata| metadata.get(key)) else { return Ok(None) };
        let value = MetadataValue::of_engine(value);
        T::from_metadata(&value)
            .map(Some)
            .map_err(|error| Error::new(error.kind(), format!("Metadata '{key}': {}", error.message())))
    }

    /// The keys in their order.
    pub fn keys(&self) -> impl Iterator<Item = String> {
        self.iter().map(|(key, _)| key)
    }

    /// The entries in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = (String, MetadataValue)> {
        (0..self.len() as u64).filter_map(|index| {
            let (key, value) = self.engine()?.at(index).ok()?;
            Some((String::from_utf8_lossy(key).into_owned(), MetadataValue::of_engine(value)))
        })
    }
}

/// A value of metadata: its datatype and the bytes of its elements.
#[derive(Clone, Debug, PartialEq)]
pub struct MetadataValue {
    datatype: Datatype,
    bytes: Vec<u8>,
}

impl MetadataValue {
    /// A value of a datatype that no Rust type stands for, such as dates.
    ///
    /// # Errors
    /// If the bytes are not a number of whole elements.
    pub fn new(datatype: Datatype, bytes: Vec<u8>) -> Result<MetadataValue> {
        if !bytes.len().is_multiple_of(datatype.size()) {
            return Err(Error::invalid(format!("{} bytes are not elements of datatype {datatype}", bytes.len())));
        }
        Ok(MetadataValue { datatype, bytes })
    }

    fn of_engine(value: engine::MetadataValue<'_>) -> MetadataValue {
        MetadataValue { datatype: Datatype::of_engine(value.datatype()), bytes: value.bytes().to_vec() }
    }

    /// The datatype of the elements.
    pub fn datatype(&self) -> Datatype {
        self.datatype
    }

    /// The bytes of the elements.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.datatype.size()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The text, if the value is one in ASCII or UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        if self.datatype.engine().is_text() { str::from_utf8(&self.bytes).ok() } else { None }
    }

    /// The elements as numbers.
    ///
    /// # Errors
    /// If the elements have another type.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        check_type::<T>("value", self.datatype)?;
        Ok(bytemuck::pod_collect_to_vec(&self.bytes))
    }
}

/// A Rust type that metadata is read as.
pub trait FromMetadata: Sized {
    /// The value as this type.
    ///
    /// # Errors
    /// If the value has another type.
    fn from_metadata(value: &MetadataValue) -> Result<Self>;
}

impl FromMetadata for MetadataValue {
    fn from_metadata(value: &MetadataValue) -> Result<MetadataValue> {
        Ok(value.clone())
    }
}

/// A text as a whole; of several numbers an error.
impl FromMetadata for Value {
    fn from_metadata(value: &MetadataValue) -> Result<Value> {
        let is_whole = value.datatype.is_string() || value.datatype.engine().is_opaque();
        if !is_whole && value.len() != 1 {
            return Err(Error::invalid(format!("the value has {} elements, not one", value.len())));
        }
        Ok(Value::from_bytes(value.datatype, &value.bytes))
    }
}

impl FromMetadata for String {
    fn from_metadata(value: &MetadataValue) -> Result<String> {
        match Value::from_bytes(value.datatype, &value.bytes) {
            Value::Text(text) => Ok(text),
            _ => Err(Error::invalid(format!("the value is not a text, but of datatype {}", value.datatype))),
        }
    }
}

impl FromMetadata for bool {
    fn from_metadata(value: &MetadataValue) -> Result<bool> {
        match Value::from_metadata(value)? {
            Value::Bool(value) => Ok(value),
            _ => Err(Error::invalid(format!("the value is not a Boolean, but of datatype {}", value.datatype))),
        }
    }
}

impl<T: Element> FromMetadata for Vec<T> {
    fn from_metadata(value: &MetadataValue) -> Result<Vec<T>> {
        value.to_vec()
    }
}

macro_rules! metadata_numbers {
    ($($type:ty)+) => {
        $(
            impl FromMetadata for $type {
                fn from_metadata(value: &MetadataValue) -> Result<$type> {
                    match value.to_vec::<$type>()?.as_slice() {
                        [one] => Ok(*one),
                        several => {
                            Err(Error::invalid(format!("the value has {} elements, not one", several.len())))
                        }
                    }
                }
            }

            impl From<$type> for MetadataValue {
                fn from(value: $type) -> MetadataValue {
                    MetadataValue { datatype: <$type as Element>::DATATYPE, bytes: value.to_le_bytes().to_vec() }
                }
            }
        )+
    };
}

metadata_numbers! { i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 }

impl From<&str> for MetadataValue {
    fn from(value: &str) -> MetadataValue {
        MetadataValue { datatype: Datatype::StringUtf8, bytes: value.as_bytes().to_vec() }
    }
}

impl From<String> for MetadataValue {
    fn from(value: String) -> MetadataValue {
        value.as_str().into()
    }
}

impl From<bool> for MetadataValue {
    fn from(value: bool) -> MetadataValue {
        MetadataValue { datatype: Datatype::Bool, bytes: vec![value.into()] }
    }
}

impl<T: Element> From<&[T]> for MetadataValue {
    fn from(values: &[T]) -> MetadataValue {
        MetadataValue { datatype: T::DATATYPE, bytes: bytemuck::cast_slice(values).to_vec() }
    }
}

impl<T: Element> From<Vec<T>> for MetadataValue {
    fn from(values: Vec<T>) -> MetadataValue {
        values.as_slice().into()
    }
}

impl<T: Element, const N: usize> From<[T; N]> for MetadataValue {
    fn from(values: [T; N]) -> MetadataValue {
        values.as_slice().into()
    }
}
