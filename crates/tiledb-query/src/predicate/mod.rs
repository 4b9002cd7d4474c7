//! Conditions at work: a predicate becomes a [`Program`] that marks the cells of a tile, column by column,
//! or tells from a tile's statistics that none or all of them meet it.

pub mod kernel;
pub mod program;
pub mod set;
pub mod steps;
pub mod test;
pub mod verdict;
