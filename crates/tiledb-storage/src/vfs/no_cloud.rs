//! Stub of the object stores for builds that include none.

use super::Backend;
use tiledb_core::config::Config;
use tiledb_core::error::Result;
use tiledb_core::stats::Stats;

/// The object stores of a context: none.
pub(super) struct NoObjectStores;

pub(super) use NoObjectStores as ObjectStores;

impl NoObjectStores {
    pub(super) fn new(_config: &Config, _stats: &Stats) -> NoObjectStores {
        NoObjectStores
    }

    #[allow(clippy::unnecessary_wraps, reason = "as where there are stores")]
    pub(super) fn backend(&self, _scheme: &str) -> Result<Option<&dyn Backend>> {
        Ok(None)
    }
}

/// Whether `scheme` is that of an object store that this build supports.
pub(super) fn supports(_scheme: &str) -> bool {
    false
}
