//! Foundations of the engine: errors, datatypes, bytes on the wire, configuration, memory budget, thread pool, statistics, log.

pub mod calendar;
pub mod env;
pub mod error;
pub mod fork;
pub mod limits;
pub mod memory;
pub mod plain_file;
pub mod platform;
pub mod sort;
#[cfg(feature = "simulation")]
pub mod state_space;
pub mod suggestion;
pub mod sync;
pub mod types;
pub mod wire;

pub mod budget;
pub mod config;
pub mod log;
pub mod pool;
pub mod stats;
