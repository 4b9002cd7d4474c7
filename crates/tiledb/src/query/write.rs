//! Writes.

use std::ops::RangeBounds;
use std::sync::Arc;

use super::cells::Cells;
use super::session::QuerySession;
use crate::config::Config;
use crate::datatype::Layout;
use crate::element::Element;
use crate::error::{AtUri, Error, Result};
use crate::handle::ArrayHandle;
use crate::schema::ArraySchema;
use crate::subarray::Subarray;
use crate::value::Value;
use tiledb_core::types::QueryType;

/// A write of cells; made by [`ArrayWriter::write`](crate::ArrayWriter::write).
///
/// A write becomes a fragment: other processes see all of its cells or none. Cells of sparse arrays come with their coordinates, in
/// any order; those of dense arrays fill a region, in row-major order unless [`layout`](WriteQuery::layout) says otherwise.
///
/// ```
/// use tiledb::{Array, ArraySchema, Attribute, Context, Dimension};
///
/// let ctx = Context::new()?;
/// let schema = ArraySchema::dense()
///     .dimension(Dimension::new("row", 0..=99_i32).tile(10))
///     .dimension(Dimension::new("column", 0..=99_i32).tile(10))
///     .attribute(Attribute::new::<f64>("temperature"))
///     .build()?;
/// Array::create(&ctx, "mem://written", &schema)?;
/// let writer = Array::open_for_writing(&ctx, "mem://written")?;
/// let values = [20.5, 21.0, 21.5, 22.0];
/// let summary = writer.write().range("row", 0..2).range("column", 10..12).values("temperature", &values).submit()?;
/// assert_eq!(summary.fragments().len(), 1);
/// # Ok::<(), tiledb::Error>(())
/// ```
#[must_use = "a query does nothing before `submit`"]
pub struct WriteQuery<'b> {
    handle: Arc<ArrayHandle>,
    cells: Cells<'b>,
    subarray: Option<Subarray>,
    layout: Option<Layout>,
    config: Option<Config>,
    error: Option<Error>,
}

