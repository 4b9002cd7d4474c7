//! The query as its caller sees it: settings, submit, finalize, status.

use std::sync::Arc;

use super::Subarray;
use super::aggregates::Aggregates;
use super::buffers::{Buffers, FieldBuffers, Needs, OffsetFormat, UserBuffer, UserPtr};
use super::labels::Labels;
use super::read::{Reader, Reason};
use super::write::{Writer, Written};
use crate::array::OpenArray;
use crate::condition::Predicate;
use crate::config::Config;
use crate::error::{Result, bail};
use crate::fragment::Fragment;
use crate::stats::Stats;
use crate::types::{Layout, Name, QueryType};

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

pub(super) enum Machine {
    Idle,
    Reading(Box<dyn Reader>),
    Writing(Box<dyn Writer>),
}

/// Fields that are not in the schema but can be read.
const TIMESTAMPS: &str = "__timestamps";

/// A query on an open array.
pub struct Query {
    pub(super) array: Arc<OpenArray>,
    pub(super) kind: QueryType,
    pub(super) config: Config,
    pub(super) layout: Layout,
    /// A number set as layout that names none; told at submit.
    unknown_layout: Option<u32>,
    pub(super) subarray: Subarray,
    pub(super) condition: Option<Predicate>,
    /// The values that attributes get in an update.
    pub(super) updates: Vec<(Name, Option<Vec<u8>>)>,
    pub(super) buffers: Buffers,
    pub(super) aggregates: Aggregates,
    pub(super) labels: Labels,
    pub(super) offsets: OffsetFormat,
    pub(super) status: Status,
    pub(super) reason: Option<Reason>,
    pub(super) has_results: bool,
    pub(super) machine: Machine,
    pub(super) written: Vec<Written>,
    pub(super) stats: Stats,
}

/// The layout of a query that was given none.
fn default_layout(kind: QueryType, dense: bool) -> Layout {
    if dense || kind == QueryType::Read { Layout::RowMajor } else { Layout::Unordered }
}

impl Query {
    /// A query of a kind on an array opened for it.
    ///
    /// # Errors
    /// If the array was opened for something else.
    pub fn new(array: &Arc<OpenArray>, kind: QueryType) -> Result<Query> {
        if array.query_type() != kind {
            bail!(
                "Error: Cannot create query; Array query type does not match declared query type: ({} != {})",
                array.query_type().name(),
                kind.name()
            );
        }
        let schema = array.schema();
        let config = array.config().clone();
        Ok(Query {
            array: array.clone(),
            kind,
            layout: default_layout(kind, schema.is_dense()),
            unknown_layout: None,
            subarray: Subarray::new(schema),
            condition: None,
            updates: Vec::new(),
            buffers: Buffers::default(),
            aggregates: Aggregates::default(),
            labels: Labels::default(),
            offsets: OffsetFormat::from_config(&config)?,
            config,
            status: Status::Uninitialized,
            reason: None,
            has_results: false,
            machine: Machine::Idle,
            written: Vec::new(),
            stats: array.resources().stats().child(),
        })
    }

    /// The array.
    pub fn array(&self) -> &Arc<OpenArray> {
        &self.array
    }

    /// What the query does.
    pub fn kind(&self) -> QueryType {
        self.kind
    }

    /// The order of results or of the cells given.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Its configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Its subarray.
    pub fn subarray(&self) -> &Subarray {
        &self.subarray
    }

    /// Where it stands.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Why it is incomplete, if it is.
    pub fn incomplete_reason(&self) -> Option<Reason> {
        self.reason.filter(|_| self.status == Status::Incomplete)
    }

    /// True once a read has delivered cells.
    pub fn has_results(&self) -> bool {
        self.has_results
    }

    /// Its own counters and timers.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// The recorded buffers.
    pub fn buffers(&self) -> &Buffers {
        &self.buffers
    }

    /// True once it was submitted.
    pub(super) fn is_initialized(&self) -> bool {
        self.status != Status::Uninitialized
    }

