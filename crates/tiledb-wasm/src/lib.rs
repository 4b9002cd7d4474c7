//! TileDB arrays in WebAssembly: the module of the npm package `tiledb-rs`.
//!
//! JavaScript writes a request to the memory of the module, as JSON, and calls [`tiledb_call`]. The response is JSON, too, and
//! names the memory of columns. Calls are synchronous, and what they read was fetched before: a call that lacks bytes responds with
//! what it needs ([`protocol::CallOutcome::Pending`]), JavaScript fetches that, supplies it, and repeats the call.

mod columns;
mod convert;
mod division;
mod exchange;
mod protocol;
mod reads;
mod selection;
mod session;

pub use exchange::{tiledb_alloc, tiledb_call, tiledb_response, tiledb_response_length, tiledb_supply};
