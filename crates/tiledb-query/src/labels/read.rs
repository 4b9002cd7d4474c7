//! Reads labels along with cells. Each transfer proceeds independently until it is complete.

use super::set::{Labels, at_start, at_work, check, find_indexes, transfer};
use crate::transfer::progress::Status;
use crate::transfer::request::QueryRequest;
use crate::transfer::state::Transfer;
use tiledb_cells::columns::buffers::FieldBuffers;
use tiledb_cells::space::subarray::Subarray;
use tiledb_core::error::Result;

impl Labels {
    /// Reads the next labels and the next cells.
    ///
    /// # Errors
    /// If labels and cells do not go together, or one of them cannot be read.
    pub(crate) fn submit_read(&mut self, cells: &mut Transfer) -> Result<()> {
        if cells.run.status == Status::Completed {
            return Ok(());
        }
        if self.reads.is_empty() && !self.cells_are_read {
            check(cells)?;
            cells.fields.buffers.check_disjoint(&self.buffers)?;
            find_indexes(&mut cells.request)?;
            self.reads = self.begin_reads(&cells.request)?;
        }
        self.read(&cells.request)?;
        if !self.cells_are_read {
            if cells.fields.buffers.is_empty() && cells.aggregates.is_empty() {
                cells.run.has_results = self.reads.iter().any(|read| read.run.has_results);
                cells.run.status = Status::Completed;
            } else {
                cells.submit_read()?;
            }
            self.cells_are_read = cells.run.status == Status::Completed;
        }
        cells.run.status = if self.cells_are_read { Status::Completed } else { Status::Incomplete };
        if self.reads.iter().any(|read| read.run.needs_buffers()) {
            (cells.run.status, cells.run.buffers_are_full) = (Status::Incomplete, true);
        }
        Ok(())
    }

    /// A transfer for each label that has buffers.
    fn begin_reads(&self, request: &QueryRequest) -> Result<Vec<Transfer>> {
        let read = |buffers: &FieldBuffers| {
            let (label, read) = transfer(request, buffers)?;
            let mut read = read.map_err(|error| at_start(error, label))?;
            let mut subarray = Subarray::new(read.request.array.schema());
            subarray.copy_ranges(0, &request.subarray, label.dimension_index as usize);
            read.request.set_subarray(false, &subarray)?;
            Ok(read)
        };
        self.buffers.fields.iter().map(read).collect()
    }

    fn read(&mut self, request: &QueryRequest) -> Result<()> {
        for (read, buffers) in self.reads.iter_mut().zip(&self.buffers.fields) {
            // Buffers may have been replaced.
            for own in &mut read.fields.buffers.fields {
                *own = FieldBuffers { name: own.name.clone(), ..buffers.clone() };
            }
            let label = request.array.schema().existing_label(&buffers.name)?;
            read.submit_read().map_err(|error| at_work(error, label))?;
        }
        Ok(())
    }
}
