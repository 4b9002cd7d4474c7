//! Arrays and groups on servers: messages, and the conversions of the engine's objects to and from them.
#![allow(dead_code, unused_imports, reason = "the C interface does not reach all of it yet")]

pub mod convert;
pub mod describe;
pub mod message;
#[cfg(feature = "rest")]
pub(crate) mod rest;
pub mod serve;
