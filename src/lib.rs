//! The TileDB array storage engine, rewritten in Rust, with the C interface of libtiledb 2.30: the package that is linked
//! as a library.
//!
//! The engine is in `crates/`, the C interface in `src/capi`, a crate of its own so that its code is generated while that of
//! the engine still is: a package that is linked waits for all others. Suggested reading order: `docs/architecture.md`, then
//! the crates in the order of the layers on that page.

// Without a use of the crate, its functions would not be linked.
pub use tiledb_capi as capi;
