//! The TileDB array storage engine in Rust, behind TileDB's C interface.
//!
//! Reading order: `docs/architecture.md`, then this list from top to bottom. A module uses only
//! modules above it; `tests/layers.rs` sees to that.

pub(crate) mod error;
pub(crate) mod fork;
pub(crate) mod memory;
pub(crate) mod plain_file;
pub(crate) mod types;
pub(crate) mod wire;

pub(crate) mod budget;
pub(crate) mod config;
pub(crate) mod log;
pub(crate) mod pool;
pub(crate) mod stats;

pub(crate) mod codec;
pub(crate) mod crypto;
#[cfg(any(feature = "s3", feature = "azure", feature = "gcs", feature = "rest"))]
pub(crate) mod http;
pub(crate) mod resources;
pub(crate) mod vfs;

pub(crate) mod filter;
pub(crate) mod tile;

pub(crate) mod schema;

pub(crate) mod condition;

pub(crate) mod fragment;

pub(crate) mod array;

pub(crate) mod query;

pub(crate) mod object;

pub(crate) mod group;

pub(crate) mod maintain;

pub(crate) mod verify;

pub(crate) mod filestore;

pub(crate) mod remote;

pub(crate) mod arrow;

mod capi;

pub mod inside;
