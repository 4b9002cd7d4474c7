//! Simulated storage, for tests.

use std::sync::Arc;

use super::{Backend, Vfs};
use tiledb_core::config::Config;
use tiledb_core::error::Result;
use tiledb_core::pool::Pools;

impl Vfs {
    /// The same file systems with another backend of `mem://`.
    ///
    /// # Errors
    /// As [`Vfs::new`].
    pub fn with_memory(&self, memory: Arc<dyn Backend>, config: &Config, pools: &Pools) -> Result<Vfs> {
        self.with_config_and_memory(memory, config, pools)
    }
}
