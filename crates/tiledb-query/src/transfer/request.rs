//! The request of a query: array, kind, layout, subarray and configuration.

use std::sync::Arc;

use tiledb_array::array::OpenArray;
use tiledb_array::schema::ArraySchema;
use tiledb_cells::columns::buffers::BufferNeeds;
use tiledb_cells::columns::offsets::OffsetFormat;
use tiledb_cells::space::grid::{Grid, GridAxis};
use tiledb_cells::space::ranges::RangeSet;
use tiledb_cells::space::subarray::{RangeRules, Subarray};
use tiledb_cells::write::spec::allows_separate_fields;
use tiledb_core::config::Config;
use tiledb_core::error::{Result, bail};
use tiledb_core::pool::ProgressMonitor;
use tiledb_core::stats::Stats;
use tiledb_core::suggestion::closest_names;
use tiledb_core::types::{Layout, QueryType};

/// What a query requests: the kind, the part of the array, the order and the configuration.
pub struct QueryRequest {
    pub array: Arc<OpenArray>,
    /// The kind of query.
    pub kind: QueryType,
    pub config: Config,
    /// The order of results or of the input cells.
    pub layout: Layout,
    /// An invalid layout number that was set; reported at submit.
    unknown_layout: Option<u32>,
    /// The part of the array.
    pub subarray: Subarray,
    /// The format of offsets in user buffers.
    pub offsets: OffsetFormat,
    /// Its own counters and timers.
    pub stats: Stats,
    /// Lets another thread observe and stop a read.
    pub watch: Option<ProgressMonitor>,
}

/// The layout of a query for which none was set.
fn default_layout(kind: QueryType, dense: bool) -> Layout {
    if dense || kind == QueryType::Read { Layout::RowMajor } else { Layout::Unordered }
}

/// True if an array that is open for `mode` accepts queries of a kind: of the same, or writes if it is open exclusively, which is
/// the mode for writing in libtiledb 2.31.
fn accepts(mode: QueryType, kind: QueryType) -> bool {
    mode == kind || (mode, kind) == (QueryType::ModifyExclusive, QueryType::Write)
}

/// The fields whose names are closest to an unknown one, as the end of an error.
pub fn closest_fields(schema: &ArraySchema, unknown: &str) -> String {
    closest_names(unknown, schema.fields().iter().map(|field| &*field.name))
}

fn check_kind(array: &OpenArray, kind: QueryType) -> Result<()> {
    if !accepts(array.query_type(), kind) {
        bail!(
            "Error: Cannot create query; Array query type does not match declared query type: ({} != {}); open \
             '{}' with TILEDB_{}",
            array.query_type().name(),
            kind.name(),
            array.uri(),
            kind.name()
        );
    }
    Ok(())
}

/// The format of offsets in a configuration. For reads, invalid parameters of ranges are rejected before any are set.
fn parse_offsets(kind: QueryType, config: &Config) -> Result<OffsetFormat> {
    if kind == QueryType::Read {
        return config.settings().map(|(_, offsets): (RangeRules, _)| offsets);
    }
    config.settings()
}

impl QueryRequest {
    /// A request of a kind to an array opened for it.
    ///
    /// # Errors
    /// If the array was opened for something else.
    pub fn new(array: &Arc<OpenArray>, kind: QueryType) -> Result<QueryRequest> {
        check_kind(array, kind)?;
        let config = array.config().clone();
        Ok(QueryRequest {
            array: array.clone(),
            kind,
            layout: default_layout(kind, array.schema().is_dense()),
            unknown_layout: None,
            subarray: Subarray::new(array.schema()),
            offsets: parse_offsets(kind, &config)?,
            config,
            stats: array.resources().stats().child(),
            watch: None,
        })
    }

    /// True if it writes cells.
    pub fn writes(&self) -> bool {
        matches!(self.kind, QueryType::Write | QueryType::ModifyExclusive)
    }

    /// True if every submit brings some of the fields (`sm.allow_separate_attribute_writes`).
    pub fn writes_apart(&self) -> bool {
        self.kind == QueryType::Write && self.layout == Layout::Unordered && allows_separate_fields(&self.config)
    }

    /// The buffers that a field needs.
    pub fn needs(&self, name: &str) -> BufferNeeds {
        match self.array.schema().field(name) {
            Some(field) => BufferNeeds { var: field.is_var(), nullable: field.nullable },
            None => BufferNeeds { var: false, nullable: false },
        }
    }

    /// The most cells that the ranges of a dense read have; `None` for sparse arrays and where they cannot be counted.
    pub fn dense_cells(&self) -> Option<u64> {
        let schema = self.array.schema();
        let grid = Grid::new(schema).ok().filter(|_| schema.is_dense())?;
        let along = |(axis, set): (&GridAxis, &RangeSet)| {
            let spans = set.ranges().iter().filter_map(|range| axis.span_cut(range));
            spans.fold(0u64, |sum, span| sum.saturating_add(span.count()))
        };
        Some(grid.axes().iter().zip(self.subarray.sets()).map(along).fold(1, u64::saturating_mul))
    }

