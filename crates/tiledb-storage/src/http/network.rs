//! Network settings of HTTP connections: timeouts, minimum throughput, proxies, TLS certificates.

use std::time::Duration;

use super::proxy::Proxies;
use tiledb_core::config::Config;
use tiledb_core::error::Result;
use tiledb_core::pool::CancelToken;

/// Default minimum throughput in bytes per second: low enough for the slowest connections, high enough to detect a peer that
/// sends single bytes.
pub const MIN_THROUGHPUT: u64 = 100;

/// Network settings of a client.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// Timeout of name resolution; if unlimited, the system's timeout applies.
    pub resolve: Duration,
    /// Timeout for establishing a connection.
    pub connect: Duration,
    /// Timeout without progress of a request or its response.
    pub progress: Duration,
    /// Minimum throughput of requests and responses in bytes per second, over [`super::throughput`]'s window; 0
    /// disables the check.
    pub min_throughput: u64,
    pub proxies: Proxies,
    /// File of trusted certificates, used instead of the system's.
    pub ca_file: Option<String>,
    /// Folder of such files.
    pub ca_path: Option<String>,
    /// Whether server certificates are verified.
    pub verify: bool,
    /// Size of the receive buffer in bytes; 0 for the default.
    pub buffer: usize,
    /// Cancels requests in flight, if set.
    pub cancel: Option<CancelToken>,
    /// Whether TCP keep-alive is enabled; only if requests can be cancelled.
    pub keep_alive: bool,
    /// Whether hosts of private networks are refused.
    pub public_only: bool,
}

impl Network {
    /// The settings `ssl.*` and the minimum throughput, without timeouts.
    ///
    /// # Errors
    /// For invalid values.
    pub fn new(config: &Config, min_throughput: &str) -> Result<Network> {
        let non_empty = |name: &str| Some(config.str(name)).filter(|value| !value.is_empty());
        Ok(Network {
            ca_file: non_empty("ssl.ca_file"),
            ca_path: non_empty("ssl.ca_path"),
            verify: config.bool("ssl.verify")?,
            min_throughput: match config.get(min_throughput) {
                Some(_) => config.u64(min_throughput)?,
                None => MIN_THROUGHPUT,
            },
            ..Network::default()
        })
    }
}
