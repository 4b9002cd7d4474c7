//! C functions of string handles, which the caller owns and frees.

use super::boundary::{In, Out, OutHandle, OutStr, capi_return_t};
use super::call::{call_plain, free_checked};
use super::handles::tiledb_string_t;
use tiledb_core::types::bytes_of_path;

/// Frees a string and sets the pointer to null. The bytes obtained by `tiledb_string_view` become invalid.
///
/// @param s The string.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` if it is not a string handle, also for a pointer to null.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_string_free(s: OutHandle<tiledb_string_t>) -> capi_return_t {
    free_checked(s)
}

/// Returns the bytes of a string without copying them.
///
/// ```c
/// tiledb_string_t *text = NULL;
/// const char *data = NULL;
/// size_t length = 0;
/// tiledb_array_schema_dump_str(ctx, schema, &text);
/// tiledb_string_view(text, &data, &length);
/// printf("%.*s\n", (int)length, data);
/// tiledb_string_free(&text);
/// ```
///
/// @param s The string.
/// @param data Receives the address of the first byte. The bytes belong to the string, are valid until `tiledb_string_free`,
///     and are followed by a NUL.
/// @param length Receives the number of bytes without the NUL.
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

/// The object of a string handle: the bytes and a terminating NUL, for callers that ignore the length.
pub struct Text(Vec<u8>);

impl Text {
    /// The content of a string handle.
    pub(crate) fn new(text: impl AsRef<str>) -> Text {
        Text([text.as_ref().as_bytes(), b"\0"].concat())
    }

    /// The content of a string handle that holds a path or names some.
    pub(crate) fn of_path(text: &str) -> Text {
        Text([&*bytes_of_path(text), b"\0"].concat())
    }
}
