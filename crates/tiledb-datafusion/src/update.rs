//! `DELETE`: the plan that deletes the cells that meet a condition.

use std::sync::Arc;

use arrow::array::{RecordBatch, UInt64Array};
use arrow::datatypes::{DataType, Field, Schema};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::Expr;
use datafusion::physical_plan::ExecutionPlan;
use tiledb::{Aggregate, Array, Condition, Context};

use crate::error::external;
use crate::fields::ArrayFields;
use crate::filters::exact_condition;
use crate::one_row::OneRow;

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
    let description = format!("uri={uri}, condition={condition}");
    let ctx = ctx.clone();
    let uri = uri.to_owned();
    let row_schema = Arc::clone(&schema);
    Ok(Arc::new(OneRow::new("ArrayDeletion", description, schema, move || {
        let count = delete(&ctx, &uri, &condition).map_err(external)?;
        Ok(RecordBatch::try_new(Arc::clone(&row_schema), vec![Arc::new(UInt64Array::from(vec![count]))])?)
    })))
}

/// Deletes the cells, and returns how many there were.
fn delete(ctx: &Context, uri: &str, condition: &Condition) -> tiledb::Result<u64> {
    let counts = Array::open(ctx, uri)?.read().condition(condition.clone()).aggregate([Aggregate::count()])?;
    Array::open_for_deletion(ctx, uri)?.delete(condition)?;
    Ok(counts.get("count").and_then(tiledb::Value::as_u64).unwrap_or(0))
}
