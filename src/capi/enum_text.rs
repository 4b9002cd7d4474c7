//! Conversion of the C enumerations to texts and back.

use std::ffi::CStr;

use super::boundary::{CEnum, Out, OutStr, Str, capi_return_t};
use super::call::call_plain;
use super::enums::*;
use tiledb_core::error::{Error, Result};

/// A C enumeration whose values have texts.
pub(crate) trait Texts: Copy + 'static {
    /// Every value that has a text: its number, itself, its text.
    const TEXTS: &'static [(u32, Self, &'static CStr)];
}

/// Returns the text of a value: the body of the `_to_str` functions. The text is empty for a number
/// that is not a value.
pub(crate) fn text_of<E: Texts>(value: CEnum<E>, out: OutStr) -> capi_return_t {
    call_plain(|| match E::TEXTS.iter().find(|(number, ..)| *number == value.number()) {
        Some((.., text)) => out.set(text),
        None => out.set(c"").and(unknown()),
    })
}

/// Returns the value with a text: the body of the `_from_str` functions.
pub(crate) fn of_text<E: Texts>(text: Str, out: Out<E>) -> capi_return_t {
    call_plain(|| {
        let text = text.get("str")?;
        match E::TEXTS.iter().find(|entry| entry.2.to_bytes() == text.as_bytes()) {
            Some((_, value, _)) => out.set(*value),
            None => unknown(),
        }
    })
}

/// The value with the number that the engine's own enumeration has.
pub(crate) fn value_of<E: Texts>(number: u8) -> Result<E> {
    match E::TEXTS.iter().find(|entry| entry.0 == u32::from(number)) {
        Some((_, value, _)) => Ok(*value),
        None => Err(Error::internal(format!("TileDB internal: no value of the C enumeration has the number {number}"))),
    }
}

/// The error for an unknown value; only its code is reported, since these functions have no error message.
fn unknown() -> Result<()> {
    Err(Error::invalid("C API: no such value of the enumeration"))
}

macro_rules! texts {
    ($($enum:ident { $($value:ident $text:literal,)+ })+) => {$(
        impl Texts for $enum {
            const TEXTS: &'static [(u32, Self, &'static CStr)] =
                &[$(($enum::$value as u32, $enum::$value, $text),)+];
        }
    )+};
}

