//! Other requests of clients, and their responses.

use crate::encoding::{List, TextField, messages};

use super::generic::{Map, ObjectType};
use super::schema::{ArraySchema, Enumeration, MapEnumeration};
use super::values::Config;

messages! {
    /// Request to delete fragments by URI.
    ArrayDeleteFragmentsListRequest: 0 words, 2 pointers {
        CONFIG "config" at pointer 0: Config,
        ENTRIES "entries" at pointer 1: List<TextField>,
    }

    /// Request to delete the fragments of a time window.
    ArrayDeleteFragmentsTimestampsRequest: 2 words, 1 pointer {
        CONFIG "config" at pointer 0: Config,
        START_TIMESTAMP "startTimestamp" at 0: u64,
        END_TIMESTAMP "endTimestamp" at 64: u64,
    }

    ArrayConsolidationRequest: 0 words, 2 pointers {
        CONFIG "config" at pointer 0: Config,
        FRAGMENTS "fragments" at pointer 1: List<TextField>,
    }

    ArrayVacuumRequest: 0 words, 1 pointer {
        CONFIG "config" at pointer 0: Config,
    }

    LoadEnumerationsRequest: 0 words, 2 pointers {
        CONFIG "config" at pointer 0: Config,
        ENUMERATIONS "enumerations" at pointer 1: List<TextField>,
    }

    LoadEnumerationsResponse: 0 words, 2 pointers {
        ENUMERATIONS "enumerations" at pointer 0: List<Enumeration>,
        ALL_ENUMERATIONS "allEnumerations" at pointer 1: MapEnumeration,
    }

    LoadArraySchemaRequest: 1 word, 1 pointer {
        CONFIG "config" at pointer 0: Config,
        INCLUDE_ENUMERATIONS "includeEnumerations" at 0: bool,
    }

    LoadArraySchemaResponse: 0 words, 2 pointers {
        SCHEMA "schema" at pointer 0: ArraySchema,
        ARRAY_SCHEMAS_ALL "arraySchemasAll" at pointer 1: Map<ArraySchema>,
    }

    ConsolidationPlanRequest: 1 word, 1 pointer {
        CONFIG "config" at pointer 0: Config,
        FRAGMENT_SIZE "fragmentSize" at 0: u64,
    }

    /// How an array would be consolidated.
    ConsolidationPlanResponse: 0 words, 1 pointer {
        FRAGMENT_URIS_PER_NODE "fragmentUrisPerNode" at pointer 0: List<List<TextField>>,
    }

    /// Type of an object.
    ObjectInfoResponse: 1 word, 0 pointers {
        OBJECT_TYPE "objectType" at 0: ObjectType,
    }

    /// A version of the library.
    TileDBVersion: 1 word, 0 pointers {
        MAJOR "major" at 0: u16,
        MINOR "minor" at 16: u16,
        PATCH "patch" at 32: u16,
    }

    /// Capabilities of a server.
    RestCapabilities: 0 words, 2 pointers {
        DEPLOYED_TILE_DB_VERSION "deployedTileDBVersion" at pointer 0: TileDBVersion,
        MINIMUM_SUPPORTED_TILE_DB_CLIENT_VERSION "minimumSupportedTileDBClientVersion" at pointer 1: TileDBVersion,
    }
}
