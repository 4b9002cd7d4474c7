//! Damages files of arrays, and reads and verifies them in processes of their own.

pub mod mutate;
pub mod probe;
pub mod report;
pub mod tally;
pub mod worker;
