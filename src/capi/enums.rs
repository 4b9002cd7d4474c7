//! The C enumerations, with their C names and numbers. Arguments of these types arrive as
//! [`CEnum`](super::boundary::CEnum) and become the engine's own types by their number.
#![allow(missing_docs, non_camel_case_types, clippy::upper_case_acronyms, reason = "the names are C's own")]
#![allow(dead_code, reason = "printed into the headers; the engine uses its own types")]

/// The type of a value.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_datatype_t {
    TILEDB_INT32 = 0,
    TILEDB_INT64 = 1,
    TILEDB_FLOAT32 = 2,
    TILEDB_FLOAT64 = 3,
    TILEDB_CHAR = 4,
    TILEDB_INT8 = 5,
    TILEDB_UINT8 = 6,
    TILEDB_INT16 = 7,
    TILEDB_UINT16 = 8,
    TILEDB_UINT32 = 9,
    TILEDB_UINT64 = 10,
    TILEDB_STRING_ASCII = 11,
    TILEDB_STRING_UTF8 = 12,
    TILEDB_STRING_UTF16 = 13,
    TILEDB_STRING_UTF32 = 14,
    TILEDB_STRING_UCS2 = 15,
    TILEDB_STRING_UCS4 = 16,
    TILEDB_ANY = 17,
    TILEDB_DATETIME_YEAR = 18,
    TILEDB_DATETIME_MONTH = 19,
    TILEDB_DATETIME_WEEK = 20,
    TILEDB_DATETIME_DAY = 21,
    TILEDB_DATETIME_HR = 22,
    TILEDB_DATETIME_MIN = 23,
    TILEDB_DATETIME_SEC = 24,
    TILEDB_DATETIME_MS = 25,
    TILEDB_DATETIME_US = 26,
    TILEDB_DATETIME_NS = 27,
    TILEDB_DATETIME_PS = 28,
    TILEDB_DATETIME_FS = 29,
    TILEDB_DATETIME_AS = 30,
    TILEDB_TIME_HR = 31,
    TILEDB_TIME_MIN = 32,
    TILEDB_TIME_SEC = 33,
    TILEDB_TIME_MS = 34,
    TILEDB_TIME_US = 35,
    TILEDB_TIME_NS = 36,
    TILEDB_TIME_PS = 37,
    TILEDB_TIME_FS = 38,
    TILEDB_TIME_AS = 39,
    TILEDB_BLOB = 40,
    TILEDB_BOOL = 41,
    TILEDB_GEOM_WKB = 42,
    TILEDB_GEOM_WKT = 43,
}

/// A storage backend.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_filesystem_t {
    TILEDB_HDFS = 0,
    TILEDB_S3 = 1,
    TILEDB_AZURE = 2,
    TILEDB_GCS = 3,
    TILEDB_MEMFS = 4,
    TILEDB_TILEDBFS = 5,
}

/// The protocol of a data transfer.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_data_protocol_t {
    TILEDB_DATA_PROTOCOL_v2 = 0,
    TILEDB_DATA_PROTOCOL_v3 = 1,
}

/// The type of a filter.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_filter_type_t {
    TILEDB_FILTER_NONE = 0,
    TILEDB_FILTER_GZIP = 1,
    TILEDB_FILTER_ZSTD = 2,
    TILEDB_FILTER_LZ4 = 3,
    TILEDB_FILTER_RLE = 4,
    TILEDB_FILTER_BZIP2 = 5,
    TILEDB_FILTER_DOUBLE_DELTA = 6,
    TILEDB_FILTER_BIT_WIDTH_REDUCTION = 7,
    TILEDB_FILTER_BITSHUFFLE = 8,
    TILEDB_FILTER_BYTESHUFFLE = 9,
    TILEDB_FILTER_POSITIVE_DELTA = 10,
    TILEDB_FILTER_CHECKSUM_MD5 = 12,
    TILEDB_FILTER_CHECKSUM_SHA256 = 13,
    TILEDB_FILTER_DICTIONARY = 14,
    TILEDB_FILTER_SCALE_FLOAT = 15,
    TILEDB_FILTER_XOR = 16,
    TILEDB_FILTER_DEPRECATED = 17,
    TILEDB_FILTER_WEBP = 18,
    TILEDB_FILTER_DELTA = 19,
    TILEDB_INTERNAL_FILTER_COUNT = 20,
}

