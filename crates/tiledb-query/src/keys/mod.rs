//! Sort keys: what sparse cells are ordered, compared and merged by.
//!
//! A key is a list of words. For the global order these are the numbers of the space tile along each
//! dimension in tile order, then the coordinates in cell order; for row- and column-major results the
//! coordinates alone; for Hilbert arrays the Hilbert value, then the coordinates in row-major order.
//! Every part is an unsigned number that keeps the order of what it stands for, narrowed by the domain,
//! and as many parts as fit share one `u64`. So most arrays need one word per cell, and nothing that
//! sorts or merges looks at types or divides. A string gives its first eight bytes, then a full comparison.
//!
//! Both zeros of a float are at the same place of that order, and so are all NaNs, behind the numbers; they are
//! different coordinates all the same, told apart by their bits.

pub mod compare;
pub mod hilbert;
pub mod kernel;
pub mod order;
pub mod plan;
pub mod sort;
pub mod ties;
pub mod unpack;
pub mod words;

#[cfg(test)]
mod tests;
