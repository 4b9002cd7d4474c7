//! C functions of contexts, with which all other objects are created.

use super::boundary::{CEnum, In, Out, OutHandle, OutText, Str, capi_return_t};
use super::call::{call, free, make, make_err, make_plain};
use super::config::ConfigObject;
use super::context_object::Context;
use super::enums::{tiledb_data_protocol_t, tiledb_filesystem_t};
use super::handles::{tiledb_config_t, tiledb_ctx_t, tiledb_error_t};
use tiledb::location::server;
use tiledb_core::config::Config;
use tiledb_core::error::{Result, bail};
use tiledb_core::log;
use tiledb_storage::vfs::{Uri, Vfs};

/// Creates a context: the configuration, caches, statistics and last error that all other calls work with.
///
/// A context is cheap to create. It starts no thread: one thread pool serves the whole process and starts when there is work
/// for it. The configuration is validated here and copied; changing `config` afterwards does not affect the context. Any number
/// of threads may use one context at the same time. The last error is shared by these threads, so a thread that needs its own
/// errors needs its own context. After `fork` the child process may continue to use the contexts of its parent.
///
/// If the call fails there is no context to ask for the error: use `tiledb_ctx_alloc_with_error` to learn the reason.
///
/// ```c
/// tiledb_ctx_t *own = NULL;
/// if (tiledb_ctx_alloc(NULL, &own) != TILEDB_OK)
///   return 1;
/// // ... work with the context ...
/// tiledb_ctx_free(&own);
/// ```
///
/// See also `tiledb_config_alloc`, `tiledb_ctx_get_last_error`, `tiledb_ctx_cancel_tasks`, `tiledb_ctx_free`.
///
/// @param config The configuration, of which the context keeps a copy; null for the defaults and the environment.
/// @param ctx Receives the context; free it with `tiledb_ctx_free`.
/// @return `TILEDB_OK` for success, `TILEDB_ERR` if a parameter has an invalid value, and `TILEDB_OOM` if memory could not be
///     allocated.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_alloc(config: In<tiledb_config_t>, ctx: OutHandle<tiledb_ctx_t>) -> capi_return_t {
    make_plain(ctx, || Context::new(config_or_defaults(config)?))
}

/// Creates a context like `tiledb_ctx_alloc`, and returns the reason if that fails.
///
/// ```c
/// tiledb_ctx_t *own = NULL;
/// tiledb_error_t *failure = NULL;
/// if (tiledb_ctx_alloc_with_error(config, &own, &failure) != TILEDB_OK) {
///   const char *message = NULL;
///   tiledb_error_message(failure, &message);
///   fprintf(stderr, "%s\n", message);
///   tiledb_error_free(&failure);
///   return 1;
/// }
/// tiledb_ctx_free(&own);
/// ```
///
/// @param config The configuration, of which the context keeps a copy; null for the defaults and the environment.
/// @param ctx Receives the context; free it with `tiledb_ctx_free`.
/// @param error Receives the error, to be freed with `tiledb_error_free`, or null on success.
/// @return `TILEDB_OK` for success, `TILEDB_ERR` if a parameter has an invalid value, and `TILEDB_INVALID_ERROR` if `error` is
///     null.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_alloc_with_error(
    config: In<tiledb_config_t>,
    ctx: OutHandle<tiledb_ctx_t>,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    make_err(error, ctx, || Context::new(config_or_defaults(config)?))
}

/// Cancels the operations that are running in a context and waits until they have returned.
///
/// Queries, array opens, consolidation, vacuum and the long-running functions of tiledb_rs.h check for cancellation. Their
/// calls return `TILEDB_ERR` on the threads that made them, and storage is left as before the call. Operations that start after
/// this call run normally. Everything that runs in the context is cancelled; to be able to cancel one operation only, give it a
/// context of its own, or use a function with a progress callback such as `tiledb_rs_query_submit`.
///
/// If the context is idle, the call returns immediately. Called from a callback of an operation that is being cancelled, it
/// requests the cancellation but does not wait for it.
///
/// @param ctx The context.
/// @return `TILEDB_OK` for success and `TILEDB_INVALID_CONTEXT` if `ctx` is not a context.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_cancel_tasks(ctx: In<tiledb_ctx_t>) -> capi_return_t {
    call(ctx, |context| {
        context.cancel_tasks();
        Ok(())
    })
}

/// Frees a context and sets the pointer to null.
///
/// Objects that were created with the context (arrays, queries, schemas, ...) remain valid and can be used with another
/// context; they keep the resources they need. A call that uses the context on another thread completes normally. A null
/// pointer is accepted.
///
/// @param ctx The context.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_free(ctx: OutHandle<tiledb_ctx_t>) {
    free(ctx)
}

/// Returns a copy of the configuration of a context.
///
/// Changes to the copy do not affect the context: the configuration of a context is fixed when it is created. Pass a modified
/// copy to the functions that take a configuration, such as `tiledb_array_set_config`, `tiledb_query_set_config` or
/// `tiledb_array_consolidate`.
///
/// @param ctx The context.
/// @param config Receives the configuration; free it with `tiledb_config_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_get_config(ctx: In<tiledb_ctx_t>, config: OutHandle<tiledb_config_t>) -> capi_return_t {
    make(ctx, config, |context| Ok(ConfigObject::new(context.resources().config().clone())))
}

