//! C functions that return constants, the version and the time.

use std::ffi::c_char;

use super::boundary::Out;
use super::call::value_or;
use super::reported_version::reported_version;

/// Returns the greatest length of a path.
///
/// @return The length in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_max_path() -> u32 {
    4096
}

/// Returns the size of an offset of variable-sized cells.
///
/// @return The size in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_offset_size() -> u64 {
    8
}

/// Returns the current time in milliseconds since 1970-01-01 UTC.
///
/// @return Milliseconds since 1970.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_timestamp_now_ms() -> u64 {
    value_or(0, || {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Ok(now.map_or(0, |now| now.as_millis() as u64))
    })
}

/// Returns the name of the field that holds the timestamp of each cell.
///
/// @return The name, which lives as long as the program.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_timestamps() -> *const c_char {
    c"__timestamps".as_ptr()
}

/// Returns the number of values of cells with any number of values.
///
/// @return The number, which `TILEDB_VAR_NUM` names.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_var_num() -> u32 {
    u32::MAX
}

/// Returns the version of the interface. A copy of the library that the command `swap` of the Python package put in the place of an
/// older one reports the version of that, if the client compares them.
///
/// @param major Receives the major version.
/// @param minor Receives the minor version.
/// @param rev Receives the revision.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_version(major: Out<i32>, minor: Out<i32>, rev: Out<i32>) {
    let version = reported_version();
    major.set_if_wanted(version[0]);
    minor.set_if_wanted(version[1]);
    rev.set_if_wanted(version[2]);
}
