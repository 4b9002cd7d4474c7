//! The query as its caller sees it: settings, submit, finalize, status.

use std::sync::Arc;

use super::aggregates::Aggregates;
use super::labels::Labels;
use super::set_buffers::CoordinateCount;
use crate::array::OpenArray;
use crate::condition::Predicate;
use crate::config::Config;
use crate::error::{Result, bail};
use crate::fragment::Fragment;
use crate::query::columns::buffers::{Buffers, Needs};
use crate::query::columns::offsets::OffsetFormat;
use crate::query::read::spec::{Reader, Reason};
use crate::query::space::subarray::Subarray;
use crate::query::write::spec::{Writer, Written};
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
    /// A write that is complete: it is not done again.
    Written,
}

/// The name under which the times of cells are read.
pub(super) const TIMESTAMPS: &str = "__timestamps";

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
    pub(super) coordinates: CoordinateCount,
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

fn check_kind(array: &OpenArray, kind: QueryType) -> Result<()> {
    if array.query_type() != kind {
        bail!(
            "Error: Cannot create query; Array query type does not match declared query type: ({} != {})",
            array.query_type().name(),
            kind.name()
        );
    }
    Ok(())
}

impl Query {
    /// A query of a kind on an array opened for it.
    ///
    /// # Errors
    /// If the array was opened for something else.
    pub fn new(array: &Arc<OpenArray>, kind: QueryType) -> Result<Query> {
        check_kind(array, kind)?;
        let config = array.config().clone();
        let schema = array.schema();
        Ok(Query {
            array: array.clone(),
            kind,
            layout: default_layout(kind, schema.is_dense()),
            unknown_layout: None,
            subarray: Subarray::new(schema),
            condition: None,
            updates: Vec::new(),
            buffers: Buffers::default(),
            coordinates: CoordinateCount::default(),
            aggregates: Aggregates::default(),
            labels: Labels::default(),
            offsets: config.settings()?,
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

    /// True once it was submitted, or made ready to be.
    pub(super) fn is_initialized(&self) -> bool {
        self.status != Status::Uninitialized
    }

    /// True if cells are given to be written.
    fn writes(&self) -> bool {
        matches!(self.kind, QueryType::Write | QueryType::ModifyExclusive)
    }

    /// Sets the order of results or of the cells given.
    ///
    /// # Errors
    /// After the first submit, for orders that the array and the kind of query do not allow, and for deletions.
    pub fn set_layout(&mut self, layout: Layout) -> Result<()> {
        if layout == self.layout && self.unknown_layout.is_none() {
            return Ok(());
        }
        if self.is_initialized() {
            bail!("[TileDB::Query] Error: Cannot set layout after initialization");
        }
        let (dense, write) = (self.array.schema().is_dense(), self.writes());
        if self.kind != QueryType::Read && !write {
            bail!("[TileDB::Serialization] Error: Cannot set layout; Unsupported query type.");
        }
        if write && dense && layout == Layout::Unordered {
            bail!("[TileDB::Query] Error: Unordered writes are only possible for sparse arrays");
        }
        if write && !dense && matches!(layout, Layout::RowMajor | Layout::ColMajor) {
            bail!("[TileDB::Query] Error: Row-major and column-major writes are only possible for dense arrays");
        }
        if layout == Layout::Hilbert {
            bail!("[TileDB::Query] Error: Cannot set layout; Hilbert order is not applicable to queries");
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

    /// Sets what a configuration sets, over what the query has.
    ///
    /// # Errors
    /// After the first submit, and for values out of range.
    pub fn set_config(&mut self, config: &Config) -> Result<()> {
        if self.is_initialized() {
            bail!("Query: [set_config] Cannot set config after initialization.");
        }
        let mut merged = self.config.clone();
        merged.inherit(config);
        self.offsets = merged.settings()?;
        self.config = merged;
        Ok(())
    }

    /// Sets the part of the array; later changes to the subarray given are not seen.
    ///
    /// # Errors
    /// For sparse writes, deletions, and after the first submit.
    pub fn set_subarray(&mut self, subarray: &Subarray) -> Result<()> {
        if self.writes() && !self.array.schema().is_dense() {
            bail!("Query: [set_subarray] Setting a subarray is not supported on sparse writes.");
        }
        if self.kind != QueryType::Read && !self.writes() {
            let kind = self.kind.name();
            bail!("Query: [set_subarray] Setting a subarray is not supported for query type '{kind}'.");
        }
        if self.is_initialized() {
            bail!("Query: [set_subarray] Setting a subarray on an already initialized query is not supported.");
        }
        self.subarray = subarray.clone();
        Ok(())
    }

    /// Runs the query: a read delivers the next results, a write stores the cells given.
    ///
    /// # Errors
    /// If something is missing or wrong in what was set, or storage fails. The size variables keep their
    /// values then.
    pub fn submit(&mut self) -> Result<()> {
        if !self.is_initialized() {
            self.check_standing()?;
        }
        if let Some(number) = self.unknown_layout {
            bail!("Query: Cannot init query; {number} is no layout");
        }
        match self.kind {
            QueryType::Read if self.uses_labels() => self.submit_read_with_labels(),
            QueryType::Read => self.submit_read(),
            QueryType::Write | QueryType::ModifyExclusive if matches!(self.machine, Machine::Written) => {
                self.submit_again()
            }
            QueryType::Write | QueryType::ModifyExclusive if self.uses_labels() => self.submit_write_with_labels(),
            QueryType::Write | QueryType::ModifyExclusive => self.submit_write(),
            QueryType::Delete | QueryType::Update => self.submit_delete(),
        }
    }

    /// A query works on the array as it was when the query was made, but begins only while the array is open for it.
    fn check_standing(&self) -> Result<()> {
        match self.array.standing() {
            None => bail!("Query: Cannot init query; The associated array is not open"),
            Some(kind) if kind != self.kind => bail!(
                "Query: Cannot init query; Associated array query type does not match query type: ({} != {})",
                kind.name(),
                self.kind.name()
            ),
            Some(_) => Ok(()),
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
