//! Values that DuckDB passes as arguments.

use libduckdb_sys as ffi;

use crate::boundary::borrowed_text;

/// A value of DuckDB, freed when it is dropped.
pub(crate) struct Argument(ffi::duckdb_value);

impl Argument {
    /// Takes a value over; `None` if it is absent or NULL.
    ///
    /// # Safety
    /// `value` is null or a value that the caller owns.
    pub(crate) unsafe fn take(value: ffi::duckdb_value) -> Option<Argument> {
        if value.is_null() {
            return None;
        }
        let value = Argument(value);
        // SAFETY: a value.
        if unsafe { ffi::duckdb_is_null_value(value.0) } { None } else { Some(value) }
    }

    /// The value as a text; numbers and dates are converted.
    pub(crate) fn text(&self) -> Result<String, String> {
        // SAFETY: a value; the text that is returned is freed below.
        unsafe {
            let text = ffi::duckdb_get_varchar(self.0);
            let copy = borrowed_text(text).map(str::to_owned);
            ffi::duckdb_free(text.cast());
            copy.ok_or_else(|| "a parameter is no text of UTF-8".to_owned())
        }
    }

    /// The entries of a map.
    pub(crate) fn entries(&self) -> Result<Vec<(String, String)>, String> {
        // SAFETY: a value; DuckDB returns 0 entries unless it is a map.
        let length = unsafe { ffi::duckdb_get_map_size(self.0) };
        let entry = |index| {
            // SAFETY: below the number of entries; the values are the caller's.
            let (key, value) = unsafe {
                let key = Argument::take(ffi::duckdb_get_map_key(self.0, index));
                (key, Argument::take(ffi::duckdb_get_map_value(self.0, index)))
            };
            match (key, value) {
                (Some(key), Some(value)) => Ok((key.text()?, value.text()?)),
                _ => Err("config: a parameter or its value is NULL".to_owned()),
            }
        };
        (0..length).map(entry).collect()
    }
}

impl Drop for Argument {
    fn drop(&mut self) {
        // SAFETY: owned.
        unsafe { ffi::duckdb_destroy_value(&raw mut self.0) };
    }
}
