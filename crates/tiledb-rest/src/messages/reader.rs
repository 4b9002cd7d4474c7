//! State of incomplete reads.

use crate::encoding::{List, TextField, messages};

use super::condition::Condition;
use super::ranges::Subarray;
use super::values::Stats;

messages! {
    /// How much memory the cells of a field may take.
    AttributeBufferSize: 3 words, 1 pointer {
        ATTRIBUTE "attribute" at pointer 0: TextField,
        OFFSET_BYTES "offsetBytes" at 0: u64,
        DATA_BYTES "dataBytes" at 64: u64,
        VALIDITY_BYTES "validityBytes" at 128: u64,
    }

    /// The part of a subarray that is being read.
    PartitionInfo "SubarrayPartitioner.PartitionInfo": 3 words, 1 pointer {
        SUBARRAY "subarray" at pointer 0: Subarray,
        START "start" at 0: u64,
        END "end" at 64: u64,
        SPLIT_MULTI_RANGE "splitMultiRange" at 128: bool,
    }

    /// The parts of a subarray that are still to be read.
    PartitionerState "SubarrayPartitioner.State": 2 words, 2 pointers {
        START "start" at 0: u64,
        END "end" at 64: u64,
        SINGLE_RANGE "singleRange" at pointer 0: List<Subarray>,
        MULTI_RANGE "multiRange" at pointer 1: List<Subarray>,
    }

    /// A subarray in parts whose results fit into memory.
    SubarrayPartitioner: 3 words, 5 pointers {
        SUBARRAY "subarray" at pointer 0: Subarray,
        BUDGET "budget" at pointer 1: List<AttributeBufferSize>,
        CURRENT "current" at pointer 2: PartitionInfo,
        STATE "state" at pointer 3: PartitionerState,
        MEMORY_BUDGET "memoryBudget" at 0: u64,
        MEMORY_BUDGET_VAR "memoryBudgetVar" at 64: u64,
        MEMORY_BUDGET_VALIDITY "memoryBudgetValidity" at 128: u64,
        STATS "stats" at pointer 4: Stats,
    }

    /// State of a read by partitions.
    ReadState: 1 word, 1 pointer {
        OVERFLOWED "overflowed" at 0: bool,
        UNSPLITTABLE "unsplittable" at 1: bool,
        INITIALIZED "initialized" at 2: bool,
        SUBARRAY_PARTITIONER "subarrayPartitioner" at pointer 0: SubarrayPartitioner,
    }

    /// A read by parts.
    QueryReader: 1 word, 5 pointers {
        LAYOUT "layout" at pointer 0: TextField,
        SUBARRAY "subarray" at pointer 1: Subarray,
        READ_STATE "readState" at pointer 2: ReadState,
        CONDITION "condition" at pointer 3: Condition,
        STATS "stats" at pointer 4: Stats,
        DIM_LABEL_INCREASING "dimLabelIncreasing" at 0: bool,
    }

    /// Consecutive cells of a tile.
    ResultCellSlab: 4 words, 0 pointers {
        FRAG_IDX "fragIdx" at 0: u32,
        TILE_IDX "tileIdx" at 64: u64,
        START "start" at 128: u64,
        LENGTH "length" at 192: u64,
    }

    /// The next cell of a fragment.
    FragmentIndex: 2 words, 0 pointers {
        TILE_IDX "tileIdx" at 0: u64,
        CELL_IDX "cellIdx" at 64: u64,
    }

    /// State of a read by fragments.
    ReadStateIndex: 1 word, 2 pointers {
        RESULT_CELL_SLAB "resultCellSlab" at pointer 0: List<ResultCellSlab>,
        FRAG_TILE_IDX "fragTileIdx" at pointer 1: List<FragmentIndex>,
        DONE_ADDING_RESULT_TILES "doneAddingResultTiles" at 0: bool,
    }

    /// A read by fragments.
    ReaderIndex: 0 words, 5 pointers {
        LAYOUT "layout" at pointer 0: TextField,
        SUBARRAY "subarray" at pointer 1: Subarray,
        READ_STATE "readState" at pointer 2: ReadStateIndex,
        CONDITION "condition" at pointer 3: Condition,
        STATS "stats" at pointer 4: Stats,
    }
}
