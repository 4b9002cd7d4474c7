//! C functions of statistics, aggregated over all contexts.

use super::boundary::{CFile, Out, OutText, Str};
use super::call::call_plain;
use tiledb_core::error::{Error, ErrorKind};
use tiledb_core::stats;

/// Profiles the heap in builds made for that; this one is not.
///
/// @param file_name_prefix Where the profiles would be written; null asks for none.
/// @param dump_interval_ms The time between two of them.
/// @param dump_interval_bytes The allocations between two of them.
/// @param dump_threshold_bytes The smallest allocation that would be listed.
/// @return `TILEDB_OK` if no profile is asked for, else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_heap_profiler_enable(
    file_name_prefix: Str,
    dump_interval_ms: u64,
    dump_interval_bytes: u64,
    dump_threshold_bytes: u64,
) -> i32 {
    let _ = (dump_interval_ms, dump_interval_bytes, dump_threshold_bytes);
    call_plain(|| match file_name_prefix.is_null() {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::Unsupported, "The heap profiler is not part of this library")),
    })
}

/// Clears the flag that `tiledb_stats_is_enabled` returns. It exists for compatibility: statistics are collected nevertheless.
///
/// @return `TILEDB_OK`.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_stats_disable() -> i32 {
    stats::set_enabled(false);
    0
}

/// Writes the counters and timers of all living contexts to a stream, as JSON.
///
/// See `tiledb_stats_dump_str` for the text, `tiledb_ctx_get_stats` for one context and `tiledb_query_get_stats` for one query.
///
/// @param out The stream; null for standard output.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_stats_dump(out: CFile) -> i32 {
    call_plain(|| out.write(&stats::dump_all()))
}

/// Returns the counters and timers of all living contexts as JSON: an array with one object per context that has counted
/// something.
///
/// Statistics are always collected; `tiledb_stats_enable` is not needed. The values accumulate until `tiledb_stats_reset`.
///
/// ```c
/// char *json = NULL;
/// tiledb_stats_reset();
/// tiledb_query_submit(ctx, query);
/// tiledb_stats_dump_str(&json);
/// puts(json);
/// tiledb_stats_free_str(&json);
/// ```
///
/// @param out Receives the NUL-terminated text; free it with `tiledb_stats_free_str`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_stats_dump_str(out: OutText) -> i32 {
    call_plain(|| out.set(&stats::dump_all()))
}

/// Sets the flag that `tiledb_stats_is_enabled` returns. It exists for compatibility: statistics are always collected.
///
/// @return `TILEDB_OK`.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_stats_enable() -> i32 {
    stats::set_enabled(true);
    0
}

/// Frees a text that a statistics function returned and sets the pointer to null.
///
/// @param out The text; a pointer to null is accepted.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_stats_free_str(out: OutText) -> i32 {
    call_plain(|| out.free())
}

/// Returns the flag that `tiledb_stats_enable` and `tiledb_stats_disable` set.
///
/// @param enabled 1 or 0; 0 at first.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_stats_is_enabled(enabled: Out<u8>) -> i32 {
    call_plain(|| enabled.set(stats::is_enabled().into()))
}

/// Same as `tiledb_stats_dump`.
///
/// @param out The stream; null for the standard output.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_stats_raw_dump(out: CFile) -> i32 {
    call_plain(|| out.write(&stats::dump_all()))
}

/// Same as `tiledb_stats_dump_str`.
///
/// @param out Receives the text, to be freed with `tiledb_stats_free_str`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_stats_raw_dump_str(out: OutText) -> i32 {
    call_plain(|| out.set(&stats::dump_all()))
}

/// Resets the counters and timers of all contexts and queries to zero.
///
/// @return `TILEDB_OK`.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_stats_reset() -> i32 {
    stats::reset();
    0
}
