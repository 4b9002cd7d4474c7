//! Reads that another thread sees the progress of, and stops.

use super::query::Query;
use super::transfer::run::{Mark, Status};
use tiledb_core::error::{ErrorKind, Result, bail};
use tiledb_core::pool::ProgressMonitor;
use tiledb_core::types::QueryType;

impl Query {
    /// By which another thread sees how far a read comes from now on, and stops it ([`Query::submit_watched`]).
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
            // A reader that knows of none is made anew where it stands; where that cannot be told it goes on unseen.
            match self.marks() {
                Ok(marks) => marks.bring_back(self),
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

    /// Has `submit` submit a read that is watched. Where it is stopped, it stands where it stood before. It is not stopped where
    /// that cannot be told.
    ///
    /// # Errors
    /// Those of `submit`.
    pub fn submit_watched(&mut self, submit: impl FnOnce(&mut Query) -> Result<()>) -> Result<()> {
        let marks = self.marks();
        if let Some(watch) = &self.cells.request.watch {
            watch.set_must_end(marks.is_err());
        }
        let submitted = submit(self);
        if submitted.as_ref().is_err_and(|error| error.kind() == ErrorKind::Cancelled) {
            self.cells.request.watch = None;
            if let Ok(marks) = marks {
                marks.bring_back(self);
            }
        }
        submitted
    }

    fn marks(&self) -> Result<Marks> {
        let labels = self.labels.reads.iter().map(|read| read.run.mark()).collect::<Result<_>>()?;
        Ok(Marks { cells: self.cells.run.mark()?, labels, cells_are_read: self.labels.cells_are_read })
    }
}

/// Where a read of cells and labels stands.
struct Marks {
    cells: Mark,
    labels: Vec<Mark>,
    cells_are_read: bool,
}

impl Marks {
    /// Brings it back there.
    fn bring_back(self, query: &mut Query) {
        query.cells.run.back_to(self.cells);
        query.labels.reads.truncate(self.labels.len());
        query.labels.reads.iter_mut().zip(self.labels).for_each(|(read, mark)| read.run.back_to(mark));
        query.labels.cells_are_read = self.cells_are_read;
    }
}
