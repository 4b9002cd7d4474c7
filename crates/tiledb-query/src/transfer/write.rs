//! Submits of writes, and the fragments that they created.

use super::counts::WRITE_FIELDS;
use super::progress::{QueryState, Status};
use super::request::QueryRequest;
use super::state::Transfer;
use tiledb_array::schema::Field;
use tiledb_cells::columns::input::Inputs;
use tiledb_cells::columns::zipped::{COORDS, Zip};
use tiledb_cells::write;
use tiledb_cells::write::encode::error_prefix;
use tiledb_cells::write::spec::{CommittedFragment, QueryWriter, WriteDraft, WriteSpec, writer_budget};
use tiledb_core::budget;
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::stats::Timer;
use tiledb_core::types::{Layout, Name, QueryType};

/// The writer of a write, which resumes a suspended one if there is a draft.
fn writer(request: &QueryRequest, draft: &mut Option<WriteDraft>) -> Result<Box<dyn QueryWriter>> {
    let mut writer = write::writer(WriteSpec {
        array: request.array.clone(),
        layout: request.layout,
        subarray: request.subarray.clone(),
        budget: writer_budget(&request.array, budget::total(&request.config)?)?,
        config: request.config.clone(),
        merged: None,
        stats: request.stats.clone(),
    })?;
    draft.take().map_or(Ok(()), |draft| writer.resume_with(draft))?;
    Ok(writer)
}

impl Transfer {
    /// Checks the input of a write, if possible before anything is written.
    pub fn check_write(&mut self) -> Result<()> {
        self.with_writer(|writer, inputs| writer.check(inputs))
    }

    /// A write that is complete is not repeated, nor replaced.
    fn submit_again(&mut self) -> Result<()> {
        match (self.request.layout, self.request.array.schema().is_dense()) {
            (Layout::GlobalOrder, _) => {
                bail!("GlobalOrderWriter: The write was finalized; cells are written by another query")
            }
            (_, false) => {
                bail!(
                    "TileDB internal: ['UnorderedWriter::dowork]  (UnorderWriter: All buffers already written; use another query for more cells)"
                )
            }
            (_, true) => Ok(()),
        }
    }

    /// Writes the input cells.
    ///
    /// # Errors
    /// If a setting is missing or invalid, or storage fails.
    pub fn submit_write(&mut self) -> Result<()> {
        if matches!(self.run.machine, QueryState::Written) {
            return self.submit_again();
        }
        self.run.check_not_aborted()?;
        WRITE_FIELDS.count(&self.fields.buffers, self.request.array.schema(), &self.request.stats);
        let threads = self.check_threads();
        let outcome = self.with_writer(|writer, inputs| {
            writer.check(inputs)?;
            Ok(threads.and_then(|()| writer.write(inputs)))
        })?;
        match outcome {
            Ok(written) => {
                self.run.written.extend(written);
                match self.request.layout {
                    // The next submit must not write these cells again.
                    _ if self.request.writes_apart() => self.fields.buffers.fields.clear(),
                    Layout::GlobalOrder => self.fields.reset_coordinates(),
                    _ => self.run.machine = QueryState::Written,
                }
                self.run.status = Status::Completed;
                Ok(())
            }
            Err(error) => {
                if !matches!(&self.run.machine, QueryState::Writing(writer) if writer.has_accepted()) {
                    self.run.machine = QueryState::Idle;
                }
                // There may be another number of corrected cells.
                self.fields.reset_coordinates();
                self.run.status = Status::Failed;
                Err(error)
            }
        }
    }

    /// Has a write in no order that is complete take more cells, which become another fragment.
    pub fn write_more(&mut self) {
        if matches!(self.run.machine, QueryState::Written) && self.request.layout == Layout::Unordered {
            self.run.machine = QueryState::Idle;
            self.fields.reset_coordinates();
        }
    }

    /// Rejects to write without threads, as libtiledb does.
    fn check_threads(&self) -> Result<()> {
        let checked = self.request.array.resources().threads().check_files();
        match self.request.layout {
            Layout::RowMajor | Layout::ColMajor if checked.is_err() => {
                bail!(
                    "{} (TileDB internal: Cannot wait, threadpool is not initialized.)",
                    error_prefix(self.request.layout)
                )
            }
            _ => checked,
        }
    }

