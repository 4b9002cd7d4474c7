//! Arrays that a query names in quotes: `FROM 'flights'` reads `read_tiledb('flights')`.

use std::ffi::{c_char, c_void};
use std::path::Path;

use libduckdb_sys as ffi;

use crate::boundary::{borrowed_text, guarded, text_of};
use crate::context::context;

/// Endings of URIs in object stores that are read as arrays. There a query for what does not exist costs requests, and other
/// extensions read files of other endings.
const ENDINGS: [&str; 2] = [".tdb", ".tiledb"];

/// Registers the replacement scan.
///
/// # Safety
/// `database` is open.
pub(crate) unsafe fn register(database: ffi::duckdb_database) {
    // SAFETY: as the caller promises; the callback keeps nothing.
    unsafe { ffi::duckdb_add_replacement_scan(database, Some(replace), std::ptr::null_mut(), None) };
}

unsafe extern "C" fn replace(info: ffi::duckdb_replacement_scan_info, name: *const c_char, _: *mut c_void) {
    // SAFETY: DuckDB passes a text.
    let Some(name) = (unsafe { borrowed_text(name) }) else { return };
    let is_read = guarded(|| Ok(is_array(name)));
    if is_read != Ok(true) {
        return;
    }
    // SAFETY: DuckDB copies the texts and the value.
    unsafe {
        ffi::duckdb_replacement_scan_set_function_name(info, c"read_tiledb".as_ptr());
        let mut uri = ffi::duckdb_create_varchar(text_of(name).as_ptr());
        ffi::duckdb_replacement_scan_add_parameter(info, uri);
        ffi::duckdb_destroy_value(&raw mut uri);
    }
}

/// Whether a name is that of an array: a local one that exists, or a URI that says so.
fn is_array(name: &str) -> bool {
    match name.split_once("://") {
        Some(("tiledb", _)) => true,
        Some(("file" | "mem", _)) => exists(name),
        Some(_) => ENDINGS.iter().any(|ending| name.trim_end_matches('/').ends_with(ending)),
        // Without a folder there is no array, which saves a look at every unknown table name.
        None => Path::new(name).is_dir() && exists(name),
    }
}

fn exists(uri: &str) -> bool {
    context().is_ok_and(|ctx| tiledb::Array::exists(ctx, uri).unwrap_or(false))
}
