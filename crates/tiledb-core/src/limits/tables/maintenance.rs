//! Limits: Maintenance.

use super::declare::limits;

limits! {/// Cells that are carried from the fragments that are merged to the new one.
    consolidation:
    /// Maximum bytes of the cells that are carried at a time.
    MAX_BATCH_BYTES = 8 << 20, Bytes from 1, "stays in the cache between reader and writer, and holds some tiles of usual capacity";
    /// Stored tiles among others that have to be read are taken over if they have as many bytes.
    MIN_TAKEN_OVER_BYTES = 64 << 10, Bytes from 1, "fewer are read along with their neighbours";
    /// Bytes of cells of tiles that are taken over between two reports of progress.
    BYTES_PER_REPORT = 32 << 20, Bytes from 1, "some reports a second";
    /// With a smaller memory budget, memory is returned to the system after each batch.
    MIN_RETAINING_BUDGET_BYTES = 32 << 20, Bytes from 0, "what the allocator holds back is up to a few MiB";
}

limits! {
    /// Copies of the files of arrays and groups.
    copy:
    /// Bytes that are read and written at a time.
    PIECE_BYTES = 2 << 20, Bytes from 1, "a request of the size that stores serve fastest";
    /// Number of files of up to one piece that are copied at a time.
    CONCURRENT_SMALL_FILES = 16, Entries from 1, "hides the latency of stores";
    /// Number of larger files that are copied at a time.
    CONCURRENT_LARGE_FILES = 4, Entries from 1, "stores buffer parts of them";
    /// Bytes of the metadata files that are read before the first one is written.
    MAX_METADATA_BYTES = 16 << 20, Bytes from 0, "the commits of thousands of fragments";
    /// Number of pieces that are read at a time from remote storage, for all large files together.
    CONCURRENT_PIECES = 16, Entries from 1, "32 MiB of buffers";
}

limits! {
    /// Verification of the files of an array.
    verify:
    /// Number of tiles whose bounds are compared at a time.
    TILES_PER_BOUNDS_BATCH = 4096, Tiles from 1, "bounds the memory of coordinates";
    /// Bytes of the tiles that are verified at a time.
    MAX_BATCH_BYTES = 64 << 20, Bytes from 1, "work for all threads between two reports";
    /// Number of tiles that are verified at a time.
    MAX_BATCH_TILES = 4096, Tiles from 1, "bounds the memory of tasks";
    /// Bytes between two reports of progress.
    BYTES_PER_REPORT = 4 << 20, Bytes from 1, "some hundred reports a second";
}
