//! The interface of readers: read parameters, and the trait that readers implement.

use std::sync::Arc;

use super::position::ReadPosition;
use tiledb_array::array::OpenArray;
use tiledb_cells::columns::output::Outputs;
use tiledb_cells::predicate::program::Program;
use tiledb_cells::space::subarray::Subarray;
use tiledb_core::budget::{self, Budget, BudgetShare, MemoryKind};
use tiledb_core::config::Config;
use tiledb_core::error::Result;
use tiledb_core::pool::{ProgressCounter, set_retained_limit};
use tiledb_core::stats::Stats;
use tiledb_core::types::{Layout, Name, NamedList};

/// Parameters of a read.
#[derive(Clone)]
pub struct ReadSpec {
    /// The snapshot of the array.
    pub array: Arc<OpenArray>,
    /// The order of the results.
    pub layout: Layout,
    /// The part of the array.
    pub subarray: Subarray,
    /// The query's configuration.
    pub config: Config,
    /// The requested fields, one per column of [`Outputs`], in the same order.
    pub fields: NamedList<Name>,
    /// The query condition.
    pub condition: Option<Arc<Program>>,
    /// The part of the memory budget that it has.
    pub share: BudgetShare,
    /// Which versions of sparse cells are delivered.
    pub versions: CellVersions,
    /// Counters and timers of the read.
    pub stats: Stats,
    /// Receives the progress of the read.
    pub tally: ProgressCounter,
}

impl ReadSpec {
    /// The memory budget of the read, but at least `least`, less what reads retain for later ones.
    ///
    /// # Errors
    /// If the parameter is no number.
    pub fn memory(&self, least: u64) -> Result<Budget> {
        let budget = Budget::with_share(budget::total(&self.config)?.max(least), self.share);
        let limit = budget.limit();
        set_retained_limit(limit / CACHE_SHARE);
        // As much again for the chunks in the cache.
        budget.take_permanently(MemoryKind::Buffers, limit / CACHE_SHARE * 2)?;
        Ok(budget)
    }
}

/// Of the memory of a read this part may stay as buffers for the next.
const CACHE_SHARE: u64 = 16;

/// Which cells of a sparse array are delivered where several have equal coordinates or some were deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CellVersions {
    /// The latest one, unless the array allows duplicates, and no deleted ones: what queries request.
    #[default]
    Latest,
    /// All that readers see at some time, the latest first: unless the array allows duplicates, one of each time. The fields `__delete_timestamps` and `__delete_condition_index` can be requested, too.
    All,
    /// As `All`, but no deleted ones, nor, unless the array allows duplicates, those superseded by a deleted one.
    Living,
}

/// Whether a step delivered all that was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadProgress {
    /// All results have been delivered.
    Done,
    /// The user's buffers do not hold more. There is no other reason: clients do not expect one, and read wrong cells.
    Incomplete,
}

/// A resumable read.
pub trait QueryReader: Send {
    /// Fills the columns with as many of the next results as fit, and sets each column's `cells` and
    /// `bytes`. How many these are does not depend on the memory budget. Every column gets the same number of cells. Zero cells and [`ReadProgress::Incomplete`] say
    /// that not even one cell fits. Nothing of a step that failed counts as delivered.
    ///
    /// # Errors
    /// From storage, from stored bytes that are not valid, or where the memory budget does not suffice.
    fn step(&mut self, out: &mut Outputs<'_>) -> Result<ReadProgress>;

    /// How many steps it takes, about, as it counts them in the tally of its [`ReadSpec`].
    fn steps(&self) -> u64;

    /// The position between two steps.
    ///
    /// # Errors
    /// If the position cannot be serialized.
    fn position(&self) -> Result<ReadPosition>;

    /// As [`QueryReader::position`], if a reader that resumes there delivers the same cells in the same order.
    ///
    /// # Errors
    /// As there, and where the order would be another one.
    fn exact_position(&self) -> Result<ReadPosition> {
        self.position()
    }

    /// Makes a reader that has not begun resume from the position of another one of the same read.
    ///
    /// # Errors
    /// For a position that this read cannot have.
    fn resume_from(&mut self, position: &ReadPosition) -> Result<()>;
}

/// A read without results.
pub struct EmptyReader;

impl QueryReader for EmptyReader {
    fn step(&mut self, _: &mut Outputs<'_>) -> Result<ReadProgress> {
        Ok(ReadProgress::Done)
    }

    fn steps(&self) -> u64 {
        0
    }

    fn position(&self) -> Result<ReadPosition> {
        Ok(ReadPosition::Cells(Vec::new()))
    }

    fn resume_from(&mut self, _: &ReadPosition) -> Result<()> {
        Ok(())
    }
}
