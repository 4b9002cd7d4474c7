//! Reads of sparse arrays.

pub mod bands;
pub mod batch;
mod behind;
pub mod copy;
pub mod delete_conditions;
pub mod deletions;
pub mod filter;
pub mod given;
mod keyed;
mod left;
pub mod load;
pub mod merge;
mod order;
pub mod partitioned;
pub mod partitions;
pub mod plan;
pub mod reader;
pub mod repeat;
pub mod room;
pub mod runs;
pub mod scatter;
pub mod slab;
pub mod source;
pub mod stream;
pub mod tile;
