//! Reads and writes of cells without labels: what was asked for, the buffers, and how far it has come.

pub mod aggregates;
pub mod counts;
pub mod fields;
pub mod filter;
pub mod progress;
pub mod read;
pub mod request;
pub mod state;
pub mod write;
