//! Arrays and groups on servers: messages, and the conversions of the engine's objects to and from them.

#![cfg_attr(
    not(feature = "rest"),
    allow(dead_code, unused_variables, reason = "some of it serves the client of servers alone")
)]

pub mod arrays;
pub mod convert;
pub(crate) mod describe;
pub mod groups;
pub(crate) mod message;
pub mod queries;
pub mod reform;
#[cfg(feature = "rest")]
pub mod rest;
pub mod serve;
pub mod server;
