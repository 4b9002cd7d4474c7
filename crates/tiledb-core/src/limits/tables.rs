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

            pub(super) const ALL: &[&Limit] = &[$(&$name),*];
        }
    };
}

limits! {
    /// Parallel loops.
    compute:
    /// Work of fewer bytes is done by the calling thread.
    MIN_SHARED_WORK = 128 << 10, Bytes from 1, "handing less to another thread takes longer than doing it";
}

limits! {
    /// Sorting of cells by their keys.
    keys:
    /// Up to this many cells are sorted by comparison of codes rather than by radix.
    MAX_COMPARED_CELLS = 2048, Cells from 32, "a radix sort clears its counters, which costs more than comparing few codes";
    /// Minimum number of cells that a thread sorts.
    CELLS_PER_SORT_TASK = 1 << 16, Cells from 1, "cells that a thread sorts in about the time that handing them over takes";
    /// Minimum number of cells whose keys a thread computes.
    CELLS_PER_KEY_TASK = 1 << 16, Cells from 1, "as for sorting";
    /// Up to this many cells with one key are ordered by comparison of all coordinates.
    MAX_COMPARED_TIES = 24, Cells from 1, "the next word of so few keys is not worth computing for all";
    /// Cells with equal keys that are a task of their own.
    CELLS_PER_TIE_TASK = 4096, Cells from 1, "smaller groups are ordered together";
}

limits! {
    /// Reads of sparse arrays.
    sparse_read:
    /// Maximum bytes of the tiles of a batch, about.
    MAX_BATCH_BYTES = 16 << 20, Bytes from 1, "more tiles leave the caches before they are copied";
    /// Bytes of the tiles of a batch for each thread.
    BATCH_BYTES_PER_THREAD = 3 << 20, Bytes from 1, "some tiles of usual size, so that all threads have work for most of the time";
    /// Minimum number of cells that are sorted at a time, whatever the budget.
    MIN_SORTED_CELLS = 16, Cells from 1, "fewer make a round for nearly every cell";
    /// Maximum number of cells that are sorted at a time.
    MAX_SORTED_CELLS = 1 << 19, Cells from 1, "more take more memory and no less time";
    /// A queued tile is compacted to its remaining cells if these are at most this part of those in memory.
    COMPACTED_PART = 8, Divisor from 1, "compacting copies the rest: it must free several times as much";
    /// Minimum number of sorted cells that a thread joins to runs.
    CELLS_PER_JOIN_TASK = 1 << 15, Cells from 1, "fewer take no longer than handing them over";
    /// Number of sorted cells whose codes are freed together.
    CELLS_PER_FREED_PART = 1 << 18, Cells from 1, "small enough that codes and runs are not in memory twice";
    /// Number of codes from which their memory is freed part by part.
    MIN_FREED_CODES = 1 << 20, Entries from 1, "memory of fewer would have to be moved to the heap";
    /// Minimum number of runs that a thread looks at.
    RUNS_PER_TASK = 1 << 15, Entries from 1, "fewer take no longer than handing them over";
    /// Number of cells that a task copies, about.
    CELLS_PER_COPY_TASK = 64 << 10, Cells from 1, "fewer take no longer than handing them over";
    /// Minimum number of submits for which cells are staged.
    MIN_STAGED_SUBMITS = 2, Entries from 1, "results of a single submit need not be staged";
    /// Number of cells of a window of an ordered read, about, if tiles allow it.
    WINDOW_CELLS = 1 << 18, Cells from 1, "cells that are sorted within the caches";
    /// If memory holds no more tiles, a window has at least this part of the cells of the retained tiles.
    MIN_WINDOW_PART = 64, Divisor from 1, "tiles of which fewer cells are delivered are not worth retaining";
    /// Number of cells that are sorted at a time regardless of the memory budget.
    MIN_WINDOW_CELLS = 16, Cells from 1, "with fewer a read makes hardly any progress";
    /// Maximum number of cells of a window whose tiles are decoded again.
    MAX_EXTERNAL_CELLS = 1 << 22, Cells from 1, "larger windows do not decode less often";
    /// Number of cells of a tile that are converted to records at a time.
    CELLS_PER_RECORD_BLOCK = 2048, Cells from 1, "keys of a block stay in the cache";
    /// Number of cells that are sampled to estimate where windows end.
    EXTERNAL_SAMPLES = 512, Cells from 1, "the error of a quantile of more is no smaller than what windows vary by";
    /// Number of tiles for each thread that are decoded at a time for a window.
    TILES_PER_TASK = 2, Tiles from 1, "a thread has its next tile while others finish";
    /// Number of cells that a quantile is taken from.
    QUANTILE_SAMPLES = 1024, Cells from 1, "the error of a quantile of more is no smaller than what windows vary by";
    /// Interval of the cells after a window that are sampled.
    SAMPLE_STRIDE = 32, Cells from 1, "enough samples for the bound of the next window, at little memory";
    /// Fragments that overlap are divided tile by tile from this many bytes on.
    MIN_SPLIT_BYTES = 128 << 10, Bytes from 1, "merging less takes no longer than reading the boxes of its tiles";
    /// Up to this many fragments are compared in pairs for those without overlap.
    MAX_PAIRED_FRAGMENTS = 512, Fragments from 1, "the number of pairs grows with the square";
    /// Number of tiles that are sampled to estimate the tile size of a fragment.
    SAMPLED_TILES = 64, Tiles from 1, "sizes of more tiles hardly change the mean";
}

limits! {
    /// Tiles that are filtered and stored by writers.
    write:
    /// Bytes of filtered tiles that may wait for one before them.
    MAX_WAITING_BYTES = 2 << 20, Bytes from 1, "what all threads produce while the slowest completes its tile";
    /// Bytes of the cells of a tile that are filtered at a time where memory is short.
    BYTES_PER_PART = 1 << 18, Bytes from 1, "some chunks";
    /// Bytes of dense tiles that may wait until it is known in which fragment they belong.
    MAX_UNASSIGNED_BYTES = 32 << 20, Bytes from 1, "boxes of more tiles are divided";
}

limits! {
    /// Cells that are carried from the fragments that are merged to the new one.
    consolidation:
    /// Maximum bytes of the cells that are carried at a time.
    MAX_BATCH_BYTES = 8 << 20, Bytes from 1, "stays in the cache between reader and writer, and holds some tiles of usual capacity";
    /// Stored tiles among others that have to be read are taken over if they have as many bytes.
    MIN_TAKEN_OVER_BYTES = 64 << 10, Bytes from 1, "fewer are read along with their neighbours";
    /// Bytes of cells of tiles that are taken over between two reports of progress.
    BYTES_PER_REPORT = 32 << 20, Bytes from 1, "some reports a second";
}

/// All limits.
pub fn all() -> impl Iterator<Item = &'static Limit> {
    [compute::ALL, keys::ALL, sparse_read::ALL, write::ALL, consolidation::ALL].into_iter().flatten().copied()
}
