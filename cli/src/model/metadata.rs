//! Metadata of arrays and groups: keys with values of a datatype.

use tiledb::{Array, ArrayWriter, Context, Datatype, Group, GroupWriter, MetadataValue};

use super::absent::{Expected, absent};
use super::error::{Error, Result};
use super::objects::{ObjectType, object_type};
use super::value::Value;

/// All metadata of an array or a group, in the order of the keys.
pub(crate) fn metadata(ctx: &Context, uri: &str) -> Result<Vec<(String, MetadataValue)>> {
    let metadata = match object_type(ctx, uri)? {
        ObjectType::Array => Array::open(ctx, uri).map_err(|error| Error::from(error).at(uri))?.metadata()?,
        ObjectType::Group => Group::open(ctx, uri)?.metadata()?,
        ObjectType::Other => return Err(absent(ctx, uri, Expected::ArrayOrGroup)),
    };
    Ok(metadata.iter().collect())
}

/// An array or a group that is open for writing metadata.
pub(crate) enum MetadataWriter {
    Array(ArrayWriter),
    Group(Box<GroupWriter>),
}

impl MetadataWriter {
    /// Opens an array or a group.
    pub(crate) fn open(ctx: &Context, uri: &str) -> Result<Self> {
        match object_type(ctx, uri)? {
            ObjectType::Array => {
                let writer = Array::open_for_writing(ctx, uri).map_err(|error| Error::from(error).at(uri))?;
                Ok(Self::Array(writer))
            }
            ObjectType::Group => Ok(Self::Group(Box::new(Group::open_for_writing(ctx, uri)?))),
            ObjectType::Other => Err(absent(ctx, uri, Expected::ArrayOrGroup)),
        }
    }

    /// Sets a value.
    pub(crate) fn put(&self, key: &str, value: &MetadataValue) -> Result<()> {
        match self {
            Self::Array(array) => array.put_metadata(key, value.clone())?,
            Self::Group(group) => group.put_metadata(key, value.clone())?,
        }
        Ok(())
    }

    /// Deletes a key.
    pub(crate) fn delete(&self, key: &str) -> Result<()> {
        match self {
            Self::Array(array) => array.delete_metadata(key)?,
            Self::Group(group) => group.delete_metadata(key)?,
        }
        Ok(())
    }

    /// Closes the object: only now changes are written.
    pub(crate) fn close(self) -> Result<()> {
        match self {
            Self::Array(array) => array.close()?,
            Self::Group(group) => group.close()?,
        }
        Ok(())
    }
}

/// A value of metadata as it is printed.
pub(crate) fn printed(value: &MetadataValue) -> Value {
    let (datatype, bytes): (Datatype, &[u8]) = (value.datatype(), value.bytes());
    Value::of_cell(datatype, bytes, bytes.len() != datatype.size())
}
