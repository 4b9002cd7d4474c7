//! C interface: context.

use std::sync::{Arc, Mutex, PoisonError};

use super::boundary::{
    CEnum, In, Out, OutHandle, OutText, Str, capi_return_t, free, pending, pending_err, pending_plain,
};
use super::enums::{tiledb_data_protocol_t, tiledb_filesystem_t};
use super::handles::{tiledb_config_t, tiledb_ctx_t, tiledb_error_t};
use crate::error::Error;

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_alloc(config: In<tiledb_config_t>, ctx: OutHandle<tiledb_ctx_t>) -> capi_return_t {
    let _ = (config, ctx);
    pending_plain("tiledb_ctx_alloc")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_alloc_with_error(
    config: In<tiledb_config_t>,
    ctx: OutHandle<tiledb_ctx_t>,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    let _ = (config, ctx);
    pending_err(error, "tiledb_ctx_alloc_with_error")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_cancel_tasks(ctx: In<tiledb_ctx_t>) -> capi_return_t {
    pending(ctx, "tiledb_ctx_cancel_tasks")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_free(ctx: OutHandle<tiledb_ctx_t>) {
    free(ctx)
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_get_config(ctx: In<tiledb_ctx_t>, config: OutHandle<tiledb_config_t>) -> capi_return_t {
    let _ = (config,);
    pending(ctx, "tiledb_ctx_get_config")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_get_data_protocol(
    ctx: In<tiledb_ctx_t>,
    uri: Str,
    data_protocol: Out<tiledb_data_protocol_t>,
) -> capi_return_t {
    let _ = (uri, data_protocol);
    pending(ctx, "tiledb_ctx_get_data_protocol")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_get_last_error(ctx: In<tiledb_ctx_t>, err: OutHandle<tiledb_error_t>) -> capi_return_t {
    let _ = (err,);
    pending(ctx, "tiledb_ctx_get_last_error")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_get_stats(ctx: In<tiledb_ctx_t>, stats_json: OutText) -> capi_return_t {
    let _ = (stats_json,);
    pending(ctx, "tiledb_ctx_get_stats")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_is_supported_fs(
    ctx: In<tiledb_ctx_t>,
    fs: CEnum<tiledb_filesystem_t>,
    is_supported: Out<i32>,
) -> capi_return_t {
    let _ = (fs, is_supported);
    pending(ctx, "tiledb_ctx_is_supported_fs")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_set_tag(ctx: In<tiledb_ctx_t>, key: Str, value: Str) -> capi_return_t {
    let _ = (key, value);
    pending(ctx, "tiledb_ctx_set_tag")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_log_warn(ctx: In<tiledb_ctx_t>, message: Str) -> capi_return_t {
    let _ = (message,);
    pending(ctx, "tiledb_log_warn")
}

/// What a context handle holds.
#[derive(Default)]
pub struct Context {
    last_error: Mutex<Option<Arc<Error>>>,
}

impl Context {
    /// Keeps the error as the context's last one.
    pub(crate) fn record(&self, error: Error) {
        *self.last_error.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(error));
    }
}
