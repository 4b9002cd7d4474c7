//! Array schemas, fragments, arrays, and groups on storage.

pub mod condition;
pub mod schema;

pub mod array;
pub mod fragment;

pub mod group;
pub mod object;
