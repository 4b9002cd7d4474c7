//! Analyses of an array that `info` prints and the picture shows: sizes of fields, and which maintenance would pay off.

mod gains;
mod sizes;

pub(crate) use gains::Gains;
pub(crate) use sizes::{FieldSize, of_fields as field_sizes};
