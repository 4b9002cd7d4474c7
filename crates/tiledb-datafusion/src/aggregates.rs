//! Aggregates that the engine computes: of all rows of a sparse array, or of those that it selects exactly.

use std::any::Any;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{Field, Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column as ColumnName, ScalarValue};
use datafusion::datasource::{TableType, provider_as_source, source_as_provider};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{
    Aggregate as AggregatePlan, Expr, LogicalPlan, LogicalPlanBuilder, TableProviderFilterPushDown,
};
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};
use datafusion::physical_plan::ExecutionPlan;
use tiledb::{Aggregate, Aggregates, Value};

use crate::error::external;
use crate::fields::{Column, is_whole};
use crate::filters::{Pushdown, support};
use crate::one_row::OneRow;
use crate::table::ArrayTable;

/// The name of the table that replaces the aggregated one.
const TABLE: &str = "array_aggregates";

/// Replaces aggregates of a whole table by their results, which the engine computes.
#[derive(Debug)]
pub(crate) struct PushDownAggregates;

impl OptimizerRule for PushDownAggregates {
    fn name(&self) -> &str {
        "push_down_array_aggregates"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn rewrite(&self, plan: LogicalPlan, _: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        let replaced = match &plan {
            LogicalPlan::Aggregate(aggregate) => replacement(aggregate)?,
            _ => None,
        };
        Ok(replaced.map_or_else(|| Transformed::no(plan), Transformed::yes))
    }
}

/// An aggregate of the engine, and what SQL makes of its result.
#[derive(Clone, Debug)]
enum Computed {
    /// The number of rows.
    Count,
    /// The number of rows in which a field is not null.
    CountValid(String),
    Min(String),
    Max(String),
}

impl Computed {
    /// The aggregate of an expression; `None` if DataFusion has to compute it.
    fn of(expr: &Expr, table: &ArrayTable) -> Option<Computed> {
        let function = match expr {
            Expr::Alias(alias) => return Computed::of(&alias.expr, table),
            Expr::AggregateFunction(function) => function,
            _ => return None,
        };
        let parameters = &function.params;
        if parameters.distinct || parameters.filter.is_some() || !parameters.order_by.is_empty() {
            return None;
        }
        let [argument] = parameters.args.as_slice() else { return None };
        match (function.func.name(), argument) {
            ("count", Expr::Literal(constant, _)) if !constant.is_null() => Some(Computed::Count),
            (name, Expr::Column(column)) => Computed::of_column(name, table.fields().find(&column.name)?),
            _ => None,
        }
    }

    fn of_column(function: &str, column: &Column) -> Option<Computed> {
        let is_integer = is_whole(column.datatype) && !column.datatype.is_datetime() && !column.datatype.is_time();
        // Of other columns SQL has nulls and orders that the engine has not.
        if !is_integer || !column.is_scalar || column.has_enumeration {
            return None;
        }
        match function {
            "count" if column.is_nullable => Some(Computed::CountValid(column.name.clone())),
            "count" => Some(Computed::Count),
            "min" => Some(Computed::Min(column.name.clone())),
            "max" => Some(Computed::Max(column.name.clone())),
            _ => None,
        }
    }

    fn aggregate(&self) -> Aggregate {
        match self {
            Computed::Count => Aggregate::count(),
            Computed::CountValid(name) => Aggregate::null_count(name),
            Computed::Min(name) => Aggregate::min(name),
            Computed::Max(name) => Aggregate::max(name),
        }
    }

