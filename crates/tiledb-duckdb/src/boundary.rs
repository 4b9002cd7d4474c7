//! What every function that DuckDB calls needs: no panic leaves it, and errors become texts.

use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use libduckdb_sys as ffi;

/// Runs the work of a callback; a panic becomes an error, since it must not unwind into DuckDB.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err("tiledb: internal error; please report it".to_owned()))
}

/// A text as C passes it, up to its first NUL.
pub(crate) fn text_of(text: &str) -> CString {
    let bytes: Vec<u8> = text.bytes().take_while(|byte| *byte != 0).collect();
    CString::new(bytes).unwrap_or_default()
}

/// A text of DuckDB, which owns it.
///
/// # Safety
/// `text` is null or ends with NUL.
pub(crate) unsafe fn borrowed_text<'a>(text: *const c_char) -> Option<&'a str> {
    if text.is_null() {
        return None;
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(text) }.to_str().ok()
}

/// Hands a value over to DuckDB, which frees it with [`drop_boxed`].
pub(crate) fn into_boxed<T>(value: T) -> *mut c_void {
    Box::into_raw(Box::new(value)).cast()
}

/// Frees what [`into_boxed`] made of a `T`.
pub(crate) unsafe extern "C" fn drop_boxed<T>(value: *mut c_void) {
    if !value.is_null() {
        // A panic while a value is dropped must not unwind into DuckDB.
        let _ = guarded(|| {
            // SAFETY: DuckDB passes each pointer of `into_boxed::<T>` once.
            drop(unsafe { Box::from_raw(value.cast::<T>()) });
            Ok(())
        });
    }
}

/// A type of DuckDB, freed when it is dropped.
pub(crate) struct LogicalType(ffi::duckdb_logical_type);

impl LogicalType {
    pub(crate) fn of(id: ffi::duckdb_type) -> LogicalType {
        // SAFETY: any identifier is allowed.
        LogicalType(unsafe { ffi::duckdb_create_logical_type(id) })
    }

    pub(crate) fn list(child: &LogicalType) -> LogicalType {
        // SAFETY: the child is a type.
        LogicalType(unsafe { ffi::duckdb_create_list_type(child.0) })
    }

    pub(crate) fn array(child: &LogicalType, length: u64) -> LogicalType {
        // SAFETY: the child is a type.
        LogicalType(unsafe { ffi::duckdb_create_array_type(child.0, length) })
    }

    pub(crate) fn map(key: &LogicalType, value: &LogicalType) -> LogicalType {
        // SAFETY: both are types.
        LogicalType(unsafe { ffi::duckdb_create_map_type(key.0, value.0) })
    }

    /// An enumeration type; its texts have no NUL.
    pub(crate) fn enumeration(texts: &[&CStr]) -> LogicalType {
        let mut pointers: Vec<*const c_char> = texts.iter().map(|text| text.as_ptr()).collect();
        // SAFETY: as many texts as the length says; DuckDB copies them.
        LogicalType(unsafe { ffi::duckdb_create_enum_type(pointers.as_mut_ptr(), pointers.len() as u64) })
    }

    pub(crate) fn as_raw(&self) -> ffi::duckdb_logical_type {
        self.0
    }
}

impl Drop for LogicalType {
    fn drop(&mut self) {
        // SAFETY: made by a function that creates types.
        unsafe { ffi::duckdb_destroy_logical_type(&raw mut self.0) };
    }
}
