//! Filters and their options.

use crate::encoding::{Data, List, TextField, messages};

messages! {
    /// The options of the filter that scales floats.
    FloatScaleConfig: 3 words, 0 pointers {
        SCALE "scale" at 0: f64,
        OFFSET "offset" at 64: f64,
        BYTE_WIDTH "byteWidth" at 128: u64,
    }

    /// The options of the WebP filter.
    WebpConfig: 2 words, 0 pointers {
        QUALITY "quality" at 0: f32,
        FORMAT "format" at 32: u8,
        LOSSLESS "lossless" at 40: bool,
        EXTENT_X "extentX" at 48: u16,
        EXTENT_Y "extentY" at 64: u16,
    }

    /// A filter; options that are a single number are in its union.
    Filter: 2 words, 4 pointers, union "data" at 0 {
        TYPE "type" at pointer 0: TextField,
        TEXT "text" at pointer 1 if 0: TextField,
        BYTES "bytes" at pointer 1 if 1: Data,
        INT8 "int8" at 16 if 2: i8,
        UINT8 "uint8" at 16 if 3: u8,
        INT16 "int16" at 16 if 4: i16,
        UINT16 "uint16" at 16 if 5: u16,
        INT32 "int32" at 32 if 6: i32,
        UINT32 "uint32" at 32 if 7: u32,
        INT64 "int64" at 64 if 8: i64,
        UINT64 "uint64" at 64 if 9: u64,
        FLOAT32 "float32" at 32 if 10: f32,
        FLOAT64 "float64" at 64 if 11: f64,
        FLOAT_SCALE_CONFIG "floatScaleConfig" at pointer 2: FloatScaleConfig,
        WEBP_CONFIG "webpConfig" at pointer 3: WebpConfig,
    }

    /// Filters in the order in which they run.
    FilterPipeline: 0 words, 1 pointer {
        FILTERS "filters" at pointer 0: List<Filter>,
    }
}
