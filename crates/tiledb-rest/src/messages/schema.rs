//! Array schemas and schema evolutions.

use crate::encoding::{Data, List, TextField, messages};

use super::filters::FilterPipeline;
use super::ranges::CurrentDomain;
use super::values::{DomainArray, KV};

messages! {
    Dimension: 2 words, 4 pointers, union "tileExtent" at 16 {
        NAME "name" at pointer 0: TextField,
        NULL_TILE_EXTENT "nullTileExtent" at 0: bool,
        TYPE "type" at pointer 1: TextField,
        INT8 "int8" at 8 if 0: i8,
        UINT8 "uint8" at 8 if 1: u8,
        INT16 "int16" at 32 if 2: i16,
        UINT16 "uint16" at 32 if 3: u16,
        INT32 "int32" at 32 if 4: i32,
        UINT32 "uint32" at 32 if 5: u32,
        INT64 "int64" at 64 if 6: i64,
        UINT64 "uint64" at 64 if 7: u64,
        FLOAT32 "float32" at 32 if 8: f32,
        FLOAT64 "float64" at 64 if 9: f64,
        DOMAIN "domain" at pointer 2: DomainArray,
        FILTER_PIPELINE "filterPipeline" at pointer 3: FilterPipeline,
    }

    /// The dimensions of an array.
    Domain: 0 words, 4 pointers {
        CELL_ORDER "cellOrder" at pointer 0: TextField,
        DIMENSIONS "dimensions" at pointer 1: List<Dimension>,
        TILE_ORDER "tileOrder" at pointer 2: TextField,
        TYPE "type" at pointer 3: TextField,
    }

    Attribute: 1 word, 6 pointers {
        CELL_VAL_NUM "cellValNum" at 0: u32,
        NAME "name" at pointer 0: TextField,
        TYPE "type" at pointer 1: TextField,
        FILTER_PIPELINE "filterPipeline" at pointer 2: FilterPipeline,
        FILL_VALUE "fillValue" at pointer 3: Data,
        NULLABLE "nullable" at 32: bool,
        FILL_VALUE_VALIDITY "fillValueValidity" at 33: bool,
        ORDER "order" at pointer 4: TextField,
        ENUMERATION_NAME "enumerationName" at pointer 5: TextField,
    }

    /// The values that the cells of an attribute refer to by index.
    Enumeration: 1 word, 5 pointers {
        NAME "name" at pointer 0: TextField,
        PATH_NAME "pathName" at pointer 1: TextField,
        TYPE "type" at pointer 2: TextField,
        CELL_VAL_NUM "cellValNum" at 0: u32,
        ORDERED "ordered" at 32: bool,
        DATA "data" at pointer 3: Data,
        OFFSETS "offsets" at pointer 4: Data,
    }

    /// The enumerations of each schema.
    MapEnumeration: 0 words, 1 pointer {
        ENTRIES "entries" at pointer 0: List<MapEnumerationEntry>,
    }

    /// The enumerations of one schema.
    MapEnumerationEntry "MapEnumeration.Entry": 0 words, 2 pointers {
        KEY "key" at pointer 0: TextField,
        VALUE "value" at pointer 1: List<Enumeration>,
    }

    DimensionLabel: 2 words, 6 pointers {
        DIMENSION_ID "dimensionId" at 0: u32,
        NAME "name" at pointer 0: TextField,
        URI "uri" at pointer 1: TextField,
        ATTRIBUTE_NAME "attributeName" at pointer 2: TextField,
        ORDER "order" at pointer 3: TextField,
        TYPE "type" at pointer 4: TextField,
        CELL_VAL_NUM "cellValNum" at 32: u32,
        EXTERNAL "external" at 64: bool,
        RELATIVE "relative" at 65: bool,
        SCHEMA "schema" at pointer 5: ArraySchema,
    }

    ArraySchema: 2 words, 16 pointers {
        ARRAY_TYPE "arrayType" at pointer 0: TextField,
        ATTRIBUTES "attributes" at pointer 1: List<Attribute>,
        CAPACITY "capacity" at 0: u64,
        CELL_ORDER "cellOrder" at pointer 2: TextField,
        COORDS_FILTER_PIPELINE "coordsFilterPipeline" at pointer 3: FilterPipeline,
        DOMAIN "domain" at pointer 4: Domain,
        OFFSET_FILTER_PIPELINE "offsetFilterPipeline" at pointer 5: FilterPipeline,
        TILE_ORDER "tileOrder" at pointer 6: TextField,
        URI "uri" at pointer 7: TextField,
        VERSION "version" at pointer 8: List<i32>,
        ALLOWS_DUPLICATES "allowsDuplicates" at 64: bool,
        VALIDITY_FILTER_PIPELINE "validityFilterPipeline" at pointer 9: FilterPipeline,
        NAME "name" at pointer 10: TextField,
        TIMESTAMP_RANGE "timestampRange" at pointer 11: List<u64>,
        DIMENSION_LABELS "dimensionLabels" at pointer 12: List<DimensionLabel>,
        ENUMERATIONS "enumerations" at pointer 13: List<Enumeration>,
        ENUMERATION_PATH_MAP "enumerationPathMap" at pointer 14: List<KV>,
        CURRENT_DOMAIN "currentDomain" at pointer 15: CurrentDomain,
    }

    ArraySchemaEvolution: 0 words, 7 pointers {
        ATTRIBUTES_TO_DROP "attributesToDrop" at pointer 0: List<TextField>,
        ATTRIBUTES_TO_ADD "attributesToAdd" at pointer 1: List<Attribute>,
        TIMESTAMP_RANGE "timestampRange" at pointer 2: List<u64>,
        ENUMERATIONS_TO_ADD "enumerationsToAdd" at pointer 3: List<Enumeration>,
        ENUMERATIONS_TO_DROP "enumerationsToDrop" at pointer 4: List<TextField>,
        ENUMERATIONS_TO_EXTEND "enumerationsToExtend" at pointer 5: List<Enumeration>,
        CURRENT_DOMAIN_TO_EXPAND "currentDomainToExpand" at pointer 6: CurrentDomain,
    }
}
