//! The TileDB array storage engine, rewritten in Rust, with the C interface of libtiledb 2.30.
//!
//! The engine is in `crates/`; this package is its C interface. Suggested reading order: `docs/architecture.md`, then
//! the crates in the order of the layers on that page.

mod capi;
