//! State of incomplete writes.

use crate::encoding::{List, TextField, messages};

use super::fragment::FragmentMetadata;
use super::generic::Map;
use super::ranges::Subarray;
use super::values::{DomainArray, MapUInt64, Stats};

messages! {
    /// A part of a file that was sent to a store.
    CompletedPart: 1 word, 1 pointer {
        E_TAG "eTag" at pointer 0: TextField,
        PART_NUMBER "partNumber" at 0: u64,
    }

    /// A part of a file that waits to be sent.
    BufferedChunk: 1 word, 1 pointer {
        URI "uri" at pointer 0: TextField,
        SIZE "size" at 0: u64,
    }

    MultiPartUploadState: 1 word, 4 pointers {
        PART_NUMBER "partNumber" at 0: u64,
        UPLOAD_ID "uploadId" at pointer 0: TextField,
        STATUS "status" at pointer 1: TextField,
        COMPLETED_PARTS "completedParts" at pointer 2: List<CompletedPart>,
        BUFFERED_CHUNKS "bufferedChunks" at pointer 3: List<BufferedChunk>,
    }

    /// The coordinates of a cell.
    SingleCoord: 0 words, 3 pointers {
        COORDS "coords" at pointer 0: List<List<u8>>,
        SIZES "sizes" at pointer 1: List<u64>,
        SINGLE_OFFSET "singleOffset" at pointer 2: List<u64>,
    }

    /// State of a write in global order.
    GlobalWriteState: 1 word, 4 pointers {
        CELLS_WRITTEN "cellsWritten" at pointer 0: MapUInt64,
        FRAG_META "fragMeta" at pointer 1: FragmentMetadata,
        LAST_CELL_COORDS "lastCellCoords" at pointer 2: SingleCoord,
        LAST_HILBERT_VALUE "lastHilbertValue" at 0: u64,
        MULTI_PART_UPLOAD_STATES "multiPartUploadStates" at pointer 3: Map<MultiPartUploadState>,
    }

    /// State of a write of separate fields.
    UnorderedWriterState: 1 word, 3 pointers {
        IS_COORDS_PASS "isCoordsPass" at 0: bool,
        CELL_POS "cellPos" at pointer 0: List<u64>,
        COORD_DUPS "coordDups" at pointer 1: List<u64>,
        FRAG_META "fragMeta" at pointer 2: FragmentMetadata,
    }

    /// A fragment that was written.
    WrittenFragmentInfo: 0 words, 2 pointers {
        URI "uri" at pointer 0: TextField,
        TIMESTAMP_RANGE "timestampRange" at pointer 1: List<u64>,
    }

    Writer: 1 word, 5 pointers {
        CHECK_COORD_DUPS "checkCoordDups" at 0: bool,
        CHECK_COORD_OOB "checkCoordOOB" at 1: bool,
        DEDUP_COORDS "dedupCoords" at 2: bool,
        SUBARRAY "subarray" at pointer 0: DomainArray,
        SUBARRAY_RANGES "subarrayRanges" at pointer 1: Subarray,
        STATS "stats" at pointer 2: Stats,
        GLOBAL_WRITE_STATE_V1 "globalWriteStateV1" at pointer 3: GlobalWriteState,
        UNORDERED_WRITER_STATE "unorderedWriterState" at pointer 4: UnorderedWriterState,
    }
}
