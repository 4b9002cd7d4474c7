//! Contexts.

use std::fmt;
use std::sync::Arc;

use crate::config::Config;
use crate::error::Result;
use tiledb_core::log;
use tiledb_core::memory;
use tiledb_core::pool::{Operations, RunningOperation};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Vfs;

/// What arrays and groups are opened with: the configuration, caches, statistics and cancellation.
///
/// A context is cheap to create and to clone: clones share everything. Any number of threads may use one. Arrays at `mem://` URIs
/// belong to the context in which they were created.
///
/// ```
/// use tiledb::{Config, Context};
///
/// let ctx = Context::new()?;
/// let small = Context::with_config(Config::builder().memory_budget(64 << 20).build()?)?;
/// # Ok::<(), tiledb::Error>(())
/// ```
#[derive(Clone)]
pub struct Context(Arc<ContextInner>);

struct ContextInner {
    resources: Resources,
    operations: Operations,
}

impl Context {
    /// A context with the default configuration and the parameters of the environment.
    ///
    /// # Errors
    /// If a parameter of the environment is invalid.
    pub fn new() -> Result<Context> {
        Context::with_config(Config::new())
    }

    /// A context with a configuration.
    ///
    /// # Errors
    /// For values of the configuration that are invalid.
    pub fn with_config(config: Config) -> Result<Context> {
        let current = config.0.for_one_call();
        current.check_for_context()?;
        log::configure(&current)?;
        let resources = Resources::new(config.0)?;
        let operations = Operations::new(resources.cancel().clone());
        Ok(Context(Arc::new(ContextInner { resources, operations })))
    }

    /// The configuration of the context.
    pub fn config(&self) -> Config {
        Config(self.0.resources.config().clone())
    }

    /// Cancels the operations that are running in this context and its clones, and waits until they have returned
    /// [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled). Operations that start afterwards run normally.
    ///
    /// Call it from another thread. To cancel one operation only, give it a context of its own, or a progress callback.
    pub fn cancel(&self) {
        self.0.operations.cancel();
    }

    /// The counters and timers of this context as JSON.
    pub fn statistics(&self) -> String {
        self.0.resources.stats().dump_json()
    }

    /// Whether this build can access URIs with a scheme, such as `s3`, `azure`, `gcs`, `tiledb`.
    pub fn supports(scheme: &str) -> bool {
        match scheme {
            "tiledb" => cfg!(feature = "rest"),
            _ => Vfs::supports(scheme),
        }
    }

    /// A context with these resources, and operations of its own.
    pub(crate) fn of_resources(resources: &Resources) -> Context {
        let operations = Operations::new(resources.cancel().clone());
        Context(Arc::new(ContextInner { resources: resources.clone(), operations }))
    }

    /// The context for parts of a running operation on other threads, which do not wait until it has been cancelled.
    pub(crate) fn within_operation(&self) -> Context {
        Context::of_resources(self.resources())
    }

    pub(crate) fn resources(&self) -> &Resources {
        &self.0.resources
    }

    /// The resources with the parameters of another configuration for one operation.
    pub(crate) fn resources_with(&self, config: Option<&Config>) -> Result<Resources> {
        match config {
            None => Ok(self.resources().clone()),
            Some(config) => {
                let config = self.resources().config().for_operation(&config.0);
                Ok(self.resources().with_config(config)?)
            }
        }
    }

    /// Registers an operation that [`Context::cancel`] cancels.
    ///
    /// # Errors
    /// If the process is out of memory.
    pub(crate) fn running(&self) -> Result<RunningOperation<'_>> {
        memory::check_reserve()?;
        Ok(self.start_operation())
    }

    /// As [`Context::running`], where the memory has been checked.
    pub(crate) fn start_operation(&self) -> RunningOperation<'_> {
        self.0.operations.start()
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").finish_non_exhaustive()
    }
}
