//! Submitting writes, and the fragments that they made.

use super::counts::WRITE_FIELDS;
use super::state::{Machine, Query, Status, value_size};
use super::write;
use crate::error::{Error, Result, bail};
use crate::query::columns::input::Inputs;
use crate::query::columns::zipped::{COORDS, Zip};
use crate::query::write::encode::at_work;
use crate::query::write::spec::{WriteSpec, Writer, Written, are_fields_apart};
use crate::schema::Field;
use crate::stats::Timer;
use crate::types::{Layout, Name, QueryType};

impl Query {
    /// True if every submit brings some of the fields (`sm.allow_separate_attribute_writes`).
    pub(super) fn writes_apart(&self) -> bool {
        self.kind == QueryType::Write && self.layout == Layout::Unordered && are_fields_apart(&self.config)
    }

    /// True if a field was written that is not to be written again.
    pub(super) fn has_written(&self, name: &str) -> bool {
        match &self.machine {
            Machine::Writing(writer) => writer.has_written(name),
            Machine::Written => self.layout == Layout::Unordered && self.buffers.get(name).is_some(),
            _ => false,
        }
    }

    /// Checks what a write was given, as far as it can be before anything is written.
    pub(super) fn check_write(&mut self) -> Result<()> {
        self.with_writer(|writer, inputs| writer.check(inputs))
    }

    /// A write that is complete is not done again, nor anything else in its place.
    pub(super) fn submit_again(&mut self) -> Result<()> {
        match (self.layout, self.array.schema().is_dense()) {
            (Layout::GlobalOrder, _) => {
                bail!("GlobalOrderWriter: The write was finalized; cells are written by another query")
            }
            (_, false) => {
                bail!("TileDB internal: ['UnorderedWriter::dowork]  (UnorderWriter: All buffers already written)")
            }
            (_, true) => Ok(()),
        }
    }

    pub(super) fn submit_write(&mut self) -> Result<()> {
        self.count_fields(&WRITE_FIELDS);
        let threads = self.check_threads();
        let outcome = self.with_writer(|writer, inputs| {
            writer.check(inputs)?;
            Ok(threads.and_then(|()| writer.write(inputs)))
        })?;
        match outcome {
            Ok(written) => {
                self.written.extend(written);
                match self.layout {
                    // What was written is not written again by the next submit.
                    _ if self.writes_apart() => self.buffers.fields.clear(),
                    Layout::GlobalOrder => self.reset_coordinates(),
                    _ => self.machine = Machine::Written,
                }
                self.status = Status::Completed;
                Ok(())
            }
            Err(error) => {
                self.machine = Machine::Idle;
                self.status = Status::Failed;
                Err(error)
            }
        }
    }

    /// Refuses to write without threads, as libtiledb does.
    fn check_threads(&self) -> Result<()> {
        let checked = self.array.resources().threads().check_files();
        match self.layout {
            Layout::RowMajor | Layout::ColMajor if checked.is_err() => {
                bail!("{} (TileDB internal: Cannot wait, threadpool is not initialized.)", at_work(self.layout))
            }
            _ => checked,
        }
    }

