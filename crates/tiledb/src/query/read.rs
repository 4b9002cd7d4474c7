//! Reads.

use std::ops::{ControlFlow, RangeBounds};
use std::sync::Arc;

use super::aggregate::{Aggregate, Aggregates, aggregate};
use super::batch::Batch;
use super::batches::Batches;
use super::partition::{Partition, partitions};
use super::reader::Reader;
use super::session::{OFFSETS, QuerySession};
use super::tiles::{TileMatch, visit_tiles};
use crate::condition::Condition;
use crate::config::Config;
use crate::datatype::Layout;
use crate::error::{AtUri, Error, Result};
use crate::handle::ArrayHandle;
use crate::progress::{OnProgress, Progress};
use crate::schema::{ArraySchema, Field};
use crate::subarray::Subarray;
use crate::value::Value;
use tiledb_core::budget;
use tiledb_core::limits::arrow::{BATCH_BYTES, BATCH_PART};
use tiledb_core::types::QueryType;

/// A read: which fields of which cells, in which order; made by [`Array::read`](crate::Array::read).
///
/// The methods that describe the read can be called in any order. What they were given is checked by the method that runs it:
/// [`batches`](ReadQuery::batches), [`all`](ReadQuery::all), [`reader`](ReadQuery::reader), [`aggregate`](ReadQuery::aggregate).
///
/// ```
/// use tiledb::{Array, ArraySchema, Attribute, Context, Dimension, attr};
///
/// let ctx = Context::new()?;
/// let schema = ArraySchema::sparse()
///     .dimension(Dimension::new("id", 0..=999_i64))
///     .attribute(Attribute::new::<f64>("delay"))
///     .attribute(Attribute::string("origin"))
///     .build()?;
/// Array::create(&ctx, "mem://reads", &schema)?;
/// Array::open_for_writing(&ctx, "mem://reads")?
///     .write()
///     .values("id", &[1_i64, 12, 15, 300])
///     .values("delay", &[90.0, 75.0, 20.0, 61.0])
///     .strings("origin", &["JFK", "JFK", "EWR", "LGA"])
///     .submit()?;
///
/// let array = Array::open(&ctx, "mem://reads")?;
/// let late = attr("delay").gt(60.0).and(attr("origin").is_in(["JFK", "LGA"]));
/// for batch in array.read().fields(["id", "delay"]).range("id", 10..).condition(late).batches()? {
///     let batch = batch?;
///     assert_eq!(batch.values::<i64>("id")?, [12, 300]);
/// }
/// # Ok::<(), tiledb::Error>(())
/// ```
#[must_use = "a query does nothing before it is run"]
pub struct ReadQuery<'a> {
    handle: Arc<ArrayHandle>,
    fields: Option<Vec<String>>,
    subarray: Option<Subarray>,
    condition: Option<Condition>,
    layout: Option<Layout>,
    config: Option<Config>,
    batch_bytes: Option<u64>,
    on_progress: Option<OnProgress<'a>>,
    error: Option<Error>,
}

