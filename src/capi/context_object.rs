//! The object of a context handle.

use std::sync::Arc;

use super::boundary::In;
use super::error_object::ErrorObject;
use super::handles::tiledb_config_t;
use tiledb::interop;
use tiledb_core::config::Config;
use tiledb_core::error::{Error, Result};
use tiledb_core::fork::Lock;
use tiledb_core::log::{self, Level};
use tiledb_core::pool::RunningOperation;
use tiledb_storage::resources::Resources;

/// Logs that a parameter has no effect since its name is unknown.
pub(super) fn warn_of_unknown(name: &str, closest: &str) {
    log::line(Level::Warn, || {
        format!("Unknown parameter '{name}' has no effect; the closest known parameter is '{closest}'")
    });
}

/// The object of a context handle.
pub struct Context {
    ctx: tiledb::Context,
    last_error: Lock<Option<Arc<ErrorObject>>>,
}

impl Context {
    /// A context of this configuration.
    ///
    /// # Errors
    /// For values that cannot be understood.
    pub(crate) fn new(config: Config) -> Result<Context> {
        let ctx = interop::context(config).map_err(tiledb::Error::into_engine)?;
        if log::enabled(Level::Warn) {
            interop::resources(&ctx)
                .config()
                .unknown_names()
                .for_each(|(name, closest)| warn_of_unknown(name, closest));
        }
        Ok(Context { ctx, last_error: Lock::default() })
    }

    /// The context of the Rust interface.
    pub(crate) fn tiledb(&self) -> &tiledb::Context {
        &self.ctx
    }

    /// Configuration, storage, threads and statistics.
    pub(crate) fn resources(&self) -> &Resources {
        interop::resources(&self.ctx)
    }

    /// The resources of an operation that may be passed a configuration: those of the context, for a configuration with the
    /// [effective one](Config::for_operation).
    ///
    /// # Errors
    /// If the argument is not a configuration, or has values that cannot be understood.
    pub(crate) fn resources_with(&self, config: In<tiledb_config_t>) -> Result<Resources> {
        if config.is_null() {
            return Ok(self.resources().clone());
        }
        self.resources().with_config(self.resources().config().for_operation(&config.get()?.snapshot()))
    }

    /// Keeps the error as the context's last one.
    pub(crate) fn record(&self, error: &Error) {
        log::line(Level::Error, || error.text().to_owned());
        let error = Some(Arc::new(ErrorObject::new(error)));
        let last = std::mem::replace(&mut *self.last_error.lock(), error);
        drop(last);
    }

    /// What failed last.
    pub(crate) fn last_error(&self) -> Option<Arc<ErrorObject>> {
        self.last_error.lock().clone()
    }

    /// Stops what runs and returns when it has stopped.
    pub(crate) fn cancel_tasks(&self) {
        self.ctx.cancel();
    }

    /// Marks an operation as running while the guard lives, so that it can be cancelled.
    pub(crate) fn running(&self) -> RunningOperation<'_> {
        interop::running(&self.ctx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_error_stays() {
        let context = Context::new(Config::new()).unwrap();
        assert!(context.last_error().is_none());
        context.record(&Error::invalid("first"));
        context.record(&Error::invalid("second"));
        assert_eq!(context.last_error().unwrap().text().as_str(), "second");
    }
}
