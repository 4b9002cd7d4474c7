//! Arrays and groups on storage: schemas, fragments, open arrays, metadata.

pub mod condition;
pub mod schema;

pub mod array;
pub mod fragment;

pub mod group;
pub mod object;
