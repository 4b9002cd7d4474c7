//! C interface: constants.

use std::ffi::c_char;

use super::boundary::{Out, value_or};

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_max_path() -> u32 {
    4096
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_offset_size() -> u64 {
    8
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_timestamp_now_ms() -> u64 {
    value_or(0, || {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Ok(now.map_or(0, |now| now.as_millis() as u64))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_timestamps() -> *const c_char {
    c"__timestamps".as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_var_num() -> u32 {
    u32::MAX
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_version(major: Out<i32>, minor: Out<i32>, rev: Out<i32>) {
    major.set_if_wanted(2);
    minor.set_if_wanted(30);
    rev.set_if_wanted(0);
}
