//! Maintenance of arrays: consolidation, vacuum, verification, and recommended filters.

pub mod advise;
pub mod maintain;
pub mod verify;
