//! `INSERT INTO`: the rows of a plan as cells of a write.

use std::fmt;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow_array::{RecordBatch as EngineBatch, RecordBatchReader};
use arrow_schema::{ArrowError as EngineError, SchemaRef as EngineSchemaRef};
use async_trait::async_trait;
use datafusion::datasource::sink::{DataSink, DataSinkExec};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan};
use futures::StreamExt;
use tiledb::{Array, Context, Layout};
use tokio::sync::mpsc::{Receiver, channel};

use crate::batches::{engine_batch_of, engine_schema_of};
use crate::error::external;

/// Batches that wait to be written.
const WRITE_AHEAD: usize = 4;

/// The plan that writes rows to an array.
pub(crate) fn insert_plan(
    ctx: &Context,
    uri: &str,
    schema: SchemaRef,
    input: Arc<dyn ExecutionPlan>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let sink = ArraySink { ctx: ctx.clone(), uri: uri.to_owned(), schema };
    Ok(Arc::new(DataSinkExec::new(input, Arc::new(sink), None)))
}

/// An array that rows are written to.
#[derive(Debug)]
struct ArraySink {
    ctx: Context,
    uri: String,
    schema: SchemaRef,
}

impl DisplayAs for ArraySink {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ArraySink: uri={}", self.uri)
    }
}

#[async_trait]
impl DataSink for ArraySink {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    async fn write_all(&self, mut rows: SendableRecordBatchStream, _: &Arc<TaskContext>) -> Result<u64> {
        let (sender, receiver) = channel(WRITE_AHEAD);
        let reader = Rows { schema: Arc::new(engine_schema_of(&self.schema)?), receiver };
        let ctx = self.ctx.clone();
        let uri = self.uri.clone();
        let write = tokio::task::spawn_blocking(move || {
            let writer = Array::open_for_writing(&ctx, &uri)?;
            writer.write().layout(Layout::Unordered).record_batches(reader).map(|_| ())
        });
        let mut count = 0;
        let mut is_complete = true;
        while let Some(batch) = rows.next().await {
            if let Ok(batch) = &batch {
                count += batch.num_rows() as u64;
            }
            is_complete = batch.is_ok();
            // The write ended with an error, which it returns.
            if sender.send(Some(batch)).await.is_err() || !is_complete {
                is_complete = false;
                break;
            }
        }
        if is_complete {
            // Without it, as after Ctrl-C, the write fails.
            let _ = sender.send(None).await;
        }
        drop(sender);
        write.await.map_err(|error| DataFusionError::External(Box::new(error)))?.map_err(external)?;
        Ok(count)
    }
}

/// The rows that a write takes.
struct Rows {
    schema: EngineSchemaRef,
    /// `None` behind the last batch.
    receiver: Receiver<Option<Result<RecordBatch>>>,
}

impl Iterator for Rows {
    type Item = Result<EngineBatch, EngineError>;

    fn next(&mut self) -> Option<Result<EngineBatch, EngineError>> {
        let Some(batch) = self.receiver.blocking_recv() else {
            return Some(Err(EngineError::ComputeError("the statement was stopped".to_owned())));
        };
        let batch = batch?;
        Some(batch.map_err(|error| EngineError::ExternalError(Box::new(error))).and_then(engine_batch_of))
    }
}

impl RecordBatchReader for Rows {
    fn schema(&self) -> EngineSchemaRef {
        Arc::clone(&self.schema)
    }
}
