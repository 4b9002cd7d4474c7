//! Arrays as tables.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::datasource::TableType;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::dml::InsertOp;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::empty::EmptyExec;
use tiledb::{Array, Context, Subarray, Value};

use crate::batches::schema_of;
use crate::columns::table_schema;
use crate::error::external;
use crate::fields::ArrayFields;
use crate::filters::{Pushdown, support};
use crate::insert::insert_plan;
use crate::intervals::Intervals;
use crate::scan::{ArrayScan, ScanSelection};
use crate::update::delete_plan;

/// An array as a table: the snapshot of the array that is open, which is not written to.
///
/// ```
/// use std::sync::Arc;
/// use datafusion::prelude::SessionContext;
/// use tiledb::{Array, ArraySchema, Attribute, Context, Dimension};
/// use tiledb_datafusion::ArrayTable;
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let ctx = Context::new()?;
/// let schema = ArraySchema::dense()
///     .dimension(Dimension::new("day", 1..=365_i32).tile(31))
///     .attribute(Attribute::new::<f64>("temperature"))
///     .build()?;
/// Array::create(&ctx, "mem://year", &schema)?;
/// Array::open_for_writing(&ctx, "mem://year")?
///     .write()
///     .range("day", 1..=3)
///     .values("temperature", &[1.5, 2.5, 0.5])
///     .submit()?;
///
/// let session = SessionContext::new();
/// session.register_table("year", Arc::new(ArrayTable::open(&ctx, "mem://year")?))?;
/// let warmest = session.sql("SELECT day FROM year ORDER BY temperature DESC LIMIT 1").await?.collect().await?;
/// assert_eq!(warmest[0].num_rows(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ArrayTable {
    ctx: Context,
    access: TableAccess,
    array: Array,
    schema: SchemaRef,
    fields: Arc<ArrayFields>,
}

/// What a session does with a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableAccess {
    /// Reads the snapshot of the array that is open.
    Snapshot,
    /// Reads the array as it is when a query begins, and writes to it. Only of sessions that check deletions.
    Present,
}

impl ArrayTable {
    /// Opens an array at the present time.
    ///
    /// # Errors
    /// If there is no array, or Arrow has no type for a field.
    pub fn open(ctx: &Context, uri: &str) -> Result<ArrayTable> {
        ArrayTable::new(ctx, Array::open(ctx, uri).map_err(external)?)
    }

    /// The table of an array that is open, such as at an earlier time.
    ///
    /// # Errors
    /// If Arrow has no type for a field.
    pub fn new(ctx: &Context, array: Array) -> Result<ArrayTable> {
        let fields = ArrayFields::of_schema(&array.schema());
        let batches = array.read().fields(fields.names()).record_batches().map_err(external)?;
        let schema = table_schema(schema_of(&arrow_array::RecordBatchReader::schema(&batches))?.as_ref(), &fields);
        Ok(ArrayTable { ctx: ctx.clone(), access: TableAccess::Snapshot, array, schema, fields: Arc::new(fields) })
    }

    /// The array as it is when a query begins.
    pub(crate) fn open_present(ctx: &Context, uri: &str) -> Result<ArrayTable> {
        Ok(ArrayTable { access: TableAccess::Present, ..ArrayTable::open(ctx, uri)? })
    }

    /// The table that a query reads.
    pub(crate) fn for_query(&self) -> Result<ArrayTable> {
        if self.access == TableAccess::Snapshot {
            return Ok(self.clone());
        }
        let table = ArrayTable::open(&self.ctx, self.array.uri())?;
        if table.schema != self.schema {
            return Err(DataFusionError::Execution(format!(
                "the schema of '{}' has changed since the table was created: drop and create it again",
                self.array.uri()
            )));
        }
        Ok(ArrayTable { access: self.access, ..table })
    }

    /// Rejects changes of a snapshot.
    fn check_present(&self, statement: &str) -> Result<()> {
        if self.access == TableAccess::Present {
            return Ok(());
        }
        Err(DataFusionError::Plan(format!(
            "{statement} '{}': the table is a snapshot of the array; name the array by its URI",
            self.array.uri()
        )))
    }

