//! Arrays by their URIs: `FROM 'uri'`, `read_tiledb('uri', time)` and `CREATE EXTERNAL TABLE ... STORED AS TILEDB`.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::{
    CatalogProviderList, DynamicFileCatalog, Session, TableFunctionArgs, TableFunctionImpl, TableProvider,
    TableProviderFactory, UrlTableFactory,
};
use datafusion::common::{DataFusionError, ScalarValue, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::{CreateExternalTable, Expr};
use datafusion::prelude::SessionContext;
use tiledb::{Array, Context, Datatype, Value};

use crate::aggregates::PushDownAggregates;
use crate::deletions::CheckDeletions;
use crate::error::external;
use crate::table::ArrayTable;

/// Makes arrays tables of a session: in `FROM` by their URIs in quotes, at a time by `read_tiledb('uri', '2024-01-31')`, and by
/// `CREATE EXTERNAL TABLE name STORED AS TILEDB LOCATION 'uri'` with the option `timestamp`.
pub fn register(session: &SessionContext, ctx: &Context) {
    let factory = Arc::new(ArrayTableFactory { ctx: ctx.clone() });
    session.add_analyzer_rule(Arc::new(CheckDeletions));
    session.add_optimizer_rule(Arc::new(PushDownAggregates));
    session.register_udtf("read_tiledb", Arc::clone(&factory) as Arc<dyn TableFunctionImpl>);
    let state = session.state_ref();
    let mut state = state.write();
    state.table_factories_mut().insert("TILEDB".to_owned(), Arc::clone(&factory) as Arc<dyn TableProviderFactory>);
    let catalogs: Arc<dyn CatalogProviderList> = Arc::clone(state.catalog_list());
    state.register_catalog_list(Arc::new(DynamicFileCatalog::new(catalogs, factory)));
}

/// Opens arrays for queries that name them. Its tables are of the present, and may be deleted from, since the sessions that have it
/// check deletions.
#[derive(Clone, Debug)]
struct ArrayTableFactory {
    ctx: Context,
}

impl ArrayTableFactory {
    fn open(&self, uri: &str, time: Option<&str>) -> Result<ArrayTable> {
        let Some(time) = time else { return ArrayTable::open_present(&self.ctx, uri) };
        let time = milliseconds(time)?;
        ArrayTable::new(&self.ctx, Array::options().at(time).open(&self.ctx, uri).map_err(external)?)
    }
}

/// Milliseconds since 1970 of a number or a date.
fn milliseconds(time: &str) -> Result<u64> {
    if let Ok(number) = time.parse() {
        return Ok(number);
    }
    let bytes = Value::from(time).to_bytes(Datatype::DatetimeMs);
    let number = bytes.ok().and_then(|bytes| u64::try_from(i64::from_le_bytes(bytes.try_into().ok()?)).ok());
    number.ok_or_else(|| {
        DataFusionError::Plan(format!("'{time}' is not a time; write milliseconds since 1970 or 2024-01-31T12:00:00"))
    })
}

#[async_trait]
impl UrlTableFactory for ArrayTableFactory {
    async fn try_new(&self, url: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        // What is not a URI is the name of a table.
        if !Array::exists(&self.ctx, url).unwrap_or(false) {
            return Ok(None);
        }
        Ok(Some(Arc::new(self.open(url, None)?)))
    }
}

#[async_trait]
impl TableProviderFactory for ArrayTableFactory {
    async fn create(&self, _: &dyn Session, command: &CreateExternalTable) -> Result<Arc<dyn TableProvider>> {
        let mut time = None;
        for (name, value) in &command.options {
            match name.trim_start_matches("format.") {
                "timestamp" => time = Some(value.as_str()),
                other => return plan_err!("Arrays have no option '{other}'; they have: timestamp"),
            }
        }
        let [uri] = command.locations.as_slice() else { return plan_err!("An array has one location") };
        Ok(Arc::new(self.open(uri, time)?))
    }
}

impl TableFunctionImpl for ArrayTableFactory {
    fn call_with_args(&self, args: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        let texts: Vec<String> = args.exprs().iter().map(text_of).collect::<Result<_>>()?;
        match texts.as_slice() {
            [uri] => Ok(Arc::new(self.open(uri, None)?)),
            [uri, time] => Ok(Arc::new(self.open(uri, Some(time))?)),
            _ => plan_err!("read_tiledb takes a URI and, optionally, a time"),
        }
    }
}

fn text_of(argument: &Expr) -> Result<String> {
    match argument {
        Expr::Literal(
            ScalarValue::Utf8(Some(text)) | ScalarValue::LargeUtf8(Some(text)) | ScalarValue::Utf8View(Some(text)),
            _,
        ) => Ok(text.clone()),
        Expr::Literal(ScalarValue::Int64(Some(number)), _) => Ok(number.to_string()),
        other => plan_err!("read_tiledb takes constants, not '{other}'"),
    }
}
