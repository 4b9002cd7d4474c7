//! How storage is reached.

use std::time::Duration;

use crate::config::Config;
use crate::error::Result;

/// How storage is reached.
#[derive(Clone, Debug, Default)]
pub(in crate::vfs::cloud) struct Network {
    /// The longest wait for the address of a host's name; without a limit it is that of the system.
    pub(in crate::vfs::cloud) resolve: Duration,
    /// The longest wait for a connection.
    pub(in crate::vfs::cloud) connect: Duration,
    /// The longest time without progress of a request or its answer.
    pub(in crate::vfs::cloud) progress: Duration,
    /// `scheme://user:password@host:port`.
    pub(in crate::vfs::cloud) proxy: Option<String>,
    /// A file of certificates that are trusted, instead of the system's.
    pub(in crate::vfs::cloud) ca_file: Option<String>,
    /// A folder of such files.
    pub(in crate::vfs::cloud) ca_path: Option<String>,
    /// Whether servers must prove who they are.
    pub(in crate::vfs::cloud) verify: bool,
}

impl Network {
    /// What the parameters `ssl.*` say, with no limits of time.
    ///
    /// # Errors
    /// For values that cannot be understood.
    pub(in crate::vfs::cloud) fn new(config: &Config) -> Result<Network> {
        let given = |name: &str| Some(config.str(name)).filter(|value| !value.is_empty());
        Ok(Network {
            ca_file: given("ssl.ca_file"),
            ca_path: given("ssl.ca_path"),
            verify: config.bool("ssl.verify")?,
            ..Network::default()
        })
    }
}
