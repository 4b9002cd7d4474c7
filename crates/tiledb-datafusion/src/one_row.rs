//! Operators that do some work once and return one row: deletions, and aggregates of the engine.

use std::fmt;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::common::internal_err;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchReceiverStreamBuilder;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions};

/// The work, which blocks.
type Work = dyn Fn() -> Result<RecordBatch> + Send + Sync;

/// An operator of one row.
pub(crate) struct OneRow {
    name: &'static str,
    /// What `EXPLAIN` shows behind the name.
    description: String,
    work: Arc<Work>,
    schema: SchemaRef,
    properties: Arc<PlanProperties>,
}

impl OneRow {
    pub(crate) fn new(
        name: &'static str,
        description: String,
        schema: SchemaRef,
        work: impl Fn() -> Result<RecordBatch> + Send + Sync + 'static,
    ) -> OneRow {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Final,
            Boundedness::Bounded,
        );
        OneRow { name, description, work: Arc::new(work), schema, properties: Arc::new(properties) }
    }
}

impl fmt::Debug for OneRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.description)
    }
}

impl DisplayAs for OneRow {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl ExecutionPlan for OneRow {
    fn name(&self) -> &str {
        self.name
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
        if children.is_empty() { Ok(self) } else { internal_err!("{} has no children", self.name) }
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        if children.is_empty() { Ok(self) } else { internal_err!("{} has no children", self.name) }
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn execute(&self, _: usize, _: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let mut builder = RecordBatchReceiverStreamBuilder::new(Arc::clone(&self.schema), 1);
        let rows = builder.tx();
        let work = Arc::clone(&self.work);
        builder.spawn_blocking(move || {
            // If nobody receives the row any more, the query was stopped.
            let _ = rows.blocking_send(Ok(work()?));
            Ok(())
        });
        Ok(builder.build())
    }
}