    fn result(&self, number: usize, results: &Aggregates) -> ScalarValue {
        let of = |name: &str| match results.get(name) {
            Some(Value::Unsigned(value)) => ScalarValue::UInt64(Some(*value)),
            Some(Value::Int(value)) => ScalarValue::Int64(Some(*value)),
            _ => ScalarValue::Int64(None),
        };
        let count = |name: &str| results.get(name).and_then(Value::as_u64).unwrap_or(0);
        match self {
            Computed::CountValid(_) => {
                ScalarValue::UInt64(Some(count(ROWS).saturating_sub(count(&number.to_string()))))
            }
            // Of no row the engine has a value for fields that are never null.
            Computed::Min(_) | Computed::Max(_) if count(ROWS) == 0 => ScalarValue::Int64(None),
            _ => of(&number.to_string()),
        }
    }
}

/// The name of the number of rows among the results.
const ROWS: &str = "rows";

fn replacement(aggregate: &AggregatePlan) -> Result<Option<LogicalPlan>> {
    if !aggregate.group_expr.is_empty() {
        return Ok(None);
    }
    let mut input = &aggregate.input;
    while let LogicalPlan::SubqueryAlias(alias) = &**input {
        input = &alias.input;
    }
    let LogicalPlan::TableScan(scan) = &**input else { return Ok(None) };
    let Ok(provider) = source_as_provider(&scan.source) else { return Ok(None) };
    let Some(table) = (&*provider as &dyn Any).downcast_ref::<ArrayTable>() else { return Ok(None) };
    let is_exact = |filter: &Expr| support(filter, table.fields()) == TableProviderFilterPushDown::Exact;
    if table.fields().is_dense || scan.fetch.is_some() || !scan.filters.iter().all(is_exact) {
        return Ok(None);
    }
    let computed = aggregate.aggr_expr.iter().map(|expr| Computed::of(expr, table));
    let Some(computed) = computed.collect::<Option<Vec<Computed>>>() else { return Ok(None) };
    let fields = aggregate.schema.fields().iter().enumerate().map(|(number, field)| {
        Arc::new(Field::new(number.to_string(), field.data_type().clone(), field.is_nullable()))
    });
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let results = AggregatedTable { table: table.clone(), filters: scan.filters.clone(), computed, schema };
    let names = aggregate.schema.iter().enumerate().map(|(number, (qualifier, field))| {
        let column = Expr::Column(ColumnName::new(Some(TABLE), number.to_string()));
        match qualifier {
            Some(qualifier) => column.alias_qualified(Some(qualifier.clone()), field.name()),
            None => column.alias(field.name()),
        }
    });
    let plan = LogicalPlanBuilder::scan(TABLE, provider_as_source(Arc::new(results)), None)?.project(names)?;
    Ok(Some(plan.build()?))
}

/// The results of aggregates as a table of one row.
#[derive(Clone, Debug)]
struct AggregatedTable {
    table: ArrayTable,
    filters: Vec<Expr>,
    computed: Vec<Computed>,
    schema: SchemaRef,
}

impl AggregatedTable {
    fn compute(&self) -> Result<RecordBatch> {
        let pushdown = Pushdown::new(&self.filters, self.table.fields());
        let table = self.table.for_query()?;
        let results = match table.selection(pushdown)? {
            Some(selection) => {
                let named = self.computed.iter().enumerate();
                let named = named.map(|(number, computed)| computed.aggregate().named(number.to_string()));
                let aggregates = named.chain([Aggregate::count().named(ROWS)]);
                Some(selection.query(table.array()).aggregate(aggregates).map_err(external)?)
            }
            None => None,
        };
        let columns = self.computed.iter().zip(self.schema.fields()).enumerate().map(|(number, (computed, field))| {
            let result = match (&results, computed) {
                (Some(results), computed) => computed.result(number, results),
                (None, Computed::Count | Computed::CountValid(_)) => ScalarValue::UInt64(Some(0)),
                (None, _) => ScalarValue::Int64(None),
            };
            result.cast_to(field.data_type())?.to_array()
        });
        let columns = columns.collect::<Result<Vec<_>, DataFusionError>>()?;
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns)?)
    }
}

#[async_trait]
impl TableProvider for AggregatedTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Temporary
    }

    async fn scan(
        &self,
        _: &dyn Session,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        _: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let columns = projection.cloned().unwrap_or_else(|| (0..self.schema.fields().len()).collect());
        let schema = Arc::new(self.schema.project(&columns)?);
        let filters: Vec<String> = self.filters.iter().map(Expr::to_string).collect();
        let description = format!(
            "uri={}, aggregates={:?}, filters=[{}]",
            self.table.array().uri(),
            self.computed,
            filters.join(", ")
        );
        let table = self.clone();
        let work = move || Ok(table.compute()?.project(&columns)?);
        Ok(Arc::new(OneRow::new("ArrayAggregates", description, schema, work)))
    }
}
