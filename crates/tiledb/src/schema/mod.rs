//! Array schemas and their parts.

mod array_schema;
mod attribute;
mod builder;
mod current_domain;
mod dimension;
mod enumeration;
mod evolution;
mod field;
mod filter;
mod json;
mod label;

pub use array_schema::ArraySchema;
pub use attribute::Attribute;
pub use builder::ArraySchemaBuilder;
pub use dimension::Dimension;
pub use enumeration::Enumeration;
pub use evolution::SchemaEvolution;
pub use field::{Field, FieldKind};
pub use filter::{Filter, FilterList, FilterOption, WebpFormat};
pub use label::DimensionLabel;
