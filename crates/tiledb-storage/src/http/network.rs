//! How a server is reached.

use std::time::Duration;

use super::proxy::Proxies;
use tiledb_core::config::Config;
use tiledb_core::error::Result;
use tiledb_core::pool::CancelToken;

/// Bytes a second where no parameter says otherwise: little for the slowest of lines, much for who sends a byte now and then.
pub const MIN_THROUGHPUT: u64 = 100;

/// How a server is reached.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// The longest wait for the address of a host's name; without a limit it is that of the system.
    pub resolve: Duration,
    /// The longest wait for a connection.
    pub connect: Duration,
    /// Timeout without progress of a request or its response.
    pub progress: Duration,
    /// Minimum throughput of requests and responses in bytes a second, over [`super::throughput`]'s window; 0 for any.
    pub min_throughput: u64,
    pub proxies: Proxies,
    /// A file of certificates that are trusted, instead of the system's.
    pub ca_file: Option<String>,
    /// A folder of such files.
    pub ca_path: Option<String>,
    /// Whether servers must prove who they are.
    pub verify: bool,
    /// Size of the receive buffer in bytes; 0 for the default.
    pub buffer: usize,
    /// Cancels requests in flight, if set.
    pub cancel: Option<CancelToken>,
    /// Whether TCP keep-alive is enabled; only if requests can be cancelled.
    pub keep_alive: bool,
}

impl Network {
    /// The settings `ssl.*` and the minimum throughput, without timeouts.
    ///
    /// # Errors
    /// For values that cannot be understood.
    pub fn new(config: &Config, min_throughput: &str) -> Result<Network> {
        let given = |name: &str| Some(config.str(name)).filter(|value| !value.is_empty());
        Ok(Network {
            ca_file: given("ssl.ca_file"),
            ca_path: given("ssl.ca_path"),
            verify: config.bool("ssl.verify")?,
            min_throughput: match config.get(min_throughput) {
                Some(_) => config.u64(min_throughput)?,
                None => MIN_THROUGHPUT,
            },
            ..Network::default()
        })
    }
}
