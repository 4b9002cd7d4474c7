//! Components of other messages: numbers by type, maps, domains, statistics.

use crate::encoding::{List, TextField, messages};

messages! {
    /// Numbers of one datatype; the list of that type is set.
    DomainArray: 0 words, 10 pointers {
        INT8 "int8" at pointer 0: List<i8>,
        UINT8 "uint8" at pointer 1: List<u8>,
        INT16 "int16" at pointer 2: List<i16>,
        UINT16 "uint16" at pointer 3: List<u16>,
        INT32 "int32" at pointer 4: List<i32>,
        UINT32 "uint32" at pointer 5: List<u32>,
        INT64 "int64" at pointer 6: List<i64>,
        UINT64 "uint64" at pointer 7: List<u64>,
        FLOAT32 "float32" at pointer 8: List<f32>,
        FLOAT64 "float64" at pointer 9: List<f64>,
    }

    /// A name and a text.
    KV: 0 words, 2 pointers {
        KEY "key" at pointer 0: TextField,
        VALUE "value" at pointer 1: TextField,
    }

    /// Parameters with their values.
    Config: 0 words, 1 pointer {
        ENTRIES "entries" at pointer 0: List<KV>,
    }

    /// Names and numbers.
    MapUInt32: 0 words, 1 pointer {
        ENTRIES "entries" at pointer 0: List<MapUInt32Entry>,
    }

    /// A name and a number.
    MapUInt32Entry "MapUInt32.Entry": 1 word, 1 pointer {
        KEY "key" at pointer 0: TextField,
        VALUE "value" at 0: u32,
    }

    /// Names and numbers.
    MapInt64: 0 words, 1 pointer {
        ENTRIES "entries" at pointer 0: List<MapInt64Entry>,
    }

    /// A name and a number.
    MapInt64Entry "MapInt64.Entry": 1 word, 1 pointer {
        KEY "key" at pointer 0: TextField,
        VALUE "value" at 0: i64,
    }

    /// Names and numbers.
    MapUInt64: 0 words, 1 pointer {
        ENTRIES "entries" at pointer 0: List<MapUInt64Entry>,
    }

    /// A name and a number.
    MapUInt64Entry "MapUInt64.Entry": 1 word, 1 pointer {
        KEY "key" at pointer 0: TextField,
        VALUE "value" at 0: u64,
    }

    /// Names and numbers.
    MapFloat64: 0 words, 1 pointer {
        ENTRIES "entries" at pointer 0: List<MapFloat64Entry>,
    }

    /// A name and a number.
    MapFloat64Entry "MapFloat64.Entry": 1 word, 1 pointer {
        KEY "key" at pointer 0: TextField,
        VALUE "value" at 0: f64,
    }

    /// Timers and counters.
    Stats: 0 words, 2 pointers {
        TIMERS "timers" at pointer 0: MapFloat64,
        COUNTERS "counters" at pointer 1: MapUInt64,
    }

    ServerError "Error": 1 word, 1 pointer {
        CODE "code" at 0: i64,
        MESSAGE "message" at pointer 0: TextField,
    }

    /// The range of a dimension that contains all cells.
    NonEmptyDomain: 1 word, 2 pointers {
        NON_EMPTY_DOMAIN "nonEmptyDomain" at pointer 0: DomainArray,
        IS_EMPTY "isEmpty" at 0: bool,
        SIZES "sizes" at pointer 1: List<u64>,
    }

    /// The non-empty domain of each dimension.
    NonEmptyDomainList: 0 words, 1 pointer {
        NON_EMPTY_DOMAINS "nonEmptyDomains" at pointer 0: List<NonEmptyDomain>,
    }
}
