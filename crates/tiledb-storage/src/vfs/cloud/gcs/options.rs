//! Options from the parameters `vfs.gcs.*`.

use std::time::Duration;

use super::super::ambient::variable;
use super::super::parameters;
use super::super::store::StoreLimits;
use super::credentials::GcsCredential;
use super::resumable::UNIT;
use crate::http::{Network, RetryPolicy};
use tiledb_core::config::Config;
use tiledb_core::error::Result;

/// Google's own service.
const SERVICE: &str = "https://storage.googleapis.com";

/// Parameters of GCS.
pub(super) struct GcsOptions {
    pub(super) network: Network,
    pub(super) retries: RetryPolicy,
    pub(super) limits: StoreLimits,
    /// Scheme and host, without a slash at the end.
    pub(super) endpoint: String,
    /// Who pays for new buckets.
    pub(super) project: String,
    pub(super) credential: GcsCredential,
}

impl GcsOptions {
    /// Options of a configuration.
    ///
    /// # Errors
    /// For values that cannot be understood.
    pub(super) fn new(config: &Config) -> Result<GcsOptions> {
        let endpoint = parameters::text_or(config, "vfs.gcs.endpoint", "TILEDB_TEST_GCS_ENDPOINT")
            .or_else(|| variable("CLOUD_STORAGE_EMULATOR_ENDPOINT"));
        let network = parameters::network(config)?;
        Ok(GcsOptions {
            credential: GcsCredential::of(config, endpoint.is_some(), &network),
            network,
            retries: RetryPolicy {
                max_retries: u32::MAX,
                initial_delay: Duration::from_millis(100),
                time_limit: parameters::time(config, "vfs.gcs.request_timeout_ms")?,
                ..RetryPolicy::default()
            },
            limits: limits(config)?,
            endpoint: with_scheme(endpoint.as_deref().unwrap_or(SERVICE)),
            project: config.str("vfs.gcs.project_id"),
        })
    }
}

fn with_scheme(endpoint: &str) -> String {
    let endpoint = endpoint.trim_end_matches('/');
    if endpoint.contains("://") { endpoint.to_owned() } else { format!("https://{endpoint}") }
}

fn limits(config: &Config) -> Result<StoreLimits> {
    Ok(StoreLimits {
        // All parts but the last one are a multiple of this.
        part_size: parameters::size(config, "vfs.gcs.multi_part_size")?.div_ceil(UNIT).saturating_mul(UNIT),
        in_parts: config.bool("vfs.gcs.use_multi_part_upload")?,
        most_whole: config.u64("vfs.gcs.max_direct_upload_size")?,
        most_parts: u32::MAX,
        in_order: true,
        at_once: parameters::at_once(config, "vfs.gcs.max_parallel_ops")?,
        read_ahead: usize::try_from(config.u64("vfs.read_ahead_size")?).unwrap_or(usize::MAX),
        removed_at_once: 100,
    })
}
