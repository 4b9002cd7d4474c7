//! The query API: configuration, submit, finalize, status.

use std::sync::Arc;

use super::delete::{self, Updates};
use super::estimate;
use super::labels::set::Labels;
use super::plan::{self, QueryPlan};
use super::transfer::fields::{check_has_buffers, check_known, check_settable};
use super::transfer::filter::QueryFilter;
use super::transfer::progress::{QueryProgress, QueryState, Status};
use super::transfer::state::Transfer;
use crate::read::estimate::sum::ResultSize;
use crate::read::position::ReadPosition;
use tiledb_array::array::OpenArray;
use tiledb_array::condition::{Condition, Predicate};
use tiledb_array::fragment::Fragment;
use tiledb_cells::aggregate::operation::{Aggregate, AggregateOperator, AggregateOutput};
use tiledb_cells::columns::buffers::FieldBuffers;
use tiledb_cells::columns::offsets::OffsetFormat;
use tiledb_cells::columns::user_buffer::{OwnedBuffer, UserBuffer, UserPtr};
use tiledb_cells::columns::zipped::COORDS;
use tiledb_cells::space::subarray::Subarray;
use tiledb_cells::write::spec::{CommittedFragment, WriteDraft};
use tiledb_core::config::Config;
use tiledb_core::error::{ErrorKind, Result, bail};
use tiledb_core::memory;
use tiledb_core::stats::{Counter, Stats};
use tiledb_core::types::{Layout, Name, NamedList, QueryType};

/// A query on an open array.
pub struct Query {
    pub(super) cells: Transfer,
    pub(super) labels: Labels,
    updates: Updates,
    /// The buffers that came with a message.
    owned_buffers: Vec<OwnedBuffer>,
    /// Estimates that a server made.
    estimates: NamedList<(Name, ResultSize)>,
}

/// One of the buffers of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferKind {
    /// Fixed cells, or the values of variable ones.
    Data,
    /// The starts of variable cells.
    Offsets,
    /// Which cells are null.
    Validity,
}

/// Settings.
impl Query {
    /// A query of a kind on an array opened for it.
    ///
    /// # Errors
    /// If the array was opened for something else.
    pub fn new(array: &Arc<OpenArray>, kind: QueryType) -> Result<Query> {
        let cells = Transfer::new(array, kind)?;
        Ok(Query {
            cells,
            labels: Labels::default(),
            updates: Updates::default(),
            owned_buffers: Vec::new(),
            estimates: NamedList::default(),
        })
    }

    pub fn array(&self) -> &Arc<OpenArray> {
        &self.cells.request.array
    }

    /// The kind of query.
    pub fn kind(&self) -> QueryType {
        self.cells.request.kind
    }

    /// The order of results or of the input cells.
    pub fn layout(&self) -> Layout {
        self.cells.request.layout
    }

    pub fn config(&self) -> &Config {
        &self.cells.request.config
    }

    pub fn subarray(&self) -> &Subarray {
        &self.cells.request.subarray
    }

    /// Its own counters and timers.
    pub fn stats(&self) -> &Stats {
        &self.cells.request.stats
    }

    /// True once it was submitted, or prepared for that.
    pub(super) fn has_begun(&self) -> bool {
        self.cells.run.is_initialized()
    }

    /// Sets the order of results or of the input cells.
    ///
    /// # Errors
    /// After the first submit, for orders that the array and the kind of query do not allow, and for deletions.
    pub fn set_layout(&mut self, layout: Layout) -> Result<()> {
        self.cells.request.set_layout(self.cells.run.is_initialized(), layout)
    }

    /// Takes a number that names no layout, as the original does; submitting fails then.
    ///
    /// # Errors
    /// After the first submit.
    pub fn set_unknown_layout(&mut self, number: u32) -> Result<()> {
        self.cells.request.set_unknown_layout(self.cells.run.is_initialized(), number)
    }

    /// Sets the parameters of a configuration, in addition to those of the query.
    ///
    /// # Errors
    /// After the first submit, and for values out of range.
    pub fn set_config(&mut self, config: &Config) -> Result<()> {
        self.cells.request.set_config(self.cells.run.is_initialized(), config)
    }

