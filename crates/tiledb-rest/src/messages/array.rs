//! Messages about arrays and array directories.

use crate::encoding::{List, TextField, messages};

use super::fragment::FragmentMetadata;
use super::generic::Map;
use super::metadata::ArrayMetadata;
use super::schema::ArraySchema;
use super::values::{Config, NonEmptyDomainList};

messages! {
    /// A file and its time.
    TimestampedUri "ArrayDirectory.TimestampedURI": 2 words, 1 pointer {
        URI "uri" at pointer 0: TextField,
        TIMESTAMP_START "timestampStart" at 0: u64,
        TIMESTAMP_END "timestampEnd" at 64: u64,
    }

    /// Where a delete condition is stored.
    ConditionLocation "ArrayDirectory.DeleteAndUpdateTileLocation": 1 word, 2 pointers {
        URI "uri" at pointer 0: TextField,
        CONDITION_MARKER "conditionMarker" at pointer 1: TextField,
        OFFSET "offset" at 0: u64,
    }

    /// Contents of an array directory.
    ArrayDirectory: 2 words, 12 pointers {
        UNFILTERED_FRAGMENT_URIS "unfilteredFragmentUris" at pointer 0: List<TextField>,
        CONSOLIDATED_COMMIT_URIS "consolidatedCommitUris" at pointer 1: List<TextField>,
        ARRAY_SCHEMA_URIS "arraySchemaUris" at pointer 2: List<TextField>,
        LATEST_ARRAY_SCHEMA_URI "latestArraySchemaUri" at pointer 3: TextField,
        ARRAY_META_URIS_TO_VACUUM "arrayMetaUrisToVacuum" at pointer 4: List<TextField>,
        ARRAY_META_VAC_URIS_TO_VACUUM "arrayMetaVacUrisToVacuum" at pointer 5: List<TextField>,
        COMMIT_URIS_TO_CONSOLIDATE "commitUrisToConsolidate" at pointer 6: List<TextField>,
        COMMIT_URIS_TO_VACUUM "commitUrisToVacuum" at pointer 7: List<TextField>,
        CONSOLIDATED_COMMIT_URIS_TO_VACUUM "consolidatedCommitUrisToVacuum" at pointer 8: List<TextField>,
        ARRAY_META_URIS "arrayMetaUris" at pointer 9: List<TimestampedUri>,
        FRAGMENT_META_URIS "fragmentMetaUris" at pointer 10: List<TextField>,
        DELETE_AND_UPDATE_TILE_LOCATION "deleteAndUpdateTileLocation" at pointer 11: List<ConditionLocation>,
        TIMESTAMP_START "timestampStart" at 0: u64,
        TIMESTAMP_END "timestampEnd" at 64: u64,
    }

    /// An open array.
    Array: 3 words, 8 pointers {
        END_TIMESTAMP "endTimestamp" at 0: u64,
        QUERY_TYPE "queryType" at pointer 0: TextField,
        URI "uri" at pointer 1: TextField,
        START_TIMESTAMP "startTimestamp" at 64: u64,
        ARRAY_SCHEMA_LATEST "arraySchemaLatest" at pointer 2: ArraySchema,
        ARRAY_SCHEMAS_ALL "arraySchemasAll" at pointer 3: Map<ArraySchema>,
        NON_EMPTY_DOMAIN "nonEmptyDomain" at pointer 4: NonEmptyDomainList,
        ARRAY_METADATA "arrayMetadata" at pointer 5: ArrayMetadata,
        ARRAY_DIRECTORY "arrayDirectory" at pointer 6: ArrayDirectory,
        FRAGMENT_METADATA_ALL "fragmentMetadataAll" at pointer 7: List<FragmentMetadata>,
        OPENED_AT_END_TIMESTAMP "openedAtEndTimestamp" at 128: u64,
    }

    /// Request to open an array.
    ArrayOpen: 0 words, 2 pointers {
        CONFIG "config" at pointer 0: Config,
        QUERY_TYPE "queryType" at pointer 1: TextField,
    }

    ArrayCreateRequest: 0 words, 2 pointers {
        URI "uri" at pointer 0: TextField,
        SCHEMA "schema" at pointer 1: ArraySchema,
    }
}
