//! Serialization of the engine's objects to messages, and deserialization.
//!
//! One file per subject. `write` puts an object into a message, `read` checks a message as it would be checked if it came
//! from a file or a caller.

pub mod array;
mod attribute;
mod condition;
pub mod config;
mod current_domain;
mod dimension;
pub mod directory;
pub mod domain;
pub mod enumeration;
pub mod evolution;
mod filters;
pub mod format;
pub mod fragment;
pub mod fragment_info;
mod global_write;
pub mod group;
pub mod metadata;
pub mod query;
pub mod schema;
mod separate_write;
mod subarray;

pub use format::{Deserializer, SerializationType};
