//! The steps of queries, which are logged when they begin and end, with duration, fragments and bytes.

use super::query::Query;
use super::transfer::progress::Status;
use tiledb_core::error::{Result, bail};
use tiledb_core::log::{self, OperationSummary};
use tiledb_core::types::{Layout, QueryType};

impl Query {
    /// Runs the query: a read delivers the next results, a write stores the input cells.
    ///
    /// # Errors
    /// If a setting is missing or invalid, or storage fails. The size variables keep their values then.
    pub fn submit(&mut self) -> Result<()> {
        self.logged("Submit", Query::buffered_bytes, Query::submit_unlogged)
    }

    /// Finalizes a global-order write, and any other query whatever its status.
    ///
    /// # Errors
    /// If cells are missing, of writes in no order if they failed, or if storage fails.
    pub fn finalize(&mut self) -> Result<()> {
        // The buffers of earlier submits may be gone.
        self.logged("Finalization", |_| 0, |query| query.cells.finalize())
    }

    /// Writes the last cells in global order and ends the write.
    ///
    /// # Errors
    /// For queries other than global-order writes, and as submit and finalize.
    pub fn submit_and_finalize(&mut self) -> Result<()> {
        if self.kind() != QueryType::Write || self.layout() != Layout::GlobalOrder {
            bail!(
                "Query: Failed to submit and finalize query; Call valid only in global_order writes. The query is of type {} \
                 and layout {}",
                self.kind().name(),
                self.layout().name()
            );
        }
        self.submit()?;
        self.finalize()
    }

    /// Runs a step of the query, whose begin and end are logged with the bytes in the buffers, and with the fragments that a read is
    /// of or a write has added.
    fn logged(
        &mut self,
        step: &str,
        bytes: impl Fn(&Query) -> u64,
        run: impl FnOnce(&mut Query) -> Result<()>,
    ) -> Result<()> {
        if !log::enabled(log::Level::Info) {
            return run(self);
        }
        let kind = self.kind();
        let what = format!("{step} of a {} query on '{}'", kind.name(), self.cells.request.array.uri());
        // A write may release its buffers.
        let bytes_before = bytes(self);
        let written = self.cells.run.written.len();
        let work = || {
            run(self)?;
            let run = &self.cells.run;
            let status = if run.status == Status::Incomplete { ", incomplete" } else { "" };
            let (fragments, bytes) = match kind {
                QueryType::Read => (self.cells.request.array.fragments().map_or(0, <[_]>::len), bytes(self)),
                _ => (run.written.len().saturating_sub(written), bytes_before),
            };
            Ok(OperationSummary::of(status).with("fragments", fragments as u64).with("bytes", bytes))
        };
        log::operation(|| what, work, OperationSummary::clone).map(drop)
    }

    /// Bytes of cells in the buffers.
    fn buffered_bytes(&self) -> u64 {
        let fields = self.cells.fields.buffers.fields.iter();
        let buffers = fields.flat_map(|field| [field.data, field.offsets, field.validity]).flatten();
        buffers.fold(0, |sum, buffer| sum.saturating_add(buffer.stated()))
    }
}
