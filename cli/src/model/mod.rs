//! What the tool knows of arrays, made of the crate `tiledb`: values as text and JSON, cells in batches, and the tool's errors.

mod absent;
mod advise;
mod array;
mod comparison;
mod condition;
mod create;
mod datatype;
mod error;
mod files;
mod fragments;
mod message;
mod metadata;
mod objects;
mod query;
mod schema;
mod value;
mod write;

pub use absent::{Expected, absent};
pub use advise::{Advice, Property, advise};
pub use array::{Array, ArrayWriter, Moments};
pub use comparison::{CellComparison, DifferentCell, compare_cells};
pub use condition::CheckedCondition;
pub use create::{
    AttributeDetail, AttributeDetails, Checksum, FilterChoice, NewArray, NewAttribute, NewDimension, NewEnumeration,
    extend_enumeration,
};
pub use datatype::{DatatypeExt, DatatypeKind, Unit};
pub use error::{Error, Result};
pub use files::{files_below, files_of_array, is_behind_link, is_link};
pub use fragments::{Fragment, FragmentInfo};
pub use message::in_words_of_the_tool;
pub use metadata::{MetadataWriter, metadata, printed};
pub use objects::{Member, ObjectType, members, object_type, objects_below};
pub use query::{Range, Reader, Selection, TileVerdicts};
pub use schema::{Dimension, Field, Schema, VAR};
pub use value::Value;
pub use write::{BlockOrder, WriteBuffers, write, write_batches, write_block};
