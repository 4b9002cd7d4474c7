//! Metadata of arrays and groups: keys with values of a datatype.

use std::ffi::c_void;

use super::array::{Array, Moments, READ, WRITE};
use super::context::{Context, ask, call, make};
use super::datatype::Datatype;
use super::error::{Error, Result};
use super::functions as sys;
use super::handle::{Handle, bytes, text};
use super::objects::{ObjectType, object_type};
use super::value::Value;

/// A value of metadata.
#[derive(Clone, PartialEq, Debug)]
pub struct MetadataValue {
    pub datatype: Datatype,
    pub bytes: Vec<u8>,
}

/// An array or a group, opened for reading or for writing metadata.
pub enum Opened {
    Array(Box<Array>),
    Group(Context, Handle<sys::tiledb_group_t>),
}

impl Opened {
    /// Opens an object for reading.
    pub fn read(ctx: &Context, uri: &str) -> Result<Self> {
        Self::open(ctx, uri, READ)
    }

    /// Opens an object for writing.
    pub fn write(ctx: &Context, uri: &str) -> Result<Self> {
        Self::open(ctx, uri, WRITE)
    }

    fn open(ctx: &Context, uri: &str, purpose: u32) -> Result<Self> {
        let of_array = |array: Array| Self::Array(Box::new(array));
        match object_type(ctx, uri)? {
            ObjectType::Array if purpose == READ => Array::open(ctx, uri, Moments::default()).map(of_array),
            ObjectType::Array => Array::open_for_writing(ctx, uri).map(of_array),
            ObjectType::Group => {
                let uri = text(uri)?;
                let group = make!(ctx, tiledb_group_alloc(uri.as_ptr()), tiledb_group_free)?;
                call!(ctx, tiledb_group_open(group.raw(), purpose))?;
                Ok(Self::Group(ctx.clone(), group))
            }
            ObjectType::Other => Err(Error::failed(format!("{uri} is no array and no group"))),
        }
    }

    /// All keys with their values, in the order of the keys.
    pub fn metadata(&self) -> Result<Vec<(String, MetadataValue)>> {
        match self {
            Self::Array(array) => array.metadata(),
            Self::Group(ctx, group) => {
                let count = ask!(ctx, 0, tiledb_group_get_metadata_num(group.raw()))?;
                let get = |at, [key, value]: [*mut *const c_void; 2], [length, kind, number]: [*mut u32; 3]| {
                    let raw = group.raw();
                    call!(ctx, tiledb_group_get_metadata_from_index(raw, at, key.cast(), length, kind, number, value))
                };
                (0..count).map(|at| entry(|places, numbers| get(at, places, numbers))).collect()
            }
        }
    }

    /// Sets a value.
    pub fn put(&self, key: &str, value: &MetadataValue) -> Result<()> {
        let (key, kind) = (text(key)?, value.datatype.0);
        let count = value.bytes.len() / value.datatype.size();
        let count = u32::try_from(count).map_err(|_| Error::usage(format!("{count} values are too many")))?;
        let place: *const c_void = if value.bytes.is_empty() { std::ptr::null() } else { value.bytes.as_ptr().cast() };
        match self {
            Self::Array(array) => {
                call!(array.ctx(), tiledb_array_put_metadata(array.raw(), key.as_ptr(), kind, count, place))
            }
            Self::Group(ctx, group) => {
                call!(ctx, tiledb_group_put_metadata(group.raw(), key.as_ptr(), kind, count, place))
            }
        }
    }

    /// Deletes a key.
    pub fn delete(&self, key: &str) -> Result<()> {
        let key = text(key)?;
        match self {
            Self::Array(array) => call!(array.ctx(), tiledb_array_delete_metadata(array.raw(), key.as_ptr())),
            Self::Group(ctx, group) => call!(ctx, tiledb_group_delete_metadata(group.raw(), key.as_ptr())),
        }
    }

    /// Closes the object: only now changes are written.
    pub fn close(self) -> Result<()> {
        match self {
            Self::Array(array) => array.close(),
            Self::Group(ctx, group) => call!(&ctx, tiledb_group_close(group.raw())),
        }
    }
}

impl Array {
    /// All metadata of the array, in the order of the keys.
    pub fn metadata(&self) -> Result<Vec<(String, MetadataValue)>> {
        let (ctx, raw) = (self.ctx(), self.raw());
        let count = ask!(ctx, 0, tiledb_array_get_metadata_num(raw))?;
        let get = |at, [key, value]: [*mut *const c_void; 2], [length, kind, number]: [*mut u32; 3]| {
            call!(ctx, tiledb_array_get_metadata_from_index(raw, at, key.cast(), length, kind, number, value))
        };
        (0..count).map(|at| entry(|places, numbers| get(at, places, numbers))).collect()
    }
}

impl MetadataValue {
    /// The value as it is printed.
    pub fn value(&self) -> Value {
        let is_one = self.bytes.len() == self.datatype.size();
        Value::of_cell(self.datatype, &self.bytes, !is_one)
    }
}

/// A key and its value, from a function that sets their places, and the length of the key, datatype and number of values.
fn entry(get: impl FnOnce([*mut *const c_void; 2], [*mut u32; 3]) -> Result<()>) -> Result<(String, MetadataValue)> {
    let (mut key, mut place) = (std::ptr::null(), std::ptr::null());
    let (mut length, mut kind, mut number) = (0, 0, 0);
    get([&raw mut key, &raw mut place], [&raw mut length, &raw mut kind, &raw mut number])?;
    let datatype = Datatype(kind);
    // SAFETY: the object that lends key and value is open.
    let (key, bytes) = unsafe {
        let size = u64::from(number) * datatype.size() as u64;
        (bytes(key.cast(), length.into()), bytes(place.cast(), size))
    };
    Ok((String::from_utf8_lossy(&key).into_owned(), MetadataValue { datatype, bytes }))
}
