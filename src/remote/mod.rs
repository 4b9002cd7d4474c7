//! Arrays and groups on servers: messages, and the conversions of the engine's objects to and from them.

pub(crate) mod arrays;
pub mod convert;
pub mod describe;
pub(crate) mod groups;
pub mod message;
pub(crate) mod queries;
pub mod reform;
#[cfg(feature = "rest")]
pub(crate) mod rest;
pub mod serve;
pub(crate) mod server;
