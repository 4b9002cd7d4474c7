//! Where an operation runs: in a process, on the array that it shares with others.

use std::sync::MutexGuard;
use std::time::Duration;

use tiledb_core::env;
use tiledb_core::error::Result;
use tiledb_storage::resources::Resources;

use super::plan::LEASE;
use super::run::Shared;
use super::state::{State, Subject, Work};
use crate::array::TestArray;
use crate::journal::{Journal, Opening};
use crate::judge;
use crate::model::Change;
use crate::model::cells::Selection;
use crate::model::schema::Schema;
use crate::shape::CoordinateKind;
use crate::world::{Fault, Process};

pub struct Site<'a> {
    pub shared: &'a Shared<'a>,
    pub process: &'a Process,
    pub resources: &'a Resources,
    pub faults: &'a [Fault],
    /// Distinct for each operation.
    pub name: &'a str,
    /// The step at which the operation began.
    pub begin: u64,
    /// The time at which it began, in microseconds since the start of the world.
    pub begin_time: u64,
}

impl Site<'_> {
    pub fn array(&self) -> &TestArray {
        &self.shared.array
    }

    pub fn steps(&self) -> u64 {
        self.shared.world.scheduler.steps()
    }

    /// The state, with all that took effect.
    pub fn state(&self) -> MutexGuard<'_, State> {
        let mut state = self.shared.state();
        state.look(&self.shared.world);
        state
    }

    pub fn fail(&self, text: String) {
        self.shared.fail(text);
    }

    pub fn sleep(&self, millis: u64) {
        if millis > 0 {
            env::sleep(Duration::from_millis(millis));
        }
    }

    /// Runs work that commits changes: once, if it succeeds.
    ///
    /// # Errors
    /// As the work.
    pub fn commit(&self, subject: Subject, changes: Vec<Change>, work: impl FnOnce() -> Result<()>) -> Result<()> {
        let actor = self.process.actor();
        self.state().intend((actor, self.steps()), subject.clone(), changes);
        let done = work();
        let commits = self.state().conclude(actor);
        if done.is_ok() && commits != 1 {
            self.fail(format!("{subject:?} was acknowledged with {commits} commits"));
        }
        done
    }

    /// Runs work that maintains the array.
    ///
    /// # Errors
    /// As the work.
    pub fn maintain(&self, work: Work, run: impl FnOnce() -> Result<()>) -> Result<()> {
        let number = self.state().begin(work, (self.process.actor(), self.steps()));
        let done = run();
        self.state().end(number, self.steps());
        done
    }

    /// Judges what a reader saw that opened the array between two steps.
    pub fn judge(&self, opening: Opening, check: impl FnOnce(&Journal) -> std::result::Result<(), String>) {
        let mut state = self.state();
        state.array.may_be_doubled = state.may_be_doubled(opening.0, self.shared.plan.medium);
        if let Err(difference) = check(&state.array) {
            state.failure.get_or_insert(difference);
        }
        drop(state);
        self.shared.totals().reads += 1;
    }

    /// Judges the labels that a reader saw.
    pub fn judge_labels(&self, check: impl FnOnce(&Journal) -> std::result::Result<(), String>) {
        let mut state = self.state();
        if let Err(difference) = check(&state.labels) {
            state.failure.get_or_insert(difference);
        }
        drop(state);
        self.shared.totals().reads += 1;
    }

    /// Judges the schema that an array opened for writing has.
    pub fn check_schema(&self, opening: Opening, end: u64, schema: &Schema) {
        let state = self.state();
        if let Err(text) = state.array.judge(opening, |model| judge::schema(model, end, schema)) {
            drop(state);
            self.fail(text);
        }
    }

    /// Whether something was removed that a reader needs.
    pub fn has_removed(&self) -> bool {
        self.removals() > 0
    }

    /// The earliest step of which listings of the operation may show the files.
    pub fn listed_since(&self) -> u64 {
        self.steps().saturating_sub(self.process.lateness())
    }

    /// Number of operations since the begin of this one that remove what a reader may need.
    pub fn removals(&self) -> usize {
        self.shared.state().removals_since(self.begin)
    }

    /// Whether others maintain the array, who may have removed what this one needs.
    pub fn has_others(&self) -> bool {
        self.shared.state().has_others_since(self.begin)
    }

    /// Whether the process was suspended, or its clock set.
    pub fn was_disturbed(&self) -> bool {
        self.faults.iter().any(|fault| !fault.kind.is_failure() && self.process.has_reached(fault))
    }

    /// Whether the operation has taken as long as a lease lasts: nothing renews one between two reports of progress.
    pub fn has_outlasted_lease(&self) -> bool {
        self.shared.world.scheduler.now() - self.begin_time >= LEASE * 1000
    }

    /// Whether a call of the operation failed.
    pub fn had_failure(&self) -> bool {
        self.faults.iter().any(|fault| fault.kind.is_failure() && self.process.has_reached(fault))
    }

    /// The present files, read by libtiledb.
    pub fn compare(&self) {
        let Some(reference) = self.shared.reference else { return };
        let mut state = self.state();
        let step = self.steps();
        let opening = (step, step);
        if state.may_be_doubled(step, self.shared.plan.medium) {
            // Of cells that two fragments have libtiledb loses some, or reports an internal error.
            return;
        }
        state.array.may_be_doubled = false;
        let array = self.array();
        let schemas = state.array.schemas_of(opening);
        let has_domain = array.shape.current_domain.is_some();
        // TileDB-Py has no current domains of dates.
        let is_supported = array.shape.dimensions.iter().all(|dimension| dimension.kind != CoordinateKind::Day);
        if has_domain && (!is_supported || schemas.iter().any(|schema| schema.domain != schemas[0].domain)) {
            return;
        }
        let attributes = [0, 1, 2, 3];
        let selection = Selection::all(array.shape.dimensions.len(), (0, u64::MAX));
        let files = self.shared.world.store.files();
        let is_consolidated = files.below("store/array/__commits").any(|(name, _)| name.ends_with(".con"));
        let unnamed = is_consolidated.then(|| state.array.without_names());
        let journal = unnamed.as_ref().unwrap_or(&state.array);
        let read = reference.read(&files, "store/array", array, &schemas[0].domain);
        let checked = read.and_then(|rows| {
            let checked = journal.judge(opening, |view| view.check(&selection, &attributes, &rows));
            checked.map_err(|difference| format!("{difference}; {rows:?}"))
        });
        self.shared.totals().comparisons += 1;
        if let Err(text) = checked {
            state.failure.get_or_insert(format!("by libtiledb, after step {step}: {text}"));
        }
    }
}
