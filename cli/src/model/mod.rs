//! What the tool knows of arrays, made of the crate `tiledb`: values as text and JSON, schemas as JSON, cells in batches, and the
//! tool's errors.

mod advise;
mod array;
mod condition;
mod create;
mod datatype;
mod error;
mod filter;
mod fragments;
mod literal;
pub mod maintain;
mod metadata;
mod objects;
mod query;
mod schema;
mod schema_build;
mod schema_json;
mod value;
mod vfs;
mod write;

pub use advise::{Advice, Property, advise};
pub use array::{Array, ArrayWriter, Moments};
pub use condition::CheckedCondition;
pub use create::{
    AttributeDetail, AttributeDetails, Checksum, FilterChoice, NewArray, NewAttribute, NewDimension, NewEnumeration,
    extend_enumeration,
};
pub use datatype::{DatatypeExt, DatatypeKind, Unit};
pub use error::{Error, Result};
pub use filter::level as filter_level;
pub use fragments::{Fragment, FragmentInfo};
pub use metadata::{MetadataWriter, metadata, printed};
pub use objects::{Member, ObjectType, change_group, local_path, members, object_type, objects_below};
pub use query::{Range, Reader, Selection, TileVerdicts};
pub use schema::{Dimension, Field, Schema, VAR};
pub use schema_build::NewSchema;
pub use schema_json::{has_more, schema_json};
pub use value::Value;
pub use vfs::{Vfs, WriteFile};
pub use write::{BlockOrder, WriteBuffers, write, write_batches, write_block};
