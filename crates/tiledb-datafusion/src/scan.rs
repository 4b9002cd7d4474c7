//! Reads of arrays as operators of a plan.

use std::fmt;
use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchOptions};
use arrow::datatypes::SchemaRef;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Statistics, internal_err};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::sort_pushdown::SortOrderPushdownResult;
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::stream::RecordBatchReceiverStreamBuilder;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions};
use tiledb::{Aggregate, Array, Condition, Layout, ReadQuery, Subarray};
use tokio::sync::mpsc::Sender;

use crate::batches::{batch_of, schema_of};
use crate::columns::table_batch;
use crate::error::external;
use crate::fields::ArrayFields;

/// The cells of a read.
#[derive(Clone, Debug)]
pub(crate) struct ScanSelection {
    pub(crate) subarray: Subarray,
    /// Whether the subarray is not the whole domain.
    pub(crate) has_ranges: bool,
    pub(crate) condition: Option<Condition>,
}

impl ScanSelection {
    /// A query of these cells.
    pub(crate) fn query<'a>(&self, array: &Array) -> ReadQuery<'a> {
        let query = array.read().subarray(&self.subarray);
        match &self.condition {
            Some(condition) => query.condition(condition.clone()),
            None => query,
        }
    }
}

/// A read of an array, divided into partitions that threads read.
#[derive(Clone, Debug)]
pub(crate) struct ArrayScan {
    array: Array,
    fields: Arc<ArrayFields>,
    schema: SchemaRef,
    selection: ScanSelection,
    /// The ranges of each partition, with the estimated number of cells.
    partitions: Vec<(Subarray, u64)>,
    layout: Layout,
    limit: Option<usize>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

/// A partition has at least as many cells, if their number is known: another thread costs more than to read fewer.
const MIN_PARTITION_CELLS: u64 = 100_000;

/// Bytes that a submit reads: a few batches of DataFusion, which stay in the cache.
const READ_BYTES: u64 = 4 << 20;

/// Batches that a partition reads ahead.
const READ_AHEAD: usize = 4;

impl ArrayScan {
    pub(crate) fn new(
        array: &Array,
        fields: &Arc<ArrayFields>,
        schema: SchemaRef,
        selection: ScanSelection,
        threads: usize,
        limit: Option<usize>,
    ) -> Result<ArrayScan> {
        let partitions = divide(array, &selection, threads, limit)?;
        let layout = if array.schema().is_dense() { Layout::RowMajor } else { Layout::Unordered };
        let properties = properties(array, &schema, layout, partitions.len());
        Ok(ArrayScan {
            array: array.clone(),
            fields: Arc::clone(fields),
            schema,
            selection,
            partitions,
            layout,
            limit,
            properties,
            metrics: ExecutionPlanMetricsSet::new(),
        })
    }

    /// The same read in row-major order.
    fn in_order(&self) -> ArrayScan {
        let layout = Layout::RowMajor;
        let partitions = vec![(self.selection.subarray.clone(), self.cells())];
        let properties = properties(&self.array, &self.schema, layout, partitions.len());
        ArrayScan { layout, partitions, properties, ..self.clone() }
    }

    fn cells(&self) -> u64 {
        self.partitions.iter().fold(0, |sum, (_, cells)| sum.saturating_add(*cells))
    }
}

fn divide(
    array: &Array,
    selection: &ScanSelection,
    threads: usize,
    limit: Option<usize>,
) -> Result<Vec<(Subarray, u64)>> {
    let whole = || vec![(selection.subarray.clone(), 0)];
    if array.uri().starts_with("tiledb://") || limit.is_some_and(|limit| (limit as u64) < MIN_PARTITION_CELLS) {
        return Ok(whole());
    }
    let parts = selection.query(array).partitions(threads as u64).map_err(external)?;
    let cells = parts.iter().fold(0_u64, |sum, part| sum.saturating_add(part.cells));
    if parts.is_empty() || cells < MIN_PARTITION_CELLS.saturating_mul(parts.len() as u64) {
        return Ok(vec![(selection.subarray.clone(), cells)]);
    }
    Ok(parts.into_iter().map(|part| (part.subarray, part.cells)).collect())
}

fn properties(array: &Array, schema: &SchemaRef, layout: Layout, partitions: usize) -> Arc<PlanProperties> {
    let mut equivalence = EquivalenceProperties::new(Arc::clone(schema));
    if layout == Layout::RowMajor {
        let order = order_of(array, schema);
        if !order.is_empty() {
            equivalence.add_ordering(order);
        }
    }
    let partitioning = Partitioning::UnknownPartitioning(partitions);
    Arc::new(PlanProperties::new(equivalence, partitioning, EmissionType::Incremental, Boundedness::Bounded))
}

/// The order of cells in row-major order, by the first dimensions that are columns. Coordinates are never null.
fn order_of(array: &Array, schema: &SchemaRef) -> Vec<PhysicalSortExpr> {
    let dimensions = array.schema().dimensions();
    // DataFusion orders -0 before 0.
    let ordered = dimensions.iter().take_while(|dimension| !crate::fields::is_real(dimension.datatype()));
    let columns = ordered.map_while(|dimension| {
        let index = schema.index_of(dimension.name()).ok()?;
        let column: Arc<dyn PhysicalExpr> = Arc::new(Column::new(dimension.name(), index));
        Some(PhysicalSortExpr::new_default(column))
    });
    columns.collect()
}

impl DisplayAs for ArrayScan {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ArrayScan: uri={}, partitions={}", self.array.uri(), self.partitions.len())?;
        write!(f, ", columns={:?}", self.schema.fields().iter().map(|field| field.name()).collect::<Vec<_>>())?;
        if self.selection.has_ranges {
            write!(f, ", ranges={:?}", self.selection.subarray)?;
        }
        if let Some(condition) = &self.selection.condition {
            write!(f, ", condition={condition}")?;
        }
        if self.layout == Layout::RowMajor {
            f.write_str(", in order")?;
        }
        if let Some(limit) = self.limit {
            write!(f, ", limit={limit}")?;
        }
        Ok(())
    }
}

