//! Options from the parameters `vfs.azure.*`.

use super::super::parameters;
use super::super::store::StoreLimits;
use super::credentials::AzureCredential;
use crate::http::{Network, RetryPolicy};
use tiledb_core::config::Config;
use tiledb_core::error::{Result, bail};
use tiledb_core::log::{self, Level};

pub(super) struct AzureOptions {
    pub(super) network: Network,
    pub(super) retries: RetryPolicy,
    pub(super) limits: StoreLimits,
    /// Scheme, host and the path before containers, without a slash at the end.
    pub(super) endpoint: String,
    /// Empty if not set.
    pub(super) account: String,
    pub(super) credential: AzureCredential,
}

impl AzureOptions {
    /// Options of a configuration.
    ///
    /// # Errors
    /// For invalid values, and if no endpoint is configured.
    pub(super) fn new(config: &Config) -> Result<AzureOptions> {
        let account = parameters::text_or(config, "vfs.azure.storage_account_name", "AZURE_STORAGE_ACCOUNT");
        let endpoint = parameters::text_or(config, "vfs.azure.blob_endpoint", "AZURE_BLOB_ENDPOINT");
        let endpoint = match (endpoint, &account) {
            (Some(endpoint), _) => with_scheme(endpoint),
            (None, Some(account)) => format!("https://{account}.blob.core.windows.net"),
            (None, None) => bail!(
                "Azure: Nothing says where the store is. Set 'vfs.azure.storage_account_name' or AZURE_STORAGE_ACCOUNT in the \
                 environment; for another service than Azure's own also 'vfs.azure.blob_endpoint' or AZURE_BLOB_ENDPOINT."
            ),
        };
        let token = parameters::text_or(config, "vfs.azure.storage_sas_token", "AZURE_STORAGE_SAS_TOKEN");
        // An endpoint may include a SAS.
        let (endpoint, token) = match endpoint.split_once('?') {
            Some((endpoint, brought)) => (endpoint.to_owned(), token.or_else(|| Some(brought.to_owned()))),
            None => (endpoint, token),
        };
        let key = parameters::text_or(config, "vfs.azure.storage_account_key", "AZURE_STORAGE_KEY");
        let (account, network) = (account.unwrap_or_default(), parameters::network(config)?);
        let tls = endpoint.starts_with("https://").then_some(&network);
        Ok(AzureOptions {
            retries: retries(config)?,
            limits: limits(config)?,
            credential: AzureCredential::of(&account, key.as_deref(), token.as_deref(), tls)?,
            network,
            endpoint: endpoint.trim_end_matches('/').to_owned(),
            account,
        })
    }
}

fn with_scheme(endpoint: String) -> String {
    if endpoint.starts_with("http://") || endpoint.starts_with("https://") {
        return endpoint;
    }
    log::line(Level::Warn, || {
        "The 'vfs.azure.blob_endpoint' option should include the scheme (HTTP or HTTPS).".to_owned()
    });
    format!("https://{endpoint}")
}

fn retries(config: &Config) -> Result<RetryPolicy> {
    Ok(RetryPolicy {
        max_retries: u32::try_from(config.u64("vfs.azure.max_retries")?).unwrap_or(u32::MAX),
        initial_delay: parameters::time(config, "vfs.azure.retry_delay_ms")?,
        max_delay: parameters::time(config, "vfs.azure.max_retry_delay_ms")?,
        ..RetryPolicy::default()
    })
}

fn limits(config: &Config) -> Result<StoreLimits> {
    Ok(StoreLimits {
        part_size: parameters::size(config, "vfs.azure.block_list_block_size")?,
        in_parts: config.bool("vfs.azure.use_block_list_upload")?,
        most_whole: u64::MAX,
        most_parts: 50_000,
        in_order: false,
        at_once: parameters::at_once(config, "vfs.azure.max_parallel_ops")?,
        read_ahead: usize::try_from(config.u64("vfs.read_ahead_size")?).unwrap_or(usize::MAX),
        removed_at_once: 256,
    })
}
