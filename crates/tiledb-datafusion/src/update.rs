//! `DELETE`: the plan that deletes the cells that meet a condition.

use std::sync::Arc;

use arrow::array::{RecordBatch, UInt64Array};
use arrow::datatypes::{DataType, Field, Schema};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::Expr;
use datafusion::physical_plan::ExecutionPlan;
use tiledb::{Aggregate, Array, ArraySchema, Condition, Context, Fragment};

use crate::error::external;
use crate::fields::ArrayFields;
use crate::filters::{deleting_condition, nullable_operands};
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
        let Some(part) = deleting_condition(filter, fields) else {
            return Err(refused(format!("'{filter}' is not a condition that the array stores exactly")));
        };
        condition = match (condition.take(), part) {
            (Some(one), Some(other)) => Some(one.and(other)),
            (one, other) => one.or(other),
        };
    }
    let operands = filters.iter().flat_map(|filter| nullable_operands(filter, fields)).collect::<Vec<String>>();
    if let Some(name) = column_with_nulls(ctx, uri, &operands)? {
        let reason = format!("rows in which '{name}' is null would be deleted, too; delete by columns without nulls");
        return Err(refused(reason));
    }
    if let Some(name) = younger_attribute(ctx, uri, condition.as_ref())? {
        let reason = format!("cells that are older than the attribute '{name}' would be deleted, too");
        return Err(refused(reason));
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

/// The first of some columns that has nulls.
fn column_with_nulls(ctx: &Context, uri: &str, names: &[String]) -> Result<Option<String>> {
    if names.is_empty() {
        return Ok(None);
    }
    let array = Array::open(ctx, uri).map_err(external)?;
    let nulls = names.iter().map(|name| Aggregate::null_count(name).named(name));
    let counts = array.read().aggregate(nulls).map_err(external)?;
    let has_nulls = |name: &&String| counts.get(name).and_then(tiledb::Value::as_u64) != Some(0);
    Ok(names.iter().find(has_nulls).cloned())
}

/// An attribute of a condition that a fragment lacks, since it was added later: of its cells every comparison with it is deleted.
fn younger_attribute(ctx: &Context, uri: &str, condition: Option<&Condition>) -> Result<Option<String>> {
    let Some(condition) = condition else { return Ok(None) };
    let fragments = Array::load_fragments(ctx, uri).map_err(external)?;
    let schemas: Vec<ArraySchema> = fragments.iter().map(Fragment::schema).collect();
    let is_missing =
        |name: &&str| schemas.iter().any(|schema| schema.attribute(name).is_none() && schema.dimension(name).is_none());
    Ok(condition.fields().into_iter().find(is_missing).map(str::to_owned))
}

/// Deletes the cells, and returns how many there were.
fn delete(ctx: &Context, uri: &str, condition: &Condition) -> tiledb::Result<u64> {
    let counts = Array::open(ctx, uri)?.read().condition(condition.clone()).aggregate([Aggregate::count()])?;
    Array::open_for_deletion(ctx, uri)?.delete(condition)?;
    Ok(counts.get("count").and_then(tiledb::Value::as_u64).unwrap_or(0))
}