texts! {
    tiledb_datatype_t {
        TILEDB_INT32 c"INT32",
        TILEDB_INT64 c"INT64",
        TILEDB_FLOAT32 c"FLOAT32",
        TILEDB_FLOAT64 c"FLOAT64",
        TILEDB_CHAR c"CHAR",
        TILEDB_INT8 c"INT8",
        TILEDB_UINT8 c"UINT8",
        TILEDB_INT16 c"INT16",
        TILEDB_UINT16 c"UINT16",
        TILEDB_UINT32 c"UINT32",
        TILEDB_UINT64 c"UINT64",
        TILEDB_STRING_ASCII c"STRING_ASCII",
        TILEDB_STRING_UTF8 c"STRING_UTF8",
        TILEDB_STRING_UTF16 c"STRING_UTF16",
        TILEDB_STRING_UTF32 c"STRING_UTF32",
        TILEDB_STRING_UCS2 c"STRING_UCS2",
        TILEDB_STRING_UCS4 c"STRING_UCS4",
        TILEDB_ANY c"ANY",
        TILEDB_DATETIME_YEAR c"DATETIME_YEAR",
        TILEDB_DATETIME_MONTH c"DATETIME_MONTH",
        TILEDB_DATETIME_WEEK c"DATETIME_WEEK",
        TILEDB_DATETIME_DAY c"DATETIME_DAY",
        TILEDB_DATETIME_HR c"DATETIME_HR",
        TILEDB_DATETIME_MIN c"DATETIME_MIN",
        TILEDB_DATETIME_SEC c"DATETIME_SEC",
        TILEDB_DATETIME_MS c"DATETIME_MS",
        TILEDB_DATETIME_US c"DATETIME_US",
        TILEDB_DATETIME_NS c"DATETIME_NS",
        TILEDB_DATETIME_PS c"DATETIME_PS",
        TILEDB_DATETIME_FS c"DATETIME_FS",
        TILEDB_DATETIME_AS c"DATETIME_AS",
        TILEDB_TIME_HR c"TIME_HR",
        TILEDB_TIME_MIN c"TIME_MIN",
        TILEDB_TIME_SEC c"TIME_SEC",
        TILEDB_TIME_MS c"TIME_MS",
        TILEDB_TIME_US c"TIME_US",
        TILEDB_TIME_NS c"TIME_NS",
        TILEDB_TIME_PS c"TIME_PS",
        TILEDB_TIME_FS c"TIME_FS",
        TILEDB_TIME_AS c"TIME_AS",
        TILEDB_BLOB c"BLOB",
        TILEDB_BOOL c"BOOL",
        TILEDB_GEOM_WKB c"GEOM_WKB",
        TILEDB_GEOM_WKT c"GEOM_WKT",
    }
    tiledb_filesystem_t {
        TILEDB_HDFS c"HDFS",
        TILEDB_S3 c"S3",
        TILEDB_AZURE c"AZURE",
        TILEDB_GCS c"GCS",
        TILEDB_MEMFS c"MEM",
    }
    tiledb_filter_type_t {
        TILEDB_FILTER_NONE c"NONE",
        TILEDB_FILTER_GZIP c"GZIP",
        TILEDB_FILTER_ZSTD c"ZSTD",
        TILEDB_FILTER_LZ4 c"LZ4",
        TILEDB_FILTER_RLE c"RLE",
        TILEDB_FILTER_BZIP2 c"BZIP2",
        TILEDB_FILTER_DOUBLE_DELTA c"DOUBLE_DELTA",
        TILEDB_FILTER_BIT_WIDTH_REDUCTION c"BIT_WIDTH_REDUCTION",
        TILEDB_FILTER_BITSHUFFLE c"BITSHUFFLE",
        TILEDB_FILTER_BYTESHUFFLE c"BYTESHUFFLE",
        TILEDB_FILTER_POSITIVE_DELTA c"POSITIVE_DELTA",
        TILEDB_FILTER_CHECKSUM_MD5 c"CHECKSUM_MD5",
        TILEDB_FILTER_CHECKSUM_SHA256 c"CHECKSUM_SHA256",
        TILEDB_FILTER_DICTIONARY c"DICTIONARY_ENCODING",
        TILEDB_FILTER_SCALE_FLOAT c"SCALE_FLOAT",
        TILEDB_FILTER_XOR c"XOR",
        TILEDB_FILTER_WEBP c"WEBP",
        TILEDB_FILTER_DELTA c"DELTA",
    }
    tiledb_filter_option_t {
        TILEDB_COMPRESSION_LEVEL c"COMPRESSION_LEVEL",
        TILEDB_BIT_WIDTH_MAX_WINDOW c"BIT_WIDTH_MAX_WINDOW",
        TILEDB_POSITIVE_DELTA_MAX_WINDOW c"POSITIVE_DELTA_MAX_WINDOW",
        TILEDB_SCALE_FLOAT_BYTEWIDTH c"SCALE_FLOAT_BYTEWIDTH",
        TILEDB_SCALE_FLOAT_FACTOR c"SCALE_FLOAT_FACTOR",
        TILEDB_SCALE_FLOAT_OFFSET c"SCALE_FLOAT_OFFSET",
        TILEDB_WEBP_QUALITY c"WEBP_QUALITY",
        TILEDB_WEBP_INPUT_FORMAT c"WEBP_INPUT_FORMAT",
        TILEDB_WEBP_LOSSLESS c"WEBP_LOSSLESS",
        TILEDB_COMPRESSION_REINTERPRET_DATATYPE c"COMPRESSION_REINTERPRET_DATATYPE",
    }
    tiledb_array_type_t {
        TILEDB_DENSE c"dense",
        TILEDB_SPARSE c"sparse",
    }
    tiledb_layout_t {
        TILEDB_ROW_MAJOR c"row-major",
        TILEDB_COL_MAJOR c"col-major",
        TILEDB_GLOBAL_ORDER c"global-order",
        TILEDB_UNORDERED c"unordered",
        TILEDB_HILBERT c"hilbert",
    }
    tiledb_query_type_t {
        TILEDB_READ c"READ",
        TILEDB_WRITE c"WRITE",
        TILEDB_DELETE c"DELETE",
        TILEDB_UPDATE c"UPDATE",
        TILEDB_MODIFY_EXCLUSIVE c"MODIFY_EXCLUSIVE",
    }
    tiledb_encryption_type_t {
        TILEDB_NO_ENCRYPTION c"NO_ENCRYPTION",
        TILEDB_AES_256_GCM c"AES_256_GCM",
    }
    tiledb_data_order_t {
        TILEDB_UNORDERED_DATA c"unordered",
        TILEDB_INCREASING_DATA c"increasing",
        TILEDB_DECREASING_DATA c"decreasing",
    }
    tiledb_object_t {
        TILEDB_INVALID c"INVALID",
        TILEDB_GROUP c"GROUP",
        TILEDB_ARRAY c"ARRAY",
    }
    tiledb_walk_order_t {
        TILEDB_PREORDER c"PREORDER",
        TILEDB_POSTORDER c"POSTORDER",
    }
    tiledb_vfs_mode_t {
        TILEDB_VFS_READ c"VFS_READ",
        TILEDB_VFS_WRITE c"VFS_WRITE",
        TILEDB_VFS_APPEND c"VFS_APPEND",
    }
    tiledb_query_status_t {
        TILEDB_FAILED c"FAILED",
        TILEDB_COMPLETED c"COMPLETED",
        TILEDB_INPROGRESS c"INPROGRESS",
        TILEDB_INCOMPLETE c"INCOMPLETE",
        TILEDB_UNINITIALIZED c"UNINITIALIZED",
        TILEDB_INITIALIZED c"INITIALIZED",
    }
    tiledb_mime_type_t {
        TILEDB_MIME_AUTODETECT c"AUTODETECT",
        TILEDB_MIME_TIFF c"image/tiff",
        TILEDB_MIME_PDF c"application/pdf",
    }
    tiledb_serialization_type_t {
        TILEDB_JSON c"JSON",
        TILEDB_CAPNP c"CAPNP",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_core::types::{ArrayType, DataOrder, Datatype, EncryptionType, Layout, ObjectType, QueryType};

    fn check<E: Texts>(name: impl Fn(u32) -> &'static str) {
        for (number, _, text) in E::TEXTS {
            assert_eq!(text.to_str().unwrap(), name(*number));
        }
    }

    #[test]
    fn texts_are_those_of_the_engine() {
        check::<tiledb_datatype_t>(|number| Datatype::from_number(number).unwrap().name());
        check::<tiledb_array_type_t>(|number| ArrayType::from_number(number).unwrap().name());
        check::<tiledb_layout_t>(|number| Layout::from_number(number).unwrap().name());
        check::<tiledb_query_type_t>(|number| QueryType::from_number(number).unwrap().name());
        check::<tiledb_encryption_type_t>(|number| EncryptionType::from_number(number).unwrap().name());
        check::<tiledb_data_order_t>(|number| DataOrder::from_number(number).unwrap().name());
        check::<tiledb_object_t>(|number| ObjectType::from_number(number).unwrap().name());
    }
}
