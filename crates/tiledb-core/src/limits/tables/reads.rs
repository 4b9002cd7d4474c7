//! Limits: Readers.

use super::declare::limits;

limits! {
    /// Dimension labels.
    labels:
    /// Maximum number of labels that are read at a time.
    LABELS_PER_BLOCK = 4096, Cells from 1, "a tile of usual size";
    /// Maximum number of cached blocks of labels.
    MAX_CACHED_BLOCKS = 256, Entries from 1, "a binary search reads the logarithm of their number";
    /// Initial bytes of the buffer for variable labels.
    INITIAL_TEXT_BYTES = 1 << 16, Bytes from 0, "grows if labels are long";
}

limits! {
    /// Aggregates of selected cells.
    aggregate:
    /// Number of tiles whose results are merged at a time.
    TILES_PER_ROUND = 4096, Tiles from 1, "bounds the memory of results";
    /// Number of tiles whose stored statistics a task looks up.
    TILES_PER_LOOKUP = 64, Tiles from 1, "fewer take no longer than handing them over";
    /// Minimum bytes of the tiles that a task decodes.
    MIN_TASK_BYTES = 256 << 10, Bytes from 1, "fewer take no longer than handing them over";
    /// If memory suffices for this many tiles of typical size, sizes of all tiles are not compared.
    MIN_AMPLE_TILES = 16, Tiles from 16, "the largest tile is assumed to be smaller than as many typical ones";
}

limits! {
    /// Reads of dense arrays.
    dense_read:
    /// Results of fewer bytes are shared only if decoding the first tile is much work.
    MIN_SHARED_RESULT_BYTES = 256 << 10, Bytes from 0, "copying fewer takes no longer than handing them over";
    /// A tile is prefetched as a whole if at least this part of it is read.
    WHOLE_TILE_PART = 4, Divisor from 1, "requests for small parts of large tiles are faster";
    /// Minimum number of cells of a row of variable cells whose starts are dropped after it.
    MIN_ROW_CELLS = 8, Cells from 1, "dropping the starts of fewer takes longer than retaining them";
    /// If less than this part of a tile is selected, lengths of variable cells are computed one by one.
    LENGTHS_PART = 4, Divisor from 1, "computing all lengths is vectorized";
    /// Cached variable tiles take at most this part of the memory budget.
    CACHED_TILES_PART = 2, Divisor from 2, "the rest is for the tiles that are decoded";
    /// Tiles that a condition decoded and the results need take at most this part of the available memory.
    COMPARED_TILES_PART = 4, Divisor from 2, "half is for the results, a quarter for the tiles that are decoded";
    /// Maximum bytes of these tiles.
    MAX_COMPARED_BYTES = 128 << 20, Bytes from 0, "decoding more again is cheaper than the memory beside the results";
}

limits! {/// Reads of sparse arrays.
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
    MIN_WINDOW_CELLS = 16, Cells from 4, "with fewer a read makes hardly any progress; a group of equal cells must fit";
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
    /// The runs of a batch of a window take at most this part of the memory that the window leaves.
    BATCH_PART = 7, Divisor from 7, "positions of its cells take several times as much while they are delivered";
    /// Tiles that are open at a time stay decoded up to this part of the memory budget.
    MAX_OPEN_PART = 4, Divisor from 4, "the rest is for batches and keys";
    /// If records do not fit, this part of them is dropped.
    DROPPED_PART = 8, Divisor from 2, "selecting takes as long as the records that remain";
    /// Maximum bytes of the records of a window.
    MAX_WINDOW_BYTES = (1 << 34) - 1, Bytes from 1, "positions in the buffer of strings have 34 bits";
    /// Strings that are longer are not copied to records.
    MAX_RECORD_STRING_BYTES = (1 << 30) - 1, Bytes from 0, "lengths have 30 bits";
    /// Minimum growth of the buffer of strings of records.
    MIN_STRING_GROWTH_BYTES = 64, Bytes from 1, "each growth takes a reservation of the budget";
    /// Parts of a result are estimated for up to this many boxes of ranges.
    MAX_ESTIMATED_BOXES = 1 << 16, Entries from 0, "estimating more takes as long as reading";
}

limits! {
    /// Arrow batches.
    arrow:
    /// Bytes of a batch, unless requested.
    BATCH_BYTES = 64 << 20, Bytes from 1, "larger batches are no faster";
    /// A batch takes at most this part of the memory budget, unless requested.
    BATCH_PART = 4, Divisor from 4, "reader and batch are in memory at a time";
    /// Number of rows that are copied to a sample at a time.
    ROWS_PER_COPY = 1 << 12, Cells from 1, "the sample exceeds its bytes by fewer";
}
