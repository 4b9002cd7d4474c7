//! Strings that the caller owns.

use super::boundary::{In, Out, OutHandle, OutStr, capi_return_t};
use super::call::{call_plain, free_checked};
use super::handles::tiledb_string_t;
use tiledb_core::types::bytes_of_path;

/// Frees a string and sets the pointer to null.
///
/// @param s The string.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error, also for a pointer to null.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_string_free(s: OutHandle<tiledb_string_t>) -> capi_return_t {
    free_checked(s)
}

/// Gives the bytes of a string.
///
/// @param s The string.
/// @param data The first byte, valid until the string is freed.
/// @param length The number of bytes.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_string_view(s: In<tiledb_string_t>, data: OutStr, length: Out<usize>) -> capi_return_t {
    call_plain(|| {
        let text = s.get()?;
        data.check()?;
        length.check()?;
        data.set_bytes(&text.0)?;
        length.set(text.0.len() - 1)
    })
}

/// What a string handle holds: the bytes and a NUL, for callers that overlook the length.
pub struct Text(Vec<u8>);

impl Text {
    /// The content of a string handle.
    pub(crate) fn new(text: impl Into<String>) -> Text {
        let mut bytes = text.into().into_bytes();
        bytes.push(0);
        Text(bytes)
    }

    /// The content of a string handle that holds a path or names some.
    pub(crate) fn of_path(text: &str) -> Text {
        Text([&*bytes_of_path(text), b"\0"].concat())
    }
}
