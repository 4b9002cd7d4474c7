//! `DELETE`: the plan that deletes the cells that meet a condition.

use std::fmt;
use std::sync::Arc;

use arrow::array::{RecordBatch, UInt64Array};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::internal_err;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::Expr;
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchReceiverStreamBuilder;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions};
use tiledb::{Aggregate, Array, Condition, Context};

use crate::error::external;
use crate::fields::ArrayFields;
use crate::filters::exact_condition;

/// The plan that deletes the cells of an array that meet all filters.
pub(crate) fn delete_plan(
    ctx: &Context,
    uri: &str,
    fields: &ArrayFields,
    filters: &[Expr],
) -> Result<Arc<dyn ExecutionPlan>> {
    let refused = |reason: String| DataFusionError::NotImplemented(format!("DELETE FROM '{uri}': {reason}"));
    if fields.is_dense {
        return Err(refused("cells of dense arrays cannot be deleted".to_owned()));
    }
    let mut condition: Option<Condition> = None;
    for filter in filters {
        let Some(part) = exact_condition(filter, fields) else {
            return Err(refused(format!("'{filter}' is not a condition that the array stores exactly")));
        };
        condition = match (condition.take(), part) {
            (Some(one), Some(other)) => Some(one.and(other)),
            (one, other) => one.or(other),
        };
    }
    let Some(condition) = condition else {
        return Err(refused("name a condition; `tiledb-rs rm` removes arrays as a whole".to_owned()));
    };
    let schema = Arc::new(Schema::new(vec![Field::new("count", DataType::UInt64, false)]));
    let properties = PlanProperties::new(
        EquivalenceProperties::new(Arc::clone(&schema)),
        Partitioning::UnknownPartitioning(1),
        EmissionType::Final,
        Boundedness::Bounded,
    );
    Ok(Arc::new(Deletion {
        ctx: ctx.clone(),
        uri: uri.to_owned(),
        condition,
        schema,
        properties: Arc::new(properties),
    }))
}

/// Deletes the cells of an array that meet a condition.
#[derive(Debug)]
struct Deletion {
    ctx: Context,
    uri: String,
    condition: Condition,
    schema: SchemaRef,
    properties: Arc<PlanProperties>,
}

/// Deletes the cells, and returns how many there were.
fn delete(ctx: &Context, uri: &str, condition: Condition) -> tiledb::Result<u64> {
    let counts = Array::open(ctx, uri)?.read().condition(condition.clone()).aggregate([Aggregate::count()])?;
    Array::open_for_deletion(ctx, uri)?.delete(&condition)?;
    Ok(counts.get("count").and_then(tiledb::Value::as_u64).unwrap_or(0))
}

impl DisplayAs for Deletion {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ArrayDeletion: uri={}, condition={}", self.uri, self.condition)
    }
}

impl ExecutionPlan for Deletion {
    fn name(&self) -> &str {
        "ArrayDeletion"
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
        if children.is_empty() { Ok(self) } else { internal_err!("An ArrayDeletion has no children") }
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        if children.is_empty() { Ok(self) } else { internal_err!("An ArrayDeletion has no children") }
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn execute(&self, _: usize, _: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let mut builder = RecordBatchReceiverStreamBuilder::new(Arc::clone(&self.schema), 1);
        let counts = builder.tx();
        let ctx = self.ctx.clone();
        let uri = self.uri.clone();
        let condition = self.condition.clone();
        let schema = Arc::clone(&self.schema);
        builder.spawn_blocking(move || {
            let count = delete(&ctx, &uri, condition).map_err(external)?;
            let batch = RecordBatch::try_new(schema, vec![Arc::new(UInt64Array::from(vec![count]))])?;
            let _ = counts.blocking_send(Ok(batch));
            Ok(())
        });
        Ok(builder.build())
    }
}
