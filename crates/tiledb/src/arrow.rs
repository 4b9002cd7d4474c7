//! Record batches of arrow-rs.

use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::query::{QuerySession, ReadQuery, WriteQuery, WriteSummary};
use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use tiledb_arrow::{self as engine, QueryAccess, QueryWork, ResultBatches};

/// A session that a stream uses, on whatever thread it is read.
struct SharedSession(Mutex<QuerySession>);

impl QueryAccess for SharedSession {
    fn with(&self, work: &mut QueryWork<'_>) -> tiledb_core::error::Result<()> {
        let mut session = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        session.run(|query, submit| work(query, submit)).map_err(Error::into_engine)
    }
}

/// The results of a read as record batches of arrow-rs; made by [`ReadQuery::record_batches`].
///
/// It is a [`RecordBatchReader`], which writers of Parquet, IPC files and other libraries accept. Batches own their memory.
pub struct RecordBatches(RecordBatchStreamReader);

impl std::fmt::Debug for RecordBatches {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecordBatches").field("schema", &self.0.schema()).finish_non_exhaustive()
    }
}

impl Iterator for RecordBatches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Result<RecordBatch, ArrowError>> {
        self.0.next()
    }
}

impl RecordBatchReader for RecordBatches {
    fn schema(&self) -> SchemaRef {
        self.0.schema()
    }
}

impl ReadQuery<'_> {
    /// Runs the read; its results come as record batches of arrow-rs, without copies of fixed-size columns.
    ///
    /// Without [`fields`](ReadQuery::fields) these are all dimensions and attributes. Attributes with an enumeration become
    /// dictionaries, dates timestamps, texts `LargeUtf8`. `docs/arrow.md` has the table of types.
    ///
    /// ```
    /// use arrow_array::Float64Array;
    /// use tiledb::{Array, ArraySchema, Attribute, Context, Dimension};
    ///
    /// let ctx = Context::new()?;
    /// let schema = ArraySchema::sparse()
    ///     .dimension(Dimension::new("id", 0..=99_i64))
    ///     .attribute(Attribute::new::<f64>("delay"))
    ///     .build()?;
    /// Array::create(&ctx, "mem://as_arrow", &schema)?;
    /// Array::open_for_writing(&ctx, "mem://as_arrow")?
    ///     .write()
    ///     .values("id", &[1_i64, 2])
    ///     .values("delay", &[0.5, 1.5])
    ///     .submit()?;
    /// for batch in Array::open(&ctx, "mem://as_arrow")?.read().record_batches()? {
    ///     let batch = batch?;
    ///     let delays = batch.column_by_name("delay").unwrap().as_any().downcast_ref::<Float64Array>().unwrap();
    ///     assert_eq!(delays.values(), &[0.5, 1.5]);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a field, a range or the condition does not fit the array, and for fields that Arrow cannot represent.
    pub fn record_batches(self) -> Result<RecordBatches> {
        let (session, names, bytes) = self.into_session()?;
        let access = Box::new(SharedSession(Mutex::new(session)));
        let batches = ResultBatches::new(access, names.as_deref(), bytes)?;
        Ok(RecordBatches(engine::record_batches(batches)?))
    }
}

impl WriteQuery<'_> {
    /// Writes the rows of record batches: a column for every field that the write needs, by their names. Instead of
    /// [`submit`](WriteQuery::submit).
    ///
    /// The rows of a dense array fill the region of the write in its order. Values of dictionaries that an enumeration lacks are
    /// an error; extend it before.
    ///
    /// # Errors
    /// If a column is missing, cannot be converted to its field, the reader fails, or storage does.
    pub fn record_batches(self, reader: impl RecordBatchReader + Send + 'static) -> Result<WriteSummary> {
        let session = SharedSession(Mutex::new(self.into_session()?));
        let stream = engine::import(Box::new(reader))?;
        engine::write(&session, stream, 0, &mut |_| Ok(()))?;
        let mut session = session.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        session.finalize()?;
        Ok(WriteSummary::of(&session))
    }
}
