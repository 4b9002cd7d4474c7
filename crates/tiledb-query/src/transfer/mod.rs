//! Reads and writes of cells without labels: request, buffers and progress.

pub mod aggregates;
pub mod counts;
pub mod fields;
pub mod filter;
pub mod progress;
pub mod read;
pub mod request;
pub mod state;
pub mod write;
