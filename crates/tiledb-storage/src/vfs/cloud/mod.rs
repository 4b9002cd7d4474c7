//! Object stores: S3, Azure and GCS, and what they have in common; web servers, which are read-only.
//!
//! An object store has keys and no directories: a directory is a common prefix of keys.
//! [`object_backend::ObjectBackend`] maps files and directories to keys for all stores; a store only implements a dozen
//! requests ([`store::ObjectStore`]). No request is made before a store is first used.

#![cfg_attr(
    not(all(feature = "s3", feature = "azure", feature = "gcs", feature = "web")),
    allow(dead_code, unused_imports, reason = "a build without some store needs less of what they share")
)]

mod amazon;
mod ambient;
#[cfg(feature = "azure")]
mod azure;
mod batch;
mod expiring_cache;
#[cfg(feature = "gcs")]
mod gcs;
mod object_backend;
mod page_checker;
mod parameters;
mod read_cache;
mod reader;
mod request;
#[cfg(feature = "s3")]
mod s3;
#[cfg(feature = "simulation")]
pub(super) mod simulated;
mod store;
mod time;
#[cfg(any(feature = "azure", feature = "gcs"))]
mod tokens;
mod upload;
#[cfg(feature = "web")]
mod web;
#[cfg(any(feature = "s3", feature = "azure", feature = "web"))]
mod xml;
#[cfg(any(feature = "s3", feature = "web"))]
mod xml_listing;

use std::sync::Arc;

use object_backend::ObjectBackend;
use store::ObjectStore;

use super::Backend;
use tiledb_core::budget;
use tiledb_core::config::Config;
use tiledb_core::error::{Error, Result};
use tiledb_core::fork::PerProcess;
use tiledb_core::stats::Stats;

/// The object stores of a context, each initialized on first use.
pub(super) struct ObjectStores {
    config: Config,
    stats: Stats,
    #[cfg(feature = "s3")]
    s3: LazyStore,
    #[cfg(feature = "azure")]
    azure: LazyStore,
    #[cfg(feature = "gcs")]
    gcs: LazyStore,
    #[cfg(feature = "web")]
    web: PerProcess<Result<web::WebBackend>>,
}

/// A store, or why it cannot be used.
type LazyStore = PerProcess<Result<ObjectBackend>>;

impl ObjectStores {
    pub(super) fn new(config: &Config, stats: &Stats) -> ObjectStores {
        ObjectStores {
            config: config.clone(),
            stats: stats.clone(),
            #[cfg(feature = "s3")]
            s3: PerProcess::new(),
            #[cfg(feature = "azure")]
            azure: PerProcess::new(),
            #[cfg(feature = "gcs")]
            gcs: PerProcess::new(),
            #[cfg(feature = "web")]
            web: PerProcess::new(),
        }
    }

    /// The store for a URI scheme; `None` for schemes of other storage.
    ///
    /// # Errors
    /// For parameters that contradict one another.
    pub(super) fn backend(&self, scheme: &str) -> Result<Option<&dyn Backend>> {
        match scheme {
            #[cfg(feature = "s3")]
            "s3" => initialized(&self.s3, self, s3::S3::new).map(Some),
            #[cfg(feature = "azure")]
            "azure" => initialized(&self.azure, self, azure::Azure::new).map(Some),
            #[cfg(feature = "gcs")]
            "gcs" | "gs" => initialized(&self.gcs, self, gcs::Gcs::new).map(Some),
            #[cfg(feature = "web")]
            "http" | "https" => {
                let web = self.web.get_or_init(|| web::WebBackend::new(&self.config, &self.stats));
                web.as_ref().map(|web| Some(web as &dyn Backend)).map_err(Error::clone)
            }
            _ => Ok(None),
        }
    }
}

fn initialized<'m, S: ObjectStore>(
    location: &'m LazyStore,
    clouds: &ObjectStores,
    make: fn(&Config) -> Result<S>,
) -> Result<&'m dyn Backend> {
    let made = location.get_or_init(|| {
        let ObjectStores { config, stats, .. } = clouds;
        let store = Arc::new(make(config)?);
        Ok(ObjectBackend::new(store, config.u64("vfs.read_ahead_cache_size")?, budget::total(config)?, stats))
    });
    made.as_ref().map(|objects| objects as &dyn Backend).map_err(Error::clone)
}

/// Whether `scheme` is that of an object store that this build supports.
pub(super) fn supports(scheme: &str) -> bool {
    (cfg!(feature = "s3") && scheme == "s3")
        || (cfg!(feature = "azure") && scheme == "azure")
        || (cfg!(feature = "gcs") && matches!(scheme, "gcs" | "gs"))
        || (cfg!(feature = "web") && matches!(scheme, "http" | "https"))
}
