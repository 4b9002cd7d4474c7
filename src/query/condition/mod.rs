//! Conditions at work: a predicate becomes a [`Program`] that marks the cells of a tile, column by column,
//! or tells from a tile's statistics that none or all of them meet it.

mod kernel;
mod program;
mod set;
mod steps;
mod test;
mod verdict;

pub use program::Program;
pub use test::{Input, Test};
pub use verdict::{ColumnStats, Verdict};
