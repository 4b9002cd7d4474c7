//! Random schemas with filters, writes and reads.

pub mod accepted;
pub mod data;
pub mod disk;
pub mod execute;
pub mod order;
pub mod pipeline;
pub mod reads;
pub mod run;
pub mod scenario;
pub mod statistics;
pub mod types;
pub mod unfiltered;
