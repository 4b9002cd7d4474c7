//! The session that statements run in.

use std::sync::Arc;
use std::time::Instant;

use datafusion::error::{DataFusionError, Result};
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion::sql::parser::DFParserBuilder;
use tiledb::{Config, Context};

use crate::Ended;
use crate::options::Options;
use crate::output::Output;

/// A session with arrays and files as tables.
pub(crate) struct Sql {
    session: SessionContext,
}

impl Sql {
    pub(crate) fn new(options: &Options) -> Result<Sql> {
        let mut config = SessionConfig::new().with_information_schema(true);
        if let Some(threads) = options.threads {
            config = config.with_target_partitions(threads.get());
        }
        let mut parameters = Config::builder();
        if let Some(file) = &options.config {
            parameters = parameters.file(file);
        }
        for assignment in &options.set {
            let Some((name, value)) = assignment.split_once('=') else {
                return Err(DataFusionError::Plan(format!("'{assignment}' is not NAME=VALUE")));
            };
            if name.starts_with("datafusion.") {
                config.options_mut().set(name, value)?;
            } else {
                parameters = parameters.set(name, value);
            }
        }
        if let Some(path) = &options.key_file {
            let key = std::fs::read_to_string(path)
                .map_err(|error| DataFusionError::Plan(format!("{}: {error}", path.display())))?;
            parameters = parameters.set("sm.encryption_type", "AES_256_GCM").set("sm.encryption_key", key.trim_end());
        }
        let parameters = parameters.build().map_err(external)?;
        let ctx = Context::with_config(parameters).map_err(external)?;
        let mut runtime = RuntimeEnvBuilder::new();
        if let Some(bytes) = options.memory {
            let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
            // Each sort reserves it for its merge.
            let reserved = &mut config.options_mut().execution.sort_spill_reservation_bytes;
            *reserved = (*reserved).min(bytes / 16);
            runtime = runtime.with_memory_pool(Arc::new(FairSpillPool::new(bytes)));
        }
        let session = SessionContext::new_with_config_rt(config, Arc::new(runtime.build()?)).enable_url_table();
        tiledb_datafusion::register(&session, &ctx);
        Ok(Sql { session })
    }

    /// The names of the session's tables.
    pub(crate) fn tables(&self) -> Vec<String> {
        let catalogs = self.session.catalog_names().into_iter().filter_map(|name| self.session.catalog(&name));
        let schemas = catalogs.flat_map(|catalog| {
            catalog.schema_names().into_iter().filter_map(move |name| catalog.schema(&name)).collect::<Vec<_>>()
        });
        schemas.flat_map(|schema| schema.table_names()).collect()
    }

    /// Runs statements one after the other until one fails or Ctrl-C is pressed. They run on threads of their own, since an operator
    /// may compute for a long time without a pause.
    pub(crate) async fn run(&self, text: &str, options: &Options) -> Result<Ended> {
        let session = self.session.clone();
        let output = Output::new(options)?;
        let text = text.trim_start_matches('\u{feff}').to_owned();
        let is_timed = options.timing;
        let mut statements = tokio::spawn(run_statements(session, text, output, is_timed));
        tokio::select! {
            result = &mut statements => {
                result.map_err(|error| DataFusionError::External(Box::new(error)))??;
                Ok(Ended::Normally)
            }
            _ = tokio::signal::ctrl_c() => {
                statements.abort();
                Ok(Ended::Interrupted)
            }
        }
    }
}

async fn run_statements(session: SessionContext, text: String, mut output: Output, is_timed: bool) -> Result<()> {
    let statements = DFParserBuilder::new(text.as_str()).build()?.parse_statements()?;
    for statement in statements {
        let start = Instant::now();
        let plan = session.state().statement_to_plan(statement).await?;
        let has_rows = !matches!(plan, LogicalPlan::Ddl(_) | LogicalPlan::Statement(_));
        let rows = session.execute_logical_plan(plan).await?.execute_stream().await?;
        output.write(rows, has_rows).await?;
        if is_timed {
            anstream::eprintln!("{:.3} s", start.elapsed().as_secs_f64());
        }
    }
    output.finish()
}

fn external(error: tiledb::Error) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
