//! The tables of internal limits, one for each part of the engine.

use super::Limit;

/// Declares the limits of a part of the engine as constants, and their list.
macro_rules! limits {
    ($(#[$about:meta])* $part:ident: $($(#[$doc:meta])* $name:ident = $value:expr, $unit:ident from $minimum:expr, $reason:literal;)*) => {
        $(#[$about])*
        pub mod $part {
            use crate::limits::{Limit, LimitUnit};

            $(
                $(#[$doc])*
                pub const $name: Limit = Limit {
                    name: concat!(stringify!($part), ".", stringify!($name)),
                    unit: LimitUnit::$unit,
                    value: $value,
                    minimum: $minimum,
                    reason: $reason,
                };
            )*

            pub(in crate::limits) const ALL: &[&Limit] = &[$(&$name),*];
        }
    };
}

mod cells;
mod files;
mod maintenance;
mod memory;
mod reads;

pub use cells::{columns, input, keys, selection, write};
pub use files::{filter, fragment, storage};
pub use maintenance::{consolidation, verify};
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
        verify::ALL,
    ]
    .into_iter()
    .flatten()
    .copied()
}
