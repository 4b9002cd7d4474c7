//! Readers: from fragments to the user's buffers.

use std::sync::Arc;

use super::Subarray;
use super::buffers::Outputs;
use super::condition::Program;
use crate::array::OpenArray;
use crate::config::Config;
use crate::error::{Result, bail};
use crate::stats::Stats;
use crate::types::{Layout, Name};

mod access;
mod aggregate;
mod aggregate_dense;
mod aggregate_sparse;
mod aggregate_stats;
mod bands;
mod boxes;
mod chunk_walk;
pub mod copy;
mod cover;
mod deletions;
pub mod dense;
mod dense_batch;
mod dense_budget;
mod dense_condition;
mod dense_coords;
mod dense_fixed;
mod dense_origin;
mod dense_parts;
mod dense_room;
mod dense_singles;
mod dense_var;
mod estimate;
mod estimate_sparse;
mod filter;
mod merge;
mod parameters;
mod partitioned;
mod partitions;
mod repeat;
mod select;
mod selection;
mod share;
pub mod sparse;
mod sparse_copy;
mod sparse_load;
mod sparse_plan;
mod sparse_runs;
mod sparse_tile;
mod split;
pub mod tile_source;

pub use access::Access;
pub use aggregate::aggregate;
pub use deletions::conditions_of;
pub use estimate::{Estimated, ResultSize, estimate};
pub use parameters::OnlyCoordinates;

/// What a reader is asked for.
#[derive(Clone)]
pub struct ReadSpec {
    /// The array as it was when it was opened.
    pub array: Arc<OpenArray>,
    /// The order of the results.
    pub layout: Layout,
    /// The part of the array.
    pub subarray: Subarray,
    /// The query's configuration.
    pub config: Config,
    /// The fields asked for, one per column of [`Outputs`], in the same order.
    pub fields: Vec<Name>,
    /// What cells must meet.
    pub condition: Option<Arc<Program>>,
    /// Which versions of sparse cells are delivered.
    pub versions: Versions,
    /// Who counts what is read.
    pub stats: Stats,
}

/// Which cells of a sparse array are delivered where several have equal coordinates or some were deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Versions {
    /// The latest one, unless the array allows duplicates, and none that was deleted: what queries ask for.
    #[default]
    Latest,
    /// All, the latest first. The fields `__delete_timestamps` and `__delete_condition_index` can be asked for too.
    All,
    /// As `All`, but none that was deleted, nor, unless the array allows duplicates, what a deleted one hides.
    Living,
}

/// Why a step did not deliver everything. The numbers are those of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The user's buffers are full.
    UserBufferSize = 1,
    /// The memory budget does not hold more at a time.
    MemoryBudget = 2,
}

/// Whether a step delivered all that was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// All results have been delivered.
    Done,
    /// More results are to come.
    Incomplete(Reason),
}

/// A resumable read.
pub trait Reader: Send {
    /// Fills the columns with as many of the next results as fit, and sets each column's `cells` and
    /// `bytes`. Every column gets the same number of cells. Zero cells and [`Progress::Incomplete`] say
    /// that not even one cell fits. Nothing of a step that failed counts as delivered.
    ///
    /// # Errors
    /// From storage, from stored bytes that are not valid, or where the memory budget does not suffice.
    fn step(&mut self, out: &mut Outputs<'_>) -> Result<Progress>;
}

/// A read that delivers nothing.
pub struct Nothing;

impl Reader for Nothing {
    fn step(&mut self, _: &mut Outputs<'_>) -> Result<Progress> {
        Ok(Progress::Done)
    }
}

/// The reader for a read: by array type and layout.
///
/// # Errors
/// If the array, layout and subarray do not go together.
pub fn reader(spec: ReadSpec) -> Result<Box<dyn Reader>> {
    if spec.array.schema().is_dense() {
        let reader = dense::DenseReader::new(&spec)?;
        parameters::check(&spec)?;
        return Ok(Box::new(reader));
    }
    parameters::check(&spec)?;
    if spec.fields.is_empty() {
        bail!("Reader: Cannot initialize reader; Buffers not set");
    }
    Ok(match spec.layout {
        Layout::RowMajor | Layout::ColMajor => Box::new(partitioned::PartitionedReader::new(spec)?),
        _ => Box::new(sparse::SparseReader::new(&spec)?),
    })
}