impl ExecutionPlan for ArrayScan {
    fn name(&self) -> &str {
        "ArrayScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if children.is_empty() { Ok(self) } else { internal_err!("An ArrayScan has no children") }
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        if children.is_empty() { Ok(self) } else { internal_err!("An ArrayScan has no children") }
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let Some((subarray, _)) = self.partitions.get(partition) else {
            return internal_err!("An ArrayScan has {} partitions, not {partition}", self.partitions.len());
        };
        let read = Read {
            array: self.array.clone(),
            fields: Arc::clone(&self.fields),
            schema: Arc::clone(&self.schema),
            selection: ScanSelection { subarray: subarray.clone(), ..self.selection.clone() },
            layout: self.layout,
            limit: self.limit.unwrap_or(usize::MAX),
            rows: context.session_config().batch_size().max(1),
            metrics: BaselineMetrics::new(&self.metrics, partition),
        };
        let mut builder = RecordBatchReceiverStreamBuilder::new(Arc::clone(&self.schema), READ_AHEAD);
        let batches = builder.tx();
        builder.spawn_blocking(move || read.run(&batches));
        Ok(builder.build())
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn statistics_from_inputs(&self, _: &[Arc<Statistics>], args: &StatisticsArgs) -> Result<Arc<Statistics>> {
        let cells = match args.partition() {
            Some(partition) => self.partitions.get(partition).map_or(0, |(_, cells)| *cells),
            None => self.cells(),
        };
        let mut statistics = Statistics::new_unknown(&self.schema);
        if cells > 0 {
            let rows = usize::try_from(cells).unwrap_or(usize::MAX).min(self.limit.unwrap_or(usize::MAX));
            statistics.num_rows = Precision::Inexact(rows);
        }
        Ok(Arc::new(statistics))
    }

    fn supports_limit_pushdown(&self) -> bool {
        true
    }

    fn with_fetch(&self, limit: Option<usize>) -> Option<Arc<dyn ExecutionPlan>> {
        Some(Arc::new(ArrayScan { limit, ..self.clone() }))
    }

    fn fetch(&self) -> Option<usize> {
        self.limit
    }

    fn try_pushdown_sort(&self, order: &[PhysicalSortExpr]) -> Result<SortOrderPushdownResult<Arc<dyn ExecutionPlan>>> {
        let has_order = |scan: &ArrayScan| scan.properties.eq_properties.ordering_satisfy(order.iter().cloned());
        if has_order(self)? && self.partitions.len() == 1 {
            return Ok(SortOrderPushdownResult::Exact { inner: Arc::new(self.clone()) });
        }
        let ordered = self.in_order();
        if !has_order(&ordered)? {
            return Ok(SortOrderPushdownResult::Unsupported);
        }
        Ok(SortOrderPushdownResult::Exact { inner: Arc::new(ordered) })
    }
}

/// The work of a partition.
struct Read {
    array: Array,
    fields: Arc<ArrayFields>,
    schema: SchemaRef,
    selection: ScanSelection,
    layout: Layout,
    limit: usize,
    /// The rows of a batch.
    rows: usize,
    metrics: BaselineMetrics,
}

impl Read {
    fn run(self, batches: &Sender<Result<RecordBatch>>) -> Result<()> {
        if self.schema.fields().is_empty() { self.count(batches) } else { self.read(batches) }
    }

    /// Sends a batch; false if nobody receives any more.
    fn send(&self, batch: RecordBatch, batches: &Sender<Result<RecordBatch>>) -> bool {
        self.metrics.record_output(batch.num_rows());
        batches.blocking_send(Ok(batch)).is_ok()
    }

    /// Batches of rows without columns, whose number alone matters.
    fn count(&self, batches: &Sender<Result<RecordBatch>>) -> Result<()> {
        let query = self.selection.query(&self.array).layout(self.layout);
        let counts = query.aggregate([Aggregate::count()]).map_err(external)?;
        let cells = counts.get("count").and_then(tiledb::Value::as_u64).unwrap_or(0);
        let rows = usize::try_from(cells).unwrap_or(usize::MAX).min(self.limit);
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        self.send(RecordBatch::try_new_with_options(Arc::clone(&self.schema), Vec::new(), &options)?, batches);
        Ok(())
    }

    fn read(&self, batches: &Sender<Result<RecordBatch>>) -> Result<()> {
        let names = self.schema.fields().iter().map(|field| field.name());
        let query = self.selection.query(&self.array).fields(names).layout(self.layout);
        let mut left = self.limit;
        let reader = query.batch_bytes(READ_BYTES).record_batches().map_err(external)?;
        let read = schema_of(&arrow_array::RecordBatchReader::schema(&reader))?;
        for batch in reader {
            let timer = self.metrics.elapsed_compute().timer();
            let batch = batch.map_err(|error| datafusion::error::DataFusionError::External(Box::new(error)))?;
            let batch = table_batch(&batch_of(batch, &read)?, &self.schema, &self.fields)?;
            timer.done();
            let mut start = 0;
            while start < batch.num_rows().min(left) {
                let length = self.rows.min(batch.num_rows().min(left) - start);
                if !self.send(batch.slice(start, length), batches) {
                    return Ok(());
                }
                start += length;
            }
            left -= start;
            if left == 0 {
                break;
            }
        }
        Ok(())
    }
}
