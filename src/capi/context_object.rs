//! The object of a context handle.

use std::sync::Arc;

use super::boundary::In;
use super::error_object::ErrorObject;
use super::handles::tiledb_config_t;
use tiledb_core::config::Config;
use tiledb_core::error::{Error, Result};
use tiledb_core::fork::Lock;
use tiledb_core::log::{self, Level};
use tiledb_core::pool::{Operations, RunningOperation};
use tiledb_core::types::EncryptionType;
use tiledb_storage::resources::Resources;

/// Logs that a parameter has no effect since its name is unknown.
pub(super) fn warn_of_unknown(name: &str, closest: &str) {
    log::line(Level::Warn, || {
        format!("Unknown parameter '{name}' has no effect; the closest known parameter is '{closest}'")
    });
}

/// The object of a context handle.
pub struct Context {
    resources: Resources,
    last_error: Lock<Option<Arc<ErrorObject>>>,
    runs: Operations,
}

impl Context {
    /// A context of this configuration.
    ///
    /// # Errors
    /// For values that cannot be understood.
    pub(crate) fn new(config: Config) -> Result<Context> {
        config.check_for_context()?;
        log::configure(&config)?;
        if log::enabled(Level::Warn) {
            config.unknown_names().for_each(|(name, closest)| warn_of_unknown(name, closest));
        }
        let resources = Resources::new(config)?;
        let runs = Operations::new(resources.cancel().clone());
        Ok(Context { resources, last_error: Lock::default(), runs })
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

    /// As [`Context::resources_with`], with the context's key for a configuration that has none.
    ///
    /// # Errors
    /// As that.
    pub(crate) fn resources_with_key(&self, config: In<tiledb_config_t>) -> Result<Resources> {
        const KEY: [&str; 2] = ["sm.encryption_type", "sm.encryption_key"];
        if config.is_null() {
            return Ok(self.resources.clone());
        }
        let mut config = config.get()?.snapshot();
        if config.str(KEY[1]).is_empty() || config.str(KEY[0]) == EncryptionType::NoEncryption.name() {
            for name in KEY {
                config.set(name, &self.resources.config().str(name))?;
            }
        }
        self.resources.with_config(config)
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
        self.runs.cancel();
    }

    /// Marks an operation as running while the guard lives, so that it can be cancelled.
    pub(crate) fn running(&self) -> RunningOperation<'_> {
        self.runs.start()
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
