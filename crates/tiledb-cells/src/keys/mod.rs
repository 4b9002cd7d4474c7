//! Sort keys, by which sparse cells are ordered, compared and merged.
//!
//! A key is a list of words. For the global order these are the numbers of the space tile along each dimension in tile
//! order, then the coordinates in cell order; for row- and column-major results the coordinates alone; for Hilbert
//! arrays the Hilbert value, then the coordinates in row-major order. Every part is an unsigned number with the same
//! order as its source, narrowed by the domain, and as many parts as fit share one `u64`. So most arrays need one word
//! per cell, and sorting and merging are independent of types and free of divisions. Strings contribute their first
//! eight bytes; ties are resolved by a full comparison.
//!
//! In that order both zeros of a float are equal, and so are all NaNs, which follow the numbers; they are different
//! coordinates all the same, distinguished by their bits.

pub mod columns;
mod compare;
mod hilbert;
mod kernel;
mod order;
pub mod plan;
pub mod sort;
pub mod ties;
pub mod unpack;
pub mod words;

#[cfg(test)]
mod tests;
