//! C interface: stats.

use super::boundary::{CFile, Out, OutText, Str, pending_plain};

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_heap_profiler_enable(
    file_name_prefix: Str,
    dump_interval_ms: u64,
    dump_interval_bytes: u64,
    dump_threshold_bytes: u64,
) -> i32 {
    let _ = (file_name_prefix, dump_interval_ms, dump_interval_bytes, dump_threshold_bytes);
    pending_plain("tiledb_heap_profiler_enable")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_stats_disable() -> i32 {
    pending_plain("tiledb_stats_disable")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_stats_dump(out: CFile) -> i32 {
    let _ = (out,);
    pending_plain("tiledb_stats_dump")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_stats_dump_str(out: OutText) -> i32 {
    let _ = (out,);
    pending_plain("tiledb_stats_dump_str")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_stats_enable() -> i32 {
    pending_plain("tiledb_stats_enable")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_stats_free_str(out: OutText) -> i32 {
    let _ = (out,);
    pending_plain("tiledb_stats_free_str")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_stats_is_enabled(enabled: Out<u8>) -> i32 {
    let _ = (enabled,);
    pending_plain("tiledb_stats_is_enabled")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_stats_raw_dump(out: CFile) -> i32 {
    let _ = (out,);
    pending_plain("tiledb_stats_raw_dump")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_stats_raw_dump_str(out: OutText) -> i32 {
    let _ = (out,);
    pending_plain("tiledb_stats_raw_dump_str")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_stats_reset() -> i32 {
    pending_plain("tiledb_stats_reset")
}
