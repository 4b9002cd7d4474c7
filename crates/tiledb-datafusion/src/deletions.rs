//! Deletions of which DataFusion passes all conditions to the array.
//!
//! It passes those that are plain filters, and leaves out subqueries and limits: without them more cells would be deleted.

use std::any::Any;

use datafusion::common::config::ConfigOptions;
use datafusion::common::plan_err;
use datafusion::common::tree_node::TreeNode;
use datafusion::datasource::source_as_provider;
use datafusion::error::Result;
use datafusion::logical_expr::dml::DmlStatement;
use datafusion::logical_expr::{Expr, LogicalPlan, WriteOp};
use datafusion::optimizer::AnalyzerRule;

use crate::table::ArrayTable;

/// Rejects deletions from arrays with anything but filters.
#[derive(Debug)]
pub(crate) struct CheckDeletions;

impl AnalyzerRule for CheckDeletions {
    fn name(&self) -> &str {
        "check_array_deletions"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        if let LogicalPlan::Dml(statement) = &plan
            && statement.op == WriteOp::Delete
            && is_array(statement)
        {
            check(&statement.input)?;
        }
        Ok(plan)
    }
}

fn is_array(statement: &DmlStatement) -> bool {
    source_as_provider(&statement.target).is_ok_and(|provider| (&*provider as &dyn Any).is::<ArrayTable>())
}

fn check(plan: &LogicalPlan) -> Result<()> {
    match plan {
        LogicalPlan::TableScan(scan) if scan.fetch.is_none() => check_filters(&scan.filters),
        LogicalPlan::SubqueryAlias(alias) => check(&alias.input),
        LogicalPlan::Projection(projection) => check(&projection.input),
        LogicalPlan::Filter(filter) => {
            check_filters(std::slice::from_ref(&filter.predicate))?;
            check(&filter.input)
        }
        _ => plan_err!("DELETE takes conditions of the columns of the array, without subqueries and LIMIT"),
    }
}

fn check_filters(filters: &[Expr]) -> Result<()> {
    for filter in filters {
        let has_subquery = filter.exists(|expr| {
            let is_subquery = matches!(
                expr,
                Expr::ScalarSubquery(_) | Expr::InSubquery(_) | Expr::Exists(_) | Expr::SetComparison(_)
            );
            Ok(is_subquery)
        })?;
        if has_subquery {
            return plan_err!("DELETE takes conditions of the columns of the array, not '{filter}'");
        }
    }
    Ok(())
}