    /// Sets the subarray by value: later changes to the argument have no effect.
    ///
    /// # Errors
    /// For sparse writes, deletions, and after the first submit.
    pub fn set_subarray(&mut self, subarray: &Subarray) -> Result<()> {
        self.cells.request.set_subarray(self.cells.run.is_initialized(), subarray)
    }

    /// The subarray, to be changed in place.
    ///
    /// # Errors
    /// As [`Query::set_subarray`].
    pub fn subarray_mut(&mut self) -> Result<&mut Subarray> {
        self.cells.request.subarray_mut(self.cells.run.is_initialized())
    }

    /// Sets the condition of cells to read or delete; `None` is an empty condition.
    ///
    /// # Errors
    /// For writes, after the first submit, and without content.
    pub fn set_condition(&mut self, condition: Option<Condition>) -> Result<()> {
        let cells = &mut self.cells;
        cells.filter.set(&cells.request, cells.run.is_initialized(), condition)
    }

    /// Sets the value that an attribute gets in all cells that match the condition; `None` for null.
    ///
    /// # Errors
    /// For queries that do not update, and where the attribute has a value already.
    pub fn add_update_value(&mut self, name: &str, value: Option<&[u8]>) -> Result<()> {
        self.updates.add(&self.cells.request, name, value)
    }

    /// Makes an operator applied to a field of the array.
    ///
    /// # Errors
    /// After the first submit, for an unknown field, and where the operator does not apply to its cells.
    pub fn unary_aggregate(&self, operator: AggregateOperator, field: &str) -> Result<Aggregate> {
        self.check_early()?;
        Aggregate::unary(self.array().schema(), operator, field)
    }

    /// Has an aggregate of all cells computed and delivered as a field of this name.
    ///
    /// # Errors
    /// After the first submit, and for a name used by another aggregate.
    pub fn apply_aggregate(&mut self, name: &str, aggregate: &Aggregate) -> Result<()> {
        self.check_early()?;
        self.cells.aggregates.apply(name, aggregate)
    }

    /// The field that an aggregate of this name delivers.
    pub fn aggregate_output(&self, name: &str) -> Option<AggregateOutput> {
        self.cells.aggregates.output(name)
    }

    fn check_early(&self) -> Result<()> {
        if self.has_begun() {
            bail!(
                "C API: argument `query` is at a too late state of its lifetime: add aggregates before the first \
                 tiledb_query_submit"
            );
        }
        Ok(())
    }
}

/// Buffers.
impl Query {
    /// Records the buffer of fixed cells or of the values of variable ones.
    ///
    /// # Errors
    /// For a null address, an unknown field, a dimension in a dense write, a new field after the first submit.
    pub fn set_data_buffer(&mut self, name: &str, start: UserPtr<u8>, size: UserPtr<u64>) -> Result<()> {
        let buffer = self.record(name, name, start, size)?;
        self.take_data(name, buffer)
    }

    fn take_data(&mut self, name: &str, buffer: UserBuffer) -> Result<()> {
        let stage = self.cells.stage(name);
        let cells = &mut self.cells;
        if cells.aggregates.set_data(name, buffer) || self.labels.set_data(&cells.request, stage.begun, name, buffer)? {
            return Ok(());
        }
        cells.fields.set_data(&cells.request, stage, name, buffer)
    }

    /// Records the buffer of the starts of variable cells.
    ///
    /// # Errors
    /// As [`Query::set_data_buffer`], and for fixed fields.
    pub fn set_offsets_buffer(&mut self, name: &str, start: UserPtr<u8>, size: UserPtr<u64>) -> Result<()> {
        let buffer = self.record(name, name, start, size)?;
        self.take_offsets(name, buffer)
    }

    fn take_offsets(&mut self, name: &str, buffer: UserBuffer) -> Result<()> {
        let stage = self.cells.stage(name);
        let cells = &mut self.cells;
        if cells.aggregates.set_offsets(name, buffer)?
            || self.labels.set_offsets(&cells.request, stage.begun, name, buffer)?
        {
            return Ok(());
        }
        cells.fields.set_offsets(&cells.request, stage, name, buffer)
    }

