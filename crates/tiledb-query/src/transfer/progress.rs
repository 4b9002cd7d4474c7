//! The progress of a query.

use crate::read::position::ReadPosition;
use crate::read::spec::QueryReader;
use tiledb_cells::write::spec::{CommittedFragment, QueryWriter, WriteDraft};
use tiledb_core::error::{Result, bail};

/// Status of a query. The numbers are those of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The last submit failed.
    Failed = 0,
    /// Everything was read or written.
    Completed = 1,
    /// A submit is running.
    InProgress = 2,
    /// A read has more results.
    Incomplete = 3,
    /// Not submitted yet.
    Uninitialized = 4,
    /// Made ready, not yet run.
    Initialized = 5,
}

/// The reader or writer of the query.
pub enum QueryState {
    /// Nothing yet.
    Idle,
    Reading(Box<dyn QueryReader>),
    Writing(Box<dyn QueryWriter>),
    /// A write that is complete: it is not done again.
    Written,
}

/// Checkpoint of a read, to be restored.
pub struct ReadCheckpoint {
    status: Status,
    buffers_are_full: bool,
    has_results: bool,
    position: Option<ReadPosition>,
}

pub struct QueryProgress {
    pub status: Status,
    /// The last submit ended since the buffers were full.
    pub buffers_are_full: bool,
    /// True once a read has delivered cells.
    pub has_results: bool,
    pub machine: QueryState,
    /// A read failed during a step: its results were not reported, and are not delivered again. Or a write was aborted,
    /// and the cells of earlier submits are lost.
    pub is_lost: bool,
    /// The position of another read that this one resumes from.
    pub from: Option<ReadPosition>,
    /// The draft of a suspended global-order write that this one resumes.
    pub draft: Option<WriteDraft>,
    /// The fragments that were written.
    pub written: Vec<CommittedFragment>,
}

impl Default for QueryProgress {
    fn default() -> QueryProgress {
        QueryProgress {
            status: Status::Uninitialized,
            buffers_are_full: false,
            has_results: false,
            machine: QueryState::Idle,
            is_lost: false,
            from: None,
            draft: None,
            written: Vec::new(),
        }
    }
}

impl QueryProgress {
    /// True once it was submitted, or prepared for that: much cannot be set any more.
    pub fn is_initialized(&self) -> bool {
        self.status != Status::Uninitialized
    }

    /// True once something is being read.
    pub fn is_reading(&self) -> bool {
        matches!(self.machine, QueryState::Reading(_))
    }

    /// The position of a read, if it has begun.
    ///
    /// # Errors
    /// If the position cannot be serialized.
    pub fn position(&self) -> Result<Option<ReadPosition>> {
        match &self.machine {
            QueryState::Reading(reader) => reader.position().map(Some),
            _ => Ok(self.from.clone()),
        }
    }

    /// Rejects continuing a read that failed during a step, since results may be missing.
    ///
    /// # Errors
    /// If it failed in the midst of a step.
    pub fn check_known(&self) -> Result<()> {
        if self.is_lost {
            bail!("The read failed before, in the midst of its results; make a new query");
        }
        Ok(())
    }

    /// Rejects continuing or finalizing a write that was aborted.
    ///
    /// # Errors
    /// If cells of earlier submits are lost with it.
    pub fn check_not_aborted(&self) -> Result<()> {
        if self.is_lost {
            bail!(
                "The write was given up after an error, and the cells submitted before are lost; submit all cells to another query"
            );
        }
        Ok(())
    }

    /// A checkpoint of a read, to be restored later.
    ///
    /// # Errors
    /// If the position is not available.
    pub fn checkpoint(&self) -> Result<ReadCheckpoint> {
        self.check_known()?;
        let status = self.status;
        let buffers_are_full = self.buffers_are_full;
        let has_results = self.has_results;
        let position = match &self.machine {
            QueryState::Reading(reader) => Some(reader.exact_position()?),
            _ => self.from.clone(),
        };
        Ok(ReadCheckpoint { status, buffers_are_full, has_results, position })
    }

    /// Restores a read to a checkpoint.
    pub fn restore(&mut self, checkpoint: ReadCheckpoint) {
        (self.machine, self.is_lost) = (QueryState::Idle, false);
        self.from = checkpoint.position;
        self.status = checkpoint.status;
        self.buffers_are_full = checkpoint.buffers_are_full;
        self.has_results = checkpoint.has_results;
    }

    /// Makes a read that was not submitted resume from the position of another one with the same results.
    pub fn resume_from(&mut self, position: ReadPosition) {
        self.from = Some(position);
        self.status = Status::Incomplete;
    }

    /// True if a write continues earlier submits, of this or another query.
    pub fn has_begun_write(&self) -> bool {
        matches!(self.machine, QueryState::Writing(_)) || self.draft.is_some()
    }

    /// Suspends a write; this or another query can resume it.
    ///
    /// # Errors
    /// As [`QueryWriter::suspend`].
    pub fn suspend(&mut self) -> Result<Option<WriteDraft>> {
        if let QueryState::Writing(writer) = &mut self.machine
            && let Some(draft) = writer.suspend()?
        {
            self.machine = QueryState::Idle;
            self.draft = Some(draft);
        }
        Ok(self.draft.clone())
    }

    /// Makes a write that was not submitted resume a suspended one.
    pub fn resume_with(&mut self, draft: WriteDraft) {
        self.draft = Some(draft);
        self.status = Status::Completed;
    }

    /// Aborts a write that has begun and is not complete: nothing of it remains.
    pub fn abort(&mut self) {
        if self.has_begun_write() {
            let has_accepted = matches!(&self.machine, QueryState::Writing(writer) if writer.has_accepted());
            self.is_lost = has_accepted || self.draft.is_some();
            (self.machine, self.draft, self.status) = (QueryState::Idle, None, Status::Failed);
        }
    }

    /// True if it is incomplete since the buffers were full.
    pub fn needs_buffers(&self) -> bool {
        self.buffers_are_full && self.status == Status::Incomplete
    }
}