/// Returns the protocol version with which the storage of a URI is accessed.
///
/// @param ctx The context.
/// @param uri The URI.
/// @param data_protocol Receives the protocol.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_get_data_protocol(
    ctx: In<tiledb_ctx_t>,
    uri: Str,
    data_protocol: Out<tiledb_data_protocol_t>,
) -> capi_return_t {
    call(ctx, |context| {
        data_protocol.check()?;
        let Some(text) = uri.opt()?.filter(|text| !text.is_empty()) else {
            bail!("C API: Cannot get data protocol; Invalid URI: it is empty");
        };
        let is_new = Uri::parse(text)?.is_tiledb() && !server::is_legacy(context.resources())?;
        data_protocol.set(match is_new {
            true => tiledb_data_protocol_t::TILEDB_DATA_PROTOCOL_v3,
            false => tiledb_data_protocol_t::TILEDB_DATA_PROTOCOL_v2,
        })
    })
}

/// Returns the error of the last call in this context that failed.
///
/// A successful call does not reset it, so call this function only after a call has returned a code other than `TILEDB_OK`. The
/// error belongs to the context, not to the thread: if several threads share a context, another thread may replace it between
/// the failure and this call. The returned handle keeps its text even if the context records another error or is freed.
///
/// ```c
/// if (tiledb_array_open(ctx, array, TILEDB_READ) != TILEDB_OK) {
///   tiledb_error_t *failure = NULL;
///   const char *message = NULL;
///   tiledb_ctx_get_last_error(ctx, &failure);
///   tiledb_error_message(failure, &message);
///   fprintf(stderr, "%s\n", message);
///   tiledb_error_free(&failure);
/// }
/// ```
///
/// @param ctx The context.
/// @param err Receives the error, to be freed with `tiledb_error_free`; null if no call has failed yet.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_get_last_error(ctx: In<tiledb_ctx_t>, err: OutHandle<tiledb_error_t>) -> capi_return_t {
    call(ctx, |context| {
        err.check()?;
        match context.last_error() {
            Some(error) => err.set(error),
            None => err.set_null(),
        }
    })
}

/// Returns the counters and timers of a context as JSON.
///
/// Statistics are always collected, whatever `tiledb_stats_is_enabled` says. They include those of all queries of the context.
/// A counter that is missing is 0; if nothing has been counted, the result is an empty string. See also
/// `tiledb_query_get_stats`, `tiledb_stats_dump_str`.
///
/// @param ctx The context.
/// @param stats_json Receives the NUL-terminated text; free it with `tiledb_stats_free_str`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_get_stats(ctx: In<tiledb_ctx_t>, stats_json: OutText) -> capi_return_t {
    call(ctx, |context| stats_json.set(&context.resources().stats().dump_json()))
}

/// Reports whether this build of the library supports a storage backend.
///
/// The answer depends on how the library was compiled (features s3, azure, gcs, rest), not on credentials or on whether the
/// service can be reached. Local files are always supported.
///
/// @param ctx The context.
/// @param fs The storage backend.
/// @param is_supported Receives 1 if the backend is supported, else 0 (also for `TILEDB_HDFS` and for unknown numbers).
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_is_supported_fs(
    ctx: In<tiledb_ctx_t>,
    fs: CEnum<tiledb_filesystem_t>,
    is_supported: Out<i32>,
) -> capi_return_t {
    call(ctx, |_| {
        let scheme = match fs.number() {
            1 => "s3",
            2 => "azure",
            3 => "gcs",
            4 => "mem",
            5 => return is_supported.set(cfg!(feature = "rest").into()),
            _ => return is_supported.set(0),
        };
        is_supported.set(Vfs::supports(scheme).into())
    })
}

/// Sets an HTTP header that is sent with every request of this context to a TileDB server.
///
/// In builds without the REST client the arguments are only validated.
///
/// @param ctx The context.
/// @param key The name of the header.
/// @param value Its value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_set_tag(ctx: In<tiledb_ctx_t>, key: Str, value: Str) -> capi_return_t {
    call(ctx, |context| match (key.opt()?, value.opt()?) {
        (None, _) => bail!("C API: tiledb_ctx_set_tag: key may not be null"),
        (_, None) => bail!("C API: tiledb_ctx_set_tag: value may not be null"),
        (Some(key), Some(value)) => server::set_tag(context.resources(), key, value),
    })
}

/// Writes a message to the log, with level warning.
///
/// @param ctx The context.
/// @param message The text.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_log_warn(ctx: In<tiledb_ctx_t>, message: Str) -> capi_return_t {
    call(ctx, |_| {
        let message = message.get("message")?;
        log::line(log::Level::Warn, || message.to_owned());
        Ok(())
    })
}

fn config_or_defaults(config: In<tiledb_config_t>) -> Result<Config> {
    if config.is_null() { Ok(Config::new()) } else { Ok(config.get()?.snapshot()) }
}