    /// Has the writer, made at first need, do something with the cells given.
    fn with_writer<R>(&mut self, run: impl FnOnce(&mut dyn Writer, &Inputs<'_>) -> Result<R>) -> Result<R> {
        let _timer = self.stats.timer(Timer::Write);
        self.check_write_fields()?;
        self.buffers.check_complete(|name| self.needs(name))?;
        let array = &self.array;
        let zip = Zip::new(array.schema());
        let unzipped = self.buffers.unzipped(&zip)?;
        let inputs = self.buffers.inputs(self.offsets, (&zip, &unzipped), |name| value_size(array, name))?;
        if !matches!(self.machine, Machine::Writing(_)) {
            let spec = WriteSpec {
                array: self.array.clone(),
                layout: self.layout,
                subarray: self.subarray.clone(),
                config: self.config.clone(),
                merged: None,
                stats: self.stats.clone(),
            };
            self.machine = Machine::Writing(write::writer(spec)?);
        }
        match &mut self.machine {
            Machine::Writing(writer) => run(&mut **writer, &inputs),
            _ => Err(Error::internal("a write without a writer")),
        }
    }

    /// Every attribute, and in sparse arrays every dimension, must have a buffer; where fields are written apart,
    /// every dimension with the first submit.
    fn check_write_fields(&self) -> Result<()> {
        let schema = self.array.schema();
        if self.writes_apart() && matches!(self.machine, Machine::Writing(_)) {
            return Ok(());
        }
        let wanted = schema.fields().iter().filter(|field| !(field.is_dimension && schema.is_dense()));
        let zipped = self.buffers.get(COORDS).is_some();
        let is_apart = |field: &&Field| self.buffers.get(&field.name).is_some();
        let is_given = |field: &&Field| is_apart(field) || field.is_dimension && zipped;
        let coords = |field: &&Field| field.is_dimension;
        if !schema.is_dense() && !wanted.clone().filter(coords).any(|field| is_given(&field)) {
            bail!("[TileDB::Query] Error: Sparse array writes expect the coordinates of the cells to be written");
        }
        if self.writes_apart() {
            let missing = wanted.filter(coords).find(|field| !is_apart(field));
            return match missing {
                Some(field) => bail!("Query: [check_buffer_names] Dimension buffer {} is not set", field.name),
                None => Ok(()),
            };
        }
        if !wanted.clone().all(|field| is_given(&field)) {
            bail!(
                "[TileDB::Query] Error: Writes expect all attributes (and coordinates in the sparse/unordered case) to be \
                 set"
            );
        }
        Ok(())
    }

    /// Ends a global-order write, and any other query wherever it stands.
    ///
    /// # Errors
    /// If cells are missing, of writes in no order if they failed, or if storage fails.
    pub fn finalize(&mut self) -> Result<()> {
        if matches!(self.status, Status::Uninitialized | Status::Initialized) {
            return Ok(());
        }
        let writes = matches!(self.kind, QueryType::Write | QueryType::ModifyExclusive);
        if writes && self.layout == Layout::Unordered && matches!(self.machine, Machine::Idle) {
            bail!("UnorderWriter: Not all buffers already written");
        }
        if let Machine::Writing(writer) = &self.machine {
            writer.check_complete()?;
        }
        let stats = self.stats.clone();
        let _timer = (self.kind == QueryType::Write).then(|| stats.timer(Timer::Finalize));
        match std::mem::replace(&mut self.machine, Machine::Idle) {
            Machine::Writing(mut writer) => {
                // Cells that are missing now are not to come: this write is over in either case.
                self.machine = Machine::Written;
                self.written.extend(writer.finish()?);
            }
            machine => self.machine = machine,
        }
        self.status = Status::Completed;
        Ok(())
    }

    /// Writes the last cells in global order and ends the write.
    ///
    /// # Errors
    /// For queries other than global-order writes, and as submit and finalize.
    pub fn submit_and_finalize(&mut self) -> Result<()> {
        if self.kind != QueryType::Write || self.layout != Layout::GlobalOrder {
            bail!("Query: Failed to submit and finalize query; Call valid only in global_order writes.");
        }
        self.submit()?;
        self.finalize()
    }

    /// The fragments this query has written.
    ///
    /// # Errors
    /// For queries that do not write.
    pub fn fragment_num(&self) -> Result<u32> {
        self.check_writes("number of fragments")?;
        Ok(self.written.len() as u32)
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
        if self.kind == QueryType::Read {
            bail!(
                "[TileDB::Query] Error: Cannot get fragment timestamp range; Applicable only to WRITE and MODIFY_EXCLSUIVE \
                 mode"
            );
        }
        Ok(self.fragment(index, "fragment timestamp range")?.timestamps)
    }

    fn check_writes(&self, what: &str) -> Result<()> {
        if !matches!(self.kind, QueryType::Write | QueryType::ModifyExclusive) {
            bail!("[TileDB::Query] Error: Cannot get {what}; Applicable only to WRITE and MODIFY_EXCLUSIVE mode");
        }
        Ok(())
    }

    fn fragment(&self, index: u64, what: &str) -> Result<&Written> {
        match usize::try_from(index).ok().and_then(|index| self.written.get(index)) {
            Some(written) => Ok(written),
            None => bail!("[TileDB::Query] Error: Cannot get {what}; Invalid fragment index"),
        }
    }
}
