//! Maintenance of arrays: consolidation, vacuum, verification, recommended filters, and a policy that decides what to consolidate.

pub mod advise;
pub mod maintain;
pub mod policy;
pub mod verify;