impl<'b> WriteQuery<'b> {
    pub(crate) fn new(handle: &Arc<ArrayHandle>) -> WriteQuery<'b> {
        let handle = Arc::clone(handle);
        WriteQuery { handle, cells: Cells::new(), subarray: None, layout: None, config: None, error: None }
    }

    pub(crate) fn with(mut self, add: impl FnOnce(Cells<'b>) -> Cells<'b>) -> WriteQuery<'b> {
        self.cells = add(self.cells);
        self
    }

    /// Replaces the cells by others.
    pub fn cells(self, cells: Cells<'b>) -> WriteQuery<'b> {
        self.with(|_| cells)
    }

    /// As [`Cells::values`].
    pub fn values<T: Element>(self, name: impl Into<String>, values: &'b [T]) -> WriteQuery<'b> {
        self.with(|cells| cells.values(name, values))
    }

    /// As [`Cells::nullable`].
    pub fn nullable<T: Element>(self, name: impl Into<String>, values: &'b [T], validity: &'b [u8]) -> WriteQuery<'b> {
        self.with(|cells| cells.nullable(name, values, validity))
    }

    /// As [`Cells::optional`].
    pub fn optional<T: Element>(self, name: impl Into<String>, values: &[Option<T>]) -> WriteQuery<'b> {
        self.with(|cells| cells.optional(name, values))
    }

    /// As [`Cells::bools`].
    pub fn bools(self, name: impl Into<String>, values: &'b [bool]) -> WriteQuery<'b> {
        self.with(|cells| cells.bools(name, values))
    }

    /// As [`Cells::strings`].
    pub fn strings<S: AsRef<str>>(self, name: impl Into<String>, values: &[S]) -> WriteQuery<'b> {
        self.with(|cells| cells.strings(name, values))
    }

    /// As [`Cells::optional_strings`].
    pub fn optional_strings<S: AsRef<str>>(self, name: impl Into<String>, values: &[Option<S>]) -> WriteQuery<'b> {
        self.with(|cells| cells.optional_strings(name, values))
    }

    /// As [`Cells::blobs`].
    pub fn blobs<B: AsRef<[u8]>>(self, name: impl Into<String>, values: &[B]) -> WriteQuery<'b> {
        self.with(|cells| cells.blobs(name, values))
    }

    /// As [`Cells::lists`].
    pub fn lists<T: Element, L: AsRef<[T]>>(self, name: impl Into<String>, values: &[L]) -> WriteQuery<'b> {
        self.with(|cells| cells.lists(name, values))
    }

    /// As [`Cells::var`].
    pub fn var<T: Element>(self, name: impl Into<String>, values: &'b [T], offsets: &'b [u64]) -> WriteQuery<'b> {
        self.with(|cells| cells.var(name, values, offsets))
    }

    /// As [`Cells::var_nullable`].
    pub fn var_nullable<T: Element>(
        self,
        name: impl Into<String>,
        values: &'b [T],
        offsets: &'b [u64],
        validity: &'b [u8],
    ) -> WriteQuery<'b> {
        self.with(|cells| cells.var_nullable(name, values, offsets, validity))
    }

    /// Sets the range of a dimension of a dense array that the cells fill; the whole dimension unless it is set.
    pub fn range<V: Into<Value> + Clone>(mut self, dimension: &str, range: impl RangeBounds<V>) -> WriteQuery<'b> {
        if self.error.is_some() {
            return self;
        }
        if self.subarray.is_none() {
            match self.handle.snapshot() {
                Ok(open) => self.subarray = Some(Subarray::new(&ArraySchema(Arc::clone(open.schema())))),
                Err(error) => self.error = Some(error),
            }
        }
        if let Some(subarray) = &mut self.subarray {
            self.error = subarray.add_range(dimension, range).err();
        }
        self
    }

    /// Sets the region of a dense array that the cells fill.
    pub fn subarray(mut self, subarray: &Subarray) -> WriteQuery<'b> {
        self.subarray = Some(subarray.clone());
        self
    }

    /// Sets the order of the cells.
    pub fn layout(mut self, layout: Layout) -> WriteQuery<'b> {
        self.layout = Some(layout);
        self
    }

    /// Sets parameters for this query, which override those of the context.
    pub fn config(mut self, config: &Config) -> WriteQuery<'b> {
        self.config = Some(config.clone());
        self
    }

    /// The session of the query.
    pub(crate) fn begin(&mut self, default_layout: Option<Layout>) -> Result<QuerySession> {
        if let Some(error) = self.error.take() {
            return Err(error.at(self.handle.uri()));
        }
        let mut session = QuerySession::new(&self.handle, QueryType::Write)?;
        let query = &mut session.query;
        let uri = self.handle.uri();
        if let Some(config) = &self.config {
            query.set_config(&config.0).at(uri)?;
        }
        if let Some(layout) = self.layout.or(default_layout) {
            query.set_layout(layout.engine()).at(uri)?;
        }
        if let Some(subarray) = &self.subarray {
            query.set_subarray(&subarray.0).at(uri)?;
        }
        Ok(session)
    }

    /// The session of this write, for modules that convert cells themselves.
    #[cfg(feature = "arrow")]
    pub(crate) fn into_session(mut self) -> Result<QuerySession> {
        let is_sparse = !self.handle.snapshot()?.schema().is_dense();
        self.begin(is_sparse.then_some(Layout::Unordered))
    }

    /// Writes the cells.
    ///
    /// # Errors
    /// If columns are missing, have another type or different lengths, or storage fails. Nothing is written then.
    pub fn submit(mut self) -> Result<WriteSummary> {
        let is_sparse = !self.handle.snapshot()?.schema().is_dense();
        let mut session = self.begin(is_sparse.then_some(Layout::Unordered))?;
        let uri = self.handle.uri().to_owned();
        write(&mut session, self.cells, &uri)?;
        session.finalize()?;
        Ok(WriteSummary::of(&session))
    }
}

/// Writes cells by a session.
pub(super) fn write(session: &mut QuerySession, cells: Cells<'_>, uri: &str) -> Result<()> {
    let array = Arc::clone(session.query.array());
    cells
        .with_slices(&array, |slices| session.run(|query, submit| query.submit_slices(slices, |query| submit(query))))
        .at(uri)
}

/// What a write has stored.
#[derive(Clone, Debug, Default)]
pub struct WriteSummary {
    fragments: Vec<String>,
}

impl WriteSummary {
    pub(crate) fn of(session: &QuerySession) -> WriteSummary {
        let count = u64::from(session.query.fragment_num().unwrap_or(0));
        let uris = (0..count).filter_map(|index| session.query.fragment_uri(index).ok());
        WriteSummary { fragments: uris.map(|uri| uri.to_string()).collect() }
    }

    /// The URIs of the fragments that were written.
    pub fn fragments(&self) -> &[String] {
        &self.fragments
    }
}
