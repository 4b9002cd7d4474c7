//! The TileDB array storage engine in Rust, behind TileDB's C interface.
//!
//! Reading order: `docs/architecture.md`, then this list from top to bottom. A module uses only
//! modules above it; `tests/layers.rs` sees to that.

pub mod error;
pub mod fork;
pub mod memory;
pub mod types;
pub mod wire;

pub mod budget;
pub mod config;
pub mod log;
pub mod pool;
pub mod stats;

pub mod codec;
pub mod crypto;
pub mod resources;
pub mod vfs;

pub mod filter;
pub mod tile;

pub mod schema;

pub mod condition;

pub mod fragment;

pub mod array;

pub mod query;

pub mod object;

pub mod group;

pub mod maintain;

pub mod filestore;

mod capi;
