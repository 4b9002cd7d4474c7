//! Limits: Parallel loops and caches.

use super::declare::limits;

limits! {
    /// Parallel loops.
    compute:
    /// Work of fewer bytes is done by the calling thread.
    MIN_SHARED_WORK = 128 << 10, Bytes from 1, "handing less to another thread takes longer than doing it";
    /// Minimum number of items that a growing leased vector reserves memory for.
    MIN_LEASED_ITEMS = 64, Entries from 8, "each growth takes a reservation of the budget; no vector allocates fewer than 8 items";
    /// Up to this many names are compared one after another rather than hashed.
    MAX_COMPARED_NAMES = 4, Entries from 0, "hashing takes longer than comparing so few";
}

limits! {
    /// Caches in memory.
    cache:
    /// Bytes of the chunk cache of a context, unless configured.
    CHUNK_CACHE_BYTES = 256 << 20, Bytes from 0, "holds the tiles of repeated slices; a small part of the default memory budget";
    /// The chunk cache takes at most this part of the memory budget, unless configured.
    CHUNK_CACHE_PART = 16, Divisor from 1, "leaves nearly all of it to queries";
    /// Bytes of the chunk cache of work that reads each chunk once.
    SINGLE_USE_CHUNK_CACHE_BYTES = 2 << 20, Bytes from 0, "enough for chunks that are read in several parts";
    /// A chunk takes at most this part of the chunk cache.
    MAX_CHUNK_PART = 16, Divisor from 1, "an entry must not evict most others";
    /// One part of the results of a query fills at most this part of the chunk cache.
    MAX_SCAN_PART = 32, Divisor from 1, "a scan over parts of all chunks would evict everything, and find nothing when it is repeated";
    /// Bytes that one part of the results of a query may add in any case.
    MIN_SCAN_BYTES = 8 << 20, Bytes from 0, "small caches retain what fits";
    /// Dropped owners whose chunks are removed together.
    MAX_DROPPED_OWNERS = 64, Entries from 1, "each removal walks all entries; at most the size of the array that holds them";
    /// Bytes of the parsed metadata of local files that are cached.
    METADATA_CACHE_BYTES = 8 << 20, Bytes from 0, "the metadata of thousands of small fragments";
    /// Maximum bytes of an entry of the cache of parsed metadata.
    MAX_METADATA_ENTRY_BYTES = 1 << 20, Bytes from 0, "a few entries must not evict all others";
    /// Buffers that each part of the pool of working buffers retains.
    RETAINED_BUFFERS = 32, Entries from 0, "a batch of tiles of strings has hundreds in all parts";
    /// Larger working buffers are returned to the system.
    MAX_RETAINED_BUFFER_BYTES = 8 << 20, Bytes from 0, "the allocator maps larger ones by themselves";
    /// Larger working memory of bzip2 is freed.
    MAX_RETAINED_BZIP2_BYTES = 4 << 20, Bytes from 0, "decompression of the largest blocks takes less, compression more";
    /// Buffers for filtered tiles are retained if they suffice for tiles of this size.
    MAX_RETAINED_TILE_BYTES = 2 << 20, Bytes from 0, "larger tiles are few, and their memory is not lost to others";
}