    /// The open array that queries read.
    pub fn array(&self) -> &Array {
        &self.array
    }

    pub(crate) fn fields(&self) -> &ArrayFields {
        &self.fields
    }

    /// The cells that a read selects; `None` if there are none.
    pub(crate) fn selection(&self, pushdown: Pushdown) -> Result<Option<ScanSelection>> {
        if pushdown.is_empty {
            return Ok(None);
        }
        let has_ranges = self.fields.is_dense || !pushdown.intervals.is_empty();
        let subarray = self.subarray(&pushdown)?;
        Ok(subarray.map(|subarray| ScanSelection { subarray, has_ranges, condition: pushdown.condition }))
    }

    /// The ranges of a read: the intervals of dimensions, and of a dense array the bounds of what was written. `None` if no cell is in
    /// them.
    fn subarray(&self, pushdown: &Pushdown) -> Result<Option<Subarray>> {
        let mut subarray = Subarray::new(&self.array.schema());
        let Some(written) = self.array.non_empty_domain().map_err(external)? else { return Ok(None) };
        let mut written: HashMap<String, (Value, Value)> =
            written.into_iter().map(|(name, low, high)| (name, (low, high))).collect();
        for column in self.fields.dimensions() {
            let Some(bounds) = written.remove(&column.name) else { continue };
            let whole = (whole(&bounds.0), whole(&bounds.1));
            match (pushdown.intervals.get(&column.name), whole) {
                (Some(intervals), (Some(low), Some(high))) => {
                    let intervals = intervals.intersect(&Intervals::one(low, high));
                    if intervals.list().is_empty() {
                        return Ok(None);
                    }
                    for &(low, high) in intervals.list() {
                        subarray.add_range(&column.name, value(low)..=value(high)).map_err(external)?;
                    }
                }
                _ if self.fields.is_dense => {
                    subarray.add_range(&column.name, bounds.0..=bounds.1).map_err(external)?;
                }
                _ => {}
            }
        }
        Ok(Some(subarray))
    }
}

/// A bound as a whole number.
fn whole(bound: &Value) -> Option<i128> {
    match bound {
        Value::Int(number) => Some((*number).into()),
        Value::Unsigned(number) => Some((*number).into()),
        _ => None,
    }
}

/// A coordinate, which is in the domain of its dimension.
fn value(coordinate: i128) -> Value {
    i64::try_from(coordinate).map_or_else(|_| Value::from(coordinate as u64), Value::from)
}

#[async_trait]
impl TableProvider for ArrayTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let columns = projection.cloned().unwrap_or_else(|| (0..self.schema.fields().len()).collect());
        let schema = Arc::new(self.schema.project(&columns)?);
        let pushdown = Pushdown::new(filters, &self.fields);
        let table = self.for_query()?;
        let Some(selection) = table.selection(pushdown)? else { return Ok(Arc::new(EmptyExec::new(schema))) };
        let options = state.config_options();
        let scan =
            ArrayScan::new(&table.array, &self.fields, schema, selection, options.execution.target_partitions, limit)?;
        Ok(Arc::new(scan))
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        Ok(filters.iter().map(|filter| support(filter, &self.fields)).collect())
    }

    async fn insert_into(
        &self,
        _state: &dyn Session,
        input: Arc<dyn ExecutionPlan>,
        insert_op: InsertOp,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.check_present("INSERT INTO")?;
        match insert_op {
            InsertOp::Append if !self.fields.is_dense => insert_plan(&self.ctx, self.array.uri(), self.schema(), input),
            InsertOp::Append => Err(DataFusionError::NotImplemented(format!(
                "INSERT INTO '{}', which is dense: write its cells by their region",
                self.array.uri()
            ))),
            _ => Err(DataFusionError::NotImplemented(format!(
                "{insert_op} INTO '{}': arrays are appended to with INSERT INTO",
                self.array.uri()
            ))),
        }
    }

    async fn delete_from(&self, _state: &dyn Session, filters: Vec<Expr>) -> Result<Arc<dyn ExecutionPlan>> {
        self.check_present("DELETE FROM")?;
        delete_plan(&self.ctx, self.array.uri(), &self.fields, &filters)
    }
}
