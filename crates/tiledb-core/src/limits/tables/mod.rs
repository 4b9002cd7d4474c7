//! The tables of internal limits, one for each part of the engine.

use super::Limit;

mod cells;
mod declare;
mod files;
mod maintenance;
mod memory;
mod reads;

pub use cells::{columns, input, keys, selection, write};
pub use files::{filter, fragment, storage};
pub use maintenance::{consolidation, copy, verify};
pub use memory::{cache, compute};
pub use reads::{aggregate, arrow, dense_read, labels, sparse_read};

/// All limits.
pub fn all() -> impl Iterator<Item = &'static Limit> {
    [
        compute::ALL,
        cache::ALL,
        storage::ALL,
        fragment::ALL,
        filter::ALL,
        columns::ALL,
        input::ALL,
        keys::ALL,
        selection::ALL,
        write::ALL,
        labels::ALL,
        aggregate::ALL,
        dense_read::ALL,
        sparse_read::ALL,
        arrow::ALL,
        consolidation::ALL,
        copy::ALL,
        verify::ALL,
    ]
    .into_iter()
    .flatten()
    .copied()
}
