//! Configuration parameters that several object stores have in common.

use std::time::Duration;

use super::ambient::variable;
use crate::http::Network;
use tiledb_core::config::{Config, hardware_threads};
use tiledb_core::error::{Error, Result, bail};

/// Default number of concurrent requests: waiting needs no core.
const AT_ONCE: usize = 16;

/// A non-empty string parameter.
pub(super) fn text(config: &Config, name: &str) -> Option<String> {
    Some(config.str(name)).filter(|value| !value.is_empty())
}

/// A string parameter, or else an environment variable.
pub(super) fn text_or(config: &Config, name: &str, named: &str) -> Option<String> {
    text(config, name).or_else(|| variable(named))
}

/// A duration in milliseconds.
pub(super) fn time(config: &Config, name: &str) -> Result<Duration> {
    config.u64(name).map(Duration::from_millis)
}

/// A number of bytes.
///
/// # Errors
/// For 0, too.
pub(super) fn size(config: &Config, name: &str) -> Result<usize> {
    match config.u64(name)? {
        0 => bail!("Config: '{name}' is 0; parts need bytes"),
        size => Ok(usize::try_from(size).unwrap_or(usize::MAX)),
    }
}

/// A number that may have a sign; negative ones count as 0.
///
/// # Errors
/// For other values.
pub(super) fn count(config: &Config, name: &str) -> Result<u32> {
    number(name, &config.str(name))
}

/// As [`count`], of a value.
///
/// # Errors
/// As [`count`].
pub(super) fn number(name: &str, value: &str) -> Result<u32> {
    let number = value.trim().parse::<i64>();
    number.ok().and_then(|number| u32::try_from(number.max(0)).ok()).ok_or_else(|| {
        Error::invalid(format!("Config: The value '{value}' of '{name}' is not a number that can be used"))
    })
}

/// Maximum number of concurrent requests: the minimum of the store's parameter and that of all storage, if they are
/// set.
pub(super) fn at_once(config: &Config, name: &str) -> Result<usize> {
    let mut width = None;
    for name in [name, "sm.io_concurrency_level"].into_iter().filter(|name| config.is_set(name)) {
        let own = usize::try_from(config.u64(name)?).unwrap_or(usize::MAX);
        width = Some(width.map_or(own, |width: usize| width.min(own)));
    }
    Ok(width.unwrap_or_else(|| AT_ONCE.max(hardware_threads())).clamp(1, 1024))
}

/// Network settings, with default timeouts for stores that have no parameters for them.
pub(super) fn network(config: &Config) -> Result<Network> {
    let (connect, progress) = (Duration::from_secs(10), Duration::from_secs(30));
    Ok(Network { connect, progress, ..Network::new(config, "vfs.min_throughput")? })
}
