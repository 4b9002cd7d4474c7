//! Parameters `sm.maintenance.*`.

use super::lease_file::MAX_LEASE;
use super::plan::PlanLimits;
use tiledb_core::config::Config;
use tiledb_core::error::{Result, bail};

/// The parameter of the maximum number of fragments.
pub(super) const MAX_FRAGMENTS: &str = "sm.maintenance.max_fragments";
/// The parameter of the maximum number of commits.
pub(super) const MAX_COMMITS: &str = "sm.maintenance.max_commits";
/// The parameter of the maximum number of footers.
pub(super) const MAX_FOOTERS: &str = "sm.maintenance.max_fragment_metadata";
/// The parameter of the duration of a lease.
pub(super) const LEASE: &str = "sm.maintenance.lease_ms";
/// The parameter of the age at which replaced fragments are removed.
pub(super) const RETENTION: &str = "sm.maintenance.retention_ms";
/// The parameter of the age from which on dense fragments are merged.
pub(super) const GRACE: &str = "sm.maintenance.write_grace_ms";

/// The parameter of maintenance after writes.
const AFTER_WRITE: &str = "sm.maintenance.after_write";

/// True if arrays are maintained after writes.
///
/// # Errors
/// If the value is neither `true` nor `false`.
pub(super) fn is_after_write(config: &Config) -> Result<bool> {
    Ok(config.try_get(AFTER_WRITE)?.is_some() && config.bool(AFTER_WRITE)?)
}

/// Bounds on what a reader opens, and when replaced files are removed.
#[derive(Clone, Debug)]
pub(super) struct MaintenanceSettings {
    pub(super) limits: PlanLimits,
    /// Maximum number of commits that are not consolidated.
    pub(super) commits: usize,
    /// Maximum number of fragments whose footers are not consolidated.
    pub(super) footers: usize,
    /// Age of cells, in milliseconds, from which on replaced fragments are removed.
    pub(super) retention: u64,
    /// Duration of the lease in milliseconds.
    pub(super) lease: u64,
    /// Age in milliseconds from which on fragments are merged where an earlier write may still be committed.
    pub(super) grace: u64,
}

impl MaintenanceSettings {
    /// As a configuration says.
    ///
    /// # Errors
    /// For values that are no numbers or 0 where that is no bound.
    pub(super) fn new(config: &Config) -> Result<MaintenanceSettings> {
        let or = |name: &str, default: u64| match config.try_get(name)? {
            Some(_) => config.u64(name),
            None => Ok(default),
        };
        let positive = |name: &str, default: u64| match or(name, default)? {
            0 => bail!("Cannot maintain an array: '{name}' is 0; set it to 1 or more"),
            value => Ok(value),
        };
        Ok(MaintenanceSettings {
            limits: PlanLimits {
                fragments: positive(MAX_FRAGMENTS, 40)? as usize,
                bytes: config.u64("sm.consolidation.max_fragment_size")?,
                amplification: config.f32("sm.consolidation.amplification")?.into(),
            },
            commits: or(MAX_COMMITS, 100)? as usize,
            footers: or(MAX_FOOTERS, 20)? as usize,
            retention: or(RETENTION, 86_400_000)?,
            lease: positive(LEASE, 120_000)?.min(MAX_LEASE),
            grace: or(GRACE, 600_000)?,
        })
    }
}
