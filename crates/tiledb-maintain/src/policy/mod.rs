//! Maintenance by policy: keeps the numbers of fragments, commits and footers of an array within bounds, with few bytes
//! rewritten, and removes what was replaced once no reader needs it.

mod lease;
mod maintainer;
mod plan;
mod settings;

use std::fmt;

use lease::Lease;
use maintainer::Maintainer;
use settings::MaintenanceSettings;

use crate::maintain::MaintenanceSteps;
use tiledb_core::error::Result;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Kind of a step of maintenance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// Fragments were merged.
    Fragments,
    /// Commits were consolidated.
    Commits,
    /// Footers of fragments were consolidated.
    FragmentMetadata,
    /// Replaced files and folders were removed.
    Vacuum,
    /// A consolidation of a killed maintainer was completed: the fragments that it replaced are hidden.
    Recovery,
}

/// A step of maintenance, done or planned.
#[derive(Clone, Debug)]
pub struct MaintenanceStep {
    pub kind: StepKind,
    /// Number of fragments, commits or footers that were consolidated, or of files and folders that were removed.
    pub sources: u64,
    /// Number of fragments or files that were created; of planned steps, 1.
    pub results: u64,
    /// Size of the merged fragments in bytes; 0 for other kinds.
    pub bytes_read: u64,
    /// Size of the new fragments in bytes, of planned steps an estimate; 0 for other kinds.
    pub bytes_written: u64,
    pub reason: StepReason,
}

/// Why a step is taken.
#[derive(Clone, Debug)]
pub enum StepReason {
    /// A number exceeds the bound of a parameter.
    Exceeds { number: u64, of: &'static str, parameter: &'static str, bound: u64 },
    /// Earlier consolidations replaced the files, and all cells of the fragments are older than the retention period.
    Replaced { parameter: &'static str, retention: u64 },
    /// A maintainer was killed between a commit and the vacuum file.
    Killed,
}

impl fmt::Display for StepReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepReason::Exceeds { number, of, parameter, bound } => {
                write!(f, "{number} {of} exceed {parameter} = {bound}")
            }
            StepReason::Replaced { parameter, retention } => {
                write!(f, "replaced earlier, and older than {parameter} = {retention}")
            }
            StepReason::Killed => f.write_str("a maintainer was killed before it hid the merged fragments"),
        }
    }
}

/// Called after each step, in a dry run with each planned step. An error stops the maintenance.
pub type OnStep<'a> = &'a mut dyn FnMut(&MaintenanceStep) -> Result<()>;

/// Maintains the array at `uri` as configured by `sm.maintenance.*`: removes what earlier runs have replaced, then consolidates fragments,
/// commits and footers until they are within their bounds. It can be stopped anywhere and be started again.
///
/// # Errors
/// If there is no array, another maintainer is at work, a consolidation fails, on cancellation, and those of `on_step`.
/// The array reads as before, and what was done remains done.
pub fn maintain(resources: &Resources, uri: &Uri, on_step: OnStep<'_>) -> Result<()> {
    let settings = MaintenanceSettings::new(resources.config())?;
    let steps = MaintenanceSteps::new(resources, uri)?;
    let (lease, journals) = Lease::acquire(resources, uri, steps.version()?, settings.lease)?;
    Maintainer::new(steps, settings, lease, on_step).run(&journals)
}

/// Reports which steps [`maintain`] would take first, without taking them: a run continues until all numbers are within their bounds,
/// with the results of its steps.
///
/// # Errors
/// If there is no array, it cannot be read, and those of `on_step`.
pub fn maintain_dry_run(resources: &Resources, uri: &Uri, on_step: OnStep<'_>) -> Result<()> {
    let settings = MaintenanceSettings::new(resources.config())?;
    maintainer::preview(&MaintenanceSteps::new(resources, uri)?, &settings, on_step)
}

#[cfg(test)]
mod plan_tests;
#[cfg(test)]
mod tests;
