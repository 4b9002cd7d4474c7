//! The transparent structs and callback types of the C interface.
#![allow(non_camel_case_types, reason = "the names are C's own")]

use std::ffi::{c_char, c_void};

use super::enums::tiledb_query_status_details_reason_t;

/// The two ends of a range of one dimension.
#[repr(C)]
pub struct tiledb_range_t {
    /// The low end.
    pub min: *const c_void,
    /// Bytes of the low end.
    pub min_size: u64,
    /// The high end.
    pub max: *const c_void,
    /// Bytes of the high end.
    pub max_size: u64,
}

/// Why a query is incomplete.
#[repr(C)]
pub struct tiledb_experimental_query_status_details_t {
    /// The reason.
    pub incomplete_reason: tiledb_query_status_details_reason_t,
}

/// Why a query is incomplete.
pub type tiledb_query_status_details_t = tiledb_experimental_query_status_details_t;

/// Called with the path, its length, the object's size and the user's pointer: 1 goes on, 0 stops, -1 is an error.
pub type tiledb_ls_callback_t = Option<extern "C-unwind" fn(*const c_char, usize, u64, *mut c_void) -> i32>;

/// As `tiledb_ls_callback_t`, with a flag for directories.
pub type tiledb_ls_callback_v2_t = Option<extern "C-unwind" fn(*const c_char, usize, u64, u8, *mut c_void) -> i32>;
