//! Open arrays.

use tiledb::{ArrayWriter as Writer, Context, ErrorKind};

use super::absent::{Expected, absent};
use super::error::{Error, Result};
use super::objects::{ObjectType, object_type};
use super::schema::{Dimension, Schema};
use super::value::Value;

/// Time window of an open array, in milliseconds since 1970.
#[derive(Clone, Copy, Default)]
pub(crate) struct Moments {
    pub from: Option<u64>,
    pub to: Option<u64>,
}

impl Moments {
    /// Whether a fragment's timestamps are within the window.
    pub(crate) fn hold(self, written: (u64, u64)) -> bool {
        written.0 >= self.from.unwrap_or(0) && written.1 <= self.to.unwrap_or(u64::MAX)
    }
}

/// An array that is open for reading.
pub(crate) struct Array {
    pub(super) array: tiledb::Array,
    schema: Schema,
}

impl Array {
    /// Opens an array for reading.
    pub(crate) fn open(ctx: &Context, uri: &str, moments: Moments) -> Result<Self> {
        let mut options = tiledb::Array::options();
        if let Some(from) = moments.from {
            options = options.since(from);
        }
        if let Some(to) = moments.to {
            options = options.at(to);
        }
        let array = options.open(ctx, uri).map_err(|error| match error.kind() {
            ErrorKind::NotFound if object_type(ctx, uri).is_ok_and(|object| object != ObjectType::Array) => {
                absent(ctx, uri, Expected::Array)
            }
            _ => Error::from(error).at(uri),
        })?;
        let schema = Schema::of(&array.schema())?;
        Ok(Self { array, schema })
    }

    /// The schema as the crate has it.
    pub(crate) fn array_schema(&self) -> tiledb::ArraySchema {
        self.array.schema()
    }

    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The non-empty domain per dimension; `None` if the array is empty.
    pub(crate) fn non_empty_domain(&self) -> Result<Option<Vec<(Value, Value)>>> {
        Ok(self.array.non_empty_domain()?.map(|bounds| values(&self.schema.dimensions, &bounds)))
    }
}

/// The bounds of dimensions.
pub(super) fn values(dimensions: &[Dimension], bounds: &tiledb::NonEmptyDomain) -> Vec<(Value, Value)> {
    let value = |(dimension, (_, low, high)): (&Dimension, &(String, tiledb::Value, tiledb::Value))| {
        (Value::of(dimension.datatype, low), Value::of(dimension.datatype, high))
    };
    dimensions.iter().zip(bounds).map(value).collect()
}

/// An array that is open for writing.
pub(crate) struct ArrayWriter {
    pub(super) writer: Writer,
}

impl ArrayWriter {
    /// Opens an array for writing.
    pub(crate) fn open(ctx: &Context, uri: &str) -> Result<Self> {
        let writer = tiledb::Array::open_for_writing(ctx, uri).map_err(|error| Error::from(error).at(uri))?;
        Ok(Self { writer })
    }
}
