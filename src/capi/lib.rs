//! C interface: the functions, types and constants of libtiledb 2.30's ABI.
//!
//! Each function is defined, in safe Rust, in the file of the object that it operates on; `tests/headers/main.rs` generates the
//! C headers from these files. Concerns of C (handles, pointers, return codes) stay in this module; the engine has no knowledge
//! of them.
#![allow(unreachable_pub, reason = "what is public is declared in the headers")]
#![allow(unsafe_code, reason = "#[unsafe(no_mangle)] on every function; blocks only in boundary/")]

pub(crate) mod boundary;

mod call;
pub(crate) mod callbacks;
mod contents;

pub(crate) mod enum_text;
pub(crate) mod enums;
pub(crate) mod handles;
pub(crate) mod structs;

pub(crate) mod advise;
pub(crate) mod array;
pub(crate) mod array_args;
pub(crate) mod array_domain;
pub(crate) mod array_maintenance;
pub(crate) mod array_metadata;
mod array_object;
pub(crate) mod array_schema;
pub(crate) mod array_schema_enumerations;
pub(crate) mod array_schema_evolution;
pub(crate) mod array_schema_filters;
pub(crate) mod arrow;
pub(crate) mod as_built;
pub(crate) mod attribute;
pub(crate) mod buffer;
pub(crate) mod buffer_list;
mod buffer_object;
pub(crate) mod compatibility;
pub(crate) mod config;
pub(crate) mod consolidation_plan;
pub(crate) mod constants;
pub(crate) mod context;
mod context_object;
pub(crate) mod current_domain;
pub(crate) mod data_order;
pub(crate) mod datatype;
pub(crate) mod dimension;
pub(crate) mod dimension_label;
pub(crate) mod domain;
mod domain_object;
pub(crate) mod enumeration;
pub(crate) mod error;
mod error_object;
pub(crate) mod filestore;
pub(crate) mod filesystem;
pub(crate) mod filter;
pub(crate) mod filter_list;
pub(crate) mod fragment_info;
pub(crate) mod fragment_info_ranges;
pub(crate) mod group;
mod group_metadata;
pub(crate) mod layout;
pub(crate) mod log;
pub(crate) mod maintain;
pub(crate) mod metadata_args;
pub(crate) mod ndrectangle;
pub(crate) mod next;
pub(crate) mod object;
pub(crate) mod object_copy;
pub(crate) mod profile;
pub(crate) mod query;
pub(crate) mod query_aggregate;
pub(crate) mod query_buffers;
pub(crate) mod query_condition;
pub(crate) mod query_estimate;
pub(crate) mod query_field;
mod query_object;
pub(crate) mod query_plan;
pub(crate) mod query_watched;
pub(crate) mod range_out;
pub(crate) mod removed;
mod reported_version;
mod rewrite;
mod schema_object;
pub(crate) mod serialization;
mod serialize_array;
mod serialize_array_parts;
mod serialize_config;
mod serialize_fragment_info;
mod serialize_group;
mod serialize_query;
mod serialize_schema;
mod serialized;
pub(crate) mod stats;
pub(crate) mod string;
pub(crate) mod subarray;
pub(crate) mod subarray_labels;
mod subarray_object;
mod subarray_ranges;
pub(crate) mod texts;
pub(crate) mod tiledb_rs;
pub(crate) mod value;
pub(crate) mod verify;
mod vfs;
pub(crate) mod vfs_fh;
mod watched;
