//! Messages about queries.

use crate::encoding::{List, TextField, messages};

use super::array::Array;
use super::condition::Condition;
use super::generic::Map;
use super::reader::{QueryReader, ReaderIndex};
use super::values::{Config, Stats};
use super::writer::{Writer, WrittenFragmentInfo};

messages! {
    /// The sizes of the buffers of a field.
    AttributeBufferHeader: 6 words, 1 pointer {
        NAME "name" at pointer 0: TextField,
        FIXED_LEN_BUFFER_SIZE_IN_BYTES "fixedLenBufferSizeInBytes" at 0: u64,
        VAR_LEN_BUFFER_SIZE_IN_BYTES "varLenBufferSizeInBytes" at 64: u64,
        VALIDITY_LEN_BUFFER_SIZE_IN_BYTES "validityLenBufferSizeInBytes" at 128: u64,
        ORIGINAL_FIXED_LEN_BUFFER_SIZE_IN_BYTES "originalFixedLenBufferSizeInBytes" at 192: u64,
        ORIGINAL_VAR_LEN_BUFFER_SIZE_IN_BYTES "originalVarLenBufferSizeInBytes" at 256: u64,
        ORIGINAL_VALIDITY_LEN_BUFFER_SIZE_IN_BYTES "originalValidityLenBufferSizeInBytes" at 320: u64,
    }

    Aggregate: 0 words, 3 pointers {
        OUTPUT_FIELD_NAME "outputFieldName" at pointer 0: TextField,
        INPUT_FIELD_NAME "inputFieldName" at pointer 1: TextField,
        NAME "name" at pointer 2: TextField,
    }

    /// Aggregates over the same cells.
    QueryChannel: 1 word, 1 pointer {
        DEFAULT "default" at 0: bool,
        AGGREGATES "aggregates" at pointer 0: List<Aggregate>,
    }

    Delete: 0 words, 2 pointers {
        CONDITION "condition" at pointer 0: Condition,
        STATS "stats" at pointer 1: Stats,
    }

    Query: 4 words, 17 pointers {
        ATTRIBUTE_BUFFER_HEADERS "attributeBufferHeaders" at pointer 0: List<AttributeBufferHeader>,
        LAYOUT "layout" at pointer 1: TextField,
        STATUS "status" at pointer 2: TextField,
        TYPE "type" at pointer 3: TextField,
        WRITER "writer" at pointer 4: Writer,
        READER "reader" at pointer 5: QueryReader,
        ARRAY "array" at pointer 6: Array,
        TOTAL_FIXED_LENGTH_BUFFER_BYTES "totalFixedLengthBufferBytes" at 0: u64,
        TOTAL_VAR_LEN_BUFFER_BYTES "totalVarLenBufferBytes" at 64: u64,
        TOTAL_VALIDITY_BUFFER_BYTES "totalValidityBufferBytes" at 128: u64,
        VAR_OFFSETS_MODE "varOffsetsMode" at pointer 7: TextField,
        VAR_OFFSETS_ADD_EXTRA_ELEMENT "varOffsetsAddExtraElement" at 192: bool,
        VAR_OFFSETS_BITSIZE "varOffsetsBitsize" at 224: i32,
        CONFIG "config" at pointer 8: Config,
        STATS "stats" at pointer 9: Stats,
        READER_INDEX "readerIndex" at pointer 10: ReaderIndex,
        DENSE_READER "denseReader" at pointer 11: QueryReader,
        DELETE "delete" at pointer 12: Delete,
        WRITTEN_FRAGMENT_INFO "writtenFragmentInfo" at pointer 13: List<WrittenFragmentInfo>,
        WRITTEN_BUFFERS "writtenBuffers" at pointer 14: List<TextField>,
        ORDERED_DIM_LABEL_READER "orderedDimLabelReader" at pointer 15: QueryReader,
        CHANNELS "channels" at pointer 16: List<QueryChannel>,
    }

    /// How large the cells of a field will be.
    ResultSize "EstimatedResultSize.ResultSize": 3 words, 0 pointers {
        SIZE_FIXED "sizeFixed" at 0: f64,
        SIZE_VAR "sizeVar" at 64: f64,
        SIZE_VALIDITY "sizeValidity" at 128: f64,
    }

    /// How much memory the cells of a field will take.
    MemorySize "EstimatedResultSize.MemorySize": 3 words, 0 pointers {
        SIZE_FIXED "sizeFixed" at 0: u64,
        SIZE_VAR "sizeVar" at 64: u64,
        SIZE_VALIDITY "sizeValidity" at 128: u64,
    }

    /// How large the results of a query will be.
    EstimatedResultSize: 0 words, 2 pointers {
        RESULT_SIZES "resultSizes" at pointer 0: Map<ResultSize>,
        MEMORY_SIZES "memorySizes" at pointer 1: Map<MemorySize>,
    }

    QueryPlanRequest: 0 words, 2 pointers {
        CONFIG "config" at pointer 0: Config,
        QUERY "query" at pointer 1: Query,
    }

    /// How a query will run.
    QueryPlanResponse: 0 words, 5 pointers {
        QUERY_LAYOUT "queryLayout" at pointer 0: TextField,
        STRATEGY_NAME "strategyName" at pointer 1: TextField,
        ARRAY_TYPE "arrayType" at pointer 2: TextField,
        ATTRIBUTE_NAMES "attributeNames" at pointer 3: List<TextField>,
        DIMENSION_NAMES "dimensionNames" at pointer 4: List<TextField>,
    }
}
