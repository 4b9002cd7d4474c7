//! An extension of DuckDB: TileDB arrays as tables.
//!
//! `read_tiledb('uri')` is a table function, and an array that a query names in quotes is read by it. It uses DuckDB's stable C
//! interface for extensions, so that one file works with all releases since 1.2.

mod boundary;
mod columns;
mod context;
mod parameters;
mod replacement;
mod scan;
mod table;
mod values;
mod vectors;

use libduckdb_sys as ffi;

use boundary::{guarded, text_of};

/// The oldest interface that has the functions that the extension calls.
const API_VERSION: &str = "v1.2.0";

/// Called by DuckDB when it loads the extension.
///
/// # Safety
/// `info` and `access` are those that DuckDB passes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_rs_init_c_api(
    info: ffi::duckdb_extension_info,
    access: *const ffi::duckdb_extension_access,
) -> bool {
    let load = || {
        // SAFETY: as the caller promises.
        let is_loaded = unsafe { ffi::duckdb_rs_extension_api_init(info, access, API_VERSION) }?;
        if !is_loaded {
            // DuckDB has set the error.
            return Ok(false);
        }
        // SAFETY: as the caller promises; the table of functions is filled.
        unsafe { register(info, &*access) }?;
        Ok(true)
    };
    guarded(load).unwrap_or_else(|error| {
        // SAFETY: as the caller promises; DuckDB copies the text.
        unsafe {
            if let Some(set_error) = (*access).set_error {
                set_error(info, text_of(&error).as_ptr());
            }
        }
        false
    })
}

/// Registers the table function and the replacement scan in the database that loads the extension.
///
/// # Safety
/// `info` and `access` are those that DuckDB passes.
unsafe fn register(info: ffi::duckdb_extension_info, access: &ffi::duckdb_extension_access) -> Result<(), String> {
    let get_database = access.get_database.ok_or("DuckDB passes no database")?;
    // SAFETY: as the caller promises.
    let database = unsafe { get_database(info) };
    if database.is_null() {
        return Err("DuckDB passes no database".to_owned());
    }
    let mut connection: ffi::duckdb_connection = std::ptr::null_mut();
    // SAFETY: the database is open while it loads an extension.
    if unsafe { ffi::duckdb_connect(*database, &raw mut connection) } != ffi::DuckDBSuccess {
        return Err("DuckDB opens no connection".to_owned());
    }
    // SAFETY: the connection is open.
    let registered = unsafe { scan::register(connection) };
    // SAFETY: it was opened above.
    unsafe { ffi::duckdb_disconnect(&raw mut connection) };
    registered?;
    // SAFETY: the database is open.
    unsafe { replacement::register(*database) };
    Ok(())
}
