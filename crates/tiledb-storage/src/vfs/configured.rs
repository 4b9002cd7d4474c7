//! File systems for configurations.

use std::sync::Arc;

use super::prefetch::CoalescingPolicy;
use super::read_log::ReadLog;
use super::shared_state::SharedState;
use super::{Backend, Vfs, VfsInner, VfsOptions, cloud, local, mem};
use tiledb_core::config::Config;
use tiledb_core::error::Result;
use tiledb_core::pool::Pools;

impl Vfs {
    /// File systems for a configuration, with an empty `mem://`.
    ///
    /// # Errors
    /// For values of the configuration that cannot be understood.
    pub fn new(config: &Config, pools: &Pools) -> Result<Vfs> {
        Vfs::of_config(config, pools, SharedState::default())
    }

    /// File systems with `options` and an empty `mem://`.
    pub fn with_options(options: &VfsOptions, pools: &Pools) -> Vfs {
        let shared = SharedState::default();
        Vfs(Arc::new(VfsInner {
            local: local::Local::new(options),
            object_stores: cloud::ObjectStores::new(&Config::new(), &shared.stats),
            pools: *pools,
            min_parallel_size: options.min_parallel_size,
            coalescing: CoalescingPolicy::default(),
            reads: None,
            shared,
        }))
    }

    /// The same file systems with another configuration: `mem://` files and statistics stay shared.
    ///
    /// # Errors
    /// As [`Vfs::new`].
    pub fn with_config(&self, config: &Config, pools: &Pools) -> Result<Vfs> {
        Vfs::of_config(config, pools, self.0.shared.clone())
    }

    /// File systems with a separate, empty `mem://` and shared statistics.
    ///
    /// # Errors
    /// As [`Vfs::new`].
    pub fn with_own_memory(&self, config: &Config, pools: &Pools) -> Result<Vfs> {
        self.with_config_and_memory(Arc::new(mem::Mem::default()), config, pools)
    }

    pub(super) fn with_config_and_memory(&self, mem: Arc<dyn Backend>, config: &Config, pools: &Pools) -> Result<Vfs> {
        Vfs::of_config(config, pools, SharedState { mem, ..self.0.shared.clone() })
    }

    fn of_config(config: &Config, pools: &Pools, shared: SharedState) -> Result<Vfs> {
        let options = VfsOptions::from_config(config)?;
        Ok(Vfs(Arc::new(VfsInner {
            local: local::Local::new(&options),
            object_stores: cloud::ObjectStores::new(config, &shared.stats),
            pools: *pools,
            min_parallel_size: options.min_parallel_size,
            coalescing: CoalescingPolicy::new(config)?,
            reads: ReadLog::new(config),
            shared,
        })))
    }
}
