//! Messages about fragments.

use crate::encoding::{Data, List, TextField, messages};

use super::generic::Map;
use super::schema::ArraySchema;
use super::values::{Config, NonEmptyDomainList};

messages! {
    /// Offsets of the tables of a fragment's metadata in its file.
    GenericTileOffsets "FragmentMetadata.GenericTileOffsets": 3 words, 10 pointers {
        RTREE "rtree" at 0: u64,
        TILE_OFFSETS "tileOffsets" at pointer 0: List<u64>,
        TILE_VAR_OFFSETS "tileVarOffsets" at pointer 1: List<u64>,
        TILE_VAR_SIZES "tileVarSizes" at pointer 2: List<u64>,
        TILE_VALIDITY_OFFSETS "tileValidityOffsets" at pointer 3: List<u64>,
        TILE_MIN_OFFSETS "tileMinOffsets" at pointer 4: List<u64>,
        TILE_MAX_OFFSETS "tileMaxOffsets" at pointer 5: List<u64>,
        TILE_SUM_OFFSETS "tileSumOffsets" at pointer 6: List<u64>,
        TILE_NULL_COUNT_OFFSETS "tileNullCountOffsets" at pointer 7: List<u64>,
        FRAGMENT_MIN_MAX_SUM_NULL_COUNT_OFFSET "fragmentMinMaxSumNullCountOffset" at 64: u64,
        PROCESSED_CONDITIONS_OFFSETS "processedConditionsOffsets" at 128: u64,
        TILE_GLOBAL_ORDER_MIN_OFFSETS "tileGlobalOrderMinOffsets" at pointer 8: List<u64>,
        TILE_GLOBAL_ORDER_MAX_OFFSETS "tileGlobalOrderMaxOffsets" at pointer 9: List<u64>,
    }

    FragmentMetadata: 4 words, 27 pointers {
        FILE_SIZES "fileSizes" at pointer 0: List<u64>,
        FILE_VAR_SIZES "fileVarSizes" at pointer 1: List<u64>,
        FILE_VALIDITY_SIZES "fileValiditySizes" at pointer 2: List<u64>,
        FRAGMENT_URI "fragmentUri" at pointer 3: TextField,
        HAS_TIMESTAMPS "hasTimestamps" at 0: bool,
        HAS_DELETE_META "hasDeleteMeta" at 1: bool,
        SPARSE_TILE_NUM "sparseTileNum" at 64: u64,
        TILE_INDEX_BASE "tileIndexBase" at 128: u64,
        TILE_OFFSETS "tileOffsets" at pointer 4: List<List<u64>>,
        TILE_VAR_OFFSETS "tileVarOffsets" at pointer 5: List<List<u64>>,
        TILE_VAR_SIZES "tileVarSizes" at pointer 6: List<List<u64>>,
        TILE_VALIDITY_OFFSETS "tileValidityOffsets" at pointer 7: List<List<u64>>,
        TILE_MIN_BUFFER "tileMinBuffer" at pointer 8: List<List<u8>>,
        TILE_MIN_VAR_BUFFER "tileMinVarBuffer" at pointer 9: List<List<u8>>,
        TILE_MAX_BUFFER "tileMaxBuffer" at pointer 10: List<List<u8>>,
        TILE_MAX_VAR_BUFFER "tileMaxVarBuffer" at pointer 11: List<List<u8>>,
        TILE_SUMS "tileSums" at pointer 12: List<List<u8>>,
        TILE_NULL_COUNTS "tileNullCounts" at pointer 13: List<List<u64>>,
        FRAGMENT_MINS "fragmentMins" at pointer 14: List<List<u8>>,
        FRAGMENT_MAXS "fragmentMaxs" at pointer 15: List<List<u8>>,
        FRAGMENT_SUMS "fragmentSums" at pointer 16: List<u64>,
        FRAGMENT_NULL_COUNTS "fragmentNullCounts" at pointer 17: List<u64>,
        VERSION "version" at 32: u32,
        TIMESTAMP_RANGE "timestampRange" at pointer 18: List<u64>,
        LAST_TILE_CELL_NUM "lastTileCellNum" at 192: u64,
        NON_EMPTY_DOMAIN "nonEmptyDomain" at pointer 19: NonEmptyDomainList,
        RTREE "rtree" at pointer 20: Data,
        HAS_CONSOLIDATED_FOOTER "hasConsolidatedFooter" at 2: bool,
        GT_OFFSETS "gtOffsets" at pointer 21: GenericTileOffsets,
        ARRAY_SCHEMA_NAME "arraySchemaName" at pointer 22: TextField,
        TILE_GLOBAL_ORDER_MIN_BUFFER "tileGlobalOrderMinBuffer" at pointer 23: List<List<u8>>,
        TILE_GLOBAL_ORDER_MIN_VAR_BUFFER "tileGlobalOrderMinVarBuffer" at pointer 24: List<List<u8>>,
        TILE_GLOBAL_ORDER_MAX_BUFFER "tileGlobalOrderMaxBuffer" at pointer 25: List<List<u8>>,
        TILE_GLOBAL_ORDER_MAX_VAR_BUFFER "tileGlobalOrderMaxVarBuffer" at pointer 26: List<List<u8>>,
    }

    /// Information about a fragment.
    SingleFragmentInfo: 1 word, 2 pointers {
        ARRAY_SCHEMA_NAME "arraySchemaName" at pointer 0: TextField,
        META "meta" at pointer 1: FragmentMetadata,
        FRAGMENT_SIZE "fragmentSize" at 0: u64,
    }

    /// Information about the fragments of an array.
    FragmentInfo: 0 words, 4 pointers {
        ARRAY_SCHEMA_LATEST "arraySchemaLatest" at pointer 0: ArraySchema,
        ARRAY_SCHEMAS_ALL "arraySchemasAll" at pointer 1: Map<ArraySchema>,
        FRAGMENT_INFO "fragmentInfo" at pointer 2: List<SingleFragmentInfo>,
        TO_VACUUM "toVacuum" at pointer 3: List<TextField>,
    }

    FragmentInfoRequest: 0 words, 1 pointer {
        CONFIG "config" at pointer 0: Config,
    }
}
