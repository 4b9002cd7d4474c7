//! Arrays and groups on storage: schemas, fragments, open arrays, metadata.

pub mod condition;
pub mod schema;

pub mod array;
mod created_paths;
pub mod fragment;

pub mod group;
pub mod object;
