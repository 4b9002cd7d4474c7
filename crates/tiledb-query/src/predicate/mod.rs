//! Conditions at work: a predicate becomes a [`Program`] that marks the cells of a tile, column by column,
//! or tells from a tile's statistics that none or all of them meet it.

pub mod column_test;
pub mod kernel;
pub mod program;
pub mod steps;
pub mod verdict;
pub mod word_set;
