//! Contexts: what all other objects are made with.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::boundary::{CEnum, In, Out, OutHandle, OutText, Str, capi_return_t, free};
use super::boundary::{call, make, make_err, make_plain};
use super::config::ConfigObject;
use super::enums::{tiledb_data_protocol_t, tiledb_filesystem_t};
use super::error::ErrorObject;
use super::handles::{tiledb_config_t, tiledb_ctx_t, tiledb_error_t};
use crate::config::Config;
use crate::error::{Error, Result, bail};
use crate::log;
use crate::resources::Resources;
use crate::vfs::{Uri, Vfs};

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

/// Stops the running queries of a context and returns when they have stopped; what is started later
/// runs.
///
/// @param ctx The context.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ctx_cancel_tasks(ctx: In<tiledb_ctx_t>) -> capi_return_t {
    call(ctx, |context| {
        context.cancel();
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
    call(ctx, |_| {
        data_protocol.check()?;
        let Some(text) = uri.opt()?.filter(|text| !text.is_empty()) else {
            bail!("C API: Cannot get data protocol; Invalid URI");
        };
        if Uri::parse(text)?.is_tiledb() {
            bail!(Unsupported, "C API: Cannot get data protocol of '{text}'; this build has no REST client");
        }
        data_protocol.set(tiledb_data_protocol_t::TILEDB_DATA_PROTOCOL_v2)
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
    call(ctx, |_| match (key.opt()?, value.opt()?) {
        (None, _) => bail!("C API: tiledb_ctx_set_tag: key may not be null"),
        (_, None) => bail!("C API: tiledb_ctx_set_tag: value may not be null"),
        _ => Ok(()),
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

/// What a context handle holds.
pub struct Context {
    resources: Resources,
    last_error: Mutex<Option<Arc<ErrorObject>>>,
    runs: Mutex<Runs>,
    changed: Condvar,
}

/// What runs, for those who cancel it.
#[derive(Default)]
struct Runs {
    /// How many queries run.
    running: usize,
    /// How many callers wait for them to stop. Queries that start now wait for these.
    cancelling: usize,
}

impl Context {
    fn new(config: Config) -> Result<Context> {
        config.check_for_context()?;
        log::configure(&config)?;
        let resources = Resources::new(config)?;
        Ok(Context { resources, last_error: Mutex::default(), runs: Mutex::default(), changed: Condvar::new() })
    }

    /// Configuration, storage, threads and statistics.
    pub(crate) fn resources(&self) -> &Resources {
        &self.resources
    }

    /// What the context shares, with the configuration of an optional argument: the context's own for null.
    ///
    /// # Errors
    /// If it is no configuration, or has values that cannot be understood.
    pub(crate) fn resources_with(&self, config: In<tiledb_config_t>) -> Result<Resources> {
        if config.is_null() { Ok(self.resources.clone()) } else { self.resources.with_config(config.get()?.snapshot()) }
    }

    /// Keeps the error as the context's last one.
    pub(crate) fn record(&self, error: &Error) {
        log::line(log::Level::Error, || error.text().to_owned());
        *lock(&self.last_error) = Some(Arc::new(ErrorObject::new(error)));
    }

    fn last_error(&self) -> Option<Arc<ErrorObject>> {
        lock(&self.last_error).clone()
    }

    /// Marks a query as running while the guard lives, so that it can be cancelled.
    pub(crate) fn running(&self) -> Running<'_> {
        let runs = self.changed.wait_while(lock(&self.runs), |runs| runs.cancelling > 0);
        runs.unwrap_or_else(PoisonError::into_inner).running += 1;
        Running(self)
    }

    /// Stops what runs, waits for it, and lets new work start again.
    fn cancel(&self) {
        let mut runs = lock(&self.runs);
        if runs.running == 0 {
            return;
        }
        runs.cancelling += 1;
        self.resources.cancel().request();
        let stopped = self.changed.wait_while(runs, |runs| runs.running > 0);
        let mut runs = stopped.unwrap_or_else(PoisonError::into_inner);
        runs.cancelling -= 1;
        if runs.cancelling == 0 {
            self.resources.cancel().reset();
            self.changed.notify_all();
        }
    }
}

/// A running query.
pub(crate) struct Running<'a>(&'a Context);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut runs = lock(&self.0.runs);
        runs.running = runs.running.saturating_sub(1);
        self.0.changed.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancelling_waits_for_what_runs_and_lets_new_work_start() {
        let context = Context::new(Config::new()).unwrap();
        context.cancel(); // nothing runs: nothing to wait for
        context.resources().cancel().check().unwrap();
        std::thread::scope(|scope| {
            let running = context.running();
            scope.spawn(|| {
                let _running = running;
                while context.resources().cancel().check().is_ok() {
                    std::thread::yield_now();
                }
            });
            context.cancel();
        });
        context.resources().cancel().check().unwrap();
    }

    #[test]
    fn the_last_error_stays() {
        let context = Context::new(Config::new()).unwrap();
        assert!(context.last_error().is_none());
        context.record(&Error::invalid("first"));
        context.record(&Error::invalid("second"));
        assert_eq!(context.last_error().unwrap().text().as_str(), "second");
    }
}
