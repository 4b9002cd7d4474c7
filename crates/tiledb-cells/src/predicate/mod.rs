//! Evaluation of conditions: a predicate becomes a [`Program`](program::Program) that computes the selection mask of the
//! cells of a tile, column by column, or decides from a tile's statistics that none or all of them match.

pub mod column_test;
mod kernel;
pub mod program;
mod steps;
mod text_set;
pub mod verdict;
mod word_set;