    /// Sets the order of results or of the cells given.
    ///
    /// # Errors
    /// After the first submit, and for orders that the array and the kind of query do not allow.
    pub fn set_layout(&mut self, layout: Layout) -> Result<()> {
        if self.is_initialized() {
            bail!("[TileDB::Query] Error: Cannot set layout after initialization");
        }
        if layout == Layout::Hilbert {
            bail!("[TileDB::Query] Error: Cannot set layout; Hilbert order is not applicable to queries");
        }
        let (dense, write) = (self.array.schema().is_dense(), self.kind == QueryType::Write);
        if write && dense && layout == Layout::Unordered {
            bail!("[TileDB::Query] Error: Unordered writes are only possible for sparse arrays");
        }
        if write && !dense && matches!(layout, Layout::RowMajor | Layout::ColMajor) {
            bail!("[TileDB::Query] Error: Row-major and column-major writes are only possible for dense arrays");
        }
        self.layout = layout;
        self.unknown_layout = None;
        Ok(())
    }

    /// Takes a number that names no layout, as the original does; submitting fails then.
    ///
    /// # Errors
    /// After the first submit.
    pub fn set_unknown_layout(&mut self, number: u32) -> Result<()> {
        if self.is_initialized() {
            bail!("[TileDB::Query] Error: Cannot set layout after initialization");
        }
        self.unknown_layout = Some(number);
        Ok(())
    }

    /// Replaces the configuration.
    ///
    /// # Errors
    /// After the first submit, and for values out of range.
    pub fn set_config(&mut self, config: &Config) -> Result<()> {
        if self.is_initialized() {
            bail!("Query: [set_config] Cannot set config after initialization.");
        }
        self.offsets = OffsetFormat::from_config(config)?;
        self.config = config.clone();
        Ok(())
    }

    /// Sets the part of the array; later changes to the subarray given are not seen.
    ///
    /// # Errors
    /// For sparse writes and after the first submit.
    pub fn set_subarray(&mut self, subarray: &Subarray) -> Result<()> {
        if self.kind == QueryType::Write && !self.array.schema().is_dense() {
            bail!("Query: [set_subarray] Setting a subarray is not supported on sparse writes.");
        }
        if self.is_initialized() {
            bail!("Query: [set_subarray] Setting a subarray on an already initialized query is not supported.");
        }
        self.subarray = subarray.clone();
        Ok(())
    }

    /// Records the buffer of fixed cells or of the values of variable ones.
    ///
    /// # Errors
    /// For a null address, an unknown field, a dimension in a dense write, a new field after the first submit.
    pub fn set_data_buffer(&mut self, name: &str, start: UserPtr<u8>, size: UserPtr<u64>) -> Result<()> {
        if !matches!(self.kind, QueryType::Read | QueryType::Write | QueryType::ModifyExclusive) {
            bail!("[TileDB::Serialization] Error: Cannot set buffer; Unsupported query type.");
        }
        let writes = self.kind != QueryType::Read;
        let buffer = UserBuffer::record(name, start, size, writes)?;
        if let Some(entry) = self.aggregates.entry(name) {
            entry.data = Some(buffer);
            return Ok(());
        }
        if self.set_label_data(name, buffer)? {
            return Ok(());
        }
        let schema = self.array.schema();
        let field = schema.field(name);
        if field.is_none() && name != TIMESTAMPS {
            bail!("[TileDB::Query] Error: Cannot set buffer; Invalid attribute/dimension/label '{name}'");
        }
        if writes && schema.is_dense() && field.is_some_and(|field| field.is_dimension) {
            bail!("[TileDB::Query] Error: Dense write queries cannot set dimension buffers");
        }
        self.entry(name)?.data = Some(buffer);
        Ok(())
    }

    /// Records the buffer of the starts of variable cells.
    ///
    /// # Errors
    /// As [`Query::set_data_buffer`], and for fixed fields.
    pub fn set_offsets_buffer(&mut self, name: &str, start: UserPtr<u8>, size: UserPtr<u64>) -> Result<()> {
        let buffer = UserBuffer::record(name, start, size, self.kind != QueryType::Read)?;
        if self.aggregates.set_offsets(name, buffer)? || self.set_label_offsets(name, buffer)? {
            return Ok(());
        }
        let Some(field) = self.array.schema().field(name) else {
            bail!(
                "[TileDB::Query] Error: Cannot set buffer; Invalid buffer name '{name}' (it should be an attribute, \
                 dimension, or dimension label)"
            );
        };
        if !field.is_var() {
            bail!("[TileDB::Query] Error: Cannot set buffer; Input attribute/dimension '{name}' is fixed-sized");
        }
        self.entry(name)?.offsets = Some(buffer);
        Ok(())
    }