    /// Passes the input cells to the writer, which is created on demand.
    fn with_writer<R>(&mut self, run: impl FnOnce(&mut dyn QueryWriter, &Inputs<'_>) -> Result<R>) -> Result<R> {
        let _timer = self.request.stats.timer(Timer::Write);
        self.check_write_fields()?;
        self.fields.buffers.check_complete(|name| self.request.needs(name))?;
        let array = &self.request.array;
        let zip = Zip::new(array.schema());
        let timer = self.request.stats.timer(Timer::SplitCoordinates);
        let unzipped = self.fields.buffers.unzipped(&zip)?;
        drop(timer);
        let inputs =
            self.fields.buffers.inputs((self.request.offsets, self.coordinate_count()), (&zip, &unzipped), |name| {
                self.request.value_size(name)
            })?;
        if !matches!(self.run.machine, QueryState::Writing(_)) {
            self.run.machine = QueryState::Writing(writer(&self.request, &mut self.run.draft)?);
        }
        match &mut self.run.machine {
            QueryState::Writing(writer) => run(&mut **writer, &inputs),
            _ => Err(Error::internal("a write without a writer")),
        }
    }

    /// The number of cells of an unordered write to a sparse array, from the coordinates of a fixed-size dimension.
    fn coordinate_count(&self) -> Option<u64> {
        let schema = self.request.array.schema();
        if schema.is_dense() || self.request.layout != Layout::Unordered {
            return None;
        }
        schema
            .fields()
            .iter()
            .filter(|field| field.is_dimension && !field.is_var())
            .find_map(|field| self.fields.buffers.cell_count(field))
    }

    /// Every attribute, and in sparse arrays every dimension, must have a buffer; if fields are written separately,
    /// every dimension with the first submit.
    fn check_write_fields(&self) -> Result<()> {
        let schema = self.request.array.schema();
        if self.request.writes_apart() && self.run.has_begun_write() {
            return Ok(());
        }
        let fields = schema.fields().iter().filter(|field| !(field.is_dimension && schema.is_dense()));
        let zipped = self.fields.buffers.get(COORDS).is_some();
        let is_apart = |field: &&Field| self.fields.buffers.get(&field.name).is_some();
        let is_set = |field: &&Field| is_apart(field) || field.is_dimension && zipped;
        let coords = |field: &&Field| field.is_dimension;
        if !schema.is_dense() && !fields.clone().filter(coords).any(|field| is_set(&field)) {
            let missing: Vec<&str> = fields.filter(coords).map(|field| field.name.as_str()).collect();
            bail!(
                "[TileDB::Query] Error: Sparse array writes expect the coordinates of the cells to be written: set buffers for \
                 '{}'",
                missing.join("', '")
            );
        }
        if self.request.writes_apart() {
            let missing = fields.filter(coords).find(|field| !is_apart(field));
            return match missing {
                Some(field) => bail!("Query: [check_buffer_names] Dimension buffer {} is not set", field.name),
                None => Ok(()),
            };
        }
        let missing: Vec<&str> =
            fields.clone().filter(|field| !is_set(field)).map(|field| field.name.as_str()).collect();
        if !missing.is_empty() {
            bail!(
                "[TileDB::Query] Error: Writes expect all attributes (and coordinates in the sparse/unordered case) to be \
                 set: '{}' has no buffer",
                missing.join("', '")
            );
        }
        Ok(())
    }

    /// Finalizes a global-order write, and any other query whatever its status.
    ///
    /// # Errors
    /// If cells are missing, of writes in no order if they failed, or if storage fails.
    pub fn finalize(&mut self) -> Result<()> {
        if matches!(self.run.status, Status::Uninitialized | Status::Initialized) {
            return Ok(());
        }
        if self.request.writes() {
            self.run.check_not_aborted()?;
        }
        if self.request.writes()
            && self.request.layout == Layout::Unordered
            && matches!(self.run.machine, QueryState::Idle)
            && self.run.draft.is_none()
        {
            bail!("UnorderWriter: Not all buffers already written");
        }
        if self.run.draft.is_some() {
            self.run.machine = QueryState::Writing(writer(&self.request, &mut self.run.draft)?);
        }
        if let QueryState::Writing(writer) = &self.run.machine {
            writer.check_complete()?;
        }
        let stats = self.request.stats.clone();
        let _timer = (self.request.kind == QueryType::Write).then(|| stats.timer(Timer::Finalize));
        match std::mem::replace(&mut self.run.machine, QueryState::Idle) {
            QueryState::Writing(mut writer) => {
                // Missing cells cannot be added later: this write is over in either case.
                self.run.machine = QueryState::Written;
                self.run.written.extend(writer.finish()?);
            }
            machine => self.run.machine = machine,
        }
        self.run.status = Status::Completed;
        Ok(())
    }

    /// The fragments this query has written.
    ///
    /// # Errors
    /// For queries that do not write.
    pub fn fragment_num(&self) -> Result<u32> {
        self.check_writes("number of fragments")?;
        Ok(self.run.written.len() as u32)
    }

    /// The URI of a fragment this query has written.
    ///
    /// # Errors
    /// For queries that do not write and for an index too high.
    pub fn fragment_uri(&self, index: u64) -> Result<&Name> {
        self.check_writes("fragment URI")?;
        Ok(&self.fragment(index, "fragment URI")?.uri)
    }

    /// The timestamps of a fragment this query has written.
    ///
    /// # Errors
    /// For queries that do not write and for an index too high.
    pub fn fragment_timestamps(&self, index: u64) -> Result<(u64, u64)> {
        if self.request.kind == QueryType::Read {
            bail!(
                "[TileDB::Query] Error: Cannot get fragment timestamp range; Applicable only to WRITE and MODIFY_EXCLSUIVE \
                 mode: the query is of type {}",
                self.request.kind.name()
            );
        }
        Ok(self.fragment(index, "fragment timestamp range")?.timestamps)
    }

    fn check_writes(&self, what: &str) -> Result<()> {
        if !self.request.writes() {
            bail!(
                "[TileDB::Query] Error: Cannot get {what}; Applicable only to WRITE and MODIFY_EXCLUSIVE mode: the query is of \
                 type {}",
                self.request.kind.name()
            );
        }
        Ok(())
    }

    fn fragment(&self, index: u64, what: &str) -> Result<&CommittedFragment> {
        match usize::try_from(index).ok().and_then(|index| self.run.written.get(index)) {
            Some(written) => Ok(written),
            None => bail!(
                "[TileDB::Query] Error: Cannot get {what}; Invalid fragment index: {index} is not below {}",
                self.run.written.len()
            ),
        }
    }
}
