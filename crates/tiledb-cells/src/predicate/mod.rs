//! Evaluation of conditions: a predicate becomes a [`Program`] that computes the selection mask of the cells of a tile,
//! column by column, or decides from a tile's statistics that none or all of them match.

pub mod column_test;
pub mod kernel;
pub mod program;
pub mod steps;
pub mod verdict;
pub mod word_set;
