//! Limits: Buffers, keys, selection and writers.

use super::declare::limits;

limits! {
    /// Buffers of cells.
    columns:
    /// Minimum bytes of a run of cells that a write takes from the buffer of the user.
    MIN_DIRECT_RUN_BYTES = 1024, Bytes from 1, "a system takes as long for a shorter one as for a copy";
    /// Side length, in cells, of the squares in which two dimensions are copied.
    SQUARE_SIDE = 32, Cells from 1, "both sides stay in the cache";
    /// Results of at least this size bypass the cache.
    MIN_STREAMED_RESULT_BYTES = 16 << 20, Bytes from 1, "a process seldom has a larger share of the last level";
    /// Minimum bytes of a box that is written past the cache.
    MIN_STREAMED_BOX_BYTES = 16 << 10, Bytes from 1, "the barrier after it must pay off";
    /// Minimum bytes of a contiguous run that is written past the cache.
    MIN_STREAMED_RUN_BYTES = 512, Bytes from 1, "partial cache lines must pay off";
    /// Number of cells that are compared with a range between two branches.
    CELLS_PER_RANGE_CHECK = 512, Cells from 1, "the loop without branches is vectorized";
}

limits! {
    /// Tiles that are read and decoded.
    input:
    /// Stored tiles up to this size are read with one call, whatever part of them is needed.
    MAX_SINGLE_READ_BYTES = 48 << 10, Bytes from 0, "reading a part takes as long";
    /// Up to this many chunks of a large tile are read one by one.
    MAX_SINGLE_CHUNKS = 2, Entries from 0, "more calls take longer than reading the rest";
    /// Unfiltered chunks that are read with one call.
    CHUNKS_PER_READ = 16, Entries from 1, "their headers are between them; at most the size of the list of buffers";
    /// Tiles that take more than this part of the memory budget are fetched chunk by chunk.
    MAX_FETCHED_PART = 64, Divisor from 1, "each thread has one";
    /// Minimum memory of a task if there is little.
    MIN_TASK_BYTES = 256 << 10, Bytes from 1, "some chunks";
    /// Bytes that are prefetched and not yet read.
    MAX_PREFETCHED_BYTES = 64 << 20, Bytes from 1, "some hundred milliseconds of a fast connection";
    /// Tiles up to this size are prefetched as a whole.
    MAX_PREFETCHED_TILE_BYTES = 128 << 10, Bytes from 0, "a request for a part takes as long";
    /// As [`MAX_PREFETCHED_TILE_BYTES`], where the host program supplies files.
    MAX_SUPPLIED_TILE_BYTES = 8 << 20, Bytes from 0, "each chunk is found by the header of the one before it: a round trip for each";
}

limits! {/// Sorting of cells by their keys.
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
    /// Number of cells whose keys are computed at a time.
    CELLS_PER_KEY_BLOCK = 1024, Cells from 1, "stay in the fastest cache";
    /// Number of cells whose coordinates are gathered at a time.
    CELLS_PER_GATHER = 128, Cells from 1, "at most the size of the buffer on the stack";
    /// Number of cells that a sort passes on at a time.
    CELLS_PER_SORT_BLOCK = 256, Cells from 2, "buffers on the stack, which are at most as large; order is checked between two cells";
    /// Runs of keys that are sampled before a sort, and keys of each.
    SAMPLED_KEYS = 32, Entries from 2, "their square is enough for an estimate; the first and the last run differ";
    /// Maximum number of cells with equal abbreviated keys that are sorted on the stack.
    MAX_STACK_TIES = 24, Cells from 0, "at most the size of the buffers on the stack";
    /// Maximum number of further words by which cells with equal keys are sorted.
    MAX_SORTED_WORDS = 12, Entries from 0, "long strings must not cause deep recursion";
}

limits! {
    /// Conditions and ranges that select cells.
    selection:
    /// Number of cells that are compared with a condition at a time.
    CELLS_PER_CONDITION_BLOCK = 2048, Cells from 1, "their mask stays in the nearest cache; at most the size of the mask on the stack";
    /// Groups of conditions that need more masks are evaluated first.
    MAX_NESTED_MASKS = 8, Entries from 0, "few masks at a time stay in the cache";
    /// Number of equalities of a field in a group of conditions that are tested as a set.
    MIN_EQUALITIES_OF_SET = 8, Entries from 2, "a lookup takes as long as some vectorized comparisons";
    /// Number of cells that are skipped together if none is selected.
    CELLS_PER_SKIP = 64, Cells from 1, "the loop without branches is vectorized";
    /// Number of cells of a zone: all places that read a zone map must have the same.
    CELLS_PER_ZONE = 128, Cells from 1, "zones take an eighth of a byte a cell";
    /// Maximum number of boxes of a leaf of the index of boxes.
    MAX_LEAF_BOXES = 8, Entries from 1, "comparing so few takes no longer than a node";
}

limits! {/// Tiles that are filtered and stored by writers.
    write:
    /// Bytes of filtered tiles that may wait for one before them.
    MAX_WAITING_BYTES = 2 << 20, Bytes from 1, "what all threads produce while the slowest completes its tile";
    /// Bytes of the cells of a tile that are filtered at a time where memory is short.
    BYTES_PER_PART = 1 << 18, Bytes from 1, "some chunks";
    /// Bytes of dense tiles that may wait until it is known in which fragment they belong.
    MAX_UNASSIGNED_BYTES = 32 << 20, Bytes from 1, "boxes of more tiles are divided";
    /// Memory that must hold this many tiles for dense cells to be gathered before they are written.
    MIN_GATHERED_TILES = 2, Divisor from 2, "a tile may grow while the one before is written";
    /// Memory that must hold this many tiles for fields to be filtered side by side.
    MIN_CONCURRENT_TILES = 3, Divisor from 3, "a tile that is produced while another is written is in memory as input and filtered";
    /// Cells that take at most this part of the available memory are gathered at once.
    MAX_GATHERED_PART = 4, Divisor from 4, "as much again is filtered and written";
}
