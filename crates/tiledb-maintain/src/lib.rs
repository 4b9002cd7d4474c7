//! Maintenance of arrays: consolidation, vacuum, and verification.

pub mod maintain;
pub mod verify;
