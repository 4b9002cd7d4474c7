//! The program `tiledb-rs-sql`, which `tiledb-rs sql` runs: SQL over arrays, from the command line and at a prompt.

mod completion;
mod options;
mod output;
mod prompt;
mod session;

use std::io::{self, IsTerminal, Read};
use std::process::ExitCode;

use clap::Parser;
use datafusion::error::{DataFusionError, Result};
use datafusion::sql::sqlparser::parser::ParserError;

use options::Options;
use session::Sql;

/// DataFusion plans expressions recursively: a chain of a thousand operators needs a few megabytes.
const STACK_BYTES: usize = 64 << 20;

fn main() -> ExitCode {
    let options = Options::parse();
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    if let Some(threads) = options.threads {
        runtime.worker_threads(threads.get());
    }
    runtime.thread_stack_size(STACK_BYTES);
    let runtime = match runtime.enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failure(&format!("no threads can be started: {error}")),
    };
    let result = run(&options, &runtime);
    // Reads that are in progress need not end.
    runtime.shutdown_background();
    match result {
        Ok(Ended::Normally) => ExitCode::SUCCESS,
        Ok(Ended::Interrupted) => ExitCode::from(130),
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => failure(&message(&error)),
    }
}

/// How a query ended that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Normally,
    /// By Ctrl-C.
    Interrupted,
}

fn run(options: &Options, runtime: &tokio::runtime::Runtime) -> Result<Ended> {
    let sql = Sql::new(options)?;
    let text = match (&options.query, &options.file) {
        (Some(query), _) => query.clone(),
        (None, Some(file)) => std::fs::read_to_string(file)
            .map_err(|error| DataFusionError::Execution(format!("{}: {error}", file.display())))?,
        (None, None) if io::stdin().is_terminal() => return prompt::run(&sql, options, runtime),
        (None, None) => {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text)?;
            text
        }
    };
    runtime.block_on(sql.run(&text, options))
}

fn failure(text: &str) -> ExitCode {
    anstream::eprintln!("error: {text}");
    ExitCode::from(1)
}

/// What went wrong, without the prefixes of the layers that it went through.
fn message(error: &DataFusionError) -> String {
    match error {
        DataFusionError::External(inner) => inner.to_string(),
        DataFusionError::ArrowError(inner, _) => inner.to_string(),
        DataFusionError::Context(_, inner) | DataFusionError::Diagnostic(_, inner) => message(inner),
        DataFusionError::Shared(inner) => message(inner),
        DataFusionError::Plan(text) => {
            match text.strip_prefix("table 'datafusion.public.").and_then(|rest| rest.split_once('\'')) {
                Some((name, _)) => {
                    format!("there is no array, file or table '{name}'; write URIs and paths in single quotes")
                }
                None => text.clone(),
            }
        }
        DataFusionError::Execution(text) | DataFusionError::NotImplemented(text) => text.clone(),
        DataFusionError::SQL(error, _) => match &**error {
            ParserError::ParserError(text) | ParserError::TokenizerError(text) => format!("syntax: {text}"),
            ParserError::RecursionLimitExceeded => "the statement is nested too deeply".to_owned(),
        },
        other => other.strip_backtrace(),
    }
}

/// Whether the reader of the output has ended, such as `head`.
fn is_closed_pipe(error: &DataFusionError) -> bool {
    match error {
        DataFusionError::IoError(error) => error.kind() == io::ErrorKind::BrokenPipe,
        DataFusionError::ArrowError(error, _) => match &**error {
            arrow::error::ArrowError::IoError(_, error) => error.kind() == io::ErrorKind::BrokenPipe,
            // The writer of CSV has the text only.
            other => other.to_string().contains("Broken pipe"),
        },
        _ => false,
    }
}
