//! How far a query has come.

use crate::read::position::Position;
use crate::read::spec::{Reader, Reason};
use crate::write::spec::{WriteDraft, Writer, Written};
use tiledb_core::error::{Result, bail};

/// Where a query stands. The numbers are those of C.
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

/// What does the work.
pub enum Machine {
    /// Nothing yet.
    Idle,
    /// A read.
    Reading(Box<dyn Reader>),
    /// A write.
    Writing(Box<dyn Writer>),
    /// A write that is complete: it is not done again.
    Written,
}

/// Where a read stood.
pub struct Mark {
    status: Status,
    reason: Option<Reason>,
    has_results: bool,
    position: Option<Position>,
}

/// How far a query has come.
pub struct Run {
    /// Where it stands.
    pub status: Status,
    /// Why it was incomplete last.
    pub reason: Option<Reason>,
    /// True once a read has delivered cells.
    pub has_results: bool,
    /// What does the work.
    pub machine: Machine,
    /// A read failed in the midst of a step: what it delivered was not told of, and is not delivered again. Or a write was given up,
    /// and what earlier submits brought is lost.
    pub is_lost: bool,
    /// Where another read stood that this one goes on from.
    pub from: Option<Position>,
    /// What another write in global order handed on, for this one to go on with.
    pub draft: Option<WriteDraft>,
    /// The fragments that were written.
    pub written: Vec<Written>,
}

impl Default for Run {
    fn default() -> Run {
        Run {
            status: Status::Uninitialized,
            reason: None,
            has_results: false,
            machine: Machine::Idle,
            is_lost: false,
            from: None,
            draft: None,
            written: Vec::new(),
        }
    }
}

impl Run {
    /// True once it was submitted, or made ready to be: much cannot be set any more.
    pub fn is_initialized(&self) -> bool {
        self.status != Status::Uninitialized
    }

    /// True once something is being read.
    pub fn is_reading(&self) -> bool {
        matches!(self.machine, Machine::Reading(_))
    }

    /// Where a read stands, if it has begun.
    ///
    /// # Errors
    /// Where that cannot be told in terms that cross a network.
    pub fn position(&self) -> Result<Option<Position>> {
        match &self.machine {
            Machine::Reading(reader) => reader.position().map(Some),
            _ => Ok(self.from.clone()),
        }
    }

    /// Refuses to go on with a read of which results may be missing.
    ///
    /// # Errors
    /// If it failed in the midst of a step.
    pub fn check_known(&self) -> Result<()> {
        if self.is_lost {
            bail!("The read failed before, in the midst of its results; make a new query");
        }
        Ok(())
    }

    /// Refuses to go on with a write that was given up, or to finalize it.
    ///
    /// # Errors
    /// If cells of earlier submits are lost with it.
    pub fn check_not_given_up(&self) -> Result<()> {
        if self.is_lost {
            bail!(
                "The write was given up after an error, and the cells submitted before are lost; submit all cells to another query"
            );
        }
        Ok(())
    }

    /// Where a read stands, to be brought back there.
    ///
    /// # Errors
    /// Where that cannot be told.
    pub fn mark(&self) -> Result<Mark> {
        self.check_known()?;
        let (status, reason, has_results) = (self.status, self.reason, self.has_results);
        let position = match &self.machine {
            Machine::Reading(reader) => Some(reader.exact_position()?),
            _ => self.from.clone(),
        };
        Ok(Mark { status, reason, has_results, position })
    }

    /// Brings a read back to where it stood.
    pub fn back_to(&mut self, mark: Mark) {
        (self.machine, self.is_lost) = (Machine::Idle, false);
        self.from = mark.position;
        (self.status, self.reason, self.has_results) = (mark.status, mark.reason, mark.has_results);
    }

    /// Has a read that was not submitted go on from where another one of the same results stood.
    pub fn go_on_from(&mut self, position: Position) {
        self.from = Some(position);
        self.status = Status::Incomplete;
    }

    /// True if a write goes on from what it was given before, here or elsewhere.
    pub fn has_begun_write(&self) -> bool {
        matches!(self.machine, Machine::Writing(_)) || self.draft.is_some()
    }

    /// Hands on a write; it goes on from what is told, here or elsewhere.
    ///
    /// # Errors
    /// As [`Writer::hand_on`].
    pub fn hand_on(&mut self) -> Result<Option<WriteDraft>> {
        if let Machine::Writing(writer) = &mut self.machine
            && let Some(draft) = writer.hand_on()?
        {
            self.machine = Machine::Idle;
            self.draft = Some(draft);
        }
        Ok(self.draft.clone())
    }

    /// Has a write that was not submitted go on with what another one handed on.
    pub fn go_on_with(&mut self, draft: WriteDraft) {
        self.draft = Some(draft);
        self.status = Status::Completed;
    }

    /// Gives up a write that has begun and is not complete: nothing of it is left.
    pub fn give_up(&mut self) {
        if self.has_begun_write() {
            let has_accepted = matches!(&self.machine, Machine::Writing(writer) if writer.has_accepted());
            self.is_lost = has_accepted || self.draft.is_some();
            (self.machine, self.draft, self.status) = (Machine::Idle, None, Status::Failed);
        }
    }

    /// Why it is incomplete, if it is.
    pub fn incomplete_reason(&self) -> Option<Reason> {
        self.reason.filter(|_| self.status == Status::Incomplete)
    }
}
