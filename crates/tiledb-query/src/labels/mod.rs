//! Dimension labels in queries: ranges of them become ranges of indexes, and they are read and written by transfers of
//! their own, with the arrays behind them.

pub mod read;
pub mod search;
pub mod set;
pub mod write;
