//! Steps of maintenance, as reported to the caller.

use std::fmt;

use tiledb_core::error::Result;

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

impl fmt::Display for MaintenanceStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MaintenanceStep { kind, sources, results, bytes_read, bytes_written, reason } = self;
        match kind {
            StepKind::Fragments => {
                write!(f, "{sources} fragments ({bytes_read} bytes) merged into {results} ({bytes_written} bytes)")?;
            }
            StepKind::Commits => write!(f, "{sources} commits consolidated")?,
            StepKind::FragmentMetadata => write!(f, "{sources} footers consolidated")?,
            StepKind::Vacuum => write!(f, "{sources} files and folders removed")?,
            StepKind::Recovery => write!(f, "merge of {sources} fragments into {results} completed")?,
        }
        write!(f, ": {reason}")
    }
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
