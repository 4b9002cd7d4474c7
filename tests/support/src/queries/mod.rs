//! Random queries of the arrays of `conditions`.

pub mod compare;
pub mod execute;
pub mod random_query;
pub mod run_seed;
