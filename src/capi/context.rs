//! Contexts: what all other objects are made with.

use super::boundary::{CEnum, In, Out, OutHandle, OutText, Str, capi_return_t};
use super::call::{call, free, make, make_err, make_plain};
use super::config::ConfigObject;
use super::context_object::Context;
use super::enums::{tiledb_data_protocol_t, tiledb_filesystem_t};
use super::handles::{tiledb_config_t, tiledb_ctx_t, tiledb_error_t};
use tiledb_core::config::Config;
use tiledb_core::error::{Result, bail};
use tiledb_core::log;
use tiledb_rest::server;
use tiledb_storage::vfs::{Uri, Vfs};

/// Creates a context.
///
/// @param config The configuration, which is copied; null for the defaults.
/// @param ctx The context, to be freed with `tiledb_ctx_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_alloc(config: In<tiledb_config_t>, ctx: OutHandle<tiledb_ctx_t>) -> capi_return_t {
    make_plain(ctx, || Context::new(config_or_defaults(config)?))
}

/// Creates a context; tells why where that fails.
///
/// @param config The configuration, which is copied; null for the defaults.
/// @param ctx The context, to be freed with `tiledb_ctx_free`.
/// @param error The error, or null on success.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_alloc_with_error(
    config: In<tiledb_config_t>,
    ctx: OutHandle<tiledb_ctx_t>,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    make_err(error, ctx, || Context::new(config_or_defaults(config)?))
}

/// Stops the queries and consolidations of a context and returns when they have stopped; what is started later runs.
/// Called from a callback of such an operation it does not wait.
///
/// @param ctx The context.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_cancel_tasks(ctx: In<tiledb_ctx_t>) -> capi_return_t {
    call(ctx, |context| {
        context.cancel_tasks();
        Ok(())
    })
}

/// Frees a context and sets the pointer to null. Objects made with it stay usable with another one.
///
/// @param ctx The context.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_free(ctx: OutHandle<tiledb_ctx_t>) {
    free(ctx)
}

/// Gives a copy of the context's configuration.
///
/// @param ctx The context.
/// @param config The configuration, to be freed with `tiledb_config_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_get_config(ctx: In<tiledb_ctx_t>, config: OutHandle<tiledb_config_t>) -> capi_return_t {
    make(ctx, config, |context| Ok(ConfigObject::new(context.resources().config().clone())))
}

/// Tells which protocol is spoken with the storage behind a URI.
///
/// @param ctx The context.
/// @param uri The URI.
/// @param data_protocol The protocol.
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
            bail!("C API: Cannot get data protocol; Invalid URI");
        };
        let is_new = Uri::parse(text)?.is_tiledb() && !server::is_legacy(context.resources())?;
        data_protocol.set(match is_new {
            true => tiledb_data_protocol_t::TILEDB_DATA_PROTOCOL_v3,
            false => tiledb_data_protocol_t::TILEDB_DATA_PROTOCOL_v2,
        })
    })
}

/// Gives the last error of a context. A success in between does not clear it.
///
/// @param ctx The context.
/// @param err The error, to be freed with `tiledb_error_free`; null if nothing failed yet.
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

/// Gives the statistics of a context as JSON; empty if nothing was counted.
///
/// @param ctx The context.
/// @param stats_json The text, to be freed with `tiledb_stats_free_str`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_get_stats(ctx: In<tiledb_ctx_t>, stats_json: OutText) -> capi_return_t {
    call(ctx, |context| stats_json.set(&context.resources().stats().dump_json()))
}

/// Tells whether this build reaches a kind of storage.
///
/// @param ctx The context.
/// @param fs The kind of storage.
/// @param is_supported 1 if it does, else 0.
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

/// Names the caller to a REST server: the pair goes with every request. Without a REST client there
/// are no requests, and the pair is only checked.
///
/// @param ctx The context.
/// @param key The key.
/// @param value The value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_set_tag(ctx: In<tiledb_ctx_t>, key: Str, value: Str) -> capi_return_t {
    call(ctx, |context| match (key.opt()?, value.opt()?) {
        (None, _) => bail!("C API: tiledb_ctx_set_tag: key may not be null"),
        (_, None) => bail!("C API: tiledb_ctx_set_tag: value may not be null"),
        (Some(key), Some(value)) => server::set_tag(context.resources(), key, value),
    })
}

/// Writes a line to the log, at the level of warnings.
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
