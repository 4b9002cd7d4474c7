//! Schemas as JSON, from which the same schema is built again.

mod filters;
mod literal;
mod reader;
mod unique_keys;
mod writer;

use super::array_schema::ArraySchema;
use crate::error::{Error, Result};
use unique_keys::UniqueKeys;

/// Schemas as JSON.
impl ArraySchema {
    /// The schema as JSON, with every property that [`ArraySchema::from_json`] needs to build the same one: enumerations with their
    /// values, and fill values unless they are the default. Dimension labels and sizes of chunks are not part of it.
    ///
    /// Values are numbers, texts, dates in ISO 8601, lists of several values; bytes that no text spells are `{"hex": "0x..."}`.
    ///
    /// ```
    /// use tiledb::{ArraySchema, Attribute, Dimension, Filter};
    ///
    /// let schema = ArraySchema::sparse()
    ///     .dimension(Dimension::new("id", 0..=999_i64).tile(100))
    ///     .attribute(Attribute::string("origin").filter(Filter::zstd(5)))
    ///     .build()?;
    /// let same = ArraySchema::from_json(schema.to_json()?)?;
    /// assert_eq!(same.to_string(), schema.to_string());
    /// # Ok::<(), tiledb::Error>(())
    /// ```
    ///
    /// # Errors
    /// If an enumeration cannot be read.
    pub fn to_json(&self) -> Result<String> {
        Ok(format!("{:#}", writer::schema(self)?))
    }

    /// The schema that JSON describes. Everything but `array_type` and the dimensions may be missing; unknown keys are errors.
    ///
    /// ```
    /// use tiledb::{ArraySchema, Datatype, Value};
    ///
    /// let schema = ArraySchema::from_json(
    ///     r#"{
    ///         "array_type": "dense",
    ///         "dimensions": [{"name": "day", "type": "DATETIME_DAY", "domain": ["1990-01-01", "2100-01-01"], "tile": 30}],
    ///         "attributes": [{"name": "celsius", "type": "FLOAT32", "fill": -300, "filters": [{"type": "ZSTD", "level": 5}]}]
    ///     }"#,
    /// )?;
    /// assert_eq!(schema.dimension("day").map(|day| day.datatype()), Some(Datatype::DatetimeDay));
    ///
    /// let error = ArraySchema::from_json(r#"{"array_type": "flat"}"#).unwrap_err();
    /// assert_eq!(error.message(), r#"schema.array_type is neither "dense" nor "sparse""#);
    /// # Ok::<(), tiledb::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a text that is not JSON, with the error of the parser as its
    /// source; [`ErrorKind::Schema`](crate::ErrorKind::Schema) for one that does not describe a valid schema, with the place.
    pub fn from_json(json: impl AsRef<[u8]>) -> Result<ArraySchema> {
        let UniqueKeys(json) = serde_json::from_slice(json.as_ref())
            .map_err(|error| Error::invalid(format!("the schema is not JSON: {error}")).with_source(error))?;
        reader::schema(&json)
    }
}
