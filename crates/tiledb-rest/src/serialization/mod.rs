//! Serialization of the engine's objects to messages, and deserialization.
//!
//! One file per subject. `write` serializes an object to a message; `read` deserializes a message, with the same validation as
//! for files and arguments.

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
mod tile_bounds;

pub use format::{Deserializer, SerializationType};