    /// Records the buffer of one validity byte per cell.
    ///
    /// # Errors
    /// As [`Query::set_data_buffer`], and for fields that are not nullable.
    pub fn set_validity_buffer(&mut self, name: &str, start: UserPtr<u8>, size: UserPtr<u64>) -> Result<()> {
        let buffer = self.record(name, &format!("{name} validity"), start, size)?;
        self.take_validity(name, buffer)
    }

    fn take_validity(&mut self, name: &str, buffer: UserBuffer) -> Result<()> {
        let stage = self.cells.stage(name);
        let cells = &mut self.cells;
        if cells.aggregates.set_validity(name, buffer)? {
            return Ok(());
        }
        cells.fields.set_validity(&cells.request, stage, name, buffer)
    }

    /// Uses cells that arrived with a message and live as long as the query.
    ///
    /// # Errors
    /// As [`Query::set_data_buffer`].
    pub fn hold_cells(&mut self, name: &str, part: BufferKind, start: UserPtr<u8>, bytes: u64) -> Result<()> {
        let mut owned = OwnedBuffer::size(bytes);
        let buffer = owned.at(start);
        self.hold(name, part, owned, buffer)
    }

    /// Allocates a buffer for the results of a field.
    ///
    /// # Errors
    /// As [`Query::set_data_buffer`], and if the allocation fails.
    pub fn allocate_buffer(&mut self, name: &str, part: BufferKind, bytes: u64) -> Result<()> {
        let mut owned = OwnedBuffer::allocate(bytes)?;
        let buffer = owned.own();
        self.hold(name, part, owned, buffer)
    }

    /// Records that a buffer of this size is to be set.
    ///
    /// # Errors
    /// As [`Query::set_data_buffer`].
    pub fn await_buffer(&mut self, name: &str, part: BufferKind, bytes: u64) -> Result<()> {
        self.hold_cells(name, part, UserPtr::NULL, bytes)
    }

    fn hold(&mut self, name: &str, part: BufferKind, owned: OwnedBuffer, buffer: UserBuffer) -> Result<()> {
        check_settable(&self.cells.request, name)?;
        match part {
            BufferKind::Data => self.take_data(name, buffer)?,
            BufferKind::Offsets => self.take_offsets(name, buffer)?,
            BufferKind::Validity => self.take_validity(name, buffer)?,
        }
        memory::push("buffers", &mut self.owned_buffers, owned)
    }

    /// The buffers of all fields, labels and aggregates.
    pub fn all_buffers(&self) -> impl Iterator<Item = &FieldBuffers> {
        let labels = self.labels.buffers.fields.iter();
        self.cells.fields.buffers.fields.iter().chain(labels).chain(&self.cells.aggregates.buffers.fields)
    }

    /// The buffers of a field, a label or an aggregate.
    pub fn buffers_of(&self, name: &str) -> Option<&FieldBuffers> {
        self.recorded(name).or_else(|| self.cells.aggregates.buffers.get(name))
    }

    fn record(&self, name: &str, what: &str, start: UserPtr<u8>, size: UserPtr<u64>) -> Result<UserBuffer> {
        check_settable(&self.cells.request, name)?;
        UserBuffer::record(what, start, size, self.kind() != QueryType::Read)
    }

    /// The recorded data buffer of a field, if one was set.
    ///
    /// # Errors
    /// For an unknown field.
    pub fn data_buffer(&self, name: &str) -> Result<Option<UserBuffer>> {
        check_has_buffers(&self.cells.request, "get")?;
        check_known(&self.cells.request, name)?;
        Ok(self.recorded(name).and_then(|field| field.data))
    }

    /// The recorded offsets buffer of a field, if one was set.
    ///
    /// # Errors
    /// For an unknown or fixed field.
    pub fn offsets_buffer(&self, name: &str) -> Result<Option<UserBuffer>> {
        check_has_buffers(&self.cells.request, "get")?;
        if name == COORDS {
            bail!("[TileDB::Query] Error: Cannot get buffer; Coordinates are not var-sized");
        }
        check_known(&self.cells.request, name)?;
        let schema = self.array().schema();
        let is_var = schema.label(name).is_some_and(|label| label.cell_val_num.is_var());
        if !is_var && !schema.field(name).is_some_and(|field| field.is_var()) {
            bail!("[TileDB::Query] Error: Cannot get buffer; '{name}' is fixed-sized");
        }
        Ok(self.recorded(name).and_then(|field| field.offsets))
    }

