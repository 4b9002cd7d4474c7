//! The callback types of `tiledb/tiledb_rs.h`, and what callbacks return.
#![allow(non_camel_case_types, reason = "the names are C's own")]
#![allow(dead_code, reason = "the constants are printed into the header; callbacks return their numbers")]

use std::ffi::{c_char, c_void};

/// What a callback returns. Any other value counts as `TILEDB_RS_STOP`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_rs_callback_result_t {
    /// The callback failed: the function that called it returns an error.
    TILEDB_RS_FAIL = -1,
    /// Stop. A function that changes or verifies an array returns an error, one that lists something succeeds.
    TILEDB_RS_STOP = 0,
    /// Continue.
    TILEDB_RS_CONTINUE = 1,
}

/// Whether a read needs a tile, as far as its statistics tell.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_rs_tile_match_t {
    /// No cell can match the condition: the tile is skipped.
    TILEDB_RS_TILE_NONE = 0,
    /// Some cells may match: the tile is read and the condition evaluated.
    TILEDB_RS_TILE_SOME = 1,
    /// All cells match, or there is no condition: the tile is read.
    TILEDB_RS_TILE_ALL = 2,
}

/// Called with the completed and the total amount of work and the user's pointer. Returns a `tiledb_rs_callback_result_t`.
pub type tiledb_rs_progress_callback_t = Option<extern "C-unwind" fn(done: u64, total: u64, data: *mut c_void) -> i32>;

/// Called with a NUL-terminated URI, valid during the call, and the user's pointer. Returns a `tiledb_rs_callback_result_t`.
pub type tiledb_rs_uri_callback_t = Option<extern "C-unwind" fn(uri: *const c_char, data: *mut c_void) -> i32>;

/// Called with a line of the log and the user's pointer, on any thread. `level` is 1 for errors, 2 for warnings, 3 for operations
/// that begin and end, 5 for requests; `message` is NUL-terminated, valid during the call, without time and process.
pub type tiledb_rs_log_callback_t = Option<extern "C-unwind" fn(level: i32, message: *const c_char, data: *mut c_void)>;

/// Called with the number of cells so far and the user's pointer. Returns a `tiledb_rs_callback_result_t`.
pub type tiledb_rs_cells_callback_t = Option<extern "C-unwind" fn(cells: u64, data: *mut c_void) -> i32>;

/// Called with a source of a consolidation step, or its end, and the user's pointer: see `tiledb_rs_array_consolidate_steps`.
/// Returns a `tiledb_rs_callback_result_t`.
pub type tiledb_rs_step_callback_t = Option<
    extern "C-unwind" fn(step: u64, uri: *const c_char, made_by: u64, cells: u64, bytes: u64, data: *mut c_void) -> i32,
>;

/// Called with a tile of a fragment and the user's pointer; `verdict` is a `tiledb_rs_tile_match_t`. Returns a
/// `tiledb_rs_callback_result_t`.
pub type tiledb_rs_tile_callback_t =
    Option<extern "C-unwind" fn(fragment_uri: *const c_char, tile: u64, verdict: i32, data: *mut c_void) -> i32>;
