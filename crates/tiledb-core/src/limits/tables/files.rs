//! Limits: Storage, fragments and filters.

use super::declare::limits;

limits! {
    /// Reads and writes of files and objects.
    storage:
    /// Bytes of the parts into which a large read of a local file is divided.
    LOCAL_READ_BYTES = 4 << 20, Bytes from 1, "reading fewer takes no longer than handing them over";
    /// Bytes of the parts into which a large read of an object is divided.
    REMOTE_READ_BYTES = 32 << 20, Bytes from 1, "a request costs, and connections reach their throughput with some MiB";
    /// Bytes of small writes to a local file that are gathered.
    WRITE_BUFFER_BYTES = 256 << 10, Bytes from 1, "system calls for larger writes take hardly less time a byte";
    /// Maximum bytes of gathered writes of the process; beyond it writes are unbuffered.
    MAX_GATHERED_BYTES = 64 << 20, Bytes from 0, "hundreds of files that are written at a time";
    /// Maximum number of buffers of a vectored system call.
    MAX_VECTORED_BUFFERS = 1024, Entries from 1, "the limit of Linux";
    /// Bytes of a file that are copied to another storage at a time.
    TRANSFER_BYTES = 1 << 20, Bytes from 1, "stays in the cache between read and write";
    /// Maximum bytes that are fetched for a small read of an object.
    MAX_READ_AHEAD_BYTES = 1 << 20, Bytes from 0, "takes hardly longer than the request itself";
    /// Acquisitions of a file descriptor between two looks at the limit of the process.
    ACQUISITIONS_PER_CHECK = 16, Entries from 1, "a system call for each would cost as much as opening";
    /// Compressed bytes of a response that are received at a time.
    RESPONSE_READ_BYTES = 64 << 10, Bytes from 16, "the read of a connection; headers of a compressed stream must fit";
    /// Bytes of a message that are reserved before they arrive.
    RESERVED_MESSAGE_BYTES = 1 << 20, Bytes from 1, "a stated length takes no memory until as much arrived";
}

limits! {
    /// Opening arrays, and the files of fragments.
    fragment:
    /// New bytes of metadata changes after which replaced ones are removed.
    METADATA_COMPACTION_BYTES = 1 << 20, Bytes from 0, "few replaced values are cheaper to retain";
    /// Fragments that a task opens.
    FRAGMENTS_PER_TASK = 32, Fragments from 1, "opening fewer takes no longer than handing them over";
    /// Up to this many fragments, small metadata files are cached when an array is opened.
    MAX_CACHED_FRAGMENTS = 16, Fragments from 0, "their tables are likely to be read next; of many fragments few are";
    /// Metadata files are cached up to this size when an array is opened.
    MAX_CACHED_FILE_BYTES = 16 << 10, Bytes from 0, "reading as much takes as long as reading the footer";
    /// Bytes of the first read at the end of a metadata file.
    FOOTER_READ_BYTES = 4096, Bytes from 8, "nearly every footer fits; at least the length of the footer, at most the size of the buffer";
    /// Metadata files up to this size are read as a whole with the first table.
    MAX_WHOLE_FILE_BYTES = 64 << 10, Bytes from 0, "takes hardly longer than one table";
    /// Files that are removed from local storage between two checks for cancellation.
    LOCAL_REMOVALS_PER_CHECK = 8, Entries from 1, "some milliseconds";
    /// Files that are removed from remote storage between two checks for cancellation.
    REMOTE_REMOVALS_PER_CHECK = 256, Entries from 1, "a request removes many";
    /// Bytes of stored tiles that are read from local storage at a time to be copied.
    LOCAL_COPY_BYTES = 256 << 10, Bytes from 1, "stay in the cache until they are written";
    /// Bytes of stored tiles that are read from remote storage at a time to be copied.
    REMOTE_COPY_BYTES = 16 << 20, Bytes from 1, "several requests at a time fetch their parts";
}

limits! {
    /// Filters and structures.
    filter:
    /// Number of differences that are computed before they are stored.
    DIFFERENCES_PER_BLOCK = 512, Cells from 1, "stay in the cache; at most the size of the buffer";
    /// Bytes that are compared with the cell before to find the end of a run.
    COMPARED_RUN_BYTES = 256, Bytes from 1, "comparisons of fewer are not vectorized";
    /// Number of floating-point values that are checked at a time.
    CHECKED_VALUES = 512, Cells from 1, "stay in the cache; at most the size of the buffer";
    /// Maximum number of pieces of an unfiltered tile that are written at a time.
    MAX_WRITTEN_PIECES = 1024, Entries from 3, "the limit of a vectored write; a header and its data after the count of chunks";
    /// Minimum bytes of filtered chunks that are written at a time.
    MIN_WRITTEN_BYTES = 1 << 20, Bytes from 1, "writing fewer takes a system call for each";
    /// A structure is parsed as far as it is decoded from this many bytes on.
    FIRST_PARSED_BYTES = 4 << 20, Bytes from 1, "parsing once more takes longer than decoding fewer";
}
