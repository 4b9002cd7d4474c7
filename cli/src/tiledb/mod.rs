//! Safe wrappers of TileDB's C interface: owned handles, results instead of return codes, values instead of pointers.
//! The tool calls nothing else, and `unsafe` is confined to this folder.
#![allow(unsafe_code, reason = "the C interface is called here")]

mod advise;
mod array;
mod arrow;
mod boxes;
mod condition;
mod context;
mod create;
mod current_domain;
mod datatype;
mod enumeration;
mod error;
mod filter;
mod fragments;
mod handle;
mod literal;
pub mod maintain;
mod metadata;
mod objects;
mod policy_maintenance;
mod query;
mod schema;
mod schema_build;
mod schema_json;
mod sys;
mod sys_objects;
mod tiles;
mod value;
mod verify;
pub mod vfs;
mod write;

/// All functions of the C interface.
mod functions {
    pub use super::sys::*;
    pub use super::sys_objects::*;
}

pub use advise::{Advice, advise};
pub use array::{Array, Moments};
pub use arrow::{batches, write_batches};
pub use condition::{ComparisonOp, Condition};
pub use context::{Config, Context};
pub use create::{AttributeDetail, AttributeDetails, Checksum, FilterChoice, NewArray, NewAttribute, NewDimension};
pub use datatype::{Datatype, DatatypeKind, Unit};
pub use enumeration::{NewEnumeration, extend_enumeration};
pub use error::{Error, Result};
pub use filter::Filter;
pub use fragments::{Fragment, FragmentInfo};
pub use metadata::{MetadataValue, Opened};
pub use objects::{
    Member, ObjectType, change_group, create_group, local_path, members, move_object, normalized_uri, object_type,
    objects_below, remove_object,
};
pub use policy_maintenance::{MaintenanceStep, maintain_by_policy};
pub use query::{CellBatch, Layout, Range, Reader, count};
pub use schema::{Dimension, Field, Schema, VAR};
pub use schema_build::NewSchema;
pub use schema_json::{has_more, schema_json};
pub use tiles::TileVerdicts;
pub use value::Value;
pub use verify::{Finding, Verified, verify};
pub use vfs::Vfs;
pub use write::{BlockOrder, WriteBuffers, write, write_block};
