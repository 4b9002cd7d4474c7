//! Maintenance by policy: keeps the numbers of fragments, commits and footers of an array within bounds, with few bytes
//! rewritten, and removes what was replaced once no reader needs it.

mod journal;
mod lease;
mod lease_file;
mod maintainer;
mod merge_commit;
mod plan;
mod protocol;
mod settings;
mod step;

use lease::MaintenanceLease;
use maintainer::Maintainer;
use settings::{MaintenanceSettings, is_after_write};
pub use step::{MaintenanceStep, OnStep, StepKind, StepReason};

use crate::maintain::MaintenanceSteps;
use tiledb_core::config::Config;
use tiledb_core::error::Result;
use tiledb_core::log::{self, OperationSummary};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Maintains the array at `uri` and those of its dimension labels as configured by `sm.maintenance.*`: removes what earlier
/// runs have replaced, then consolidates fragments, commits and footers until they are within their bounds. It can be
/// stopped anywhere and be started again.
///
/// # Errors
/// If there is no array, another maintainer is at work, a consolidation fails, on cancellation, and those of `on_step`.
/// The array reads as before, and what was done remains done.
pub fn maintain(resources: &Resources, uri: &Uri, on_step: OnStep<'_>) -> Result<()> {
    let settings = MaintenanceSettings::new(resources.config())?;
    let steps = MaintenanceSteps::new(resources, uri)?;
    let labels = steps.labels()?;
    maintain_array(&settings, steps, on_step)?;
    labels.iter().try_for_each(|label| {
        let steps = MaintenanceSteps::new(resources, label)?;
        maintain_array(&settings, steps, on_step)
    })
}

fn maintain_array(settings: &MaintenanceSettings, steps: MaintenanceSteps<'_>, on_step: OnStep<'_>) -> Result<()> {
    let uri = steps.array().1;
    let maintain = || {
        let resources = steps.array().0;
        let (lease, takeover) = MaintenanceLease::acquire(resources, uri, steps.version()?, settings.lease)?;
        Maintainer::new(steps, settings.clone(), lease, on_step).run(takeover)
    };
    log::operation(|| format!("Maintenance of '{uri}'"), maintain, |()| OperationSummary::default())
}

/// Maintains the array at `uri`, or one of its dimension labels, after a write to it if `sm.maintenance.after_write` of
/// `config` is set and a listing has more fragments or commits than their bounds.
///
/// # Errors
/// As [`maintain`].
pub fn maintain_after_write(resources: &Resources, config: Config, uri: &Uri) -> Result<()> {
    if !is_after_write(&config)? {
        return Ok(());
    }
    let resources = resources.with_config(config)?;
    let settings = MaintenanceSettings::new(resources.config())?;
    let steps = MaintenanceSteps::new(&resources, uri)?;
    let labels = steps.labels()?;
    let maintain = |steps: MaintenanceSteps<'_>| match steps.exceeds(settings.limits.fragments, settings.commits)? {
        true => maintain_array(&settings, steps, &mut |_| Ok(())),
        false => Ok(()),
    };
    maintain(steps)?;
    labels.iter().try_for_each(|label| maintain(MaintenanceSteps::new(&resources, label)?))
}

/// Reports which steps [`maintain`] would take first, without taking them: a run continues until all numbers are within
/// their bounds, with the results of its steps.
///
/// # Errors
/// If there is no array, it cannot be read, and those of `on_step`.
pub fn maintain_dry_run(resources: &Resources, uri: &Uri, on_step: OnStep<'_>) -> Result<()> {
    let settings = MaintenanceSettings::new(resources.config())?;
    let steps = MaintenanceSteps::new(resources, uri)?;
    maintainer::preview(&steps, &settings, on_step)?;
    steps
        .labels()?
        .iter()
        .try_for_each(|label| maintainer::preview(&MaintenanceSteps::new(resources, label)?, &settings, on_step))
}

#[cfg(test)]
mod comparison_tests;
#[cfg(test)]
mod lease_tests;
#[cfg(test)]
mod listing_tests;
#[cfg(test)]
mod maintainer_tests;
#[cfg(test)]
mod merge_commit_tests;
#[cfg(test)]
mod plan_tests;
#[cfg(test)]
mod protocol_model;
#[cfg(test)]
mod protocol_tests;
#[cfg(test)]
mod reference_consolidation;
