//! TileDB servers: client, messages, and serialization of the engine's objects.

#![cfg_attr(
    not(feature = "rest"),
    allow(dead_code, unused_variables, reason = "some of it serves the client of servers alone")
)]

pub mod arrays;
pub(crate) mod encoding;
pub mod groups;
pub(crate) mod messages;
pub mod queries;
#[cfg(feature = "rest")]
pub mod rest;
pub mod serialization;
pub mod serve;
pub mod server;
pub mod transcode;
