//! The TileDB array storage engine in Rust, behind TileDB's C interface.
//!
//! The engine is in `crates/`, this package is its C interface. Reading order: `docs/architecture.md`, then the crates in its
//! order of layers.

pub(crate) mod arrow;

mod capi;
