//! Aggregates: what is computed of the cells that a read selects, instead of or beside delivering them.
//!
//! [`Aggregate`] is one that a user asks for. The readers gather a [`Summary`] of every field that is
//! aggregated (`read/aggregate.rs`), of which [`Aggregate::answer`] takes the result.

mod answer;
mod kernel;
mod operation;
mod summary;
mod text;
mod total;

pub use answer::Answer;
pub use kernel::Wants;
pub use operation::{Aggregate, InputField, Operator, Output};
pub use summary::{Shape, Summary};
pub use total::Total;
