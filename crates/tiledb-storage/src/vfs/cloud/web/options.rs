//! Options from the parameters `vfs.http.*`.

use std::time::Duration;

use super::super::parameters;
use super::link_targets::LinkTargets;
use crate::http::{Audience, Network, Proxies, RetryPolicy};
use tiledb_core::config::Config;
use tiledb_core::error::{Error, Result, bail};

/// Prefix of parameters that are headers of requests.
const HEADERS: &str = "vfs.http.custom_headers.";

pub(super) struct WebOptions {
    pub(super) network: Network,
    pub(super) retries: RetryPolicy,
    /// Maximum number of concurrent requests.
    pub(super) max_parallel_requests: usize,
    /// Minimum size of a read request in bytes.
    pub(super) read_ahead_bytes: usize,
    /// Maximum size in bytes of a file of a server that sends no ranges.
    pub(super) max_unranged_bytes: u64,
    /// Whether pages of links are accepted as listings.
    pub(super) uses_html_listings: bool,
    /// How long an index is used without asking the server again.
    pub(super) index_max_age: Duration,
    /// Where arrays and groups may lead outside of their servers.
    pub(super) link_targets: LinkTargets,
    /// Secret headers, and the origins that they are sent to.
    pub(super) secrets: Vec<(String, String)>,
    pub(super) audiences: Vec<Audience>,
}

impl WebOptions {
    /// Options of a configuration.
    ///
    /// # Errors
    /// For invalid values, and for credentials without origins.
    pub(super) fn new(config: &Config) -> Result<WebOptions> {
        let number = |name: &str, default: u64| if config.get(name).is_some() { config.u64(name) } else { Ok(default) };
        let milliseconds = |name: &str, default: u64| number(name, default).map(Duration::from_millis);
        let secrets = secrets(config);
        Ok(WebOptions {
            network: Network {
                connect: milliseconds("vfs.http.connect_timeout_ms", 10_000)?,
                progress: milliseconds("vfs.http.request_timeout_ms", 30_000)?,
                proxies: Proxies::of_environment().except_loopback(),
                ..Network::new(config, "vfs.min_throughput")?
            },
            retries: RetryPolicy {
                max_retries: u32::try_from(number("vfs.http.max_retries", 5)?).unwrap_or(u32::MAX),
                initial_delay: milliseconds("vfs.http.retry_delay_ms", 200)?,
                max_delay: milliseconds("vfs.http.max_retry_delay_ms", 10_000)?,
                ..RetryPolicy::default()
            },
            max_parallel_requests: parameters::at_once(config, "vfs.http.max_parallel_ops")?,
            read_ahead_bytes: usize::try_from(config.u64("vfs.read_ahead_size")?).unwrap_or(usize::MAX),
            max_unranged_bytes: number("vfs.http.max_unranged_size", 16 << 20)?,
            uses_html_listings: config.get("vfs.http.html_listing").is_some()
                && config.bool("vfs.http.html_listing")?,
            index_max_age: milliseconds("vfs.http.index_max_age_ms", 5_000)?,
            link_targets: LinkTargets::new(&config.get("vfs.http.link_origins").unwrap_or_default()),
            audiences: audiences(config, !secrets.is_empty())?,
            secrets,
        })
    }
}

/// The headers that only some origins get: any of them may be a key.
fn secrets(config: &Config) -> Vec<(String, String)> {
    let authorization = parameters::text(config, "vfs.http.authorization");
    let authorization = authorization.map(|value| ("authorization".to_owned(), value));
    let custom = config.entries(HEADERS).into_iter().filter(|(name, _)| !name.is_empty());
    authorization.into_iter().chain(custom).collect()
}

fn audiences(config: &Config, is_needed: bool) -> Result<Vec<Audience>> {
    const NAME: &str = "vfs.http.credential_origins";
    let listed = config.get(NAME).unwrap_or_default();
    let origins = listed.split([',', ' ']).filter(|origin| !origin.is_empty());
    let invalid = |error: Error| Error::invalid(format!("Config: '{NAME}': {}", error.text()));
    let audiences = origins.map(|origin| Audience::of(origin).map_err(invalid)).collect::<Result<Vec<_>>>()?;
    if is_needed && audiences.is_empty() {
        bail!(
            "Config: 'vfs.http.authorization' and '{HEADERS}*' are sent only to the origins that '{NAME}' lists, and it lists \
             none; set it to 'https://HOST'"
        );
    }
    Ok(audiences)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(parameters: &[(&str, &str)]) -> Result<WebOptions> {
        let mut config = Config::new();
        for (name, value) in parameters {
            config.set(name, value).unwrap();
        }
        WebOptions::new(&config)
    }

    #[test]
    fn credentials_need_origins() {
        for name in ["vfs.http.authorization", "vfs.http.custom_headers.X-Key"] {
            let error = options(&[(name, "hush")]).err().unwrap();
            assert!(error.text().contains("credential_origins") && !error.text().contains("hush"), "{error}");
            let set = options(&[(name, "hush"), ("vfs.http.credential_origins", "https://a, http://b:8")]).unwrap();
            assert_eq!((set.secrets.len(), set.audiences.len()), (1, 2));
        }
        assert!(options(&[("vfs.http.credential_origins", "a.example")]).is_err());
        assert!(options(&[]).unwrap().audiences.is_empty());
    }
}
