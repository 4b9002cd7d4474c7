//! TileDB servers: client, messages, and serialization of the engine's objects.

#![cfg_attr(
    not(feature = "rest"),
    allow(dead_code, unused_variables, reason = "some of it serves the client of servers alone")
)]

#[cfg(feature = "rest")]
pub mod client;
pub(crate) mod encoding;
pub(crate) mod messages;
pub mod serialization;
pub mod serve;
pub mod transcode;