impl<'a> ReadQuery<'a> {
    pub(crate) fn new(handle: &Arc<ArrayHandle>) -> ReadQuery<'a> {
        ReadQuery {
            handle: Arc::clone(handle),
            fields: None,
            subarray: None,
            condition: None,
            layout: None,
            config: None,
            batch_bytes: None,
            on_progress: None,
            error: None,
        }
    }

    /// Selects the fields that are read: dimensions, attributes, dimension labels and `__timestamps`. Without it these are all
    /// attributes, and of sparse arrays all dimensions.
    pub fn fields<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> ReadQuery<'a> {
        self.fields = Some(names.into_iter().map(Into::into).collect());
        self
    }

    fn select(mut self, change: impl FnOnce(&mut Subarray) -> Result<()>) -> ReadQuery<'a> {
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
            self.error = change(subarray).err();
        }
        self
    }

    /// Adds a range of a dimension: `10..20`, `..=5`, `"a"..="f"`, of dates also `"2024-01-01"..="2024-06-30"`. A dimension may have
    /// several ranges; one without ranges is read as a whole.
    pub fn range<V: Into<Value> + Clone>(self, dimension: &str, range: impl RangeBounds<V>) -> ReadQuery<'a> {
        self.select(|subarray| subarray.add_range(dimension, range).map(|_| ()))
    }

    /// Adds single coordinates of a dimension.
    pub fn points<V: Into<Value>>(self, dimension: &str, points: impl IntoIterator<Item = V>) -> ReadQuery<'a> {
        self.select(|subarray| subarray.add_points(dimension, points).map(|_| ()))
    }

    /// Adds a range of values of a dimension label.
    pub fn label_range<V: Into<Value> + Clone>(self, label: &str, range: impl RangeBounds<V>) -> ReadQuery<'a> {
        self.select(|subarray| subarray.add_label_range(label, range).map(|_| ()))
    }

    /// Replaces all ranges by those of a subarray.
    pub fn subarray(mut self, subarray: &Subarray) -> ReadQuery<'a> {
        self.subarray = Some(subarray.clone());
        self
    }

    /// Reads only cells that meet a condition. Of dense arrays all cells are returned: those that do not meet it have the fill
    /// value.
    pub fn condition(mut self, condition: Condition) -> ReadQuery<'a> {
        self.condition = Some(match self.condition.take() {
            Some(other) => other.and(condition),
            None => condition,
        });
        self
    }

    /// Reads only cells that meet a condition, given as a text such as `delay > 60 and origin in ('JFK', 'EWR')`.
    pub fn condition_text(mut self, text: &str) -> ReadQuery<'a> {
        match text.parse() {
            Ok(condition) => self.condition(condition),
            Err(error) => {
                self.error.get_or_insert(error);
                self
            }
        }
    }

    /// Sets the order of the results: row-major unless it is set. Sparse arrays are read fastest in [`Layout::Unordered`].
    pub fn layout(mut self, layout: Layout) -> ReadQuery<'a> {
        self.layout = Some(layout);
        self
    }

    /// Sets parameters for this query, which override those of the context.
    pub fn config(mut self, config: &Config) -> ReadQuery<'a> {
        self.config = Some(config.clone());
        self
    }

    /// Sets the size of batches in bytes, approximately.
    pub fn batch_bytes(mut self, bytes: u64) -> ReadQuery<'a> {
        self.batch_bytes = Some(bytes);
        self
    }

    /// Sets a callback that receives progress while a batch is read, at least ten times a second, and may stop it.
    pub fn on_progress(mut self, callback: impl FnMut(Progress) -> ControlFlow<()> + Send + 'a) -> ReadQuery<'a> {
        self.on_progress = Some(Box::new(callback));
        self
    }

    /// The session of the query, and its fields; `None` for all.
    fn begin(&mut self) -> Result<(QuerySession, Option<Vec<String>>)> {
        if let Some(error) = self.error.take() {
            return Err(error.at(self.handle.uri()));
        }
        let mut session = QuerySession::new(&self.handle, QueryType::Read)?;
        let query = &mut session.query;
        let uri = self.handle.uri();
        if let Some(config) = &self.config {
            query.set_config(&config.0).at(uri)?;
            // The configuration has one, too.
            query.set_offset_format(OFFSETS);
        }
        if let Some(layout) = self.layout {
            query.set_layout(layout.engine()).at(uri)?;
        }
        match &self.subarray {
            Some(subarray) => query.set_subarray(&subarray.0).at(uri)?,
            // Dense reads need ranges: those of the cells that there can be at present.
            None if query.array().schema().is_dense() => {
                let whole = Subarray::present(query.array()).at(uri)?;
                query.set_subarray(&whole.0).at(uri)?;
            }
            None => {}
        }
        if let Some(condition) = &self.condition {
            let condition = condition.engine(query.array().schema()).at(uri)?;
            query.set_condition(Some(condition)).at(uri)?;
        }
        Ok((session, self.fields.take()))
    }

    /// Runs the read; its results come batch by batch.
    ///
    /// # Errors
    /// If a field, a range or the condition does not fit the array.
    pub fn batches(mut self) -> Result<Batches<'a>> {
        let (session, names) = self.begin()?;
        let fields = fields_of(&session, names).at(self.handle.uri())?;
        let bytes = match self.batch_bytes {
            Some(bytes) => bytes.max(1),
            None => BATCH_BYTES.bytes().min(budget::total(session.query.config())? / BATCH_PART.bytes()).max(1),
        };
        let is_dense = session.query.array().schema().is_dense();
        let cells = if is_dense { Subarray(session.query.subarray().clone()).cell_count() } else { None };
        Ok(Batches::new(session, fields, bytes, cells, self.on_progress))
    }

    /// Runs the read and returns all results in one batch.
    ///
    /// # Errors
    /// As [`ReadQuery::batches`], and if the read fails.
    pub fn all(self) -> Result<Batch> {
        let mut batches = self.batches()?;
        let Some(first) = batches.next().transpose()? else { return Ok(batches.empty()) };
        let mut all = vec![first];
        for batch in &mut batches {
            all.push(batch?);
        }
        if let [_] = all.as_slice()
            && let Some(only) = all.pop()
        {
            return Ok(only);
        }
        Ok(Batch::concatenated(all)?.unwrap_or_else(|| batches.empty()))
    }

    /// Prepares the read to fill buffers of the caller; see [`Reader`].
    ///
    /// # Errors
    /// As [`ReadQuery::batches`].
    pub fn reader(mut self) -> Result<Reader> {
        Ok(Reader::new(self.begin()?.0))
    }

    /// Computes aggregates of the cells instead of reading them.
    ///
    /// # Errors
    /// As [`ReadQuery::batches`], for a field that an aggregate does not apply to, and if the read fails.
    pub fn aggregate(mut self, aggregates: impl IntoIterator<Item = Aggregate>) -> Result<Aggregates> {
        let aggregates: Vec<Aggregate> = aggregates.into_iter().collect();
        aggregate(|| Ok(self.begin()?.0), &aggregates)
    }

    /// Divides the read into parts with about the same number of cells each, at most `parts`, for threads or processes: each reads
    /// its part with [`ReadQuery::subarray`]. Together they cover each cell once.
    ///
    /// # Errors
    /// As [`ReadQuery::batches`], and for arrays on a server.
    pub fn partitions(mut self, parts: u64) -> Result<Vec<Partition>> {
        let session = self.begin()?.0;
        partitions(&session, parts).at(self.handle.uri())
    }

    /// Passes the tiles of each fragment that the read intersects to `visit`, until it breaks off: the URI of the fragment, the number
    /// of the tile, and whether its cells meet the condition, by the metadata alone. No cell is read.
    ///
    /// ```
    /// # use std::ops::ControlFlow;
    /// # use tiledb::{Array, ArraySchema, Attribute, Context, Dimension};
    /// use tiledb::{TileMatch, attr};
    /// # let ctx = Context::new()?;
    /// # let schema = ArraySchema::dense().dimension(Dimension::new("x", 0..=9_i32).tile(5)).attribute(Attribute::new::<i32>("a")).build()?;
    /// # Array::create(&ctx, "mem://tiles", &schema)?;
    /// # Array::open_for_writing(&ctx, "mem://tiles")?.write().values("a", &(0..10).collect::<Vec<i32>>()).submit()?;
    /// let mut matches = Vec::new();
    /// Array::open(&ctx, "mem://tiles")?.read().condition(attr("a").gt(7)).tiles(|_, tile, verdict| {
    ///     matches.push((tile, verdict));
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(matches, [(0, TileMatch::Excluded), (1, TileMatch::Some)]);
    /// # Ok::<(), tiledb::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`ReadQuery::batches`], and for arrays on a server.
    pub fn tiles(mut self, mut visit: impl FnMut(&str, u64, TileMatch) -> ControlFlow<()>) -> Result<()> {
        let session = self.begin()?.0;
        visit_tiles(&session, &mut visit).at(self.handle.uri())
    }

    /// Estimates the size in bytes of the results of a field from the metadata of the array: of values, offsets and validity.
    ///
    /// # Errors
    /// As [`ReadQuery::batches`].
    pub fn estimate(mut self, field: &str) -> Result<[u64; 3]> {
        let mut session = self.begin()?.0;
        let known = find(&session, field).at(self.handle.uri())?;
        let size = session.estimate(field, known.is_var(), known.is_nullable())?;
        Ok([size.data, size.offsets, size.validity])
    }

    /// The session of this read, for modules that convert results themselves.
    #[cfg(feature = "arrow")]
    pub(crate) fn into_session(mut self) -> Result<(QuerySession, Option<Vec<String>>, u64)> {
        let (session, names) = self.begin()?;
        Ok((session, names, self.batch_bytes.unwrap_or(0)))
    }
}

fn find(session: &QuerySession, name: &str) -> Result<Field> {
    let schema = session.query.array().schema();
    Field::find(schema, name).ok_or_else(|| {
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name.as_str()).collect();
        Error::not_found(format!("There is no field '{name}'; there are: {}", names.join(", ")))
    })
}

/// The fields of these names; without names the attributes, and of sparse arrays the dimensions.
fn fields_of(session: &QuerySession, names: Option<Vec<String>>) -> Result<Vec<Field>> {
    let schema = session.query.array().schema();
    let names = names.unwrap_or_else(|| {
        let dimensions = schema.domain().dimensions().iter().filter(|_| !schema.is_dense());
        let dimensions = dimensions.map(|dimension| dimension.name().to_string());
        dimensions.chain(schema.attributes().iter().map(|attribute| attribute.name().to_string())).collect()
    });
    if names.is_empty() {
        return Err(Error::invalid("No fields are read; name one"));
    }
    for (at, name) in names.iter().enumerate() {
        if names[..at].contains(name) {
            return Err(Error::invalid(format!("Field '{name}' is read twice")));
        }
    }
    names.iter().map(|name| find(session, name)).collect()
}