    /// The recorded validity buffer of a field, if one was set.
    ///
    /// # Errors
    /// For a field that does not exist or is not nullable.
    pub fn validity_buffer(&self, name: &str) -> Result<Option<UserBuffer>> {
        check_has_buffers(&self.cells.request, "get")?;
        if !self.array().schema().field(name).is_some_and(|field| field.nullable) {
            bail!("[TileDB::Query] Error: Cannot get buffer; '{name}' is non-nullable");
        }
        Ok(self.cells.fields.buffers.get(name).and_then(|field| field.validity))
    }

    /// The buffers of a field or a label.
    fn recorded(&self, name: &str) -> Option<&FieldBuffers> {
        self.cells.fields.buffers.get(name).or_else(|| self.labels.buffers.get(name))
    }
}

/// Serialization.
impl Query {
    pub fn condition(&self) -> Option<&Predicate> {
        self.cells.filter.predicate()
    }

    /// The aggregates by the names of their results.
    pub fn aggregates(&self) -> &[(Name, Aggregate)] {
        self.cells.aggregates.applied()
    }

    /// The format of offsets in user buffers.
    pub fn offset_format(&self) -> OffsetFormat {
        self.cells.request.offsets
    }

    /// Sets the format of offsets in user buffers.
    pub fn set_offset_format(&mut self, format: OffsetFormat) {
        self.cells.request.offsets = format;
    }

    /// Bytes of one value of a field.
    pub fn value_size(&self, name: &str) -> usize {
        self.cells.request.value_size(name)
    }

    /// Resets the progress, so that a message can set the position to resume from.
    pub fn restart(&mut self) {
        self.cells.run = QueryProgress::default();
        self.cells.filter = QueryFilter::default();
    }

    /// True if all buffers were written permanently.
    pub fn has_written_all(&self) -> bool {
        matches!(self.cells.run.machine, QueryState::Written) && self.layout() == Layout::Unordered
    }

    /// Takes over the estimates of a server.
    pub fn set_estimates(&mut self, estimates: NamedList<(Name, ResultSize)>) {
        self.estimates = estimates;
    }

    /// The fragments this query has written.
    pub fn written(&self) -> &[CommittedFragment] {
        &self.cells.run.written
    }

    /// Applies the progress that the query has made on a server.
    pub fn take_over(
        &mut self,
        status: Status,
        position: Option<ReadPosition>,
        draft: Option<WriteDraft>,
        written: Vec<CommittedFragment>,
    ) {
        let run = &mut self.cells.run;
        run.status = status;
        run.buffers_are_full = status == Status::Incomplete;
        if self.cells.request.writes() {
            run.written = written;
            let is_separate = draft.as_ref().is_some_and(|draft| draft.separate.is_some());
            run.draft = draft;
            if is_separate {
                // The next submit must not write these cells again.
                self.cells.fields.buffers.fields.clear();
            } else if self.cells.request.layout == Layout::GlobalOrder {
                self.cells.fields.reset_coordinates();
            } else if status == Status::Completed {
                run.machine = QueryState::Written;
            }
        } else {
            run.from = position;
        }
    }
}

/// Run by a server.
impl Query {
    /// Sets the status to incomplete: there are more results than the buffers can hold.
    pub fn mark_incomplete(&mut self) {
        self.cells.run.status = Status::Incomplete;
        self.cells.run.buffers_are_full = true;
    }

    /// Resets the expected number of coordinates: the next part of a write may have a different one.
    pub fn expect_new_cells(&mut self) {
        self.cells.fields.reset_coordinates();
    }

    /// Releases the query's own memory after other buffers have replaced it.
    pub fn release_owned_buffers(&mut self) {
        self.owned_buffers.clear();
    }
}

