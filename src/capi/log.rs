//! C function that receives the log, `tiledb_rs_set_log_callback`, declared in `tiledb/tiledb_rs.h`.

use std::ffi::CString;
use std::sync::Arc;

use super::boundary::{Buffer, call_user, capi_return_t};
use super::call::call_plain;
use super::callbacks::tiledb_rs_log_callback_t;
use tiledb_core::log;

/// Sends the lines of the log to a function instead of the standard error output, for the whole process.
///
/// Which lines there are is decided by `config.logging_level` of the context that was created last: 1 for errors, 2 also for warnings, 3
/// also for queries and operations of maintenance when they begin and end, with their duration, fragments and bytes, 5 also for requests
/// to object stores and servers. If `config.logging_format` is `JSON`, the message is a JSON object with `time`, `process`, `severity` and
/// `message`; of operations also with `operation`, `event` (`begin`, `end` or `failure`), `seconds`, `fragments` and `bytes`.
///
/// ```c
/// static void append(int32_t level, const char *message, void *data) {
///   fprintf((FILE *)data, "<%d> %s\n", (int)level, message);
/// }
/// // ...
/// tiledb_rs_set_log_callback(append, fopen("tiledb.log", "a"));
/// ```
///
/// @param callback Called for each line, on the thread that logs it, several threads at a time perhaps; what it throws is ignored. It
///     must not call functions of the library that log. Null: lines go to the standard error output again; the last call of the previous
///     callback may still be running on another thread then.
/// @param data Passed to the callback.
/// @return `TILEDB_OK`.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_set_log_callback(callback: tiledb_rs_log_callback_t, data: Buffer) -> capi_return_t {
    call_plain(|| {
        let data = data.as_ptr() as usize;
        log::set_sink(callback.map(|callback| -> log::LogSink {
            Arc::new(move |level, text| {
                let text = CString::new(text.replace('\0', "")).unwrap_or_default();
                let data = data as *mut std::ffi::c_void;
                // There is nobody to tell of an exception.
                let _ = call_user(|| callback(level as i32, text.as_ptr(), data));
            })
        }));
        Ok(())
    })
}
