//! Consolidation, vacuum, and verification of arrays.

pub mod maintain;
pub mod verify;
