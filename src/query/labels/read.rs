//! Reading labels beside cells. Each goes on by itself until it is complete.

use super::{at_start, at_work};
use crate::error::Result;
use crate::query::columns::buffers::FieldBuffers;
use crate::query::space::subarray::Subarray;
use crate::query::state::Query;
use crate::query::state::Status;

impl Query {
    /// Reads the next labels and the next cells.
    pub(in crate::query) fn submit_read_with_labels(&mut self) -> Result<()> {
        if self.status == Status::Completed {
            return Ok(());
        }
        if self.labels.queries.is_empty() && !self.labels.cells_are_read {
            self.check_labels()?;
            self.buffers.check_disjoint(&self.labels.buffers)?;
            self.find_indexes()?;
            self.labels.queries = self.label_reads()?;
        }
        self.read_labels()?;
        if !self.labels.cells_are_read {
            if self.buffers.is_empty() && self.aggregates.is_empty() {
                self.has_results = self.labels.queries.iter().any(Query::has_results);
                self.status = Status::Completed;
            } else {
                self.submit_read()?;
            }
            self.labels.cells_are_read = self.status == Status::Completed;
        }
        self.status = if self.labels.cells_are_read { Status::Completed } else { Status::Incomplete };
        if let Some(reason) = self.labels.queries.iter().find_map(Query::incomplete_reason) {
            (self.status, self.reason) = (Status::Incomplete, Some(reason));
        }
        Ok(())
    }

    /// A query for each label that has buffers.
    fn label_reads(&self) -> Result<Vec<Query>> {
        let read = |buffers: &FieldBuffers| {
            let (label, query) = self.label_query(buffers)?;
            let mut query = query.map_err(|error| at_start(error, label))?;
            let mut subarray = Subarray::new(query.array().schema());
            subarray.copy_ranges(0, &self.subarray, label.dimension_index as usize);
            query.set_subarray(&subarray)?;
            Ok(query)
        };
        self.labels.buffers.fields.iter().map(read).collect()
    }

    fn read_labels(&mut self) -> Result<()> {
        for (query, buffers) in self.labels.queries.iter_mut().zip(&self.labels.buffers.fields) {
            // Buffers may have been replaced.
            for own in &mut query.buffers.fields {
                *own = FieldBuffers { name: own.name.clone(), ..buffers.clone() };
            }
            let label = self.array.schema().existing_label(&buffers.name)?;
            query.submit().map_err(|error| at_work(error, label))?;
        }
        Ok(())
    }
}
