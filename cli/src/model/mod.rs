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

pub(crate) use absent::{Expected, absent};
pub(crate) use advise::{Advice, Property, advise};
pub(crate) use array::{Array, ArrayWriter, Moments};
pub(crate) use comparison::{CellComparison, DifferentCell, compare_cells};
pub(crate) use condition::CheckedCondition;
pub(crate) use create::{
    AttributeDetail, AttributeDetails, Checksum, FilterChoice, NewArray, NewAttribute, NewDimension, NewEnumeration,
    extend_enumeration,
};
pub(crate) use datatype::{DatatypeExt, DatatypeKind, Unit};
pub(crate) use error::{Error, Result};
pub(crate) use files::{files_below, files_of_array, is_behind_link, is_link};
pub(crate) use fragments::{Fragment, FragmentInfo};
pub(crate) use message::in_words_of_the_tool;
pub(crate) use metadata::{MetadataWriter, metadata, printed};
pub(crate) use objects::{Member, ObjectType, members, object_type, objects_below};
pub(crate) use query::{Range, Reader, Selection, TileVerdicts};
pub(crate) use schema::{Dimension, Field, Schema, VAR};
pub(crate) use value::Value;
pub(crate) use write::{BlockOrder, WriteBuffers, write, write_batches, write_block};