/// At work.
impl Query {
    /// Runs the query, without a line in the log.
    pub(super) fn submit_unlogged(&mut self) -> Result<()> {
        let cells = &mut self.cells;
        if !cells.run.is_initialized() {
            cells.request.check_standing()?;
        }
        cells.request.check_layout()?;
        let is_done = matches!(cells.run.machine, QueryState::Written);
        let with_labels = self.labels.are_used(&cells.request) && !is_done;
        let submitted = match cells.request.kind {
            QueryType::Delete | QueryType::Update => delete::submit(cells, &self.updates),
            QueryType::Read if with_labels => self.labels.submit_read(cells),
            _ if with_labels => self.labels.submit_write(cells),
            QueryType::Read => cells.submit_read(),
            _ => cells.submit_write(),
        };
        if submitted.as_ref().is_err_and(|error| error.kind() == ErrorKind::Budget) {
            self.cells.request.stats.add(Counter::BudgetExceeded, 1);
        }
        submitted
    }

    /// Has a write in no order that is complete take more cells, which become another fragment.
    pub fn write_more(&mut self) {
        self.cells.write_more();
    }

    /// Aborts a write that has begun and is not complete: nothing of it remains.
    pub fn abort(&mut self) {
        self.cells.run.abort();
    }

    /// The position of a read that has begun, from which another query with the same settings can resume.
    ///
    /// # Errors
    /// If the position cannot be serialized.
    pub fn position(&self) -> Result<Option<ReadPosition>> {
        self.cells.run.position()
    }

    /// Makes a read that was not submitted resume from the position of another one.
    pub fn resume_from(&mut self, position: ReadPosition) {
        self.cells.run.resume_from(position);
    }

    /// Suspends a write in global order between two submits: the draft can be resumed by this query or another one.
    /// `None` for writes that have not begun, and other queries.
    ///
    /// # Errors
    /// If cells wait that do not fill a tile, several fragments were begun, or storage cannot append to files.
    pub fn suspend(&mut self) -> Result<Option<WriteDraft>> {
        self.cells.run.suspend()
    }

    /// Makes a write that was not submitted resume a suspended one.
    pub fn resume_with(&mut self, draft: WriteDraft) {
        self.cells.run.resume_with(draft);
    }

    pub fn status(&self) -> Status {
        self.cells.run.status
    }

    /// True if it is incomplete since the buffers were full.
    pub fn needs_buffers(&self) -> bool {
        self.cells.run.needs_buffers()
    }

    /// True once a read has delivered cells.
    pub fn has_results(&self) -> bool {
        self.cells.run.has_results
    }

    /// The fragments this query has written.
    ///
    /// # Errors
    /// For queries that do not write.
    pub fn fragment_num(&self) -> Result<u32> {
        self.cells.fragment_num()
    }

    /// The URI of a fragment this query has written.
    ///
    /// # Errors
    /// For queries that do not write and for an index too high.
    pub fn fragment_uri(&self, index: u64) -> Result<&Name> {
        self.cells.fragment_uri(index)
    }

    /// The timestamps of a fragment this query has written.
    ///
    /// # Errors
    /// For queries that do not write and for an index too high.
    pub fn fragment_timestamps(&self, index: u64) -> Result<(u64, u64)> {
        self.cells.fragment_timestamps(index)
    }

    /// How many fragments overlap the subarray.
    ///
    /// # Errors
    /// If a fragment's domain cannot be read.
    pub fn relevant_fragments(&self) -> Result<u64> {
        let touched = |fragment: &&Arc<Fragment>| self.subarray().touches(fragment.non_empty_domain());
        Ok(self.array().fragments()?.iter().filter(touched).count() as u64)
    }

    /// Estimates the bytes of a field's results. Special fields have none.
    ///
    /// # Errors
    /// For writes, unknown fields, and fields that are not as `var` and `nullable` say.
    pub fn estimate(&self, name: &str, var: bool, nullable: bool) -> Result<ResultSize> {
        let reported = self.estimates.get(name).map(|(_, size)| *size);
        let own = |name| estimate::estimate(&self.cells.request, name, var, nullable);
        reported.map_or_else(|| own(name), Ok)
    }

    /// The plan of the query, which is initialized by this.
    ///
    /// # Errors
    /// If the query has no buffers, or a deletion no condition.
    pub fn plan(&mut self) -> Result<QueryPlan> {
        plan::of_transfer(&mut self.cells)
    }
}