    /// Bytes of one value of a field.
    pub fn value_size(&self, name: &str) -> usize {
        self.array.schema().field(name).map_or(8, |field| field.datatype.size())
    }

    /// Sets the order of results or of the input cells.
    ///
    /// # Errors
    /// Of queries that have begun, for orders that the array and the kind of query do not allow, and for deletions.
    pub fn set_layout(&mut self, begun: bool, layout: Layout) -> Result<()> {
        if layout == self.layout && self.unknown_layout.is_none() {
            return Ok(());
        }
        if begun {
            bail!(
                "[TileDB::Query] Error: Cannot set layout after initialization: set it before the first tiledb_query_submit"
            );
        }
        let dense = self.array.schema().is_dense();
        let write = self.writes();
        if self.kind != QueryType::Read && !write {
            bail!(
                "[TileDB::Serialization] Error: Cannot set layout; Unsupported query type. It is {}",
                self.kind.name()
            );
        }
        if write && dense && layout == Layout::Unordered {
            bail!(
                "[TileDB::Query] Error: Unordered writes are only possible for sparse arrays: '{}' is dense; use \
                 TILEDB_ROW_MAJOR, TILEDB_COL_MAJOR or TILEDB_GLOBAL_ORDER",
                self.array.uri()
            );
        }
        if write && !dense && matches!(layout, Layout::RowMajor | Layout::ColMajor) {
            bail!(
                "[TileDB::Query] Error: Row-major and column-major writes are only possible for dense arrays: '{}' is sparse; \
                 use TILEDB_UNORDERED or TILEDB_GLOBAL_ORDER",
                self.array.uri()
            );
        }
        if layout == Layout::Hilbert {
            bail!(
                "[TileDB::Query] Error: Cannot set layout; Hilbert order is not applicable to queries: use TILEDB_GLOBAL_ORDER \
                 or TILEDB_UNORDERED"
            );
        }
        self.layout = layout;
        self.unknown_layout = None;
        Ok(())
    }

    /// Takes a number that names no layout, as the original does; submitting fails then.
    ///
    /// # Errors
    /// Of queries that have begun.
    pub fn set_unknown_layout(&mut self, begun: bool, number: u32) -> Result<()> {
        if begun {
            bail!(
                "[TileDB::Query] Error: Cannot set layout after initialization: set it before the first tiledb_query_submit"
            );
        }
        self.unknown_layout = Some(number);
        Ok(())
    }

    /// Rejects a number that names no layout.
    ///
    /// # Errors
    /// If one was set.
    pub fn check_layout(&self) -> Result<()> {
        match self.unknown_layout {
            Some(number) => bail!("Query: Cannot init query; {number} is no layout"),
            None => Ok(()),
        }
    }

    /// Sets the parameters of a configuration, in addition to those of the query.
    ///
    /// # Errors
    /// Of queries that have begun, and for values out of range.
    pub fn set_config(&mut self, begun: bool, config: &Config) -> Result<()> {
        if begun {
            bail!(
                "Query: [set_config] Cannot set config after initialization. Set it before the first tiledb_query_submit"
            );
        }
        let mut merged = self.config.clone();
        merged.inherit(config);
        self.offsets = parse_offsets(self.kind, &merged)?;
        self.config = merged;
        Ok(())
    }

    /// Sets the subarray by value: later changes to the argument have no effect.
    ///
    /// # Errors
    /// For sparse writes, deletions, and of queries that have begun.
    pub fn set_subarray(&mut self, begun: bool, subarray: &Subarray) -> Result<()> {
        *self.subarray_mut(begun)? = subarray.clone();
        Ok(())
    }

    /// The subarray, to be changed in place.
    ///
    /// # Errors
    /// As [`QueryRequest::set_subarray`].
    pub fn subarray_mut(&mut self, begun: bool) -> Result<&mut Subarray> {
        if self.writes() && !self.array.schema().is_dense() {
            bail!(
                "Query: [set_subarray] Setting a subarray is not supported on sparse writes. Set buffers for the dimensions of \
                 '{}' instead",
                self.array.uri()
            );
        }
        if self.kind != QueryType::Read && !self.writes() {
            let kind = self.kind.name();
            bail!("Query: [set_subarray] Setting a subarray is not supported for query type '{kind}'.");
        }
        if begun {
            bail!(
                "Query: [set_subarray] Setting a subarray on an already initialized query is not supported. Set it before the \
                 first tiledb_query_submit"
            );
        }
        Ok(&mut self.subarray)
    }

    /// A query works on the array as it was when the query was made, but begins only while the array is open for it.
    ///
    /// # Errors
    /// If it is closed, or open for something else.
    pub fn check_standing(&self) -> Result<()> {
        match self.array.current_query_type() {
            None => bail!(
                "Query: Cannot init query; The associated array is not open: '{}' was closed after the query was created",
                self.array.uri()
            ),
            Some(mode) if !accepts(mode, self.kind) => bail!(
                "Query: Cannot init query; Associated array query type does not match query type: ({} != {})",
                mode.name(),
                self.kind.name()
            ),
            Some(_) => Ok(()),
        }
    }
}
