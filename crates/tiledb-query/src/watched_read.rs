//! Reads whose progress another thread can observe, and which that thread can cancel.

use super::query::Query;
use super::transfer::progress::{ReadCheckpoint, Status};
use tiledb_core::error::{ErrorKind, Result, bail};
use tiledb_core::pool::ProgressMonitor;
use tiledb_core::types::QueryType;

impl Query {
    /// Returns the monitor by which another thread observes the progress of a read from now on, and stops it
    /// ([`Query::submit_watched`]).
    ///
    /// # Errors
    /// For queries that do not read.
    pub fn watch(&mut self) -> Result<ProgressMonitor> {
        if self.kind() != QueryType::Read {
            bail!("A query that does not read cannot be watched; submit it with tiledb_query_submit");
        }
        if let Some(watch) = &self.cells.request.watch {
            return Ok(watch.clone());
        }
        if self.status() != Status::Completed {
            // A reader without a monitor is recreated at its position; if that is not available it continues
            // unobserved.
            match self.checkpoints() {
                Ok(checkpoints) => checkpoints.restore(self),
                Err(_) => {
                    let watch = ProgressMonitor::new(self.array().resources().cancel());
                    watch.set_must_end(true);
                    return Ok(watch);
                }
            }
        }
        let resources = self.array().resources();
        let watch = ProgressMonitor::new(resources.cancel());
        let array = self.array().in_context(&resources.with_cancel(watch.cancel.clone()));
        self.cells.request.array = array;
        self.cells.request.watch = Some(watch.clone());
        Ok(watch)
    }

    /// Makes `submit` submit an observed read. If it is stopped, or bytes of a file are pending, its position is restored to that
    /// before the submit. It is not stopped if the position is not available.
    ///
    /// # Errors
    /// Those of `submit`.
    pub fn submit_watched(&mut self, submit: impl FnOnce(&mut Query) -> Result<()>) -> Result<()> {
        let checkpoints = self.checkpoints();
        if let Some(watch) = &self.cells.request.watch {
            watch.set_must_end(checkpoints.is_err());
        }
        let submitted = submit(self);
        if submitted.as_ref().is_err_and(|error| matches!(error.kind(), ErrorKind::Cancelled | ErrorKind::Pending)) {
            self.cells.request.watch = None;
            if let Ok(checkpoints) = checkpoints {
                checkpoints.restore(self);
            }
        }
        submitted
    }

    fn checkpoints(&self) -> Result<ReadCheckpoints> {
        let labels = self.labels.reads.iter().map(|read| read.run.checkpoint()).collect::<Result<_>>()?;
        Ok(ReadCheckpoints { cells: self.cells.run.checkpoint()?, labels, cells_are_read: self.labels.cells_are_read })
    }
}

/// Checkpoint of a read of cells and labels.
struct ReadCheckpoints {
    cells: ReadCheckpoint,
    labels: Vec<ReadCheckpoint>,
    cells_are_read: bool,
}

impl ReadCheckpoints {
    /// Brings it back there.
    fn restore(self, query: &mut Query) {
        query.cells.run.restore(self.cells);
        query.labels.reads.truncate(self.labels.len());
        query.labels.reads.iter_mut().zip(self.labels).for_each(|(read, checkpoint)| read.run.restore(checkpoint));
        query.labels.cells_are_read = self.cells_are_read;
    }
}