    /// Records the buffer of one validity byte per cell.
    ///
    /// # Errors
    /// As [`Query::set_data_buffer`], and for fields that are not nullable.
    pub fn set_validity_buffer(&mut self, name: &str, start: UserPtr<u8>, size: UserPtr<u64>) -> Result<()> {
        let buffer = UserBuffer::record(&format!("{name} validity"), start, size, self.kind != QueryType::Read)?;
        if self.aggregates.set_validity(name, buffer)? {
            return Ok(());
        }
        let field = self.array.schema().field(name).filter(|field| !field.is_dimension);
        let Some(field) = field else {
            bail!("[TileDB::Query] Error: Cannot set buffer; Buffer name '{name}' is not an attribute");
        };
        if !field.nullable {
            bail!("[TileDB::Query] Error: Cannot set buffer; Input attribute '{name}' is not nullable");
        }
        self.entry(name)?.validity = Some(buffer);
        Ok(())
    }

    fn entry(&mut self, name: &str) -> Result<&mut FieldBuffers> {
        if self.has_written(name) {
            bail!("[TileDB::Query] Error: Buffer {name} was already written");
        }
        if self.is_initialized() && self.buffers.get(name).is_none() && !self.writes_apart() {
            bail!("[TileDB::Query] Error: Cannot set buffer for new attribute/dimension '{name}' after initialization");
        }
        Ok(self.buffers.entry(name))
    }

    /// The recorded data buffer of a field, if one was set.
    ///
    /// # Errors
    /// For an unknown field.
    pub fn data_buffer(&self, name: &str) -> Result<Option<UserBuffer>> {
        self.check_known(name)?;
        Ok(self.recorded(name).and_then(|field| field.data))
    }

    /// The recorded offsets buffer of a field, if one was set.
    ///
    /// # Errors
    /// For an unknown or fixed field.
    pub fn offsets_buffer(&self, name: &str) -> Result<Option<UserBuffer>> {
        self.check_known(name)?;
        let schema = self.array.schema();
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
        if !self.array.schema().field(name).is_some_and(|field| field.nullable) {
            bail!("[TileDB::Query] Error: Cannot get buffer; '{name}' is non-nullable");
        }
        Ok(self.buffers.get(name).and_then(|field| field.validity))
    }

    /// The buffers of a field or a label.
    fn recorded(&self, name: &str) -> Option<&FieldBuffers> {
        self.buffers.get(name).or_else(|| self.labels.buffers.get(name))
    }

    fn check_known(&self, name: &str) -> Result<()> {
        let schema = self.array.schema();
        if schema.field(name).is_none() && schema.label(name).is_none() && name != TIMESTAMPS {
            bail!("[TileDB::Query] Error: Cannot get buffer; Invalid attribute/dimension/label name '{name}'");
        }
        Ok(())
    }

    /// Runs the query: a read delivers the next results, a write stores the cells given.
    ///
    /// # Errors
    /// If something is missing or wrong in what was set, or storage fails. The size variables keep their
    /// values then.
    pub fn submit(&mut self) -> Result<()> {
        if !self.array.is_open() {
            bail!("Query: Cannot init query; The associated array is not open");
        }
        if let Some(number) = self.unknown_layout {
            bail!("Query: Cannot init query; {number} is no layout");
        }
        match self.kind {
            QueryType::Read if self.uses_labels() => self.submit_read_with_labels(),
            QueryType::Read => self.submit_read(),
            QueryType::Write | QueryType::ModifyExclusive if self.uses_labels() => self.submit_write_with_labels(),
            QueryType::Write | QueryType::ModifyExclusive => self.submit_write(),
            QueryType::Delete | QueryType::Update => self.submit_delete(),
        }
    }

    /// The buffers that a field needs.
    pub(super) fn needs(&self, name: &str) -> Needs {
        match self.array.schema().field(name) {
            Some(field) => Needs { var: field.is_var(), nullable: field.nullable },
            None => Needs { var: false, nullable: false },
        }
    }

    /// How many fragments overlap the subarray.
    ///
    /// # Errors
    /// If a fragment's domain cannot be read.
    pub fn relevant_fragments(&self) -> Result<u64> {
        let touched = |fragment: &&Arc<Fragment>| self.subarray.touches(fragment.non_empty_domain());
        Ok(self.array.fragments().iter().filter(touched).count() as u64)
    }
}

/// Bytes of one value of a field.
pub(super) fn value_size(array: &OpenArray, name: &str) -> usize {
    array.schema().field(name).map_or(8, |field| field.datatype.size())
}