/// An option of a filter.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_filter_option_t {
    TILEDB_COMPRESSION_LEVEL = 0,
    TILEDB_BIT_WIDTH_MAX_WINDOW = 1,
    TILEDB_POSITIVE_DELTA_MAX_WINDOW = 2,
    TILEDB_SCALE_FLOAT_BYTEWIDTH = 3,
    TILEDB_SCALE_FLOAT_FACTOR = 4,
    TILEDB_SCALE_FLOAT_OFFSET = 5,
    TILEDB_WEBP_QUALITY = 6,
    TILEDB_WEBP_INPUT_FORMAT = 7,
    TILEDB_WEBP_LOSSLESS = 8,
    TILEDB_COMPRESSION_REINTERPRET_DATATYPE = 9,
}

/// The colour format of WebP input.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_filter_webp_format_t {
    TILEDB_WEBP_NONE = 0,
    TILEDB_WEBP_RGB = 1,
    TILEDB_WEBP_BGR = 2,
    TILEDB_WEBP_RGBA = 3,
    TILEDB_WEBP_BGRA = 4,
}

/// Dense or sparse.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_array_type_t {
    TILEDB_DENSE = 0,
    TILEDB_SPARSE = 1,
}

/// An order of cells or tiles.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_layout_t {
    TILEDB_ROW_MAJOR = 0,
    TILEDB_COL_MAJOR = 1,
    TILEDB_GLOBAL_ORDER = 2,
    TILEDB_UNORDERED = 3,
    TILEDB_HILBERT = 4,
}

/// What an array or query is opened for.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_query_type_t {
    TILEDB_READ = 0,
    TILEDB_WRITE = 1,
    TILEDB_DELETE = 2,
    TILEDB_UPDATE = 3,
    TILEDB_MODIFY_EXCLUSIVE = 4,
}

/// How an array is encrypted.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_encryption_type_t {
    TILEDB_NO_ENCRYPTION = 0,
    TILEDB_AES_256_GCM = 1,
}

/// The order of a dimension label's values.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_data_order_t {
    TILEDB_UNORDERED_DATA = 0,
    TILEDB_INCREASING_DATA = 1,
    TILEDB_DECREASING_DATA = 2,
}

/// What lies at a URI.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_object_t {
    TILEDB_INVALID = 0,
    TILEDB_GROUP = 1,
    TILEDB_ARRAY = 2,
}

/// The order of an object walk.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_walk_order_t {
    TILEDB_PREORDER = 0,
    TILEDB_POSTORDER = 1,
}

/// What a file is opened for.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_vfs_mode_t {
    TILEDB_VFS_READ = 0,
    TILEDB_VFS_WRITE = 1,
    TILEDB_VFS_APPEND = 2,
}

/// The state of a query.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_query_status_t {
    TILEDB_FAILED = 0,
    TILEDB_COMPLETED = 1,
    TILEDB_INPROGRESS = 2,
    TILEDB_INCOMPLETE = 3,
    TILEDB_UNINITIALIZED = 4,
    TILEDB_INITIALIZED = 5,
}

/// A comparison of a query condition.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_query_condition_op_t {
    TILEDB_LT = 0,
    TILEDB_LE = 1,
    TILEDB_GT = 2,
    TILEDB_GE = 3,
    TILEDB_EQ = 4,
    TILEDB_NE = 5,
    TILEDB_IN = 6,
    TILEDB_NOT_IN = 7,
}

/// How query conditions are combined.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_query_condition_combination_op_t {
    TILEDB_AND = 0,
    TILEDB_OR = 1,
    TILEDB_NOT = 2,
}

/// The type of a file in a filestore.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_mime_type_t {
    TILEDB_MIME_AUTODETECT = 0,
    TILEDB_MIME_TIFF = 1,
    TILEDB_MIME_PDF = 2,
}

/// The shape of a current domain.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_current_domain_type_t {
    TILEDB_NDRECTANGLE = 0,
}

/// Where a query field comes from.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_field_origin_t {
    TILEDB_ATTRIBUTE_FIELD = 0,
    TILEDB_DIMENSION_FIELD = 1,
    TILEDB_AGGREGATE_FIELD = 2,
}

/// Why a query is incomplete.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_query_status_details_reason_t {
    TILEDB_REASON_NONE = 0,
    TILEDB_REASON_USER_BUFFER_SIZE = 1,
    TILEDB_REASON_MEMORY_BUDGET = 2,
}

/// The form of serialized objects.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_serialization_type_t {
    TILEDB_JSON = 0,
    TILEDB_CAPNP = 1,
}
