//! The array schema and its parts: dimensions, domain, attributes, labels, enumerations and the current domain;
//! validation, serialization and text dump.
//!
//! Parts are shared by `Arc`: a schema is cheap to clone and is copied on write. The properties of fields that readers
//! and writers need are gathered once in the [`Field`] table.

mod array_schema;
mod attribute;
mod check;
mod current_domain;
mod dimension;
mod dimension_check;
mod domain;
mod dump;
mod enumeration;
mod evolution;
mod features;
mod field;
mod filter_check;
mod label;
mod label_array;
mod name;
mod part_check;
mod range_wire;
mod schema_parts;
#[cfg(test)]
pub(crate) mod strategy;
#[cfg(test)]
mod tests;
mod value_text;
mod wire;

pub use array_schema::ArraySchema;
pub use attribute::Attribute;
pub use current_domain::{CurrentDomain, NdRectangle};
pub use dimension::Dimension;
pub use domain::{Domain, no_dimension};
pub use enumeration::{Enumeration, EnumerationRef, EnumerationSource};
pub use evolution::SchemaEvolution;
pub use features::{FeatureUses, check_feature};
pub use field::Field;
pub use label::DimensionLabel;
pub use name::{SchemaName, timestamped_name};
pub use range_wire::{read_range, write_range};
pub use schema_parts::ArraySchemaParts;
pub use value_text::{float_digits, number_text};
