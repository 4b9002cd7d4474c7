//! What the file systems of a context share, whatever their configuration.

use std::sync::Arc;

#[cfg(feature = "host")]
use super::host;
use super::stat_cache::StatCache;
use super::{Backend, mem};
use tiledb_core::stats::Stats;

/// What file systems with different configurations share.
#[derive(Clone)]
pub(super) struct SharedState {
    pub(super) mem: Arc<dyn Backend>,
    #[cfg(feature = "host")]
    pub(super) host: host::HostBackend,
    pub(super) stats: Stats,
    pub(super) stat_cache: Arc<StatCache>,
}

impl Default for SharedState {
    fn default() -> SharedState {
        let stats = Stats::new();
        SharedState {
            mem: Arc::new(mem::Mem::default()),
            #[cfg(feature = "host")]
            host: host::HostBackend::default(),
            stat_cache: Arc::new(StatCache::new(&stats)),
            stats,
        }
    }
}
