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
mod datatype;
mod error;
mod fragments;
mod handle;
pub mod maintain;
mod objects;
mod policy_maintenance;
mod query;
mod schema;
mod sys;
mod tiles;
mod value;
mod verify;
pub mod vfs;
mod write;

pub use advise::{Advice, advise};
pub use array::{Array, Moments};
pub use arrow::{batches, write_batches};
pub use condition::{ComparisonOp, Condition};
pub use context::{Config, Context};
pub use create::{Checksum, FilterChoice, NewArray, NewAttribute, NewDimension};
pub use datatype::{Datatype, DatatypeKind, Unit};
pub use error::{Error, Result};
pub use fragments::{Fragment, FragmentInfo};
pub use objects::{Member, ObjectType, change_group, create_group, local_path, members, normalized_uri, object_type};
pub use policy_maintenance::{MaintenanceStep, maintain_by_policy};
pub use query::{CellBatch, Layout, Range, Reader};
pub use schema::{Dimension, Field, Filter, Schema};
pub use tiles::TileVerdicts;
pub use value::Value;
pub use verify::{Finding, Verified, verify};
pub use vfs::Vfs;
pub use write::{WriteBuffers, write};
