//! What stands for the object stores in a build without any.

use super::Backend;
use tiledb_core::config::Config;
use tiledb_core::error::Result;
use tiledb_core::stats::Stats;

/// The object stores of one context: none.
pub(super) struct Clouds;

impl Clouds {
    pub(super) fn new(_config: &Config, _stats: &Stats) -> Clouds {
        Clouds
    }

    /// No scheme is that of a store.
    #[allow(clippy::unnecessary_wraps, reason = "as where there are stores")]
    pub(super) fn backend(&self, _scheme: &str) -> Result<Option<&dyn Backend>> {
        Ok(None)
    }
}

/// Whether URIs of `scheme` lie in an object store that this build reaches.
pub(super) fn supports(_scheme: &str) -> bool {
    false
}
